package mcts

import (
	"math"
	"testing"

	"talbot/board"
)

// check walks a tree and compares what nodes say with what their children do, and with the game.
func check(t testing.TB, tr *tree) (nodes int) {
	t.Helper()
	if tr.top == 0 {
		return 0
	}
	g := board.NewGame(tr.start, tr.moves...)
	if *g.Position() != *tr.game.Position() || g.Ply() != tr.game.Ply() {
		t.Fatalf("the game stands at %s", tr.game.Position().FEN())
	}
	var walk func(i uint32, depth int) (below bool)
	walk = func(i uint32, depth int) (below bool) {
		nodes++
		n, p := tr.at(i), g.Position()
		where := func() string { return p.FEN() }
		if n.inFlight != 0 || n.kind() == waiting {
			t.Fatalf("%s: %d still wait", where(), n.inFlight)
		}
		switch n.kind() {
		case fresh:
			if n.visits != 0 || n.sum != 0 {
				t.Fatalf("%s: fresh with %d visits", where(), n.visits)
			}
			return false
		case terminal, repetition, tablebase:
			if !tr.asPublished && (!n.proven() || n.sum != float64(n.visits)*float64(n.value)) {
				t.Fatalf("%s: over, with %v in %d visits", where(), n.sum, n.visits)
			}
			if n.kind() == repetition {
				k := int(n.cycle)
				if k > depth || g.Previous(k).Key() != p.Key() {
					t.Fatalf("%s: no repetition of a position of the tree", where())
				}
				return true
			}
			return false
		case collapsed:
			return false
		}
		own, sum, open := int64(n.visits), 0.0, 0
		for k, e := range tr.edgesOf(n) {
			if !p.IsLegal(e.move) {
				t.Fatalf("%s: %v is not legal", where(), e.move)
			}
			if first := tr.child(&tr.edgesOf(n)[0]); k > 0 && e.prior > tr.edgesOf(n)[k-1].prior &&
				(k > 1 || first == nil || first.kind() != terminal) { // a mate in one is put in front
				t.Fatalf("%s: %v is out of order", where(), e.move)
			}
			if e.child == 0 {
				continue
			}
			if open++; depth > 0 && k >= int(n.opened) {
				t.Fatalf("%s: %v is behind the opened ones", where(), e.move)
			}
			c := tr.at(e.child)
			own -= int64(c.visits)
			sum -= c.sum
			g.Push(e.move)
			below = walk(e.child, depth+1) || below
			g.Rewind(g.Ply() - 1)
			p = g.Position()
		}
		if below && n.cycle&cyclesBelow == 0 {
			t.Fatalf("%s: repetitions below are not noted", where())
		}
		if n.visits > 0 && own < 1 {
			t.Fatalf("%s: %d visits, %d less than those of its moves", where(), n.visits, -own)
		}
		if depth > 0 && n.proven() && !tr.asPublished {
			sum = float64(n.lower()) * float64(n.visits)
		} else {
			sum += float64(own) * float64(n.value)
		}
		if math.Abs(n.sum-sum) > 1e-6*float64(n.visits) {
			t.Fatalf("%s: values of %d visits sum to %v, not %v", where(), n.visits, n.sum, sum)
		}
		if d := float64(n.drawn); d < -1e-3 || d > 1+1e-3 {
			t.Fatalf("%s: chance of a draw %v", where(), d)
		}
		if was := *n; depth > 0 && !tr.asPublished && tr.bound(n) {
			t.Fatalf("%s: bounds %d to %d in %d plies should be %d to %d in %d", where(), was.lower(), was.upper(),
				was.plies, n.lower(), n.upper(), n.plies)
		}
		return below
	}
	walk(tr.top, 0)
	return nodes
}

// copyOf returns a game with the same past.
func copyOf(g *board.Game) *board.Game {
	h := board.NewGame(*g.Previous(g.Ply()))
	for k := g.Ply() - 1; k >= 0; k-- {
		p := g.Previous(k + 1)
		for _, m := range p.LegalMoves(nil) {
			if p.After(m) == *g.Previous(k) {
				h.Push(m)
				break
			}
		}
	}
	return h
}

// checkReport sees that a report is one of the game's position: legal variations that end no later than the game, all
// different, with mates as long as they are said to be.
func checkReport(t testing.TB, g *board.Game, r *Report) {
	t.Helper()
	start := *g.Position()
	legal := start.LegalMoves(nil)
	if (len(r.Lines) == 0) != (len(legal) == 0) {
		t.Fatalf("%s: %d lines", start.FEN(), len(r.Lines))
	}
	first := map[board.Move]bool{}
	for _, l := range r.Lines {
		h := copyOf(g)
		for i, m := range l.PV {
			if i > 0 && (h.Position().IsDead() || h.Position().HalfmoveClock() >= 100 || h.Repetitions() >= 2) {
				t.Fatalf("%s: %v goes on after the end", start.FEN(), l.PV)
			}
			if !h.Position().IsLegal(m) {
				t.Fatalf("%s: %v is not legal in %v", start.FEN(), m, l.PV)
			}
			h.Push(m)
		}
		if len(l.PV) == 0 || first[l.PV[0]] {
			t.Fatalf("%s: %d lines, one begins as another", start.FEN(), len(r.Lines))
		}
		first[l.PV[0]] = true
		if l.Mate != 0 {
			plies := 2*l.Mate - 1
			if l.Mate < 0 {
				plies = -2 * l.Mate
			}
			if !l.Proven || len(l.PV) != plies || !h.Position().IsCheckmate() {
				t.Fatalf("%s: mate in %d by %v", start.FEN(), l.Mate, l.PV)
			}
		}
		sum := l.WDL[0] + l.WDL[1] + l.WDL[2]
		if l.Value < -1 || l.Value > 1 || sum < 0.999 || sum > 1.001 || min(l.WDL[0], l.WDL[1], l.WDL[2]) < 0 {
			t.Fatalf("%s: value %v, chances %v", start.FEN(), l.Value, l.WDL)
		}
	}
}
