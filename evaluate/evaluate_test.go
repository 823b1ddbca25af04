package evaluate

import (
	"errors"
	"hash/maphash"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
)

// opinionated answers with a function of what it sees and of nothing else.
func opinionated(batch int, capabilities predict.Capabilities) *asked {
	seed := maphash.MakeSeed()
	return &asked{capabilities: capabilities, batch: batch, answer: func(q predict.Input) predict.Output {
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
		a.WDL = [3]float32{win, (1 - win) / 2, (1 - win) / 2}
		if !capabilities.Prior {
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
		s.Origin = &Origin{Position: *g.Position(), Line: line}
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
		one := network.answer(predict.Input{Packed: samples[i].Packed, Codes: samples[i].Codes})
		other := network.answer(predict.Input{Packed: mirrored[i].Packed, Codes: samples[i].Codes})
		value += math.Abs(float64(one.Value-other.Value)) / 20
		for j := range one.Prior {
			policy += math.Abs(math.Exp(float64(one.Prior[j]))-math.Exp(float64(other.Prior[j]))) / 40
		}
		most := func(a predict.Output) int { return slices.Index(a.Prior, slices.Max(a.Prior)) }
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

// Every eighth batch is compared, a batch is asked at once, and a recipe that does not know the difference
// is not shown one.
func TestVariants(t *testing.T) {
	samples, _, _ := played(50)
	plain := layout
	plain.NoHistory, plain.OtherColour = nil, nil
	colour := layout
	colour.NoHistory = nil
	for name, c := range map[string]struct {
		layout  encode.Layout
		batches int // of five samples each: ten, of which two are compared
	}{"talbotbot": {layout, 10 + 2*2}, "without a past": {colour, 10 + 2}, "without either": {plain, 10}} {
		network := opinionated(5, all)
		r := evaluated(t, network, samples, Options{Layout: c.layout})
		if len(network.sizes) != c.batches || slices.Max(network.sizes) != 5 {
			t.Errorf("%s: batches %v", name, network.sizes)
		}
		if (r.History != nil) != (c.layout.NoHistory != nil) || (r.Symmetry != nil) != (c.layout.OtherColour != nil) {
			t.Errorf("%s: %+v, %+v", name, r.History, r.Symmetry)
		}
		if h := r.History; h != nil && (h.With.Count("samples") != 10 || h.Without.Count("samples") != 10) {
			t.Errorf("%s: %+v", name, h)
		}
	}
	network := opinionated(5, all)
	if r := evaluated(t, network, samples, Options{Layout: layout, Batch: 25}); network.sizes[0] != 25 ||
		r.History.With.Count("samples") != 25 {
		t.Errorf("batches %v instead of 25, %+v", network.sizes, r.History)
	}
	_, err := Evaluate(t.Context(), opinionated(5, all), sequence(samples), Options{Layout: plain, NoHistory: true})
	if !errors.Is(err, ErrNoHistory) {
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
