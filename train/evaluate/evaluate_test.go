package evaluate

import (
	"errors"
	"hash/maphash"
	"math"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/train/predict"
)

// opinionated answers with a function of what it sees and of nothing else.
func opinionated(batch int, knows predict.Knows) *asked {
	seed := maphash.MakeSeed()
	return &asked{knows: knows, batch: batch, answer: func(q predict.Question) predict.Answer {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, word := range q.Packed {
			maphash.WriteComparable(&h, word)
		}
		r := rand.New(rand.NewPCG(h.Sum64(), 1))
		logits := make([]float32, encode.TalbotBotMoves)
		for _, c := range q.Codes {
			logits[c] = r.Float32() * 4
		}
		a := answerOf(logits, q.Codes, 2*r.Float32()-1)
		win := r.Float32()
		a.Chances = [3]float32{win, (1 - win) / 2, (1 - win) / 2}
		if !knows.Prior {
			a.Prior = nil
		}
		return a
	}}
}

// played are samples of random games, and the same ones encoded in the other colour and without their past.
func played(n int) (samples, mirrored, blind []Sample) {
	rng := rand.New(rand.NewPCG(1, 1))
	for line := int64(0); len(samples) < n; line++ {
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
		s := viewed(g)
		s.Place = &Place{Position: *g.Position(), Line: line}
		s.Policy = []Target{{rng.IntN(len(s.Legal)), 1}}
		s = labelled(s, 2*rng.Float32()-1)
		samples = append(samples, s)
		for _, other := range []*board.Game{m, board.NewGame(*g.Position())} {
			as := viewed(other)
			o := s
			o.Packed = as.Packed
			if other == m {
				mirrored = append(mirrored, o)
			} else {
				blind = append(blind, o)
			}
		}
	}
	return samples, mirrored, blind
}

func clones(samples []Sample) []Sample {
	list := slices.Clone(samples)
	for i := range list {
		list[i].Packed = slices.Clone(list[i].Packed)
	}
	return list
}

func evaluated(t *testing.T, network Network, samples []Sample, o Options) Report {
	t.Helper()
	a, err := Evaluate(t.Context(), network, sequence(clones(samples)), o)
	if err != nil {
		t.Fatal(err)
	}
	return a.Report(true)
}

// TestSymmetryIsOfThePositionInTheOtherColour holds the gaps against those to a mirrored game that is encoded by
// itself.
func TestSymmetryIsOfThePositionInTheOtherColour(t *testing.T) {
	samples, mirrored, _ := played(20)
	network := opinionated(20, all)
	var value, policy, same float64
	for i := range samples {
		one := network.answer(predict.Question{Packed: samples[i].Packed, Codes: samples[i].Codes})
		other := network.answer(predict.Question{Packed: mirrored[i].Packed, Codes: samples[i].Codes})
		value += math.Abs(float64(one.Value-other.Value)) / 20
		for j := range one.Prior {
			policy += math.Abs(math.Exp(float64(one.Prior[j]))-math.Exp(float64(other.Prior[j]))) / 40
		}
		most := func(a predict.Answer) int { return slices.Index(a.Prior, slices.Max(a.Prior)) }
		same += indicator(most(one) == most(other)) / 20
	}
	got := evaluated(t, network, samples, Options{Layout: layout}).Symmetry
	if got == nil || got.Samples != 20 || math.Abs(*got.ValueGap-value) > 1e-6 ||
		math.Abs(*got.PolicyGap-policy) > 1e-6 || math.Abs(*got.SameMove-same) > 1e-6 || value == 0 || policy == 0 {
		t.Errorf("%+v, want %g, %g, %g", got, value, policy, same)
	}
}

// What is said without the past is said of the position alone, and counts as if it had been evaluated so.
func TestHistoryIsOfThePositionAlone(t *testing.T) {
	samples, _, blind := played(30)
	network := opinionated(30, all)
	o := Options{Layout: layout}
	with := evaluated(t, network, samples, o)
	without := evaluated(t, network, blind, o)
	figures := func(f Figures) Figures {
		list := Figures{}
		for _, name := range []string{"samples", "policy_ce", "policy_ce_legal", "top3", "value_mse"} {
			list[name] = f[name]
		}
		return list
	}
	h := with.History
	if h == nil || !reflect.DeepEqual(figures(h.With), figures(with.Figures)) ||
		!reflect.DeepEqual(figures(h.Without), figures(without.Figures)) ||
		reflect.DeepEqual(figures(h.With), figures(h.Without)) {
		t.Errorf("%+v", h)
	}
	o.NoHistory = true
	hidden := evaluated(t, network, samples, o)
	if hidden.History != nil || !reflect.DeepEqual(figures(hidden.Figures), figures(without.Figures)) {
		t.Errorf("hidden: %+v, %+v", hidden.History, hidden.Figures)
	}
}

