package mcts

import (
	"context"
	"errors"
	"math"
	"testing"

	"talbot/board"
)

// appraising is a fake that says what moves are likely.
type appraising struct {
	*fake
	likely func(at *AppraisalInput) []LikelyMove
}

func (a *appraising) Appraise(_ context.Context, at *AppraisalInput, dst []LikelyMove) ([]LikelyMove, error) {
	p := at.Start
	for _, m := range at.Moves {
		p.Play(m)
	}
	if p != *at.Game.Position() || len(at.Legal) != len(p.LegalMoves(nil)) {
		a.t.Errorf("appraised %q after %v, with %d legal moves", at.Game.Position().FEN(), at.Moves, len(at.Legal))
	}
	a.asked++
	return append(dst, a.likely(at)...), nil
}

func newAppraising(t testing.TB, likely func(at *AppraisalInput) []LikelyMove) *appraising {
	return &appraising{fake: newFake(t, 1), likely: likely}
}

// hashed gives all legal moves shares and values drawn from the position as its side to move sees it.
func hashed(at *AppraisalInput) (list []LikelyMove) {
	for i, m := range at.Legal { // in the order of the side to move
		p := *at.Game.Position()
		if p.Turn() == board.Black {
			p = p.Mirror()
		}
		x := (p.Key() + uint64(i+1)) * 0x9e3779b97f4a7c15
		list = append(list, LikelyMove{m, 1 + float64(x>>60), float64(x>>40&0xffff)/32768 - 1})
	}
	return list
}

// TestRolloutsDraw: the first move of a simulation is drawn with the probability of the formula, which was worked
// out by hand for shares 0.5, 0.3, 0.2 and values 0.2, -0.4, 0.6 at 1500, where the exponent is 11.62: the weights are
// 0.5·0.8^11.62 = 0.03741, 0.3·0.5^11.62 = 0.0000953 and 0.2.
func TestRolloutsDraw(t *testing.T) {
	values := map[string]LikelyMove{"h1g1": {Share: 0.5, Value: 0.2}, "h1g2": {Share: 0.3, Value: -0.4},
		"h1h2": {Share: 0.2, Value: 0.6}}
	e := newAppraising(t, func(at *AppraisalInput) (list []LikelyMove) {
		for _, m := range at.Legal {
			l := values[m.String()]
			l.Move = m
			list = append(list, l)
		}
		return list
	})
	for rating, want := range map[int]float64{1500: 0.15755, 0: 0.15755, 100: 0.5615} {
		// at 100 the exponent is 3: 0.5·0.512, 0.3·0.125 and 0.2
		count, n := 0, 6000
		for seed := range n {
			s := mustNew(t, "rollouts", e, func(o *Options) { o.Seed, o.Ratings[0] = uint64(seed), rating })
			set(t, s, locked)
			if search(t, s, Limits{Nodes: 1}).Lines[0].PV[0].String() == "h1g1" {
				count++
			}
		}
		if rating == 100 {
			want = 0.256 / (0.256 + 0.0375 + 0.2)
		}
		if got := float64(count) / float64(n); math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/float64(n)) {
			t.Errorf("rating %d: h1g1 in %.4f of simulations, want %.4f", rating, got, want)
		}
	}
}

// TestRolloutsGolden: where one move is likely in each position, the n-th simulation ends n plies behind the root, and
// the mean of the first move is that of v1, −v2, v3 …, each for who plays that move.
func TestRolloutsGolden(t *testing.T) {
	v := []float64{0.5, 0.25, -0.75, 0.125}
	e := newAppraising(t, func(at *AppraisalInput) []LikelyMove {
		return []LikelyMove{{at.Legal[0], 1, v[at.Game.Ply()]}}
	})
	s := mustNew(t, "rollouts", e)
	means := []float64{0.5, (0.5 - 0.25) / 2, (0.5 - 0.25 - 0.75) / 3, (0.5 - 0.25 - 0.75 - 0.125) / 4}
	for n, want := range means {
		set(t, s, board.StartFEN)
		r := search(t, s, Limits{Nodes: int64(n + 1)})
		if got := r.Lines[0]; math.Abs(float64(got.Value)-want) > 1e-6 || got.Visits != int64(n+1) ||
			len(got.PV) != n+1 || r.SelDepth != n+1 {
			t.Errorf("after %d simulations: %+v, want %g", n+1, got, want)
		}
	}
	s = mustNew(t, "rollouts", e, func(o *Options) { o.RolloutDepth = 2 })
	set(t, s, board.StartFEN)
	// two plies: 0.5, then −0.25 again and again
	if r := search(t, s, Limits{Nodes: 5}); r.SelDepth != 2 ||
		math.Abs(float64(r.Lines[0].Value)-(0.5-4*0.25)/5) > 1e-6 {
		t.Errorf("%+v", r)
	}
}

