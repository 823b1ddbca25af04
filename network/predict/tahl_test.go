package predict

import (
	"math"
	"testing"

	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
)

// TestTahlAnswers holds the priors of tahl against sums over whole boards: the score of a move is the sum of the logits
// of all bits that are set after it, which float64 loops on the host compute.
func TestTahlAnswers(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tinyrun.Config(t, "tahl", "blocks=1", "filters=8")
		weights := tinyrun.Weights(t, c)
		dir, _ := tinyrun.Write(t, c, weights)
		p := mustOpen(t, b, dir, Options{Batches: []int{3, 8}, Moves: 64})
		if p.Capabilities() != (Capabilities{Prior: true, Value: true}) {
			t.Errorf("knows %+v", p.Capabilities())
		}
		list := questions(t, p.Encoder(), 41)
		heads := heads(t, b, c, weights, list)
		const bits = 64 * encode.TahlLayers
		numbers := make([]float32, 64*encode.TahlPlanes)
		for i, a := range ask(t, p, list) {
			if math.Abs(float64(a.Value-heads[1][i])) > 1e-5 || a.Other != 0 || a.Inside != 0 {
				t.Errorf("position %d: %+v, value %g", i, a, heads[1][i])
			}
			p.Encoder().Unpack(numbers, list[i].Packed)
			scores, total := scoresOfBoards(numbers, heads[0][i*bits:][:bits], list[i].Codes), 0.0
			if len(scores) != len(a.Prior) {
				t.Fatalf("position %d: %d priors of %d moves", i, len(a.Prior), len(scores))
			}
			for _, s := range scores {
				total += math.Exp(s)
			}
			for j, s := range scores {
				if want := s - math.Log(total); !(math.Abs(float64(a.Prior[j])-want) < 2e-5) {
					t.Errorf("position %d: prior of move %d is %g, want %g", i, j, a.Prior[j], want)
				}
			}
		}
	})
}

// scoresOfBoards makes the boards after the moves of the planes before them, and sums up the logits of their bits.
func scoresOfBoards(planes, logits []float32, codes []int32) (scores []float64) {
	var before [64 * encode.TahlLayers]bool
	for layer := range encode.TahlLayers {
		plane := 6*(layer/6) + []int{0, 2, 3, 1, 4, 5}[layer%6] // P N B R Q K among P R N B Q K
		for s := range 64 {
			before[64*layer+s] = planes[64*plane+s] != 0
		}
	}
	for ; len(codes) > 0; codes = codes[4:] {
		after, sum := before, 0.0
		for _, c := range codes[:4] {
			if c >= 0 {
				after[c/2] = c%2 == 0
			}
		}
		for bit, set := range after {
			if set {
				sum += float64(logits[bit])
			}
		}
		scores = append(scores, sum)
	}
	return scores
}
