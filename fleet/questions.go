package fleet

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// Bounds on what goes over the wire.
const (
	maxQuestions = 4096 // lines in a job
	maxMoves     = 1 << 15
	maxColumns   = 245 // as many as there are depths
	maxTerms     = 256 << 10
	maxSpent     = time.Hour * 24
	maxCanaries  = 64
)

// question asks for positions on one line. An answer returns it; the line itself goes to the worker alone.
type question struct {
	Index int64  `json:"index"` // the coordinator's number
	Hash  digest `json:"hash"`  // of start and moves
	Plies []int  `json:"plies"` // the positions: after this number of moves, ascending
	start board.Position
	moves []board.Move // from start to the last of the positions
	known bool         // the coordinator still wants it
}

// line is the line of a question.
type line struct {
	FEN   string       `json:"fen,omitempty"` // of its start; empty for the usual one
	Moves []board.Move `json:"moves"`
}

// hashLine identifies a start and the moves from it.
func hashLine(start *board.Position, moves []board.Move) digest {
	b := start.AppendFEN(nil)
	b = append(b, 0)
	for _, m := range moves {
		b = binary.LittleEndian.AppendUint16(b, uint16(m))
	}
	sum := sha256.Sum256(b)
	return digest(sum[:])
}

// newQuestion asks for the positions of a job.
func newQuestion(j *stockfish.Job) question {
	moves := j.Moves[:j.Plies[len(j.Plies)-1]]
	return question{Index: j.Index, Hash: hashLine(&j.Start, moves), Plies: j.Plies, start: j.Start, moves: moves}
}

// positions returns how many positions are asked for.
func positions(list []question) (n int) {
	for i := range list {
		n += len(list[i].Plies)
	}
	return n
}

// linesOf returns the lines of questions.
func linesOf(list []question) []line {
	lines := make([]line, len(list))
	for i := range list {
		lines[i].Moves = list[i].moves
		if list[i].start != board.StartPosition() {
			lines[i].FEN = list[i].start.FEN()
		}
	}
	return lines
}

// decodeAsked reads questions without their lines.
func decodeAsked(b []byte) ([]question, error) {
	list, err := decodeJSON[[]question](b, maxJob)
	if err != nil || len(list) == 0 || len(list) > maxQuestions {
		return nil, cmp.Or(err, errMessage)
	}
	for i := range list {
		plies := list[i].Plies
		if len(plies) == 0 || list[i].Index < 0 {
			return nil, errMessage
		}
		last := -1
		for _, ply := range plies {
			if ply <= last || ply > maxMoves {
				return nil, errMessage
			}
			last = ply
		}
	}
	return list, nil
}

// decodeQuestions reads questions and their lines. The engine's driver checks that moves are legal.
func decodeQuestions(asked, lines []byte) ([]question, error) {
	list, err := decodeAsked(asked)
	if err != nil {
		return nil, err
	}
	given, err := decodeJSON[[]line](lines, maxJob)
	if err != nil || len(given) != len(list) {
		return nil, cmp.Or(err, errMessage)
	}
	for i, l := range given {
		q := &list[i]
		q.start, q.moves = board.StartPosition(), l.Moves
		if l.FEN != "" {
			if q.start, err = board.ParseFEN(l.FEN); err != nil {
				return nil, fmt.Errorf("%w: %w", errMessage, err)
			}
		}
		if q.Plies[len(q.Plies)-1] != len(q.moves) || hashLine(&q.start, q.moves) != q.Hash {
			return nil, errMessage
		}
	}
	return list, nil
}

// answer has the outcomes of all positions of a job, in order.
type answer struct {
	Spent    time.Duration `json:"spent"`
	Outcomes []outcome     `json:"outcomes"`
}

// outcome is the result of one position: its labels, or why it failed, or neither if it was not searched.
type outcome struct {
	Labels []byte `json:"labels,omitempty"` // as [labelBytes] writes them
	Failed string `json:"failed,omitempty"`
	labels []dataset.Label
}

// decodeAnswer reads the outcomes of a number of positions with a number of labels each.
func decodeAnswer(b []byte, columns, positions int) (a answer, err error) {
	if a, err = decodeJSON[answer](b, maxJob); err != nil {
		return a, err
	}
	if len(a.Outcomes) != positions || a.Spent < 0 || a.Spent > maxSpent {
		return a, errMessage
	}
	for i := range a.Outcomes {
		o := &a.Outcomes[i]
		if len(o.Failed) > maxReason || o.Failed != "" && o.Labels != nil {
			return a, errMessage
		}
		if o.Labels == nil {
			continue
		}
		rest := o.Labels
		o.labels = make([]dataset.Label, columns)
		for k := range o.labels {
			if o.labels[k], rest, err = dataset.LabelFromBytes(rest); err != nil {
				return a, fmt.Errorf("%w: %w", errMessage, err)
			}
		}
		if len(rest) > 0 {
			return a, errMessage
		}
	}
	return a, nil
}

// terms are the settings that a worker's engine must have: the welcome.
type terms struct {
	Limit        string                `json:"limit"`
	Hash         int                   `json:"hash"` // MiB
	MultiPV      int                   `json:"multipv"`
	Scope        string                `json:"hash_scope"`
	Shallower    []int                 `json:"shallower,omitempty"`
	Options      []dataset.Tag         `json:"options,omitempty"`
	Fingerprints []dataset.Fingerprint `json:"fingerprints"`
	Canaries     []string              `json:"canaries,omitempty"` // FEN: what a worker of another build labels first
}

// proof identifies a worker's engine: its fingerprints, and its labels of the canaries.
type proof struct {
	Fingerprints []dataset.Fingerprint `json:"fingerprints"`
	Labels       []byte                `json:"labels,omitempty"`
}

// termsOf returns the terms of a pool.
func termsOf(c stockfish.Config, prints []dataset.Fingerprint) terms {
	return terms{Limit: c.Limit.String(), Hash: c.Hash, MultiPV: c.MultiPV, Scope: c.HashScope().String(),
		Shallower: c.Shallower, Options: c.Options, Fingerprints: prints}
}

// config is the configuration of the engine at a path under the terms.
func (t *terms) config(path string) (c stockfish.Config, err error) {
	c = stockfish.Config{Path: path, Hash: t.Hash, MultiPV: t.MultiPV, Shallower: t.Shallower, Options: t.Options}
	if c.Limit, err = stockfish.ParseLimit(t.Limit); err != nil {
		return c, fmt.Errorf("%w: %w", errMessage, err)
	}
	switch t.Scope {
	case stockfish.LineScope.String():
		c.Scope = stockfish.LineScope
	case stockfish.PositionScope.String():
		c.Scope = stockfish.PositionScope
	default:
		return c, fmt.Errorf("%w: hash scope %q", errMessage, t.Scope)
	}
	if c.Hash < 0 || c.Hash > 1<<20 || len(t.Fingerprints) != 1+len(t.Shallower) || len(t.Fingerprints) > maxColumns ||
		len(t.Canaries) > maxCanaries {
		return c, fmt.Errorf("%w: hash %d, %d fingerprints", errMessage, t.Hash, len(t.Fingerprints))
	}
	return c, nil
}

// labelsOf returns the labels of outcomes.
func labelsOf(outcomes []outcome) (list [][]byte) {
	for i := range outcomes {
		list = append(list, outcomes[i].Labels)
	}
	return list
}

// labelBytes are the labels of a position as bytes: equal ones are the same.
func labelBytes(labels []dataset.Label) (b []byte) {
	for i := range labels {
		b = labels[i].AppendBytes(b)
	}
	return b
}
