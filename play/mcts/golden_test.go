package mcts

import (
	"math"
	"strings"
	"testing"

	"talbot/board"
)

// locked has three moves for White: h1g1, h1g2, h1h2.
const locked = "k7/8/8/8/8/p7/P7/7K w - - 0 1"

// threeMoves is a network that gives the moves of locked the priors 0.5, 0.3 and 0.2 and the values 0.2, -0.4 and 0.6
// for White; to all other positions it gives 0, and equal priors.
func threeMoves(t testing.TB, batch int) *fake {
	f := newFake(t, batch)
	prior := map[string]float64{"h1g1": 0.5, "h1g2": 0.3, "h1h2": 0.2}
	f.prior = func(g *board.Game, m board.Move) float64 {
		if g.Ply() == 0 {
			return prior[m.String()]
		}
		return 1
	}
	f.value = func(g *board.Game) float64 {
		if g.Ply() != 1 {
			return 0
		}
		king := g.Position().Pieces(board.White, board.King).First()
		return map[board.Square]float64{6: -0.2, 14: 0.4, 15: -0.6}[king]
	}
	return f
}

// visitsOfLines returns the visits of the moves to g1, g2 and h2.
func visitsOfLines(r *Report) (n [3]int64) {
	for _, l := range r.Lines {
		n[strings.Index("g1g2h2", l.PV[0].String()[2:])/2] = l.Visits
	}
	return n
}

// order searches locked node by node, and returns the squares that the moves go to in the order of the visits.
func order(t *testing.T, s Searcher, nodes int) (squares string) {
	t.Helper()
	set(t, s, locked)
	var last [3]int64
	for range nodes {
		now := visitsOfLines(search(t, s, Limits{Nodes: 1}))
		for i := range now {
			if now[i] > last[i] {
				squares += " " + []string{"g1", "g2", "h2"}[i]
			}
		}
		last = now
	}
	return squares
}

// TestGoldenPUCT follows a search that was worked out by hand. With c = 1, f = 0.5 and without growth of c, after the
// root's own visit:
//
//	N  root's mean  g1                        g2                        h2                        visits
//	1  0            0 + 1·0.5                 0 + 1·0.3                 0 + 1·0.2                 g1, worth 0.2
//	2  0.1          0.2 + 1.414·0.5/2 = 0.55  -0.254 + 1.414·0.3 = 0.17 -0.254 + 1.414·0.2 = 0.03 g1, then 0
//	…               (-0.254 is 0.1 - 0.5·√0.5: g1 is visited)
//	5  0.04         0.05 + 2.236·0.5/5 = 0.27 -0.314 + 2.236·0.3 = 0.36 -0.314 + 2.236·0.2 = 0.13 g2, worth -0.4
//	6  -0.033       0.05 + 2.449·0.5/5 = 0.29 -0.4 + 2.449·0.3/2        -0.481 + 2.449·0.2 = 0.01 g1
//	…               (-0.481 is -0.033 - 0.5·√0.8)
//	11 -0.018       0.022 + 3.317·0.5/10      -0.4 + …                  -0.465 + 3.317·0.2        h2
//	                = 0.188                                             = 0.198
func TestGoldenPUCT(t *testing.T) {
	s := mustNew(t, "puct", threeMoves(t, 1), func(o *Options) {
		o.C, o.CFactor, o.FPU, o.PolicyTemp, o.MultiPV, o.MateInOne, o.CacheSize = 1, 0, 0.5, 1, 3, false, 0
	})
	if got, want := order(t, s, 12), " g1 g1 g1 g1 g2 g1 g1 g1 g1 g1 h2"; got != want {
		t.Errorf("visits %s, by hand %s", got, want)
	}
	r := search(t, s, Limits{Nodes: 1})
	if v := r.Lines[0].Value; math.Abs(float64(v)-0.2/float64(r.Lines[0].Visits)) > 1e-6 {
		t.Errorf("value %v", v)
	}
	check(t, s.(*tree))
}

