package people

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/network/predict/tinyrun"
	"talbot/play/engine"
	"talbot/stockfish"
)

func tiny(t *testing.T, name string, sets ...string) string {
	t.Helper()
	c := tinyrun.Config(t, name, sets...)
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	return dir
}

func moves(t *testing.T, list ...string) (all []board.Move) {
	t.Helper()
	p := board.StartPosition()
	for _, text := range list {
		m, err := p.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
		p.Play(m)
	}
	return all
}

// A trap is a move that at least a tenth plays and that costs at least 15 points against the best one.
func TestTrap(t *testing.T) {
	p := board.StartPosition()
	legal := p.LegalMoves(nil)
	e4, d4, f3 := slices.Index(legal, moves(t, "e2e4")[0]), slices.Index(legal, moves(t, "d2d4")[0]),
		slices.Index(legal, moves(t, "f2f3")[0])
	few, many := make([]float64, len(legal)), make([]float64, len(legal))
	few[e4], few[d4], few[f3] = 0.9, 0.01, 0.09
	many[e4], many[d4], many[f3] = 0.5, 0.015, 0.485
	v := NewView([]int{2500, 1100}, legal, [][]float64{few, many})
	if v.Moves[0].Move != legal[e4] || v.Moves[1].Move != legal[f3] || v.Moves[1].said() != 0.485 {
		t.Errorf("%v", v.Moves[:2])
	}
	bad := v.Find(legal[f3])
	if _, known := v.Cost(bad); known || v.Trap(bad, 1) || v.Best() != nil {
		t.Error("nothing was searched yet")
	}
	v.Find(legal[e4]).judge(dataset.Centipawns(0), nil)
	// Lichess's 1/(1+exp(-0.00368208·cp)) is 0.35 at -168.1.
	for cp, trap := range map[int]bool{-100: false, -168: false, -169: true, -900: true, 100: false} {
		bad.judge(dataset.Centipawns(cp), nil)
		want := max(0, 0.5-1/(1+math.Exp(-0.00368208*float64(cp))))
		if cost, known := v.Cost(bad); !known || math.Abs(cost-want) > 1e-6 || v.Trap(bad, 1) != trap ||
			v.Trap(bad, 0) {
			t.Errorf("%d: costs %g, want %g; trap %t", cp, cost, want, v.Trap(bad, 1))
		}
	}
	bad.judge(dataset.MateIn(-3), nil)
	if cost, _ := v.Cost(bad); math.Abs(cost-0.5) > 0.001 {
		t.Errorf("being mated costs %g", cost)
	}
	bad.judge(dataset.MateIn(3), nil)
	v.Find(legal[d4]).judge(dataset.MateIn(2), nil)
	if v.Best().Move != legal[d4] {
		t.Error("a mate in two is better than one in three")
	}
	if got := v.Shown(legal[d4], 2); !slices.Equal(got, []board.Move{legal[e4], legal[d4]}) {
		t.Errorf("%v", got)
	}
	if got := v.Shown(board.NoMove, 9); !slices.Equal(got, []board.Move{legal[e4], legal[f3]}) {
		t.Errorf("%v", got)
	}
}

// The shares of judged moves are divided up among them by what they cost, the more the higher the rating; those of
// other moves stay, and so do all where the network knows the costs.
func TestWeigh(t *testing.T) {
	p := board.StartPosition()
	legal := p.LegalMoves(nil)
	e4, f3, a3 := slices.Index(legal, moves(t, "e2e4")[0]), slices.Index(legal, moves(t, "f2f3")[0]),
		slices.Index(legal, moves(t, "a2a3")[0])
	shares := make([]float64, len(legal))
	shares[e4], shares[f3], shares[a3] = 0.5, 0.3, 0.2
	for _, knows := range []bool{false, true} {
		v := NewView([]int{900, 2500}, legal, [][]float64{shares, shares})
		v.Knows = knows
		v.Find(legal[e4]).judge(dataset.Centipawns(0), nil)
		v.Find(legal[f3]).judge(dataset.MateIn(-1), nil) // costs half a point
		v.weigh()
		for i, exponent := range []float64{9, 15} { // 0.3·√rating
			weight := math.Pow(0.5, exponent)
			if knows {
				weight = 1
			}
			sum := 0.5 + 0.3*weight
			for m, want := range map[int]float64{e4: 0.8 * 0.5 / sum, f3: 0.8 * 0.3 * weight / sum, a3: 0.2} {
				if got := v.Find(legal[m]).Shares[i]; math.Abs(got-want) > 1e-3 {
					t.Errorf("%s at %d: %g, want %g", legal[m], v.Ratings[i], got, want)
				}
			}
		}
		if v.Trap(v.Find(legal[f3]), 0) != knows {
			t.Error("a trap is what many play after all")
		}
	}
}

