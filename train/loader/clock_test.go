package loader

import (
	"testing"
	"time"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/traindata"
)

// TestMinClock: samples of movers with less time left than asked for are neither trained on nor evaluated, and counted;
// those without a clock stay. Nor are the first plies evaluated that are skipped.
func TestMinClock(t *testing.T) {
	splits := dataset.Splits{Train: 60, Val: 20, Test: 20}
	var short [3]int // samples by split
	early, puzzles := 0, 0
	dir := rewritten(t, write(t, traindata.Dataset{Seed: 1, Games: 60, Splits: splits}), splits,
		func(game int, l *dataset.Line) {
			if game%5 == 0 {
				l.Source = dataset.SourcePuzzle
			}
			for _, ply := range l.Samples.Plies(nil, len(l.Moves)) {
				if splits.Of(dataset.SplitKey(l)) == dataset.Test && ply < 10 {
					if l.Source == dataset.SourceGame {
						early++
					} else {
						puzzles++
					}
				}
			}
			if game%3 == 0 {
				return
			}
			l.Clocks = make([]int32, len(l.Moves))
			for ply := range l.Clocks {
				if l.Clocks[ply] = int32(max(0, 600-10*ply)); ply%7 == 0 {
					l.Clocks[ply] = dataset.NoClock
				}
			}
			for _, ply := range l.Samples.Plies(nil, len(l.Moves)) {
				if last := ply - 2; last > 30 && last%7 != 0 {
					short[splits.Of(dataset.SplitKey(l))]++
				}
			}
		})
	count := func(least time.Duration, skip int) (Counts, int) {
		d, err := Open(t.Context(), []Spec{{Dir: dir}}, Options{Encoder: encode.TalbotBot{}, MinClock: least,
			SkipPlies: skip})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		return survey(t, d).Sets[0], len(collect(t, d, EvalOptions{Splits: []dataset.Split{dataset.Test}}))
	}
	all, tested := count(0, 0)
	some, testedToo := count(30*time.Second, 0)
	if left := short[dataset.Train] + short[dataset.Val]; all.Short != 0 || some.Short != int64(left) ||
		all.Train+all.Val != some.Train+some.Val+some.Short || left < 100 {
		t.Errorf("%+v, with a limit %+v, want %d left out", all, some, left)
	}
	if tested-testedToo != short[dataset.Test] || short[dataset.Test] < 20 || testedToo == 0 {
		t.Errorf("%d and %d samples are evaluated, want %d less", tested, testedToo, short[dataset.Test])
	}
	_, late := count(0, 10)
	if tested-late != early || early < 20 || puzzles < 5 {
		t.Errorf("%d and %d samples are evaluated, want %d of games less, and of others none of %d", tested, late,
			early, puzzles)
	}
}