// TestGoldenGrowth compares c with its formula, and the priors' temperature.
func TestGoldenGrowth(t *testing.T) {
	tr := mustNew(t, "puct", threeMoves(t, 1), func(o *Options) {
		o.C, o.CFactor, o.CBase, o.PolicyTemp = 2, 3, 100, 2
	}).(*tree)
	n := &node{visits: 300, inFlight: 20}
	if got, want := tr.exploration(n), (2+3*math.Log(4.2))*math.Sqrt(320); math.Abs(got-want) > 1e-9 {
		t.Errorf("c·√N is %v, not %v", got, want)
	}
	set(t, tr, locked)
	r := search(t, tr, Limits{Nodes: 1})
	sum := math.Sqrt(0.5) + math.Sqrt(0.3) + math.Sqrt(0.2)
	if p := float64(r.Lines[0].Prior); math.Abs(p-math.Sqrt(0.5)/sum) > 1e-3 {
		t.Errorf("prior %v at temperature 2, not %v", p, math.Sqrt(0.5)/sum)
	}
}

// TestGoldenTalbotBot likewise: first all three by prior, then by value + 5·prior·√N/(1+n):
//
//	N = 4: 0.2 + 10·0.5/2 = 2.7       -0.4 + 10·0.3/2 = 1.1   0.6 + 10·0.2/2 = 1.6     g1
//	N = 5: 0.1 + 11.18·0.5/3 = 1.96   1.28                    0.6 + 11.18·0.2/2 = 1.72 g1
//	N = 6: 0.067 + 12.25·0.5/4 = 1.60 1.44                    0.6 + 12.25·0.2/2 = 1.82 h2
func TestGoldenTalbotBot(t *testing.T) {
	s := mustNew(t, "talbotbot", threeMoves(t, 1), func(o *Options) { o.MultiPV, o.CacheSize = 3, 0 })
	if got, want := order(t, s, 7), " g1 g2 h2 g1 g1 h2"; got != want {
		t.Errorf("visits %s, by hand %s", got, want)
	}
	check(t, s.(*tree))
}

// TestGoldenBatch: of a batch of four talbotbot asks about the root alone, then about its three moves, as then all
// below the root waits; then g1 is best for as long as something below it does not wait, which are three moves, and
// h2 next.
func TestGoldenBatch(t *testing.T) {
	f := threeMoves(t, 4)
	s := mustNew(t, "talbotbot", f, func(o *Options) { o.MultiPV, o.CacheSize = 3, 0 })
	set(t, s, locked)
	r := search(t, s, Limits{Nodes: 8})
	if got := visitsOfLines(r); got != [3]int64{4, 1, 2} {
		t.Errorf("visits %v", got)
	}
	if len(f.counts) != 3 || f.counts[0] != 1 || f.counts[1] != 3 || f.counts[2] != 4 {
		t.Errorf("batches of %v", f.counts)
	}
	check(t, s.(*tree))
}

// TestGoldenNapoleon: without a share for playouts a move's bound is v + ln(1+N)/(1+n), v being 0.2, -0.4 and 0.6.
//
//	N = 0: h2 0.6
//	N = 1: 0.2 + 0.693   -0.4 + 0.693   0.6 + 0.693/2 = 0.947   h2
//	N = 2: 0.2 + 1.099   -0.4 + 1.099   0.6 + 1.099/3 = 0.966   g1
//	N = 3: 0.2 + 0.693   -0.4 + 1.386   0.6 + 1.386/3 = 1.062   h2
//	N = 4: 0.2 + 0.805   -0.4 + 1.609   0.6 + 1.609/4 = 1.002   g2
func TestGoldenNapoleon(t *testing.T) {
	for nodes, want := range map[int64][3]int64{1: {0, 0, 1}, 2: {0, 0, 2}, 3: {1, 0, 2}, 4: {1, 0, 3}, 5: {1, 1, 3}} {
		s := mustNew(t, "napoleon", threeMoves(t, 2), func(o *Options) { o.MultiPV, o.Exploration = 3, 0 })
		g := set(t, s, locked)
		r := search(t, s, Limits{Nodes: nodes})
		if got := visitsOfLines(r); got != want || r.Lines[0].PV[0].String() != "h1h2" || r.Lines[0].Value != 0.6 {
			t.Errorf("%d nodes: visits %v, by hand %v: %+v", nodes, got, want, r.Lines[0])
		}
		checkReport(t, g, r)
	}
}

