package lc0

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// maxMoves is how many plies of a game are read.
const maxMoves = 20_000

// game reads a chunk: the line, and a label for each sample. A game that breaks the format or the rules of chess is a
// reject, whose place is in the chunk; every other error is one of reading.
func game(in io.Reader) (l dataset.Line, labels []dataset.Label, err error) {
	g := builder{line: dataset.Line{Source: dataset.SourceGame}}
	buffer := make([]byte, maxSize)
	for g.at = 0; ; g.at += int64(g.size) {
		r, err := g.read(in, buffer)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = g.add(&r)
		}
		if err != nil {
			return l, nil, err
		}
	}
	if g.plies == 0 {
		return l, nil, g.reject(dataset.NoMoves, nil)
	}
	l, labels = g.end()
	return l, labels, nil
}

// builder makes a line of records.
type builder struct {
	line    dataset.Line
	labels  []dataset.Label
	samples []byte
	at      int64 // of the record at hand
	size    int   // of records; 0 before the first
	version uint32
	plies   int

	position board.Position // the last one
	played   board.Move     // there, if the record names it
	mixed    bool           // records have different results
	legal    []board.Move
}

// read reads the next record.
func (g *builder) read(in io.Reader, buffer []byte) (r record, err error) {
	have := 0
	if g.size == 0 {
		if have, err = io.ReadFull(in, buffer[:8]); err == nil {
			if r, err = newRecord(buffer[:have]); !errors.Is(err, errCut) { // its version is none
				return r, g.reject(dataset.BadChunk, err)
			}
			g.size, g.version = r.layout.size, r.version
			err = nil
		}
	}
	if err == nil {
		if _, err = io.ReadFull(in, buffer[have:g.size]); err == io.EOF && have > 0 {
			err = io.ErrUnexpectedEOF
		}
	}
	switch {
	case err == io.ErrUnexpectedEOF:
		return r, g.reject(dataset.BadChunk, errCut)
	case err != nil:
		return r, err
	}
	if r, err = newRecord(buffer[:g.size]); err == nil && r.version != g.version {
		err = fmt.Errorf("%w: version %d after %d", errRecord, r.version, g.version)
	}
	if err != nil {
		return r, g.reject(dataset.BadChunk, err)
	}
	return r, nil
}

// reject makes a reject at the record at hand.
func (g *builder) reject(reason dataset.Reason, err error) error {
	if err != nil {
		err = fmt.Errorf("record %d at byte %d of the chunk: %w", g.plies+1, g.at, err)
	}
	return &dataset.Reject{Reason: reason, At: g.at, Ply: g.plies, Err: err}
}

// add adds a record.
func (g *builder) add(r *record) error {
	if g.plies == 0 {
		p, err := r.position()
		if errors.Is(err, errRights) {
			return g.reject(dataset.Chess960, err)
		}
		if err != nil {
			return g.reject(dataset.BadFEN, err)
		}
		g.line.Start, g.position, g.line.LeftPast = p, p, r.hasPast()
	} else if err := g.step(r); err != nil {
		return err
	}
	if g.plies == maxMoves {
		return g.reject(dataset.TooLong, fmt.Errorf("more than %d moves", maxMoves))
	}
	p := &g.position
	g.legal = p.LegalMoves(g.legal[:0])
	result, err := r.result()
	if err != nil {
		return g.reject(dataset.BadChunk, err)
	}
	if g.plies > 0 && result != g.line.Result {
		g.mixed = true
	}
	g.line.Result = result
	g.played = board.NoMove
	if r.named() {
		if g.played = r.move(p, g.legal, playedAt); g.played == board.NoMove {
			return g.reject(dataset.IllegalMove, errors.New("the move played is not legal"))
		}
	}
	policy, err := r.policy(p, g.legal)
	if err != nil {
		return g.reject(dataset.BadChunk, err)
	}
	if g.plies/8 == len(g.samples) {
		g.samples = append(g.samples, 0)
	}
	if r.flags()&deleted == 0 {
		g.samples[g.plies/8] |= 1 << (g.plies % 8)
		g.line.Policies = append(g.line.Policies, policy)
		g.labels = append(g.labels, r.label(p, g.legal))
	}
	g.plies++
	return nil
}

// step plays the move that leads to a record.
func (g *builder) step(r *record) error {
	if g.played != board.NoMove {
		q := g.position.After(g.played)
		if !r.is(&q) {
			return g.reject(dataset.IllegalMove, fmt.Errorf("%v does not lead to it", g.played))
		}
		g.line.Moves, g.position = append(g.line.Moves, g.played), q
		return nil
	}
	if r.mover != g.position.Turn() {
		for _, m := range g.legal {
			if q := g.position.After(m); r.is(&q) {
				g.line.Moves, g.position = append(g.line.Moves, m), q
				return nil
			}
		}
	}
	return g.reject(dataset.IllegalMove, errors.New("no move leads to it"))
}

// end returns the game. The last move is known only where the record names it.
func (g *builder) end() (dataset.Line, []dataset.Label) {
	if g.played != board.NoMove {
		g.line.Moves = append(g.line.Moves, g.played)
	}
	if g.mixed {
		g.line.Result = dataset.ResultUnknown
	}
	g.line.Samples = dataset.SomePlies(g.samples)
	if len(g.line.Moves) == g.plies && len(g.labels) == g.plies {
		g.line.Samples = dataset.AllMoves()
	}
	if !slices.ContainsFunc(g.labels, func(l dataset.Label) bool { return l.Status != dataset.Missing }) {
		g.labels = nil
	}
	return g.line, g.labels
}
