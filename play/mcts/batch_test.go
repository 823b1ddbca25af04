package mcts

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/testkit"
)

// TestBatchesGrow: a search begins with single positions, asks for more at once as its tree grows, and for fewer again
// where little is left to come.
func TestBatchesGrow(t *testing.T) {
	for _, name := range []string{"puct", "talbotbot"} {
		f := noisy(t, 8, 0)
		f.sizes = []int{1, 2, 4, 8}
		s := mustNew(t, name, f, func(o *Options) { o.Hash, o.CacheSize = 64<<20, 0 })
		run := func(l Limits) []int {
			f.counts = nil
			s.Clear()
			set(t, s, positions[1])
			search(t, s, l)
			return f.counts
		}
		for _, nodes := range []int64{10, 50, 100} {
			if counts := run(Limits{Nodes: nodes}); slices.Max(counts) > 1 {
				t.Errorf("%s: %d nodes in batches of %v", name, nodes, counts)
			}
		}
		asked := int64(0)
		counts := run(Limits{Nodes: 3000})
		for i, n := range counts {
			if n > 1 && int64(n) > (asked+20+3000/futureShare)/batchShare { // 20 needed no network
				t.Errorf("%s: batch %d has %d positions after %d", name, i, n, asked)
			}
			asked += int64(n)
		}
		if slices.Max(counts) != 8 || counts[len(counts)-1] != 1 || len(counts) > 1200 {
			t.Errorf("%s: %d batches of up to %d, the last of %d", name, len(counts), slices.Max(counts),
				counts[len(counts)-1])
		}
		// time is a limit, too
		left := int64(2000)
		counts = run(Limits{VisitsLeft: func() int64 { return left }, ShouldStop: func(p Progress) bool {
			left = 2000 - p.Nodes
			return left <= 0
		}})
		if slices.Max(counts) != 8 || counts[0] > 2 || counts[len(counts)-1] != 1 {
			t.Errorf("%s: with time for 2,000 %v", name, counts)
		}
		f.sizes = []int{8} // of an evaluator that has but one size
		s = mustNew(t, name, f)
		if counts = run(Limits{Nodes: 100}); slices.Max(counts) < 6 {
			t.Errorf("%s: one size, but %v", name, counts)
		}
	}
}

// TestBatchSizes: a search takes the evaluator's sizes up to its own bound.
func TestBatchSizes(t *testing.T) {
	f := newFake(t, 16)
	f.sizes = []int{1, 4, 16}
	for bound, want := range map[int][]int{0: {1, 4, 16}, 1: {1}, 2: {1, 2}, 4: {1, 4}, 100: {1, 4, 16}} {
		if got := sizesOf(f, bound, math.MaxInt); !slices.Equal(got, want) {
			t.Errorf("up to %d: %v", bound, got)
		}
	}
}

// TestCollisions: the descents of a batch that may meet others are as many for each of its positions.
func TestCollisions(t *testing.T) {
	f := newFake(t, 8)
	f.sizes = []int{1, 2, 4, 8}
	tr := mustNew(t, "puct", f, func(o *Options) { o.MaxCollisions = 20 }).(*tree)
	for size, want := range map[int]int{1: 3, 2: 5, 4: 10, 8: 20} {
		if tr.size = size; tr.collisions() != want {
			t.Errorf("%d of a batch of %d", tr.collisions(), size)
		}
	}
}

// TestDepthOfDraw: a search to a depth ends where a proven draw is the best move, so that all visits go there.
func TestDepthOfDraw(t *testing.T) {
	f := newFake(t, 4)
	f.value = func(g *board.Game) float64 {
		if g.Position().Turn() == board.White {
			return -0.8
		}
		return 0.8
	}
	start := testkit.Must(board.ParseFEN("k7/8/8/7N/8/8/2r5/3K4 w - - 0 1"))
	s, err := New("puct", f, Defaults())
	testkit.OK(t, err)
	s.Position(&start, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, err := s.Search(ctx, Limits{Depth: 5}, nil)
	if err != nil || ctx.Err() != nil || len(r.Lines) == 0 || r.Lines[0].PV[0].String() != "d1c2" {
		t.Errorf("%+v, %v, %v", r, err, ctx.Err())
	}
}

// TestLead: a move that is proven to lose does not lead.
func TestLead(t *testing.T) {
	f := newFake(t, 4)
	f.prior = func(_ *board.Game, m board.Move) float64 {
		if m.String() == "e2e4" {
			return 10
		}
		return 1
	}
	s, err := New("puct", f, Defaults())
	testkit.OK(t, err)
	start := board.StartPosition()
	s.Position(&start, nil)
	if _, err := s.Search(t.Context(), Limits{Nodes: 400}, nil); err != nil {
		t.Fatal(err)
	}
	tree := s.(*tree)
	best, second := tree.lead()
	n := tree.at(tree.top)
	for _, e := range tree.edgesOf(n) {
		if c := tree.child(&e); c != nil && int64(c.visits) == best {
			c.setBounds(1, 1)
			break
		}
	}
	if b, _ := tree.lead(); b != second || b == best {
		t.Errorf("%d visits lead, not %d, though the move of %d loses", b, second, best)
	}
}