func TestNearest(t *testing.T) {
	for rating, want := range map[int]int{0: 0, 1199: 0, 1200: 0, 1201: 1, 1500: 2, 2399: 6, 2401: 7, 9999: 7} {
		if got := Nearest(Ratings(), rating); got != want {
			t.Errorf("%d: %d, want %d", rating, got, want)
		}
	}
}

// The network is asked for each rating, and what does not look at ratings is refused.
func TestNetwork(t *testing.T) {
	n, err := Open(t.Context(), engine.Config{Path: tiny(t, "prior", "blocks=1", "filters=4"), Backend: "go"})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	g := board.NewGame(board.StartPosition())
	legal := g.Position().LegalMoves(nil)
	ratings := append(Ratings(), 800, 2900)
	shares, err := n.Shares(t.Context(), g, legal, ratings)
	if err != nil || len(shares) != len(ratings) {
		t.Fatal(err)
	}
	for i, list := range shares {
		sum := 0.0
		for _, s := range list {
			sum += s
		}
		if math.Abs(sum-1) > 1e-5 || i > 0 && slices.Equal(list, shares[i-1]) {
			t.Errorf("at %d the shares sum to %g, or are those of another rating", ratings[i], sum)
		}
		alone, err := n.Shares(t.Context(), g, legal, ratings[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		for k := range list {
			if math.Abs(list[k]-alone[0][k]) > 1e-5 {
				t.Errorf("%d: %g, alone %g", ratings[i], list[k], alone[0][k])
			}
		}
	}
	for _, sets := range [][]string{{"prior", "blocks=1", "filters=4", "rating=false"},
		{"talbotbot", "blocks=1", "filters=8"}} {
		if _, err := Open(t.Context(), engine.Config{Path: tiny(t, sets[0], sets[1:]...),
			Backend: "go"}); !errors.Is(err, ErrUnrated) {
			t.Errorf("%v: %v", sets, err)
		}
	}
}

// Searched by itself, a move that loses the queen costs what it costs; of an engine that is missing the caller hears.
func TestJudge(t *testing.T) {
	if _, err := NewJudge(t.Context(), "/nowhere/engine", 1000); !errors.Is(err, stockfish.ErrNotFound) {
		t.Error(err)
	}
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	j, err := NewJudge(t.Context(), "", 20_000)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	played := moves(t, "e2e4", "e7e5", "d1h5", "b8c6", "h5f7")
	before, blunder := played[:4], played[4]
	p := board.StartPosition()
	for _, m := range before {
		p.Play(m)
	}
	legal := p.LegalMoves(nil)
	even := make([]float64, len(legal))
	for i := range even {
		even[i] = 1 / float64(len(legal))
	}
	v := NewView([]int{1500}, legal, [][]float64{even})
	for range 2 { // the same again
		if err := j.Best(t.Context(), v, board.StartPosition(), before); err != nil {
			t.Fatal(err)
		}
		if err := j.Move(t.Context(), v, board.StartPosition(), before, blunder); err != nil {
			t.Fatal(err)
		}
		m := v.Find(blunder)
		if cost, known := v.Cost(m); !known || cost < 0.35 || m.Line[0] != blunder || len(m.Line) < 2 {
			t.Errorf("%+v costs %g", m, cost)
		}
		if v.Best().Move == blunder {
			t.Error("the blunder is best")
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Best(ctx, v, board.StartPosition(), before); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := j.Best(t.Context(), v, board.StartPosition(), before); err != nil {
		t.Error("the engine is gone: ", err)
	}
}
