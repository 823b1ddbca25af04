package studio

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
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
	v := newHumanMoves([]int{2500, 1100}, legal, [][]float64{few, many})
	if v.moves[0].Move != legal[e4] || v.moves[1].Move != legal[f3] || v.moves[1].prior() != 0.485 {
		t.Errorf("%v", v.moves[:2])
	}
	bad := v.find(legal[f3])
	if _, known := v.cost(bad); known || v.trap(bad, 1) || v.best() != nil {
		t.Error("nothing was searched yet")
	}
	v.find(legal[e4]).judge(dataset.Centipawns(0), nil)
	// Lichess's 1/(1+exp(-0.00368208·cp)) is 0.35 at -168.1.
	for cp, trap := range map[int]bool{-100: false, -168: false, -169: true, -900: true, 100: false} {
		bad.judge(dataset.Centipawns(cp), nil)
		want := max(0, 0.5-1/(1+math.Exp(-0.00368208*float64(cp))))
		if cost, known := v.cost(bad); !known || math.Abs(cost-want) > 1e-6 || v.trap(bad, 1) != trap ||
			v.trap(bad, 0) {
			t.Errorf("%d: costs %g, want %g; trap %t", cp, cost, want, v.trap(bad, 1))
		}
	}
	bad.judge(dataset.MateIn(-3), nil)
	if cost, _ := v.cost(bad); math.Abs(cost-0.5) > 0.001 {
		t.Errorf("being mated costs %g", cost)
	}
	bad.judge(dataset.MateIn(3), nil)
	v.find(legal[d4]).judge(dataset.MateIn(2), nil)
	if v.best().Move != legal[d4] {
		t.Error("a mate in two is better than one in three")
	}
	if got := v.shown(legal[d4], 2); !slices.Equal(got, []board.Move{legal[e4], legal[d4]}) {
		t.Errorf("%v", got)
	}
	if got := v.shown(board.NoMove, 9); !slices.Equal(got, []board.Move{legal[e4], legal[f3]}) {
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
		v := newHumanMoves([]int{900, 2500}, legal, [][]float64{shares, shares})
		v.weighed = knows
		v.find(legal[e4]).judge(dataset.Centipawns(0), nil)
		v.find(legal[f3]).judge(dataset.MateIn(-1), nil) // costs half a point
		v.weigh()
		for i, exponent := range []float64{9, 15} { // 0.3·√rating
			weight := math.Pow(0.5, exponent)
			if knows {
				weight = 1
			}
			sum := 0.5 + 0.3*weight
			for m, want := range map[int]float64{e4: 0.8 * 0.5 / sum, f3: 0.8 * 0.3 * weight / sum, a3: 0.2} {
				if got := v.find(legal[m]).shares[i]; math.Abs(got-want) > 1e-3 {
					t.Errorf("%s at %d: %g, want %g", legal[m], v.ratings[i], got, want)
				}
			}
		}
		if v.trap(v.find(legal[f3]), 0) != knows {
			t.Error("a trap is what many play after all")
		}
	}
}

func TestNearestRating(t *testing.T) {
	for rating, want := range map[int]int{0: 1100, 1199: 1100, 1200: 1100, 1201: 1300, 1500: 1500, 2399: 2300,
		2401: 2500, 9999: 2500} {
		if got := nearest(ratings, rating); got != want {
			t.Errorf("%d: %d, want %d", rating, got, want)
		}
	}
}

// The network is asked for each rating, and what does not look at ratings predicts no human moves.
func TestHumanShares(t *testing.T) {
	networks := newNetworks("go", "")
	defer networks.close()
	n, err := networks.of(t.Context(), &folder{Path: tiny(t, "prior", "blocks=1", "filters=4")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := board.NewGame(board.StartPosition())
	legal := g.Position().LegalMoves(nil)
	ratings := append(slices.Clone(ratings), 800, 2900)
	shares, err := humanShares(t.Context(), n.evaluator, g, legal, ratings)
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
		alone, err := humanShares(t.Context(), n.evaluator, g, legal, ratings[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		for k := range list {
			if math.Abs(list[k]-alone[0][k]) > 1e-5 {
				t.Errorf("%d: %g, alone %g", ratings[i], list[k], alone[0][k])
			}
		}
	}
	for c, want := range map[encode.Encoder]bool{n.Encoder(): true, encode.Prior{Unrated: true}: false,
		encode.TalbotBot{}: false} {
		if rated(c) != want {
			t.Errorf("%s is rated: %v", c.Name(), !want)
		}
	}
}

// An engine that is missing is an error of its own, and a search that is ended leaves the engine as it was.
func TestJudge(t *testing.T) {
	missing, networks := newNetworks("go", "/nowhere/engine"), newNetworks("go", "")
	defer networks.close()
	if _, err := missing.judge(t.Context(), 1000); !errors.Is(err, stockfish.ErrNotFound) {
		t.Error(err)
	}
	if _, err := stockfish.Find(""); err != nil {
		t.Skip("SKIPPED: ", err)
	}
	j, err := networks.judge(t.Context(), 20_000)
	if err != nil {
		t.Fatal(err)
	}
	start := board.StartPosition()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		want error
	}{{t.Context(), nil}, {ctx, context.Canceled}, {t.Context(), nil}} {
		v := newHumanMoves(nil, start.LegalMoves(nil), nil)
		err := v.search(c.ctx, j, start, nil, board.NoMove)
		if !errors.Is(err, c.want) || (v.best() == nil) != (err != nil) {
			t.Error(err)
		}
	}
}