// TestRolloutsSums: what a move has is what its own first simulation and those through its replies brought, with the
// sign changed at each ply; and simulations are counted exactly.
func TestRolloutsSums(t *testing.T) {
	e := newAppraising(t, hashed)
	searcher := mustNew(t, "rollouts", e)
	set(t, searcher, "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
	if r := search(t, searcher, Limits{Nodes: 400}); r.Nodes != 400 {
		t.Fatalf("%d nodes", r.Nodes)
	}
	s := searcher.(*rollouts)
	for i := range s.nodes {
		n := &s.nodes[i]
		visits, sum := int32(0), 0.0
		for _, c := range s.nodes[n.first : n.first+n.count] {
			visits += c.visits
			sum -= c.sum
		}
		if i > 0 {
			own := n.visits - visits // the first, or all of an end
			visits, sum = visits+own, sum+float64(own)*n.value
			if own > 1 && n.end == open || own == 0 && n.visits > 0 {
				t.Errorf("node %d: %d of %d simulations end there", i, own, n.visits)
			}
		}
		if visits != n.visits || math.Abs(sum-n.sum) > 1e-9 {
			t.Errorf("node %d: %d visits, sum %g; its moves have %d and %g", i, n.visits, n.sum, visits, sum)
		}
	}
}

// TestRolloutsMates: a mate in one is found by both colours, whatever the appraiser thinks, and being mated is avoided.
func TestRolloutsMates(t *testing.T) {
	even := newAppraising(t, func(at *AppraisalInput) (list []LikelyMove) {
		for _, m := range at.Legal {
			list = append(list, LikelyMove{m, 1, 0})
		}
		return list
	})
	for fen, want := range map[string]string{
		"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1": "a1a8", "r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1": "a8a1",
	} {
		s := mustNew(t, "rollouts", even)
		set(t, s, fen)
		r := search(t, s, Limits{Nodes: 300})
		if l := r.Lines[0]; l.PV[0].String() != want || l.Mate != 1 || !l.Proven || l.Value != 1 {
			t.Errorf("%s: %+v", fen, l)
		}
	}
	// White must not let Black mate on the back rank: only h2h3, g2g3, … avoid Ra1
	s := mustNew(t, "rollouts", even)
	set(t, s, "r5k1/5ppp/8/8/8/8/5PPP/6K1 w - - 0 1")
	r := search(t, s, Limits{Nodes: 4000})
	best := r.Lines[0].PV[0].String()
	if best == "g1h1" || r.Lines[0].Value < -0.8 {
		t.Errorf("plays %s, worth %g", best, r.Lines[0].Value)
	}
}

// TestRolloutsChoice: with a temperature moves are drawn by their visits; without an engine there is no searcher.
func TestRolloutsChoice(t *testing.T) {
	e := newAppraising(t, hashed)
	played := map[string]int{}
	for seed := range uint64(60) {
		s := mustNew(t, "rollouts", e, func(o *Options) { o.Seed, o.Temperature, o.MultiPV = seed, 1, 500 })
		set(t, s, locked)
		played[search(t, s, Limits{Nodes: 40}).Lines[0].PV[0].String()]++
	}
	if len(played) < 2 {
		t.Errorf("played %v", played)
	}
	if _, err := New("rollouts", struct{ Evaluator }{newFake(t, 1)}, Defaults()); err == nil {
		t.Error("a network without an engine is no error")
	}
	f := newFake(t, 1)
	f.lacks = errors.New("no engine found")
	if _, err := New("rollouts", f, Defaults()); !errors.Is(err, f.lacks) {
		t.Errorf("an engine that is not there: %v", err)
	}
}
