package evaluate

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// bare is a sample of made-up move indices.
func bare(source string, codes []int32, value float32, policy ...Target) Sample {
	return Sample{Source: source, Codes: codes, Legal: make([]board.Move, len(codes)), Policy: policy,
		Floats: []float32{value}}
}

var nan = float32(math.NaN())

// checker compares figures by name.
func checker(t *testing.T) func(f Figures, name string, want float64) {
	return func(f Figures, name string, want float64) {
		t.Helper()
		if got, ok := f[name]; !ok || math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: got %v (%v), want %g", name, got, ok, want)
		}
	}
}

// TestEvalByHand has three positions with logits of 0 but for a few.
func TestEvalByHand(t *testing.T) {
	odds := func(of map[int]float64) []float32 {
		logits := make([]float32, encode.TalbotBotMoves)
		for move, x := range of {
			logits[move] = float32(math.Log(x))
		}
		return logits
	}
	samples := []Sample{
		// Legal 1, 2, 3 with odds 4, 2, 2; all others have odds 1: mass 8 of 8 + 4669.
		bare("game", []int32{1, 2, 3}, 0.5, Target{2, 0.75}, Target{0, 0.25}),
		// Legal 10 … 15 with odds 1; nothing else sticks out.
		bare("game", []int32{10, 11, 12, 13, 14, 15}, 0, Target{5, 1}),
		// Only move 20, odds 4671: half of the mass.
		bare("endgame", []int32{20}, nan),
	}
	samples[0].Unseen = true
	answers := []predict.Output{
		answerOf(odds(map[int]float64{1: 4, 2: 2, 3: 2}), samples[0].Codes, -0.5),
		answerOf(odds(nil), samples[1].Codes, 0),
		answerOf(odds(map[int]float64{20: 4671}), samples[2].Codes, 0.25),
	}
	a := accumulator(nil)
	for _, from := range []int{0, 2} {
		to := min(from+2, 3)
		if err := a.add(t.Context(), samples[from:to], answers[from:to]); err != nil {
			t.Fatal(err)
		}
	}
	r := a.Report(true)
	check := checker(t)
	total := 8 + 4669.0
	check(r.Figures, "policy_ce", (0.75*math.Log(total/2)+0.25*math.Log(total/4)+math.Log(4672))/2)
	check(r.Figures, "policy_ce_legal", (0.75*math.Log(4)+0.25*math.Log(2)+math.Log(6))/2)
	check(r.Figures, "policy_ce_uniform", (math.Log(3)+math.Log(6))/2)
	check(r.Figures, "top1", 0.25/2) // move 1 leads; 3 is third, behind the equal 2; 15 is sixth of equals
	check(r.Figures, "top1_uniform", (1.0/3+1.0/6)/2)
	check(r.Figures, "top3", 1.0/2)
	check(r.Figures, "top5", 1.0/2)
	check(r.Figures, "illegal_mass", (4669/total+4666/4672.0+0.5)/3)
	check(r.Figures, "value_mse", (1.0+0)/2)
	check(r.Figures, "value_mae", 0.5)
	check(r.Figures, "value_mse_mean", 0.0625)
	check(r.Figures, "value_sign_accuracy", 0)
	half := 1 / (1 + math.Exp(-0.00368208*350*math.Atanh(0.5)))
	check(r.Figures, "value_probability_mse", (2*half-1)*(2*half-1)/2)
	check(r.Unseen, "policy_ce", 0.75*math.Log(total/2)+0.25*math.Log(total/4))
	if of := r.UnseenBySource; len(of) != 1 || of["game"].Count("samples") != 1 {
		t.Errorf("unseen by source: %+v", of)
	}
	game := r.UnseenBySource["game"].Figures
	check(game, "policy_ce_legal", 0.75*math.Log(4)+0.25*math.Log(2))
	check(game, "top1_uniform", 1.0/3)
	end := r.BySource["endgame"]
	if r.Count("samples") != 3 || r.Count("policy_samples") != 2 || r.Count("value_samples") != 2 ||
		end.Count("samples") != 1 || end.Of("policy_ce") != nil || end.Of("value_mse") != nil ||
		end.Of("value_mse_mean") != nil || r.Of("chances_ce") != nil {
		t.Errorf("counts: %+v", r.Figures)
	}
	if none := a.Report(false); none.Unseen != nil || none.UnseenIntervals != nil || none.UnseenBySource != nil {
		t.Error("unseen without training data")
	}
	contract(t, r)
}

