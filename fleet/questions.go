package fleet

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// Bounds on what goes over the wire.
const (
	maxQuestions = 4096 // lines in a job
	maxMoves     = 1 << 15
	maxFEN       = 128
	maxColumns   = 245 // as many as there are depths
	maxTerms     = 256 << 10
	maxSpent     = time.Hour * 24
	maxCanaries  = 64
)

// question asks for positions on one line.
type question struct {
	index int64    // the coordinator's number
	hash  lineHash // of start and moves
	start board.Position
	moves []board.Move // from start to the last of the positions
	plies []int        // the positions: after this number of moves, ascending
	known bool         // the coordinator still wants it; not on the wire
}

// lineHash identifies a start and the moves from it.
type lineHash [16]byte

func hashLine(start *board.Position, moves []board.Move) lineHash {
	b := start.AppendFEN(nil)
	b = append(b, 0)
	for _, m := range moves {
		b = binary.LittleEndian.AppendUint16(b, uint16(m))
	}
	sum := sha256.Sum256(b)
	return lineHash(sum[:16])
}

// newQuestion asks for some of the positions of a job.
func newQuestion(j *stockfish.Job, plies []int) question {
	moves := j.Moves[:plies[len(plies)-1]]
	return question{index: j.Index, hash: hashLine(&j.Start, moves), start: j.Start, moves: moves, plies: plies}
}

// positions returns how many positions are asked for.
func positions(list []question) (n int) {
	for i := range list {
		n += len(list[i].plies)
	}
	return n
}

// appendAsked writes what identifies the questions: how many (uvarint), then of each index (uvarint), hash [16], how
// many plies (uvarint), and the steps from one ply to the next (uvarint, the first from 0).
func appendAsked(b []byte, list []question) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for i := range list {
		q := &list[i]
		b = binary.AppendUvarint(b, uint64(q.index))
		b = append(b, q.hash[:]...)
		b = binary.AppendUvarint(b, uint64(len(q.plies)))
		last := 0
		for _, ply := range q.plies {
			b = binary.AppendUvarint(b, uint64(ply-last))
			last = ply
		}
	}
	return b
}

// decodeAsked reads what [appendAsked] writes; start and moves are missing.
func decodeAsked(b []byte) (list []question, err error) {
	r := reader{Rest: b}
	n := r.Uvarint(maxQuestions)
	for range n {
		q := question{index: int64(r.Uvarint(1 << 62))}
		copy(q.hash[:], r.Bytes(uint64(len(q.hash))))
		ply := uint64(0)
		for k := range r.Uvarint(maxMoves) {
			step := r.Uvarint(maxMoves)
			ply += step
			if ply > maxMoves || k > 0 && step == 0 {
				r.Bad = true
			}
			if r.Bad {
				break
			}
			q.plies = append(q.plies, int(ply))
		}
		if r.Bad || len(q.plies) == 0 {
			return nil, errMessage
		}
		list = append(list, q)
	}
	if len(list) == 0 {
		return nil, errMessage
	}
	return list, r.End()
}

// appendLines writes the lines of questions: of each the FEN of its start (u8 length, 0 for the usual one), how many
// moves (uvarint), and the moves (u16 each, little-endian).
func appendLines(b []byte, list []question) []byte {
	for i := range list {
		q := &list[i]
		fen := ""
		if q.start != board.StartPosition() {
			fen = q.start.FEN()
		}
		b = append(append(b, byte(len(fen))), fen...)
		b = binary.AppendUvarint(b, uint64(len(q.moves)))
		for _, m := range q.moves {
			b = binary.LittleEndian.AppendUint16(b, uint16(m))
		}
	}
	return b
}

// decodeJob reads the query and the lines. The engine's driver checks that moves are legal.
func decodeQuestions(asked, lines []byte) ([]question, error) {
	list, err := decodeAsked(asked)
	if err != nil {
		return nil, err
	}
	r := reader{Rest: lines}
	for i := range list {
		q := &list[i]
		fen := r.Bytes(uint64(r.Byte()))
		q.start = board.StartPosition()
		if len(fen) > maxFEN {
			return nil, errMessage
		}
		if len(fen) > 0 {
			if q.start, err = board.ParseFEN(string(fen)); err != nil {
				return nil, fmt.Errorf("%w: %w", errMessage, err)
			}
		}
		moves := r.Bytes(2 * r.Uvarint(maxMoves))
		for k := 0; k+1 < len(moves); k += 2 {
			q.moves = append(q.moves, board.Move(binary.LittleEndian.Uint16(moves[k:])))
		}
		if r.Bad || q.plies[len(q.plies)-1] != len(q.moves) || hashLine(&q.start, q.moves) != q.hash {
			return nil, errMessage
		}
	}
	return list, r.End()
}

// outcome is the result of one position: its labels, or why it failed.
type outcome struct {
	labels []dataset.Label // nil: failed, or not searched
	failed string          // why, "" if it was not searched at all
}

const (
	outcomeLabels byte = iota
	outcomeFailed
	outcomeMissing
)

// appendAnswer writes the outcomes of all positions of a job, in order: the time it took in microseconds (uvarint), how
// many labels a position has (u8), then of each position a byte: 0 and the labels ([dataset.Label.AppendBytes]), 1 and
// why it failed (uvarint length, text), 2 for not searched.
func appendAnswer(b []byte, spent time.Duration, columns int, list []outcome) []byte {
	b = binary.AppendUvarint(b, uint64(max(spent.Microseconds(), 0)))
	b = append(b, byte(columns))
	for _, o := range list {
		switch {
		case o.labels != nil:
			b = append(b, outcomeLabels)
			for i := range o.labels {
				b = o.labels[i].AppendBytes(b)
			}
		case o.failed != "":
			b = appendText(append(b, outcomeFailed), clip(o.failed, maxReason))
		default:
			b = append(b, outcomeMissing)
		}
	}
	return b
}

// decodeAnswer reads the outcomes of a number of positions with a number of labels each.
func decodeAnswer(b []byte, columns, positions int) (spent time.Duration, list []outcome, err error) {
	r := reader{Rest: b}
	spent = time.Duration(r.Uvarint(uint64(maxSpent.Microseconds()))) * time.Microsecond
	if int(r.Byte()) != columns || positions > len(r.Rest) {
		return 0, nil, errMessage
	}
	list = make([]outcome, positions)
	for i := range list {
		switch r.Byte() {
		case outcomeLabels:
			labels := make([]dataset.Label, columns)
			for k := range labels {
				if labels[k], r.Rest, err = dataset.LabelFromBytes(r.Rest); err != nil {
					return 0, nil, fmt.Errorf("%w: %w", errMessage, err)
				}
			}
			list[i].labels = labels
		case outcomeFailed:
			if list[i].failed = r.Text(maxReason); list[i].failed == "" {
				return 0, nil, errMessage
			}
		case outcomeMissing:
		default:
			return 0, nil, errMessage
		}
		if r.Bad {
			return 0, nil, errMessage
		}
	}
	return spent, list, r.End()
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
func labelsOf(outcomes []outcome) (list [][]dataset.Label) {
	for i := range outcomes {
		list = append(list, outcomes[i].labels)
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

func equalLabels(a, b []dataset.Label) bool { return slices.Equal(labelBytes(a), labelBytes(b)) }