// Every eighth batch is compared, no more than a batch is asked at once, and a recipe that does not know the difference
// is not shown one.
func TestVariants(t *testing.T) {
	samples, _, _ := played(50)
	plain := layout
	plain.NoPast, plain.OtherColour = nil, nil
	colour := layout
	colour.NoPast = nil
	for name, c := range map[string]struct {
		layout  encode.Layout
		batches int // of five samples each: ten, of which two are compared
	}{"talbotbot": {layout, 10 + 2*2}, "without a past": {colour, 10 + 2}, "without either": {plain, 10}} {
		network := opinionated(5, all)
		r := evaluated(t, network, samples, Options{Layout: c.layout})
		if len(network.sizes) != c.batches || slices.Max(network.sizes) != 5 {
			t.Errorf("%s: batches %v", name, network.sizes)
		}
		if (r.History != nil) != (c.layout.NoPast != nil) || (r.Symmetry != nil) != (c.layout.OtherColour != nil) {
			t.Errorf("%s: %+v, %+v", name, r.History, r.Symmetry)
		}
		if h := r.History; h != nil && (h.With.Count("samples") != 10 || h.Without.Count("samples") != 10) {
			t.Errorf("%s: %+v", name, h)
		}
	}
	_, err := Evaluate(t.Context(), opinionated(5, all), sequence(samples), Options{Layout: plain, NoHistory: true})
	if !errors.Is(err, ErrNoPast) {
		t.Errorf("a past that is not there is hidden: %v", err)
	}
}

// The figures do not depend on the batches.
func TestEvaluateInAnyBatches(t *testing.T) {
	samples, _, _ := played(50)
	for i := range samples {
		samples[i].Unseen = i%2 == 0
	}
	network := opinionated(50, all)
	want := evaluated(t, network, samples, Options{Layout: layout})
	if of := want.UnseenBySource["game"]; !reflect.DeepEqual(of.Intervals, want.UnseenIntervals) ||
		reflect.DeepEqual(of.Intervals, want.Intervals) || !reflect.DeepEqual(of.Figures, want.Unseen) {
		t.Errorf("unseen %v, of the only source %v", want.UnseenIntervals, of.Intervals)
	}
	for _, batch := range []int{1, 7, 64} {
		network.batch = batch
		if got := evaluated(t, network, samples, Options{Layout: layout}); !reflect.DeepEqual(got.Figures,
			want.Figures) ||
			!reflect.DeepEqual(got.Intervals, want.Intervals) || !reflect.DeepEqual(got.Misses, want.Misses) {
			t.Errorf("batches of %d: %+v, want %+v", batch, got.Figures, want.Figures)
		}
	}
}

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
	one.Place, one.Policy = &Place{Position: mate, Line: 1000, Result: 2, HasResult: true}, []Target{{0, 1}}
	samples = append(samples, labelled(one, 1))
	for i := range samples {
		samples[i].Unseen = i%2 == 0
	}
	known := func(i int) []float32 { return []float32{9, float32(i%3 - 1), float32(i%7)/7 - 0.5} }
	chances := predict.Knows{Chances: true}
	for name, c := range map[string]struct {
		knows  predict.Knows
		layout encode.Layout
		words  int
		names  [][]string
	}{
		"value alone":         {predict.Knows{Value: true}, heads, 0, [][]string{valueNames}},
		"policy alone":        {predict.Knows{Prior: true, Others: true}, heads, 3, [][]string{policyNames, allNames}},
		"policy, legal alone": {predict.Knows{Prior: true}, heads, 3, [][]string{policyNames}},
		"chances":             {chances, heads, 0, [][]string{valueNames, {"chances_ce"}}},
		"everything": {predict.Knows{Prior: true, Others: true, Value: true, Chances: true}, heads, 1,
			[][]string{policyNames, allNames, valueNames, {"chances_ce"}}},
	} {
		network := &asked{knows: c.knows, batch: 8, answer: func(q predict.Question) predict.Answer {
			x := float32(bits.OnesCount64(q.Packed[0]^q.Packed[1])) / 40
			a := predict.Answer{Chances: [3]float32{x, 1 - x, 0}}
			if c.knows.Value {
				a.Value = x - 0.3
			}
			if c.knows.Prior {
				a.Prior = make([]float32, len(q.Codes)/c.words)
				for i := range a.Prior {
					a.Prior[i] = -float32(math.Log(float64(len(a.Prior))))
				}
			}
			return a
		}}
		r := evaluated(t, network, otherRecipe(samples, c.words, known),
			Options{Layout: c.layout, Said: chance, Was: chance})
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
		if (len(r.Misses) > 0) != c.knows.Prior || (len(r.Confidence) > 0) != c.knows.Prior {
			t.Errorf("%s: %d misses, confidence %v", name, len(r.Misses), r.Confidence)
		}
		valued := c.knows.Value || c.knows.Chances
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
	network := &asked{knows: predict.Knows{Chances: true}, batch: 4, answer: func(predict.Question) predict.Answer {
		return predict.Answer{Chances: [3]float32{0.5, 0.375, 0.125}}
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

// Of equally probable moves that of the lower first word is higher, wherever it stands.
func TestTies(t *testing.T) {
	s := Sample{Legal: make([]board.Move, 4), Codes: []int32{9, 0, 5, 1, 5, 0, 2, 7}} // first words 9, 5, 5, 2
	prior := []float32{-1, -1, -1, -1}
	var order []int
	for i := range prior {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int {
		if before(&s, prior, i, j) {
			return -1
		}
		return 1
	})
	if !slices.Equal(order, []int{3, 1, 2, 0}) || first(&s, prior) != 3 {
		t.Errorf("order %v, first %d", order, first(&s, prior))
	}
	prior[0] = -0.5
	if first(&s, prior) != 0 {
		t.Error("the most probable move is not the first")
	}
	s.Codes = nil
	if first(&s, []float32{-1, -1, -1, -1}) != 0 {
		t.Error("without words the first move is not the first")
	}
}
