package mcts

import (
	"context"
	"testing"
	"time"

	"talbot/board"
)

// TestDepthOfDraw: a search to a depth ends where a proven draw is the best move, so that all visits go there.
func TestDepthOfDraw(t *testing.T) {
	f := newFake(t, 4)
	f.value = func(g *board.Game) float64 {
		if g.Position().Turn() == board.White {
			return -0.8
		}
		return 0.8
	}
	start, err := board.ParseFEN("k7/8/8/7N/8/8/2r5/3K4 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New("puct", f, Defaults())
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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
