package evaluate

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// heads is the layout of a recipe that reads bare boards and learns moves of several words, and results.
var heads = encode.Layout{Words: 12, Shape: []int{12, 8, 8}, Moves: encode.LegalMoves, Codes: 3,
	Floats: []string{encode.PliesFloat, encode.ResultFloat, encode.ValueFloat}}

// otherRecipe turns samples into those of a recipe with other inputs.
func otherRecipe(samples []Sample, words int, float func(i int) []float32) []Sample {
	list := clones(samples)
	for i := range list {
		s := &list[i]
		s.Packed = s.Packed[:12]
		codes := make([]int32, 0, words*len(s.Codes))
		for _, c := range s.Codes {
			for w := range words {
				codes = append(codes, c+int32(w))
			}
		}
		s.Codes, s.Floats = codes, float(i)
	}
	return list
}

// members splits the figures of a report into those that are there and those that are not.
func members(f Figures) (have, lack []string) {
	for _, m := range Measures() {
		if _, ok := f[m.Name]; ok && !m.Apart && m.Kind != Count {
			have = append(have, m.Name)
		} else if !ok && !m.Apart {
			lack = append(lack, m.Name)
		}
	}
	return have, lack
}

var (
	policyNames = []string{"policy_ce_legal", "policy_ce_uniform", "top1", "top1_uniform", "top3", "top5",
		"mate_in_one"}
	allNames   = []string{"policy_ce", "illegal_mass", "legal_first"}
	valueNames = []string{"value_mse", "value_mse_mean", "value_sign_accuracy", "value_mae", "value_correlation",
		"value_probability_mse"}
)

// A network without a policy, one without a value, one that says nothing of illegal moves, and one with chances of win,
// draw and loss in place of a value have the figures that they can have, and no others.
func TestNetworksThatKnowLess(t *testing.T) {
	samples, _, _ := played(40)
	mate := position(t, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
	one := sampleOf(t, mate)
	one.Origin, one.Policy = &Origin{Position: mate, Line: 1000, Result: 2, HasResult: true}, []Target{{0, 1}}
	samples = append(samples, labelled(one, 1))
	for i := range samples {
		samples[i].Unseen = i%2 == 0
	}
	known := func(i int) []float32 { return []float32{9, float32(i%3 - 1), float32(i%7)/7 - 0.5} }
	chances := predict.Capabilities{WDL: true}
	for name, c := range map[string]struct {
		capabilities predict.Capabilities
		layout       encode.Layout
		words        int
		names        [][]string
	}{
		"value alone": {predict.Capabilities{Value: true}, heads, 0, [][]string{valueNames}},
		"policy alone": {predict.Capabilities{Prior: true, Others: true}, heads, 3, [][]string{policyNames,
			allNames}},
		"policy, legal alone": {predict.Capabilities{Prior: true}, heads, 3, [][]string{policyNames}},
		"chances":             {chances, heads, 0, [][]string{valueNames, {"chances_ce"}}},
		"everything": {predict.Capabilities{Prior: true, Others: true, Value: true, WDL: true}, heads, 1,
			[][]string{policyNames, allNames, valueNames, {"chances_ce"}}},
	} {
		network := &asked{capabilities: c.capabilities, batch: 8, answer: func(q predict.Input) predict.Output {
			x := float32(bits.OnesCount64(q.Packed[0]^q.Packed[1])) / 40
			a := predict.Output{WDL: [3]float32{x, 1 - x, 0}}
			if c.capabilities.Value {
				a.Value = x - 0.3
			}
			if c.capabilities.Prior {
				a.Prior = make([]float32, len(q.Codes)/c.words)
				for i := range a.Prior {
					a.Prior[i] = -float32(math.Log(float64(len(a.Prior))))
				}
			}
			return a
		}}
		r := evaluated(t, network, otherRecipe(samples, c.words, known),
			Options{Layout: c.layout, PredictedProbability: chance, LabelProbability: chance})
		have, _ := members(r.Figures)
		want := slices.Concat(c.names...)
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%s: figures %v, want %v", name, have, want)
		}
		for _, m := range Measures() {
			if _, ok := r.Intervals[m.Name]; ok && !m.Apart && !slices.Contains(want, m.Name) {
				t.Errorf("%s: an interval of %s", name, m.Name)
			}
		}
		if (len(r.Misses) > 0) != c.capabilities.Prior || (len(r.Confidence) > 0) != c.capabilities.Prior {
			t.Errorf("%s: %d misses, confidence %v", name, len(r.Misses), r.Confidence)
		}
		valued := c.capabilities.Value || c.capabilities.WDL
		if (len(r.Calibration) > 0) != valued || r.Endgames == nil || (r.Endgames.ValueAccuracy != nil) != valued ||
			r.Endgames.Samples != 1 {
			t.Errorf("%s: calibration %v, endgames %+v", name, r.Calibration, r.Endgames)
		}
		for i := range r.Misses {
			if (r.Misses[i].Value != nil) != valued {
				t.Errorf("%s: a miss has the value %v", name, r.Misses[i].Value)
			}
		}
		contract(t, Report{r.Figures, Parts{BySource: map[string]Figures{"endgame": {"samples": 1}}}})
	}
}

// The value of chances is win − loss, and their cross-entropy that of the game's result.
func TestChances(t *testing.T) {
	s := Sample{Legal: make([]board.Move, 1)}
	var samples []Sample
	for _, floats := range [][]float32{{0, 1, 0.5}, {0, 1, nan}, {0, 0, nan}, {0, -1, -0.5}, {0, nan, nan}} {
		s.Floats = floats
		samples = append(samples, s)
	}
	network := &asked{capabilities: predict.Capabilities{WDL: true}, batch: 4,
		answer: func(predict.Input) predict.Output {
			return predict.Output{WDL: [3]float32{0.5, 0.375, 0.125}}
		}}
	r := evaluated(t, network, samples, Options{Layout: heads})
	check := checker(t)
	check(r.Figures, "chances_ce", -(2*math.Log(0.5)+math.Log(0.375)+math.Log(0.125))/4)
	check(r.Figures, "value_mse", (0.125*0.125+0.875*0.875)/2)
	check(r.Figures, "value_samples", 2)
	if r.Of("value_correlation") != nil || r.Of("value_probability_mse") != nil {
		t.Errorf("a correlation of one value, or probabilities of no formula: %v", r.Figures)
	}
}
