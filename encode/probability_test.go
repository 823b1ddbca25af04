package encode

import (
	"math"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// likely are drawn candidates of a position: n of its legal moves, sorted by their priors.
func likely(rng *rand.Rand, p *board.Position, n int) []dataset.Candidate {
	legal := p.LegalMoves(nil)
	rng.Shuffle(len(legal), func(i, j int) { legal[i], legal[j] = legal[j], legal[i] })
	var list []dataset.Candidate
	prior := 0
	for _, m := range legal[:min(n, len(legal))] {
		prior += rng.IntN(3000)
		c := dataset.Candidate{Move: m, Prior: dataset.QuantizedPrior(prior)}
		for d := range c.Values {
			switch c.Values[d] = dataset.Centipawns(rng.IntN(4001) - 2000); rng.IntN(9) {
			case 0:
				c.Values[d] = dataset.MateIn(1 + rng.IntN(9))
			case 1:
				c.Values[d] = dataset.MateIn(-1 - rng.IntN(9))
			}
		}
		list = append(list, c)
	}
	return list
}

// TestProbability computes each number from its definition, with 1 to 25 candidates, for both colours, and without.
func TestProbability(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	e := Probability{}
	for n := range 200 {
		g := board.NewGame(board.StartPosition())
		for range rng.IntN(60) {
			legal := g.Position().LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			g.Push(legal[rng.IntN(len(legal))])
		}
		list := likely(rng, g.Position(), n%26)
		var v View
		v.Play(g, 0, 0)
		rating := rng.IntN(4) * 900
		if v.WhiteElo = rating; g.Position().Turn() == board.Black {
			v.WhiteElo, v.BlackElo = 77, rating
		}
		v.Labels.Candidates = list
		packed, numbers := make([]uint64, ProbabilityWords), make([]float32, ProbabilityNumbers)
		e.Pack(packed, &v)
		e.Unpack(numbers, packed)
		list = list[:min(20, len(list))]
		checkNumbers(t, numbers, list, rating)
		for _, m := range v.Legal() {
			want := int32(20)
			for i, c := range list {
				if c.Move == m {
					want = int32(i)
				}
			}
			if got := v.EncodeMove(e, 1, m)[0]; got != want {
				t.Fatalf("word %d of %s, want %d", got, m, want)
			}
		}
	}
}

func checkNumbers(t *testing.T, numbers []float32, list []dataset.Candidate, rating int) {
	t.Helper()
	sum := 0.0
	for _, c := range list {
		sum += math.Exp(-float64(c.Prior) / 2048)
	}
	for i := range 20 {
		prior := 0.0
		var values [4]float64
		for d := range values {
			values[d] = -1
		}
		if i < len(list) {
			prior = math.Exp(-float64(list[i].Prior)/2048) / sum
			for d, s := range list[i].Values {
				pawns := 0.0
				if cp, ok := s.Centipawns(); ok {
					pawns = float64(cp) / 100
				} else if mate, _ := s.Mate(); mate > 0 {
					pawns = 100
				} else {
					pawns = -100
				}
				values[d] = 2/(1+math.Exp(-0.6*pawns)) - 1
			}
		}
		if math.Abs(float64(numbers[i])-prior) > 8e-6 {
			t.Fatalf("prior %d is %g, want %g", i, numbers[i], prior)
		}
		for d := range values {
			if math.Abs(float64(numbers[20+4*i+d])-values[d]) > 1.6e-5 {
				t.Fatalf("value %d, %d is %g, want %g", i, d, numbers[20+4*i+d], values[d])
			}
		}
	}
	if rating == 0 {
		rating = 1500
	}
	if math.Abs(float64(numbers[100])-(float64(rating)/1500-1)) > 1e-6 {
		t.Fatalf("rating %g, want that of %d", numbers[100], rating)
	}
}

// TestProbabilityTarget: the share of each candidate among the moves of candidates; nothing where none was played.
func TestProbabilityTarget(t *testing.T) {
	move := func(text string) board.Move {
		p := board.StartPosition()
		m, err := p.ParseUCI(text)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	l := dataset.Line{Start: board.StartPosition(), Samples: dataset.LastPosition(), Source: dataset.SourceAggregate,
		Policies: [][]dataset.WeightedMove{{{Move: move("e2e4"), Weight: 6}, {Move: move("a2a4"), Weight: 9},
			{Move: move("d2d4"), Weight: 2}}}}
	var w dataset.Walker
	w.Reset(&l)
	w.Next()
	var v View
	v.Visit(&w, dataset.Counted{Candidates: []dataset.Candidate{{Move: move("d2d4")}, {Move: move("h2h3")},
		{Move: move("e2e4")}}})
	var target Target
	if !(Probability{}).Target(&target, &v, Targets{}) || len(target.Moves) != 2 {
		t.Fatalf("%+v", target)
	}
	for _, m := range target.Moves {
		if want := map[string]float32{"e2e4": 0.75, "d2d4": 0.25}[m.Move.String()]; m.Weight != want {
			t.Errorf("%s has %g, want %g", m.Move, m.Weight, want)
		}
	}
	v.Labels.Candidates = v.Labels.Candidates[1:2]
	if target.Moves = nil; (Probability{}).Target(&target, &v, Targets{}) {
		t.Errorf("%+v", target)
	}
	v.Labels.Candidates = nil
	if (Probability{}).Target(&target, &v, Targets{}) {
		t.Errorf("%+v", target)
	}
}
