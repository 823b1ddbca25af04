package loader

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/madeup"
	"talbot/internal/testkit/traindata"
)

// rewritten writes the lines of a dataset into another one of two shards, with right checksums, after change has seen
// each.
func rewritten(t *testing.T, dir string, splits dataset.Splits, change func(i int, l *dataset.Line)) string {
	t.Helper()
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	lines, to := madeup.All(t, dir), t.TempDir()
	for i := range lines {
		change(i, &lines[i])
	}
	m.Shards, m.Splits, m.Counts = nil, splits, dataset.Counts{GamesRead: m.Counts.GamesRead}
	madeup.WriteShards(t, to, *m, lines, len(lines)/2)
	return to
}

// TestSurveyChecksLines: what cannot be, under right checksums, is damage that names dataset, shard and line,
// regardless of the options, the split and the column, and is found before the first batch. An evaluation finds it too.
func TestSurveyChecksLines(t *testing.T) {
	const games, at = 60, 40 // line 10 of the second shard
	whole := write(t, traindata.Dataset{Seed: 1, Games: games, Policies: true})
	labelled := func(l *dataset.Line) *dataset.Label {
		for _, c := range l.Labels {
			for k := range c.Labels {
				if c.Labels[k].Status == dataset.Labelled {
					return &c.Labels[k]
				}
			}
		}
		t.Fatal("no label")
		return nil
	}
	unmoved := board.NewMove(board.NewSquare(4, 3), board.NewSquare(4, 4))
	illegal := board.NewMove(board.NewSquare(0, 0), board.NewSquare(7, 7))
	for name, test := range map[string]struct {
		change func(l *dataset.Line)
		want   string
	}{
		"nothing":   {func(*dataset.Line) {}, ""},
		"move":      {func(l *dataset.Line) { l.Moves[7] = illegal }, "ply 7: move a1h8 is illegal"},
		"last move": {func(l *dataset.Line) { l.Moves[len(l.Moves)-1] = illegal }, "move a1h8 is illegal"},
		"no piece":  {func(l *dataset.Line) { l.Moves[1] = unmoved }, "ply 1: move e4e5 is illegal"},
		"policy": {func(l *dataset.Line) {
			l.Policies[2] = []dataset.WeightedMove{{Move: illegal, Weight: 1}}
		}, "policy move a1h8 is illegal"},
		"best": {func(l *dataset.Line) {
			x := labelled(l)
			x.Best, x.Lines[0].PV = illegal, []board.Move{illegal}
		}, "best move a1h8"},
		"variation": {func(l *dataset.Line) {
			x := labelled(l)
			x.Lines[0].PV = append(x.Lines[0].PV, illegal)
		}, "move 2 of its variation, a1h8, is illegal"},
		"fingerprint": {func(l *dataset.Line) {
			l.Labels[len(l.Labels)-1].Fingerprint = 2
		}, "labels of fingerprint 2, and the manifest has 2"},
		"far fingerprint": {func(l *dataset.Line) {
			l.Labels[len(l.Labels)-1].Fingerprint = 300
		}, "labels of fingerprint 300, and the manifest has 2"},
	} {
		for _, splits := range []dataset.Splits{{Train: 100}, {Train: 50, Val: 50}, {Train: 50, Test: 50}} {
			dir := rewritten(t, whole, splits, func(i int, l *dataset.Line) {
				if i == at {
					test.change(l)
				}
			})
			told := func(err error) bool {
				if test.want == "" {
					return err == nil
				}
				return errors.Is(err, dataset.ErrDamaged) && strings.Contains(err.Error(), test.want) &&
					strings.Contains(err.Error(), fmt.Sprintf("%q: block 0, line %d (input 0, number %d)",
						filepath.Join(dir, "shard-00001.talbot.zst"), at-games/2, at+1))
			}
			for what, o := range map[string]Options{"": {}, "cap": {MaxCopies: 2},
				"label": {Label: traindata.Engine.ID()},
				"multipv": {Targets: encode.Targets{Policy: encode.PolicyTarget{Temperature: 1},
					Value: encode.WDLValue}}} {
				o.Encoder, o.Workers = encode.TalbotBot{}, 2
				d, err := Open(t.Context(), []Spec{{Dir: dir}}, o)
				if strings.Contains(name, "fingerprint") { // seen in the shard's footer
					if !errors.Is(err, dataset.ErrDamaged) || !strings.Contains(err.Error(), test.want) {
						t.Errorf("%s, %s: %v", name, what, err)
					}
					if err == nil {
						d.Close()
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if _, err = d.Survey(t.Context(), 16, 8, nil); !told(err) {
					t.Errorf("%s, survey of %s %s: %v", name, splits, what, err)
				}
				err = nil
				for _, e := range d.Samples(t.Context(), EvalOptions{Splits: []dataset.Split{dataset.Train}}) {
					err = e
				}
				if !told(err) {
					t.Errorf("%s, evaluation of %s %s: %v", name, splits, what, err)
				}
				d.Close()
			}
		}
	}
}
