package train

import (
	"encoding/json"
	"math"
	"testing"

	"talbot/train/model"
)

// TestEvalByHand has three positions with logits of 0 but for a few.
func TestEvalByHand(t *testing.T) {
	logits := make([]float32, 3*model.Moves)
	z := func(sample, move int, odds float64) { logits[sample*model.Moves+move] = float32(math.Log(odds)) }
	// 0: legal 1, 2, 3 with odds 4, 2, 2; all others have odds 1: mass 8 of 8 + 4669.
	z(0, 1, 4)
	z(0, 2, 2)
	z(0, 3, 2)
	// 1: legal 10 … 15 with odds 1; nothing else sticks out.
	// 2: only move 20, odds 4671: half of the mass.
	z(2, 20, 4671)
	samples := []Sample{
		{Source: "game", Legal: []uint16{1, 2, 3}, Policy: []Target{{3, 0.75}, {1, 0.25}}, Value: 0.5, HasValue: true,
			Unseen: true},
		{Source: "game", Legal: []uint16{10, 11, 12, 13, 14, 15}, Policy: []Target{{15, 1}}, Value: 0, HasValue: true},
		{Source: "endgame", Legal: []uint16{20}, Value: -0.5},
	}
	var a Accumulator
	if err := a.Add(t.Context(), samples[:2], logits[:2*model.Moves], []float32{-0.5, 0}); err != nil {
		t.Fatal(err)
	}
	if err := a.Add(t.Context(), samples[2:], logits[2*model.Moves:], []float32{0.25}); err != nil {
		t.Fatal(err)
	}
	r := a.Report(true)
	check := func(name string, got *float64, want float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > 1e-6 {
			t.Errorf("%s: got %v, want %g", name, got, want)
		}
	}
	total := 8 + 4669.0
	check("policy_ce", r.PolicyCE, (0.75*math.Log(total/2)+0.25*math.Log(total/4)+math.Log(4672))/2)
	check("policy_ce_legal", r.PolicyCELegal, (0.75*math.Log(4)+0.25*math.Log(2)+math.Log(6))/2)
	check("policy_ce_uniform", r.PolicyCEUniform, (math.Log(3)+math.Log(6))/2)
	check("top1", r.Top1, 0.25/2) // move 1 leads; 3 is third, behind the equal 2; 15 is sixth of equals
	check("top1 at random", r.Top1Uniform, (1.0/3+1.0/6)/2)
	check("top3", r.Top3, 1.0/2) //
	check("top5", r.Top5, 1.0/2) //
	check("illegal", r.IllegalMass, (4669/total+4666/4672.0+0.5)/3)
	check("mse", r.ValueMSE, (1.0+0)/2)
	check("mse of the mean", r.ValueMSEMean, 0.0625)
	check("sign", r.ValueSignAccuracy, 0)
	check("unseen ce", r.Unseen.PolicyCE, 0.75*math.Log(total/2)+0.25*math.Log(total/4))
	if of := r.UnseenBySource; len(of) != 1 || of["game"].Samples != 1 {
		t.Errorf("unseen by source: %+v", of)
	}
	game := r.UnseenBySource["game"].Figures
	check("unseen games", game.PolicyCELegal, 0.75*math.Log(4)+0.25*math.Log(2))
	check("unseen games at random", game.Top1Uniform, 1.0/3)
	end := r.BySource["endgame"]
	if r.Samples != 3 || r.PolicySamples != 2 || r.ValueSamples != 2 || end.Samples != 1 || end.PolicyCE != nil ||
		end.ValueMSE != nil || end.ValueMSEMean != nil {
		t.Errorf("counts: %+v", r)
	}
	if none := a.Report(false); none.Unseen != nil || none.UnseenIntervals != nil || none.UnseenBySource != nil {
		t.Error("unseen without training data")
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	json.Unmarshal(text, &fields)
	for _, name := range []string{"samples", "unseen", "policy_ce", "policy_ce_legal", "policy_ce_uniform", "top1",
		"top3",
		"top5", "illegal_mass", "value_mse", "value_mse_mean", "value_sign_accuracy", "by_source",
		"top1_uniform", "unseen_intervals", "unseen_by_source"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("no field %q", name)
		}
	}
}

func TestEvalRefusesNonsense(t *testing.T) {
	good := Sample{Legal: []uint16{1, 2}, Policy: []Target{{1, 1}}}
	zeros := func() []float32 { return make([]float32, model.Moves) }
	nan := float32(math.NaN())
	var a Accumulator
	for name, try := range map[string]func() error{
		"illegal target": func() error {
			s := good
			s.Legal = []uint16{2}
			return a.Add(t.Context(), []Sample{s}, zeros(), []float32{0})
		},
		"no legal moves": func() error {
			s := good
			s.Legal = nil
			return a.Add(t.Context(), []Sample{s}, zeros(),
				[]float32{0})
		},
		"legal move 4672": func() error {
			s := good
			s.Legal = []uint16{1, 4672}
			return a.Add(t.Context(), []Sample{s}, zeros(), []float32{0})
		},
		"NaN value": func() error { return a.Add(t.Context(), []Sample{good}, zeros(), []float32{nan}) },
		"NaN logit": func() error {
			l := zeros()
			l[9] = nan
			return a.Add(t.Context(), []Sample{good}, l,
				[]float32{0})
		},
		"lengths": func() error { return a.Add(t.Context(), []Sample{good}, zeros()[1:], []float32{0}) },
	} {
		if try() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if n := a.Report(false).Samples; n != 0 {
		t.Errorf("%d samples were added", n)
	}
}
