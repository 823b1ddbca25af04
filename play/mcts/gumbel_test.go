package mcts

import (
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/internal/testkit/golden"
)

// mctx are searches and tables of DeepMind's mctx: see testdata/gumbel.py.
type mctx struct {
	Cases []struct {
		FEN                     string
		Simulations, Considered int
		Rescale                 bool
		Visit, Scale            float64
		Noise, Target           map[string]float64
		Visits                  map[string]float64
		Move                    string
		Value                   float64
	}
	Table [][]int64 // considered moves, simulations, and the visits considered in each
}

// byFEN is the network of testdata/gumbel.py.
func byFEN(t testing.TB) *fake {
	f := newFake(t, 1)
	f.value = func(g *board.Game) float64 {
		return (float64(crc32.ChecksumIEEE([]byte(g.Position().FEN()))%2001) - 1000) / 1250
	}
	f.prior = func(g *board.Game, m board.Move) float64 {
		fen, weight := g.Position().FEN(), 10.0
		own := crc32.ChecksumIEEE([]byte(fen + m.String()))
		for _, other := range g.Position().LegalMoves(nil) {
			if crc32.ChecksumIEEE([]byte(fen+other.String())) < own {
				weight++
			}
		}
		return weight
	}
	return f
}

// TestGumbelEqualsMctx: visits, target, move and value are those of mctx for the same noise.
func TestGumbelEqualsMctx(t *testing.T) {
	for _, c := range golden.Read[mctx](t, "testdata/gumbel.json.gz").Cases {
		s := mustNew(t, "gumbel", byFEN(t), func(o *Options) {
			o.Verbose, o.MateInOne, o.CacheSize, o.Considered, o.Rescale = true, false, 0, c.Considered, c.Rescale
			o.CVisit, o.CScale = c.Visit, c.Scale
		}).(*tree)
		s.drawn = func(m board.Move) float64 { return c.Noise[m.String()] }
		set(t, s, c.FEN)
		r := search(t, s, Limits{Nodes: int64(c.Simulations) + 1})
		check(t, s)
		name := c.FEN + " " + plain(float64(c.Simulations))
		if got := r.Lines[0].PV[0].String(); got != c.Move {
			t.Errorf("%s: plays %s, mctx %s", name, got, c.Move)
		}
		if math.Abs(float64(r.Root.Value)-c.Value) > 1e-5 {
			t.Errorf("%s: value %v, mctx %v", name, r.Root.Value, c.Value)
		}
		if len(r.Lines) != len(c.Visits) {
			t.Errorf("%s: %d moves, mctx has %d", name, len(r.Lines), len(c.Visits))
		}
		for _, l := range r.Lines {
			m := l.PV[0].String()
			if float64(l.Visits) != c.Visits[m] || math.Abs(float64(l.Target)-c.Target[m]) > 1e-4 {
				t.Errorf("%s: %s has %d visits, target %v, mctx %v and %v", name, m, l.Visits, l.Target, c.Visits[m],
					c.Target[m])
			}
		}
	}
}

// TestSequentialHalving compares the table of visits with mctx's.
func TestSequentialHalving(t *testing.T) {
	for _, row := range golden.Read[mctx](t, "testdata/gumbel.json.gz").Table {
		for i, want := range row[2:] {
			if got := consideredVisit(int(row[0]), row[1], int64(i)); got != want {
				t.Fatalf("%d moves, %d simulations: %d at number %d, mctx %d", row[0], row[1], got, i, want)
			}
		}
	}
}

