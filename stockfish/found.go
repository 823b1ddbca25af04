package stockfish

import (
	"bytes"
	"fmt"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish/uci"
)

// searchLines collects the lines of one search, per MultiPV rank.
//
// Engines report a set of lines, one for each rank, when a depth is done, and when a limit ends the search. Once a
// search has lasted three seconds, as it may on a busy machine, Stockfish also reports one after each rank. Most of
// those have lines of the depth before, too; in some all are of the new depth, but not all of them searched to their
// end. So that a label does not depend on the time, only the last set of each depth is looked at, and it counts if it
// is whole, exact and of that depth in all its lines.
type searchLines struct {
	lineCount int          // lines to expect
	moves     []board.Move // that were searched; nil: all
	exact     bool         // some line had an exact score
	current   []uci.Info   // by rank - 1: the set being reported; rank 0 where there is no exact line
	pending   []uci.Info   // the set before that one, if it counts unless another of its depth follows; else nil
	complete  []uci.Info   // the latest set that counts, nil if none yet
	shallower []shallower  // ascending
}

// shallower is the latest set that counts up to a depth.
type shallower struct {
	depth int
	lines []uci.Info
}

func newSearchLines(pos *board.Position, multiPV int, depths []int, only []board.Move) *searchLines {
	moves := len(only)
	if only == nil {
		moves = len(pos.LegalMoves(make([]board.Move, 0, 64)))
	}
	n := min(multiPV, moves)
	f := &searchLines{lineCount: n, moves: only, current: make([]uci.Info, n)}
	for _, d := range depths {
		f.shallower = append(f.shallower, shallower{depth: d})
	}
	return f
}

// add takes one line. Engines report the ranks of a set in order, so rank 1 opens a new set.
func (f *searchLines) add(i uci.Info) error {
	if !i.Scored {
		return nil
	}
	if i.Rank > f.lineCount {
		return fmt.Errorf("line of rank %d where %d were asked for", i.Rank, f.lineCount)
	}
	if i.Rank == 1 {
		f.beginSet(i.Depth)
	}
	line := &f.current[i.Rank-1]
	if !i.Exact() {
		line.Rank = 0
		return nil
	}
	f.exact = true
	*line = i
	line.PV = bytes.Clone(i.PV) // the line is only lent
	if f.uniform() {
		f.pending, f.current = f.current, make([]uci.Info, f.lineCount)
	}
	return nil
}

// beginSet begins a set. One before it of the same depth was not the last. (Of a single line the last exact one counts:
// what engines report of it before its depth is done is a bound.)
func (f *searchLines) beginSet(depth int) {
	if f.lineCount > 1 && f.pending != nil && f.pending[0].Depth == depth {
		f.pending = nil
	}
	f.endSet()
	clear(f.current)
}

// uniform reports whether the present set has an exact line for each rank, all of the same depth.
func (f *searchLines) uniform() bool {
	return !slices.ContainsFunc(f.current, func(i uci.Info) bool {
		return i.Rank == 0 || i.Depth != f.current[0].Depth
	})
}

// endSet makes the last set count: no other of its depth will come.
func (f *searchLines) endSet() {
	if f.pending == nil {
		return
	}
	for k := range f.shallower {
		if b := &f.shallower[k]; f.pending[0].Depth <= b.depth {
			b.lines = f.pending
		}
	}
	f.complete, f.pending = f.pending, nil
}

// incomplete reports whether a search with a legal best move scored some of several lines, and never all of them
// together.
func (f *searchLines) incomplete(best string, pos *board.Position) bool {
	f.endSet()
	missing := f.complete == nil
	for _, b := range f.shallower {
		missing = missing || b.lines == nil
	}
	_, err := pos.ParseUCI(best)
	return f.lineCount > 1 && f.exact && missing && err == nil
}

// labels is what the search found, once the engine has said which move is best.
func (f *searchLines) labels(pos *board.Position, best string) ([]dataset.Label, error) {
	f.endSet()
	m, err := pos.ParseUCI(best)
	if err != nil {
		return nil, fmt.Errorf("bestmove %q: %w", best, err)
	}
	if !f.searched(m) {
		return nil, fmt.Errorf("bestmove %q is none of those that were to be searched", best)
	}
	labels := make([]dataset.Label, 0, len(f.shallower)+1)
	for _, b := range f.shallower {
		l, err := f.labelOf(pos, b.lines)
		if err != nil {
			return nil, fmt.Errorf("depth %d: %w", b.depth, err)
		}
		labels = append(labels, l)
	}
	l, err := f.labelOf(pos, f.complete)
	if err != nil {
		return nil, err
	}
	l.Best = m
	return append(labels, l), nil
}

// labelOf is the label of a complete set of lines, by its own best move.
func (f *searchLines) labelOf(pos *board.Position, lines []uci.Info) (dataset.Label, error) {
	if lines == nil {
		return dataset.Label{}, errNoScore
	}
	label := dataset.Label{Status: dataset.Labelled, Lines: make([]dataset.Searched, 0, len(lines))}
	for k := range lines {
		i := &lines[k]
		pv, err := playable(*pos, i.PV)
		if err != nil {
			return dataset.Label{}, fmt.Errorf("line of rank %d: %w", i.Rank, err)
		}
		if !f.searched(pv[0]) {
			return dataset.Label{}, fmt.Errorf("line of rank %d: %s was not to be searched", i.Rank, pv[0])
		}
		for _, other := range label.Lines {
			if other.PV[0] == pv[0] {
				return dataset.Label{}, fmt.Errorf("lines of rank %d and of an earlier one both start with %s", i.Rank,
					pv[0])
			}
		}
		label.Lines = append(label.Lines, dataset.Searched{
			Score: i.Score, WDL: i.WDL, Depth: i.Depth, Nodes: i.Nodes, PV: pv,
		})
	}
	label.Best = label.Lines[0].PV[0]
	return label, nil
}

// searched reports whether a move was to be searched.
func (f *searchLines) searched(m board.Move) bool {
	return f.moves == nil || slices.Contains(f.moves, m)
}

// playable is the longest legal beginning of a variation. It is an error if there is none.
func playable(pos board.Position, pv []byte) ([]board.Move, error) {
	var moves []board.Move
	for word, rest := uci.CutWord(pv); len(word) > 0; word, rest = uci.CutWord(rest) {
		m, err := pos.ParseUCI(string(word))
		if err != nil {
			if len(moves) == 0 {
				return nil, fmt.Errorf("first move %q: %w", word, err)
			}
			break
		}
		moves = append(moves, m)
		pos.Play(m)
	}
	return moves, nil
}
