package mcts

import (
	"slices"

	"talbot/board"
)

// inTables reports whether tables may know a position.
func (t *tree) inTables(p *board.Position) bool {
	return t.options.Tables != nil && p.Occupied().Len() <= min(t.options.ProbeLimit, t.options.Tables.Pieces())
}

// probe reports whether tables know for certain what the present position is worth, and writes it down.
func (t *tree) probe(n *node) bool {
	p := t.game.Position()
	if !t.inTables(p) {
		return false
	}
	e, ok := t.options.Tables.Probe(p)
	if !ok {
		return false
	}
	t.hits++
	value, certain := e.certain(p.HalfmoveClock())
	if certain {
		t.setResult(n, tablebase, value)
	}
	return certain
}

// certain returns the result of a position with its halfmove clock. The class of a win or a loss holds for a clock of
// 0; with another one the winner must be in time with the next capture or pawn move, after which it holds again. One
// ply is kept in hand, as distances may be one too short.
func (e Ending) certain(clock int) (value int8, ok bool) {
	switch e.WDL {
	case Win:
		value = 1
	case Loss:
		value = -1
	default:
		return 0, true
	}
	return value, clock == 0 || e.DTZ > 0 && clock+e.DTZ < 100
}

// tableRank is the result of a move by tables.
type tableRank struct {
	move  board.Move
	class int8 // 3 mates, 2 wins, 1 wins if there is time, 0 draws, down to -2
	dtz   int  // to the next capture or pawn move of those that win, this move excluded
}

// bestByTables returns the root's moves that are best by tables: of winning ones those that make progress. All are
// returned if tables do not know all.
func (t *tree) bestByTables(moves []board.Move) []board.Move {
	if !t.inTables(t.game.Position()) {
		return moves
	}
	var list []tableRank
	for _, m := range moves {
		r, known := t.rank(m)
		if !known {
			return moves
		}
		list = append(list, r)
	}
	best := slices.MaxFunc(list, func(a, b tableRank) int {
		if a.class != b.class {
			return int(a.class) - int(b.class)
		}
		return b.dtz - a.dtz
	})
	var kept []board.Move
	for _, r := range list {
		if r.class == best.class && (best.class <= 0 || r.dtz == best.dtz) {
			kept = append(kept, r.move)
		}
	}
	return kept
}

// rank says what tables know about a move at the root.
func (t *tree) rank(m board.Move) (r tableRank, ok bool) {
	t.game.Push(m)
	defer t.game.Rewind(t.game.Ply() - 1)
	p := t.game.Position()
	t.replies = p.LegalMoves(t.replies[:0])
	switch ended(t.game, t.replies) {
	case mated:
		return tableRank{m, 3, 0}, true
	case open:
	default:
		return tableRank{m, 0, 0}, true
	}
	e, ok := t.options.Tables.Probe(p)
	if !ok {
		return r, false
	}
	t.hits++
	value, certain := e.certain(p.HalfmoveClock())
	class := -value
	if certain {
		class *= 2
	}
	if class <= 0 || p.HalfmoveClock() == 0 {
		return tableRank{m, class, 0}, true
	}
	return tableRank{m, class, e.DTZ}, true
}
