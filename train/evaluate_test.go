package train

import (
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/train/model"
)

// TestSymmetryIsOfThePositionInTheOtherColour plays random games with both colours' positions beside each other: a
// mirrored game is encoded by itself, and the gaps between the answers are taken by hand.
func TestSymmetryIsOfThePositionInTheOtherColour(t *testing.T) {
	c := tiny()
	dir := t.TempDir()
	b := openTest(t, "go")
	mustRun(t, c, Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 1)})
	p, err := NewPredictor(b, dir, BestCheckpoint, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	e := encode.TalbotBot{}
	rng := rand.New(rand.NewPCG(1, 1))
	var samples []Sample
	var planes, mirrored []uint64
	for range 20 {
		start := board.StartPosition()
		g, m := board.NewGame(start), board.NewGame(start.Mirror())
		for range 3 + rng.IntN(30) {
			moves := g.Position().LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			move := moves[rng.IntN(len(moves))]
			g.Push(move)
			m.Push(move.Mirror())
		}
		if len(g.Position().LegalMoves(nil)) == 0 {
			continue
		}
		s := Sample{Source: "game", Legal: encode.LegalIndices(nil, e, g.Position())}
		e.Encode(s.Planes[:], g)
		other := make([]uint64, model.Planes)
		e.Encode(other, m)
		samples, planes, mirrored = append(samples, s), append(planes, s.Planes[:]...), append(mirrored, other...)
	}
	_, values, err := p.Predict(planes, len(samples))
	if err != nil {
		t.Fatal(err)
	}
	logits, others, err := p.Predict(mirrored, len(samples))
	if err != nil {
		t.Fatal(err)
	}
	gap := 0.0
	for i := range values {
		gap += math.Abs(float64(values[i]-others[i])) / float64(len(values))
	}
	a, err := Evaluate(t.Context(), p, all(samples), EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := a.Report(false).Symmetry
	if got == nil || got.Samples != int64(len(samples)) || gap < 1e-6 || math.Abs(got.ValueGap-gap) > 1e-6 {
		t.Errorf("%+v, the values are %g apart", got, gap)
	}
	if len(logits) != len(samples)*model.Moves || got.PolicyGap <= 0 || got.PolicyGap > 1 {
		t.Errorf("policies %g apart", got.PolicyGap)
	}
}

func all(samples []Sample) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		for _, s := range samples {
			if !yield(s, nil) {
				return
			}
		}
	}
}
