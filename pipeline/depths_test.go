package pipeline_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/progress"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// severalOf makes labels of an engine that says that it searched several moves, by the rule that sets of lines are of
// one depth, or as it was before there was one.
type severalOf struct {
	label.Searcher
	ruled bool
}

func (s severalOf) Fingerprints() []dataset.Fingerprint {
	prints := slices.Clone(s.Searcher.Fingerprints())
	for i := range prints {
		f := &prints[i]
		f.Options = append(slices.Clone(f.Options), dataset.Tag{Name: "MultiPV", Value: "2"})
		if s.ruled {
			f.Options = append(f.Options, dataset.Tag{Name: dataset.LinesRule, Value: dataset.OneDepth})
		}
	}
	return prints
}

// TestLabelsBeforeLinesRule: labels that may mix depths stay, and can be put together, but are none of those that are
// made now, and an unfinished labelling is not gone on with.
func TestLabelsBeforeLinesRule(t *testing.T) {
	Small(t)
	dir := t.TempDir()
	games := filepath.Join(dir, "g.pgn")
	Openings(t, games, 40, 1)
	in := Ingested(t, filepath.Join(dir, "in"), games)
	labelling := func(out string, ruled bool) label.Request {
		r := Job{Inputs: []string{in}, Out: filepath.Join(dir, out), Workers: 1}.Label()
		r.Start = func(ctx context.Context, c stockfish.Config, workers int) (label.Searcher, error) {
			pool, err := stockfish.NewPool(ctx, c, workers)
			return severalOf{pool, ruled}, err
		}
		return r
	}
	old := labelling("old", false)
	want := Labelled(t, old).Labelled

	var warned []string
	again := labelling("new", true)
	again.Reuse, again.Warn = []string{old.Out}, func(err error) { warned = append(warned, err.Error()) }
	if sum := Labelled(t, again); sum.Labelled != want || len(warned) != 1 ||
		!strings.Contains(warned[0], "mixed depths") {
		t.Errorf("reused: %d of %d searched, %q", sum.Labelled, want, warned)
	}
	beside := labelling("beside", true)
	beside.In = old.Out
	if sum := Labelled(t, beside); sum.Labelled != want {
		t.Errorf("taken from the input: %d of %d searched", sum.Labelled, want)
	}
	if m, err := dataset.ReadManifest(beside.Out); err != nil || len(m.Fingerprints) != 2 {
		t.Error("old labels do not stay beside new ones", err)
	}

	stopped := labelling("stopped", false)
	ctx, stop := context.WithCancel(t.Context())
	stopped.Progress = func(p progress.Progress) {
		if p.Done > 50 {
			stop()
		}
	}
	if _, err := stopped.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := labelling("stopped", true).Run(t.Context()); !errors.Is(err, label.ErrMixedDepths) {
		t.Error("an unfinished labelling is gone on with:", err)
	}
	other := labelling("stopped", true)
	other.Engine.Limit = stockfish.Nodes(7)
	if _, err := other.Run(t.Context()); err == nil || errors.Is(err, label.ErrMixedDepths) {
		t.Error("another command:", err)
	}
	Labelled(t, labelling("stopped", false))
	Same(t, filepath.Join(dir, "stopped"), old.Out)

	parts := map[string]string{}
	for name, ruled := range map[string]bool{"1 old": false, "2 old": false, "2 new": true} {
		part := labelling("part "+name, ruled)
		part.Part.I, part.Part.N = int(name[0]-'0'), 2
		Labelled(t, part)
		parts[name] = part.Out
	}
	join := label.Join{Parts: []string{parts["1 old"], parts["2 new"]}, Out: filepath.Join(dir, "joined")}
	if _, err := join.Run(t.Context()); !errors.Is(err, label.ErrParts) ||
		!strings.Contains(err.Error(), "mixed depths") {
		t.Error("old and new parts are joined:", err)
	}
	join.Parts[1] = parts["2 old"]
	if _, err := join.Run(t.Context()); err != nil {
		t.Error("old parts:", err)
	}
	Same(t, join.Out, old.Out)
}

// TestMixedDepths: stats counts labels whose lines are of different depths, and verify says that they are there.
func TestMixedDepths(t *testing.T) {
	lines := madeup.Lines(t)[:1]
	l := madeup.Label(t, 31, "d2d4")
	second := madeup.Label(t, 30, "g1f3").Lines[0]
	even := l
	even.Lines = append(slices.Clone(l.Lines), second)
	second.Depth--
	mixed := l
	mixed.Lines = append(slices.Clone(l.Lines), second)
	blank := dataset.Label{}
	lines[0].Labels = []dataset.LabelColumn{
		{Fingerprint: 0, Labels: []dataset.Label{mixed, blank, blank, blank, blank}},
		{Fingerprint: 1, Labels: []dataset.Label{even, blank, blank, blank, blank}},
	}
	dir := madeup.Dataset(t, lines, 1)
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	m.Counts.Labelled = 2
	if err := dataset.WriteManifest(dir, m); err != nil {
		t.Fatal(err)
	}
	s, err := stats.Request{Dir: dir}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{1, 0} {
		if got := s.Labels[i].MixedDepths; got != want {
			t.Errorf("column %d: %d mixed", i, got)
		}
	}
	report, err := verify.Request{Dirs: []string{dir}}.Run(t.Context())
	if err != nil || report.MixedDepths != 1 || report.Datasets[0].MixedDepths != 1 || !report.Whole {
		t.Errorf("%+v, %v", report, err)
	}
}