// contract checks the members of a report's JSON.
func contract(t *testing.T, r Report) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"samples", "unseen", "policy_ce", "policy_ce_legal", "policy_ce_uniform", "top1",
		"top3", "top5", "illegal_mass", "value_mse", "value_mse_mean", "value_sign_accuracy", "by_source",
		"top1_uniform", "mate_in_one", "unseen_intervals", "unseen_by_source", "misses"} {
		if _, ok := fields[name]; !ok {
			t.Errorf("no field %q", name)
		}
	}
	for _, m := range Measures() {
		if _, ok := fields[m.Name]; ok == m.Apart {
			t.Errorf("%s is a member: %v", m.Name, ok)
		}
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	var names []string
	for token, err := d.Token(); err == nil && len(names) < 16; token, err = d.Token() {
		if name, ok := token.(string); ok {
			names = append(names, name)
		}
	}
	if want := strings.Fields("samples policy_samples value_samples policy_ce policy_ce_legal policy_ce_uniform " +
		"policy_entropy top1 top1_uniform top1_best top3 top5 illegal_mass value_mse value_mse_mean " +
		"value_sign_accuracy"); !slices.Equal(names, want) {
		t.Errorf("members %v, want %v", names, want)
	}
	if by := fields["by_source"].(map[string]any)["endgame"].(map[string]any); by["policy_ce"] != nil ||
		by["samples"] != 1.0 || by["mate_in_one_samples"] != 0.0 {
		t.Errorf("figures over no samples: %v", by)
	}
}

// Values are held against labels by hand: of the third label, 0, there is no sign to have, and the network's
// probabilities are by another formula than the labels'.
func TestValuesByHand(t *testing.T) {
	a := newAccumulator(predict.Capabilities{Value: true}, Options{Layout: layout,
		PredictedProbability: func(v float32) float64 { return float64(v) / 2 },
		LabelProbability:     func(v float32) float64 { return float64(v) / 4 }})
	for _, x := range [][2]float32{{0.5, 1}, {-0.5, 0.5}, {0.25, 0}, {1, nan}} {
		s := Sample{Legal: make([]board.Move, 1), Floats: x[1:]}
		if err := a.add(t.Context(), []Sample{s}, []predict.Output{{Value: x[0]}}); err != nil {
			t.Fatal(err)
		}
	}
	r, check := a.Report(false), checker(t)
	check(r.Figures, "samples", 4)
	check(r.Figures, "value_samples", 3)
	check(r.Figures, "value_mse", (0.25+1+0.0625)/3)
	check(r.Figures, "value_mae", (0.5+1+0.25)/3)
	check(r.Figures, "value_mse_mean", 1.0/6)
	check(r.Figures, "value_sign_accuracy", 0.5)
	check(r.Figures, "value_probability_mse", (0+0.375*0.375+0.125*0.125)/3)
}

// An illegal move is first if it is more probable than each legal one, regardless of what legal and illegal ones have
// together.
func TestLegalFirst(t *testing.T) {
	s := bare("game", []int32{1, 2, 3}, nan, Target{0, 1})
	a := accumulator(nil)
	for _, other := range []float32{0.1, 2} {
		logits := slices.Repeat([]float32{-3}, encode.TalbotBotMoves)
		logits[1], logits[2], logits[3], logits[4000] = 0.5, 1, 1, other
		if err := a.add(t.Context(), []Sample{s}, []predict.Output{answerOf(logits, s.Codes, 0)}); err != nil {
			t.Fatal(err)
		}
	}
	checker(t)(a.Report(false).Figures, "legal_first", 0.5)
}

func TestEvalRefusesNonsense(t *testing.T) {
	inf := float32(math.Inf(1))
	a := accumulator(nil)
	for name, spoil := range map[string]func(s *Sample, x *predict.Output){
		"illegal target":  func(s *Sample, _ *predict.Output) { s.Policy[0].Move = 2 },
		"negative target": func(s *Sample, _ *predict.Output) { s.Policy[0].Move = -1 },
		"no legal moves":  func(s *Sample, x *predict.Output) { s.Legal, s.Codes, x.Prior = nil, nil, nil },
		"NaN value":       func(_ *Sample, x *predict.Output) { x.Value = nan },
		"infinite value":  func(_ *Sample, x *predict.Output) { x.Value = inf },
		"NaN move":        func(_ *Sample, x *predict.Output) { x.Prior[1] = nan },
		"NaN inside":      func(_ *Sample, x *predict.Output) { x.Inside = nan },
		"NaN outside":     func(_ *Sample, x *predict.Output) { x.Outside = nan },
		"too few moves":   func(_ *Sample, x *predict.Output) { x.Prior = x.Prior[:1] },
		"no moves":        func(_ *Sample, x *predict.Output) { x.Prior = nil },
	} {
		s := bare("game", []int32{1, 2}, nan, Target{0, 1})
		x := answerOf(make([]float32, encode.TalbotBotMoves), s.Codes, 0)
		spoil(&s, &x)
		if a.add(t.Context(), []Sample{s}, []predict.Output{x}) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	s := bare("game", []int32{1, 2}, nan, Target{0, 1})
	if a.add(t.Context(), []Sample{s}, nil) == nil {
		t.Error("lengths: no error")
	}
	if n := a.Report(false).Count("samples"); n != 0 {
		t.Errorf("%d samples were added", n)
	}
}
