package evaluate

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"testing"
)

// A measure that is added to the list is in the figures of each group, in JSON and in the intervals, and it changes no
// other one.
func TestAMeasureIsAddedInOnePlace(t *testing.T) {
	samples, _, _ := played(40)
	for i := range samples {
		samples[i].Unseen = i%2 == 0
	}
	network := opinionated(8, all)
	before := evaluated(t, network, samples, Options{Layout: layout})
	for _, interval := range []bool{true, false} {
		remove := register(&Measure{Name: "moves", Interval: interval, Needs: prior,
			sums: mean(func(q *assessment) (float64, bool) { return float64(len(q.sample.Legal)), true })})
		r := evaluated(t, network, samples, Options{Layout: layout})
		want := 0.0
		for _, s := range samples {
			want += float64(len(s.Legal)) / float64(len(samples))
		}
		if math.Abs(r.Figures["moves"]-want) > 1e-9 || r.BySource["game"]["moves"] == 0 || r.Unseen["moves"] == 0 ||
			r.UnseenBySource["game"].Figures["moves"] == 0 || r.History.Without["moves"] == 0 {
			t.Errorf("figures %v, want %g", r.Figures, want)
		}
		for _, i := range []map[string][2]float64{r.Intervals, r.UnseenIntervals,
			r.UnseenBySource["game"].Intervals} {
			if x, ok := i["moves"]; ok != interval || ok && !(x[0] < x[1]) {
				t.Errorf("interval %v", x)
			}
		}
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(text, []byte(`"moves":`)); n < 8 {
			t.Errorf("%d members in %s", n, text)
		}
		for name, x := range before.Figures {
			if r.Figures[name] != x || r.Intervals[name] != before.Intervals[name] {
				t.Errorf("%s: %g, %v, was %g, %v", name, r.Figures[name], r.Intervals[name], x, before.Intervals[name])
			}
		}
		remove()
		if ByName("moves") != nil || len(evaluated(t, network, samples, Options{Layout: layout}).Figures) !=
			len(before.Figures) {
			t.Error("the measure is still there")
		}
	}
}

// The list holds what goes through it: names are different, baselines and counts exist, and what is on the page is on
// the card too.
func TestMeasures(t *testing.T) {
	names := map[string]bool{}
	for _, m := range Measures() {
		switch {
		case names[m.Name] || m.Name == "":
			t.Errorf("%q is there twice", m.Name)
		case m.Baseline != "" && (ByName(m.Baseline) == nil || ByName(m.Baseline).As == "" ||
			ByName(m.Baseline).Head != m.Head):
			t.Errorf("%s: baseline %q", m.Name, m.Baseline)
		case m.Tile.Of != "" && (ByName(m.Tile.Of) == nil || ByName(m.Tile.Of).Kind != Count):
			t.Errorf("%s: a share of %q", m.Name, m.Tile.Of)
		case (m.Tile.Name != "" || m.Column.Title != "") && m.Row == "" || m.Verdict && m.Baseline == "":
			t.Errorf("%s is not on the card", m.Name)
		case m.Apart && m.Row != "":
			t.Errorf("%s is on the card, and not in the figures", m.Name)
		case m.sums.n < 1 || m.sums.add == nil || m.sums.figure == nil:
			t.Errorf("%s sums up nothing", m.Name)
		}
		names[m.Name] = true
	}
	head := NoHead
	for _, m := range ByHead() {
		if m.Head != head && m.Head == NoHead {
			t.Errorf("%s stands behind a head", m.Name)
		}
		head = m.Head
	}
}

// Correlations are Pearson's, and undefined where one of both is always the same.
func TestCorrelation(t *testing.T) {
	of := func(points ...[2]float64) (float64, bool) {
		sums := make([]float64, correlation.n)
		for _, p := range points {
			correlation.add(sums, &assessment{labelled: true, value: p[0], label: p[1]})
		}
		correlation.add(sums, &assessment{value: 100, label: 100}) // without a label
		return correlation.figure(sums)
	}
	for _, c := range []struct {
		points [][2]float64
		want   float64
	}{
		{[][2]float64{{-1, -0.5}, {0, 0}, {1, 0.5}}, 1},
		{[][2]float64{{-1, 0.3}, {0, 0.2}, {1, 0.1}}, -1},
		{[][2]float64{{0, 0}, {0, 1}, {1, 0}, {1, 1}}, 0},
		{[][2]float64{{1, 2}, {2, 1}, {3, 4}, {4, 3}}, 0.6},
	} {
		if got, ok := of(c.points...); !ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %g, %v, want %g", c.points, got, ok, c.want)
		}
	}
	for _, points := range [][][2]float64{nil, {{1, 1}}, {{-1, 0.3}, {1, 0.1}}, {{0.1, 1}, {0.1, 0}, {0.1, 1}},
		{{0, 0.3}, {1, 0.3}, {0.5, 0.3}}} {
		if got, ok := of(points...); ok {
			t.Errorf("%v: a correlation of %g", points, got)
		}
	}
}

// register adds a measure, and returns what removes it again. Neither may be called while there are tallies.
func register(m *Measure) (remove func()) {
	before := measures
	measures = append(slices.Clone(measures), m)
	width, drawn, drawnOfGroups = arrange()
	return func() {
		measures = before
		width, drawn, drawnOfGroups = arrange()
	}
}
