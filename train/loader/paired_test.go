package loader

import (
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/evaluate"
	"talbot/internal/testkit/traindata"
)

// Readers of two recipes see the same positions, those that both have a target for, in the same lines.
func TestPairedReaders(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 900, Shards: 2})
	puzzles := write(t, traindata.Dataset{Seed: 3, Games: 200, Source: dataset.SourcePuzzle})
	specs := []Spec{{Dir: games}, {Dir: puzzles}}
	var readers []*Data
	for _, e := range []encode.Encoder{encode.TalbotBot{}, encode.Napoleon{}} {
		d, err := Open(t.Context(), specs, Options{Encoder: e, Workers: 3, Origins: true})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		readers = append(readers, d)
	}
	o := EvalOptions{Splits: []dataset.Split{dataset.Test}, TrainedOn: specs}
	type seen struct {
		position board.Position
		game     string
		ply      int
		unseen   bool
	}
	at := func(s *evaluate.Sample) seen { return seen{s.Origin.Position, s.Origin.Game, s.Origin.Ply, s.Unseen} }
	var alone [2][]seen
	for i, d := range readers {
		for _, s := range collect(t, d, o) {
			alone[i] = append(alone[i], at(&s))
		}
	}
	for _, o.Limit = range []int64{0, 100} {
		var pairs []seen
		for s, err := range Paired(t.Context(), readers, o) {
			if err != nil {
				t.Fatal(err)
			}
			if at(&s[0]) != at(&s[1]) || s[0].Origin.Line != s[1].Origin.Line || len(s[0].Legal) == 0 {
				t.Fatalf("%+v and %+v", s[0].Origin, s[1].Origin)
			}
			pairs = append(pairs, at(&s[0]))
		}
		if o.Limit > 0 {
			if len(pairs) != int(o.Limit) {
				t.Errorf("%d samples, want %d", len(pairs), o.Limit)
			}
			continue
		}
		var want []seen // both are in the order of the data
		for _, s := range alone[0] {
			if slices.Contains(alone[1], s) {
				want = append(want, s)
			}
		}
		if !slices.Equal(pairs, want) || len(want) == len(alone[0]) || len(want) == 0 {
			t.Errorf("%d samples in common, want %d of %d and %d", len(pairs), len(want), len(alone[0]), len(alone[1]))
		}
	}
}
