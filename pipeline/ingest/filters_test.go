package ingest

import (
	"maps"
	"testing"

	"talbot/dataset"
)

// TestFilterFlags: the manifest's flags are sorted, and filters that contradict themselves are refused.
func TestFilterFlags(t *testing.T) {
	for name, f := range map[string]Filters{
		"ratings": {Filter: dataset.Filter{MinElo: 2, MaxElo: 1}},
		"either":  {Filter: dataset.Filter{EitherElo: true}},
		"unknown": {Filter: dataset.Filter{KeepUnknownElo: true, DropUnknownElo: true}},
		"plies":   {Filter: dataset.Filter{MinPlies: -1}},
		"rate":    {Sampling: dataset.Sampling{Rate: 1.5}},
		"side":    {Sampling: dataset.Sampling{Side: dataset.PlayerSide}},
		"dates": {Filter: dataset.Filter{Since: dataset.Date{Year: 2, Month: 1, Day: 1},
			Until: dataset.Date{Year: 1, Month: 1, Day: 1}}},
	} {
		if f.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, preset := range Presets {
		var f Filters
		preset(&f)
		if f.Check() != nil || !f.active() {
			t.Errorf("%s: %v", name, f.flags())
		}
	}
	var none Filters
	if none.active() || len((&Request{}).flags()) != 0 {
		t.Error("a filter is on by default")
	}
}

// TestWithoutDrops takes away no more of a reason than there is, and loses none.
func TestWithoutDrops(t *testing.T) {
	const rate, clock, side = dataset.NotDrawn, dataset.LowClock, dataset.OtherSide
	for _, c := range []struct{ d, other, want dataset.Drops }{
		{nil, nil, nil},
		{dataset.Drops{side: 3}, nil, dataset.Drops{side: 3}},
		{dataset.Drops{side: 3, rate: 2}, dataset.Drops{side: 3, rate: 1}, dataset.Drops{rate: 1}},
		{dataset.Drops{rate: 1, clock: 4}, dataset.Drops{rate: 3}, dataset.Drops{clock: 2}},
		{dataset.Drops{rate: 3, clock: 1}, dataset.Drops{clock: 2}, dataset.Drops{rate: 2}},
	} {
		if got := withoutDrops(maps.Clone(c.d), c.other); !maps.Equal(got, c.want) {
			t.Errorf("%v without %v is %v, want %v", c.d, c.other, got, c.want)
		}
	}
}
