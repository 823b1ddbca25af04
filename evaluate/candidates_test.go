package evaluate

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"talbot/encode"
)

// TestBaselines: priors and floor as computed by hand, and a temperature that is found again where the moves were drawn
// with it.
func TestBaselines(t *testing.T) {
	// numbers: 3 moves with one value each
	o := Candidates{Layout: encode.Layout{Shape: []int{6}, Candidates: 3}, Values: 1,
		Unpack: func(dst []float32, packed []uint64) {
			for i := range dst {
				dst[i] = math.Float32frombits(uint32(packed[i]))
			}
		}}
	// The report on a network with a cross-entropy for each sample.
	report := func(list []Sample, network ...float64) *CandidateReport {
		t.Helper()
		a := &Accumulator{candidates: candidateTally{Candidates: &o}}
		for i := range list {
			c, err := o.of(&list[i])
			if err != nil {
				t.Fatal(err)
			}
			a.candidates.add(&c, network[i])
		}
		return a.Candidates()
	}
	sample := func(priors, values [3]float32, weights ...Target) Sample {
		s := Sample{Codes: []int32{3, 0, 1, 2}, Policy: weights}
		for _, x := range append(priors[:], values[:]...) {
			s.Packed = append(s.Packed, uint64(math.Float32bits(x)))
		}
		return s
	}
	r := report([]Sample{sample([3]float32{0.5, 0.25, 0.25}, [3]float32{}, Target{1, 0.5}, Target{2, 0.5})}, 1)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-6 {
			t.Errorf("%s %g, want %g", what, got, want)
		}
	}
	near("network", r.Network, 1)
	near("prior", r.Prior.CE, (math.Log(2)+math.Log(4))/2)
	near("prior", r.Prior.More, r.Prior.CE-1)
	near("uniform", r.Uniform, math.Log(3))
	near("floor", r.Floor, math.Log(2))
	if r.Values != nil || r.Samples != 1 {
		t.Errorf("%+v", r)
	}
	const temperature = 0.2
	rng := rand.New(rand.NewPCG(1, 1))
	var list []Sample
	var network []float64
	for i := range 4000 {
		if i < 2000 {
			network = append(network, float64(i%2*2))
		}
		var v [3]float32
		var weights []Target
		sum := 0.0
		for i := range v {
			v[i] = float32(2*rng.Float64() - 1)
			sum += math.Exp(float64(v[i]) / temperature)
		}
		for i := range v {
			weights = append(weights, Target{i + 1, float32(math.Exp(float64(v[i])/temperature) / sum)})
		}
		list = append(list, sample([3]float32{0.4, 0.3, 0.3}, v, weights...))
	}
	if err := o.Fit(sequence(list[2000:])); err != nil {
		t.Fatal(err)
	}
	r = report(list[:2000], network...)
	if math.Abs(r.Temperature-temperature) > 1e-3 || math.Abs(r.Values.CE-r.Floor) > 1e-5 || r.Fitted != 2000 {
		t.Errorf("%+v, values %+v", r, *r.Values)
	}
	// the network's are 0 and 2 in turns: a standard deviation of 1 and a little for the baseline's own
	i := r.Values.MoreInterval
	if math.Abs(i[1]-i[0]-2*1.96/math.Sqrt(2000)) > 0.01 || math.Abs(i[0]+i[1]-2*r.Values.More) > 1e-9 {
		t.Errorf("%+v", *r.Values)
	}
	none := Sample{Codes: []int32{3}, Packed: list[0].Packed, Policy: []Target{{0, 1}}}
	if err := o.Fit(sequence([]Sample{none})); !errors.Is(err, ErrNotCandidates) {
		t.Error(err)
	}
}