// TestNapoleonPlayouts: where the network knows nothing, the results of playouts decide: with a queen more, White wins
// some of the random games and loses none.
func TestNapoleonPlayouts(t *testing.T) {
	for _, fen := range []string{"8/8/4k3/8/8/3QK3/8/8 w - - 0 1", "8/8/3qk3/8/8/4K3/8/8 b - - 0 1"} {
		s := mustNew(t, "napoleon", newFake(t, 8), func(o *Options) { o.Exploration, o.Iterations = 1, 300 })
		g := set(t, s, fen)
		r := search(t, s, Limits{})
		if l := r.Lines[0]; l.Value <= 0 || r.Nodes != 300 {
			t.Errorf("%s: %d nodes, %+v", fen, r.Nodes, l)
		}
		checkReport(t, g, r)
	}
	// one legal move is played without a search
	f := newFake(t, 1)
	s := mustNew(t, "napoleon", f)
	set(t, s, "7k/R7/8/8/8/8/8/K7 b - - 0 1")
	if r := search(t, s, Limits{}); r.Nodes != 0 || f.asked != 0 || r.Lines[0].PV[0].String() != "h8g8" {
		t.Errorf("%+v", r)
	}
}

// TestPolicy plays the most probable move and counts favourites that are not legal.
func TestPolicy(t *testing.T) {
	f := threeMoves(t, 1)
	s := mustNew(t, "policy", f, func(o *Options) { o.MultiPV = 3 })
	g := set(t, s, locked)
	r := search(t, s, Limits{})
	checkReport(t, g, r)
	if r.Lines[0].PV[0].String() != "h1g1" || math.Abs(float64(r.Lines[2].Prior)-0.2) > 1e-6 || r.Illegal != 0 {
		t.Errorf("%+v", r)
	}
	f.illegal = true
	for _, name := range []string{"policy", "puct"} {
		s := mustNew(t, name, f)
		set(t, s, locked)
		if r := search(t, s, Limits{Nodes: 1}); r.Illegal != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestValue plays the move whose position is worst for the opponent.
func TestValue(t *testing.T) {
	for _, batch := range []int{1, 2, 3, 8} {
		s := mustNew(t, "value", threeMoves(t, batch), func(o *Options) { o.MultiPV = 3 })
		g := set(t, s, locked)
		r := search(t, s, Limits{})
		checkReport(t, g, r)
		for i, want := range []float32{0.6, 0.2, -0.4} {
			if r.Lines[i].Value != want {
				t.Errorf("batch %d, line %d: %+v", batch, i, r.Lines[i])
			}
		}
		if r.Lines[0].PV[0].String() != "h1h2" || r.Nodes != 3 {
			t.Errorf("batch %d: %+v", batch, r)
		}
	}
}

// TestChances: a network that gives chances has them in its lines, one with values alone has them by the rule.
func TestChances(t *testing.T) {
	for _, v := range []float32{-1, -0.5, 0, 0.3, 1} {
		c := wdlOf(v)
		if math.Abs(float64(c[0]-c[2]-v)) > 1e-6 || math.Abs(float64(c[0]+c[1]+c[2])-1) > 1e-6 {
			t.Errorf("%v: %v", v, c)
		}
	}
	f := newFake(t, 4)
	f.abilities.WDL = true
	f.value = func(*board.Game) float64 { return 0 }
	f.drawn = 0.9
	s := mustNew(t, "puct", f)
	set(t, s, board.StartFEN)
	for _, nodes := range []int64{1, 200} { // the one node is the root: no move was searched
		if l := search(t, s, Limits{Nodes: nodes}).Lines[0]; math.Abs(float64(l.WDL[1])-0.9) > 0.01 || l.Value != 0 {
			t.Errorf("%d nodes: %+v", nodes, l)
		}
	}
	f.abilities = Capabilities{WDL: true} // neither priors nor a value: win less loss
	f.value = func(g *board.Game) float64 { return 0.05 - 0.1*float64(g.Position().Turn()) }
	s = mustNew(t, "puct", f)
	set(t, s, board.StartFEN)
	if l := search(t, s, Limits{Nodes: 200}).Lines[0]; math.Abs(float64(l.Value)-0.05) > 1e-4 {
		t.Errorf("%+v", l)
	}
}
