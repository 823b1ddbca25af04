package mcts

import (
	"slices"
	"time"

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

// probeAgain is probe for an expanded node that tables may know by now. They are asked at each doubling of its visits.
func (t *tree) probeAgain(n *node) bool {
	if t.options.Tables == nil || n.visits&(n.visits-1) != 0 || n.inFlight > 0 || !t.probe(n) {
		return false
	}
	t.dropEdges(n, 0)
	return true
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

// rootWait limits a search's wait for the tables' results of the moves at its root. Some thirty questions take 2 ms.
// Without an answer any winning move would be played, also one that repeats a position.
const rootWait = 50 * time.Millisecond

// bestByTables returns the root's moves that are best by tables: of winning ones those that make progress. All are
// returned if tables do not know all.
func (t *tree) bestByTables(moves []board.Move) []board.Move {
	if !t.inTables(t.game.Position()) {
		return moves
	}
	hits := t.hits
	list, known := t.rankAll(moves)
	until := time.Now().Add(rootWait)
	for busy := true; busy && !known && time.Now().Before(until); {
		if busy = t.options.Tables.Busy(); busy {
			time.Sleep(rootWait / 200)
		}
		t.hits = hits // each move counts once
		list, known = t.rankAll(moves)
	}
	if !known {
		return moves
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

// rankAll ranks moves. All are asked about, also if one is not known yet.
func (t *tree) rankAll(moves []board.Move) (list []tableRank, known bool) {
	known = true
	for _, m := range moves {
		r, ok := t.rank(m)
		list, known = append(list, r), known && ok
	}
	return list, known
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
