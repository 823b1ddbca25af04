package ingest

import (
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
	if none.active() || len((&Request{}).flags()) != 1 { // what is done with conflicts of moves is always told
		t.Error("a filter is on by default")
	}
}