// TestNoise compares the moments of the noise with those of its distributions.
func TestNoise(t *testing.T) {
	const n = 200_000
	random := rand.New(rand.NewPCG(1, 2))
	moments := func(draw func() float64) (mean, variance float64) {
		for range n {
			x := draw()
			mean += x / n
			variance += x * x / n
		}
		return mean, variance - mean*mean
	}
	for _, shape := range []float64{0.3, 1, 4.5} {
		if mean, variance := moments(func() float64 { return gamma(random, shape) }); math.Abs(mean/shape-1) > 0.02 ||
			math.Abs(variance/shape-1) > 0.05 {
			t.Errorf("gamma of shape %v: mean %v, variance %v", shape, mean, variance)
		}
	}
	f := newFake(t, 1)
	var mean, variance, sum float64
	for seed := range 3000 { // of the start position's 20 moves
		for _, name := range []string{"gumbel", "puct"} {
			s := mustNew(t, name, f, func(o *Options) {
				o.GumbelNoise, o.RootNoise, o.RootNoiseTotal, o.Seed = 1, 0.25, 10, uint64(seed)
				o.Hash, o.CacheSize = 1<<20, 0
			}).(*tree)
			set(t, s, board.StartFEN)
			search(t, s, Limits{Nodes: 1})
			for _, x := range s.noise[:20] {
				switch name {
				case "gumbel":
					mean += x / 60000
					variance += x * x / 60000
				default:
					sum += x * x / 60000
					if x < 0 || x > 1 {
						t.Fatalf("a share of %v", x)
					}
				}
			}
		}
	}
	if variance -= mean * mean; math.Abs(mean-0.5772) > 0.02 || math.Abs(variance-math.Pi*math.Pi/6) > 0.05 {
		t.Errorf("Gumbel noise: mean %v, variance %v", mean, variance)
	}
	// The second moment of one of 20 shares of a Dirichlet distribution with parameters that sum to 10:
	// α(α+1)/(10·11), α = 1/2.
	if want := 0.5 * 1.5 / 110; math.Abs(sum/want-1) > 0.05 {
		t.Errorf("Dirichlet noise: second moment %v, not %v", sum, want)
	}
}

// TestTargets: a proven root gives its exact target and value, for either side; a move that loses has no weight.
func TestTargets(t *testing.T) {
	for _, c := range []struct {
		fen    string
		nodes  int64
		value  float32
		target map[string]float32 // moves that are not named have none
	}{
		{"6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", 32, 1, map[string]float32{"a1a8": 1}},
		{"r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 1", 32, 1, map[string]float32{"a8a1": 1}},
		{"6k1/8/5K2/8/8/8/8/Q6R w - - 0 1", 32, 1, nil}, // several mates in one
		{"k7/8/1K6/8/8/8/8/7R w - - 0 1", 32, 1, map[string]float32{"h1h8": 1}},
		{"7k/R7/1R6/8/8/8/8/K7 b - - 0 1", 400, -1, map[string]float32{"h8g8": 1}}, // the only move
		{"k7/2Q5/2K5/8/8/8/8/8 b - - 0 1", 32, 0, nil},                             // stalemate: no moves
	} {
		for _, name := range []string{"gumbel", "puct", "talbotbot"} {
			s := mustNew(t, name, newFake(t, 1), func(o *Options) {
				o.Verbose, o.GumbelNoise, o.RootNoise = true, 1, 0.25
			})
			set(t, s, c.fen)
			r := search(t, s, Limits{Nodes: c.nodes})
			sum := float32(0)
			for _, l := range r.Lines {
				sum += l.Target
				if len(l.PV) == 0 {
					continue
				}
				if want := c.target[l.PV[0].String()]; c.target != nil && name != "talbotbot" && l.Target != want {
					t.Errorf("%s, %s: %s has %v of the target, not %v", name, c.fen, l.PV[0], l.Target, want)
				}
				if l.Proven && l.Value < 0 && c.value >= 0 && l.Target > 0 {
					t.Errorf("%s, %s: %s loses and has %v of the target", name, c.fen, l.PV[0], l.Target)
				}
			}
			if len(r.Lines) > 0 && math.Abs(float64(sum)-1) > 1e-5 {
				t.Errorf("%s, %s: the targets sum to %v", name, c.fen, sum)
			}
			if name != "talbotbot" && r.Root.Value != c.value {
				t.Errorf("%s, %s: value %v, not %v", name, c.fen, r.Root.Value, c.value)
			}
		}
	}
}

// TestGumbelMates: mates in two are found with few simulations and priors that know nothing.
func TestGumbelMates(t *testing.T) {
	for fen, nodes := range map[string]int64{
		"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1": 400, // Morphy's
		"7k/R7/1R6/8/8/8/8/K7 b - - 0 1":    32,  // mated in one
		"7k/8/8/8/8/8/1R6/RK6 w - - 0 1":    16000,
	} {
		s := mustNew(t, "gumbel", material(t, 1))
		set(t, s, fen)
		if r := search(t, s, Limits{Nodes: nodes}); !r.Lines[0].Proven || r.Lines[0].Mate == 0 {
			t.Errorf("%s: no mate in %d nodes: %+v", fen, r.Nodes, r.Lines[0])
		}
	}
}
