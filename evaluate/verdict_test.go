package evaluate

import (
	"encoding/json"
	"math"
	"testing"

	"talbot/network/predict"
)

// A figure is held against the best of its baselines, and what its interval holds is not told apart.
func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		measure   string
		figures   Figures
		intervals Intervals
		want      Verdict
		than      string
	}{
		"better than both": {"value_mse", Figures{"value_mse": 0.1, "value_mse_mean": 0.3, "value_mse_material": 0.2},
			Intervals{"value_mse": {0.08, 0.12}}, Better, "value_mse_material"},
		"better than the mean alone": {"value_mse", Figures{"value_mse": 0.25, "value_mse_mean": 0.3,
			"value_mse_material": 0.2}, Intervals{"value_mse": {0.24, 0.26}}, Worse, "value_mse_material"},
		"the mean is the best": {"value_mse", Figures{"value_mse": 0.25, "value_mse_mean": 0.2,
			"value_mse_material": 0.3}, Intervals{"value_mse": {0.24, 0.26}}, Worse, "value_mse_mean"},
		"nothing fitted": {"policy_ce_legal", Figures{"policy_ce_legal": 2, "policy_ce_uniform": 3}, nil, Better,
			"policy_ce_uniform"},
		"in the interval": {"policy_ce_legal", Figures{"policy_ce_legal": 0.5993, "policy_ce_uniform": 0.6066},
			Intervals{"policy_ce_legal": {0.58, 0.61}}, Unclear, "policy_ce_uniform"},
		"a high share": {"top1", Figures{"top1": 0.5, "top1_uniform": 0.1, "top1_moves": 0.4},
			Intervals{"top1": {0.45, 0.55}}, Better, "top1_moves"},
		"a low share": {"top1", Figures{"top1": 0.3, "top1_uniform": 0.1, "top1_moves": 0.4},
			Intervals{"top1": {0.25, 0.35}}, Worse, "top1_moves"},
		"same":          {"top1", Figures{"top1": 0.3, "top1_uniform": 0.3}, nil, Same, "top1_uniform"},
		"too few games": {"top1", Figures{"top1": 0, "top1_uniform": 0.3}, Intervals{}, Unclear, "top1_uniform"},
	} {
		j, ok := ByName(c.measure).Judge(c.figures, c.intervals)
		if !ok || j.Verdict != c.want || j.Baseline != c.than || j.Against != c.figures[c.than] {
			t.Errorf("%s: %+v, %v", name, j, ok)
		}
	}
	for _, f := range []Figures{nil, {"value_mse": 1}, {"value_mse_mean": 1}} {
		if j, ok := ByName("value_mse").Judge(f, nil); ok {
			t.Errorf("%v: %+v", f, j)
		}
	}
}

// A group of three samples is not judged, however bad it is, and one of many is; JSON says for each how many samples
// its figure is over: those with a value for the value.
func TestSmallGroupsAreNotJudged(t *testing.T) {
	samples := wandered(t, 203)
	valued := 0
	for i := range samples {
		s := &samples[i]
		s.Source = "game"
		if i < 3 {
			s.Source = "puzzle"
		}
		if i%4 != 0 {
			s.Floats = []float32{float32(math.NaN())}
		} else if s.Source == "game" {
			valued++
		}
	}
	wrong := &asked{capabilities: all, batch: 64, answer: func(q predict.Input) predict.Output {
		a := equally(q)
		a.Value = -1
		for i := range a.Prior { // all on the last move
			a.Prior[i] = -30
		}
		a.Prior[len(a.Prior)-1] = 0
		return a
	}}
	a, err := Evaluate(t.Context(), wrong, sequence(samples), Options{Layout: layout})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(a.Report(false))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Verdicts []Judgement `json:"verdicts"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, j := range r.Verdicts {
		if j.On != "by_source" {
			continue
		}
		found++
		few := j.Group == "puzzle"
		switch want := map[string]int64{"policy_ce_legal": 200, "top1": 200, "value_mse": int64(valued)}[j.Measure]; {
		case few && (j.Verdict != Unclear || j.Interval != nil):
			t.Errorf("three samples are judged: %+v", j)
		case !few && (j.Samples != want || j.Interval == nil || j.Measure != "top1" && j.Verdict != Worse):
			t.Errorf("%+v, want %d samples", j, want)
		}
	}
	if found != 6 {
		t.Errorf("%d verdicts by source in %s", found, text)
	}
}

// Wilson's interval has the known values, and is never without width.
func TestWilson(t *testing.T) {
	for _, c := range [][4]float64{{0.5, 10, 0.2366, 0.7634}, {0, 3, 0, 0.5615}, {1, 20, 0.8389, 1}} {
		if i := Wilson(c[0], c[1]); math.Abs(i[0]-c[2]) > 1e-4 || math.Abs(i[1]-c[3]) > 1e-4 {
			t.Errorf("%g of %g: %v", c[0], c[1], *i)
		}
	}
}

// What is worse comes with what to change; nothing else does.
func TestRemedy(t *testing.T) {
	figures := Figures{"samples": 1000, "policy_samples": 1000, "value_samples": 10, "policy_ce_legal": 3.9,
		"policy_ce_uniform": 3.3, "illegal_mass": 0.77, "value_mse": 0.4, "value_mse_mean": 0.3}
	masked := false
	remedy := func(measure string) string {
		j, ok := ByName(measure).Judge(figures, nil)
		if !ok {
			t.Fatal(measure)
		}
		return j.Remedy(figures, masked)
	}
	check := func(measure, want string) {
		t.Helper()
		if got := remedy(measure); got != want {
			t.Errorf("%s: %q, want %q", measure, got, want)
		}
	}
	check("policy_ce_legal", "77 % of the probability falls on illegal moves: train longer, or with "+
		"--legal-mask where the recipe has it")
	masked = true
	check("policy_ce_legal", "train longer, on more samples, or with a larger network")
	check("value_mse", "only 1 % of the samples have a value to learn: label more of them")
	delete(figures, "illegal_mass")
	figures["value_samples"] = 1000
	check("policy_ce_legal", "train longer, on more samples, or with a larger network")
	check("value_mse", "train longer, on more samples, or with a larger --value-weight where the recipe has it")
	figures["policy_ce_legal"], figures["value_mse"] = 3.2, 0.3
	check("policy_ce_legal", "")
	check("value_mse", "")
	// Where nothing is clear, a narrow interval says that the network is no better, a wide one asks for more.
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{2.95, 3.06, "train longer, on more samples, or with a larger network"},
		{2.5, 3.5, ""},
		{3.05, 3.1, ""},
	} {
		i := Intervals{"policy_ce_legal": {c.low, c.high}}
		j, _ := ByName("policy_ce_legal").Judge(Figures{"policy_ce_legal": 3, "policy_ce_uniform": 3.01}, i)
		if got := j.Remedy(figures, true); got != c.want || j.Level() != (c.want != "") {
			t.Errorf("%v: %q, level %v", i, got, j.Level())
		}
	}
}
