package evaluate

import (
	"math"
	"testing"

	"talbot/network/predict"
)

// The traits of moves by hand.
func TestTraits(t *testing.T) {
	for name, c := range map[string]struct {
		fen, uci string
		want     [traits]float64
	}{
		"a sacrifice on h7":    {"r4rk1/5ppp/8/8/8/3B4/5PPP/4R1K1 w - - 0 1", "d3h7", [traits]float64{1, 1, 1}},
		"rook for bishop":      {"6k1/5p1p/6b1/8/8/8/6R1/6K1 w - - 0 1", "g2g6", [traits]float64{1, 1, 1}},
		"a pawn is too little": {"4k3/8/3p4/8/4P3/8/8/4K3 w - - 0 1", "e4e5", [traits]float64{0, 0, 1}},
		"a pawn storm":         {"6k1/5ppp/8/6P1/8/8/8/6K1 w - - 0 1", "g5g6", [traits]float64{0, 0, 1}},
		"too far away":         {"6k1/5ppp/8/8/8/8/P7/R5K1 w - - 0 1", "a2a3", [traits]float64{0, 0, 0}},
		"a check from afar":    {"6k1/5pp1/8/8/8/8/P7/R5K1 w - - 0 1", "a1d1", [traits]float64{0, 0, 0}},
		"a king that marches":  {"6k1/8/8/6K1/8/8/8/8 w - - 0 1", "g5g6", [traits]float64{0, 0, 0}},
		"black does it too":    {"4r1k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "e8e1", [traits]float64{0, 1, 1}},
		"a queen for nothing":  {"3rk3/8/8/8/8/8/8/3QK3 w - - 0 1", "d1d7", [traits]float64{1, 1, 1}},
	} {
		p := position(t, c.fen)
		m, err := p.ParseUCI(c.uci)
		if err != nil {
			t.Fatal(err)
		}
		if got := traitsOf(&p, m); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// The network gives check wherever it can, the one before never does; the moves played do in a known share.
func TestStyle(t *testing.T) {
	samples := wandered(t, 300)
	at := map[*uint64]*Sample{} // by the first word of the input
	chances, played, n := 0.0, 0.0, 0
	for i := range samples {
		s := &samples[i]
		at[&s.Packed[0]] = s
		can := 0.0
		for _, m := range s.Legal {
			if after := s.Origin.Position.After(m); after.InCheck() {
				can = 1
			}
		}
		chances += can
		if after := s.Origin.Position.After(s.Legal[s.Policy[0].Move]); after.InCheck() {
			played++
		}
		n++
	}
	likes := func(check float32) *asked {
		return &asked{capabilities: all, batch: 32, answer: func(q predict.Input) predict.Output {
			a := equally(q)
			s := at[&q.Packed[0]]
			for i, m := range s.Legal {
				if after := s.Origin.Position.After(m); after.InCheck() {
					a.Prior[i] += check
				}
			}
			return a
		}}
	}
	o := Options{Layout: layout, Style: true, Before: likes(-5)}
	o.Layout.OtherColour, o.Layout.NoHistory = nil, nil
	a, err := Evaluate(t.Context(), likes(5), sequence(samples), o)
	if err != nil {
		t.Fatal(err)
	}
	r := a.Report(false).Style
	if r == nil || r.Samples != int64(n) {
		t.Fatalf("%+v", r)
	}
	near := func(what string, e *Estimate, want float64) {
		t.Helper()
		if e == nil || math.Abs(e.Mean-want) > 1e-9 || e.Interval[0] > want || e.Interval[1] < want {
			t.Errorf("%s: %+v, want %g", what, e, want)
		}
	}
	c := &r.Checks
	near("network", &c.Network, chances/300)
	near("played", &c.Played, played/300)
	near("above played", &c.AbovePlayed, (chances-played)/300)
	if c.Before == nil || c.Before.Mean > 0.02 || c.AboveBefore.Interval[0] <= 0 {
		t.Errorf("before: %+v", c)
	}
	// With one sample a line, the interval of a share of independent samples.
	p := played / 300
	if i, want := c.Played.Interval, Wilson(p, 300); math.Abs(i[0]-want[0])+math.Abs(i[1]-want[1]) > 1e-9 {
		t.Errorf("%v, want %v", c.Played.Interval, *want)
	}
	o.Before, o.Style = nil, false
	if a, err = Evaluate(t.Context(), likes(5), sequence(samples), o); err != nil || a.Report(false).Style != nil {
		t.Errorf("style without being asked for, %v", err)
	}
}
