package label_test

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/label"
	"talbot/stockfish"
	"talbot/tablebase/mates"
)

// moveOrder is an engine that finds the first legal move of each position best, at 50 centipawns, and counts.
type moveOrder struct {
	searched int64
	stop     func() // called for each search; may be nil
}

var moveOrderPrint = dataset.Fingerprint{Engine: "first move", Options: []dataset.Tag{}, Limit: "nodes 1"}

func (e *moveOrder) Label(ctx context.Context, jobs iter.Seq[stockfish.Job], done func(stockfish.Result) error) error {
	next, end := iter.Pull(jobs)
	defer end()
	for j, ok := next(); ok; j, ok = next() {
		p, ply := j.Start, 0
		for k, to := range j.Plies {
			for ; ply < to; ply++ {
				p.Play(j.Moves[ply])
			}
			e.searched++
			if e.stop != nil {
				e.stop()
			}
			l := dataset.Label{Status: dataset.Labelled, Best: p.LegalMoves(nil)[0],
				Lines: []dataset.Searched{{Score: dataset.Centipawns(50), Depth: 1, Nodes: 1}}}
			if err := done(stockfish.Result{Index: j.Index, Sample: k, Labels: []dataset.Label{l}}); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (*moveOrder) Fingerprints() []dataset.Fingerprint { return []dataset.Fingerprint{moveOrderPrint} }

func (e *moveOrder) Stats() stockfish.Stats { return stockfish.Stats{Labelled: e.searched} }

func (*moveOrder) Abort() {}

func (*moveOrder) Close() error { return nil }

func (e *moveOrder) start(context.Context, stockfish.Config, int) (label.Searcher, error) {
	return e, nil
}

// TestLabelMates: positions of three pieces have the labels of package mates in a column of their own and are not
// searched, others have the engine's, byte for byte the same after interruptions and as joined parts, and whichever of
// the two labels is newer, the solved one counts.
func TestLabelMates(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	lines := drawn(t, filepath.Join(dir, "lines"), 300, 1, 1)
	run := func(name string, e *moveOrder, change func(*label.Request)) (string, label.Summary) {
		t.Helper()
		r := label.Request{In: lines, Out: filepath.Join(dir, name), Workers: 1, Mates: true, Start: e.start,
			Engine: stockfish.Config{Limit: stockfish.Nodes(1)}}
		change(&r)
		sum := testkit.Run(t, r)
		return r.Out, sum
	}
	as := func(*label.Request) {}
	var e moveOrder
	out, sum := run("out", &e, as)
	if sum.Solved < 100 || sum.Labelled != e.searched || sum.Solved+sum.Labelled != 300 || sum.Terminal != 0 {
		t.Errorf("%+v", sum)
	}
	m := testkit.Manifest(t, out)
	if len(m.Fingerprints) != 2 || m.Fingerprints[1].ID() != mates.Fingerprint.ID() || m.Counts.Labelled != 300 {
		t.Errorf("%+v, %+v", m.Fingerprints, m.Counts)
	}
	for _, l := range madeup.All(t, out) {
		p := l.Start
		for _, move := range l.Moves {
			p.Play(move)
		}
		solved := p.Occupied().Len() == 3
		if column := l.Labels[0].Fingerprint; len(l.Labels) != 1 && len(l.Labels) != 2 ||
			solved && !slices.ContainsFunc(l.Labels, func(c dataset.LabelColumn) bool { return c.Fingerprint == 1 }) {
			t.Fatalf("%s: %d columns, %d first", p.FEN(), len(l.Labels), column)
		}
		for _, c := range l.Labels {
			if want := (c.Fingerprint == 1) == solved; want != (c.Labels[0].Status == dataset.Labelled) {
				t.Fatalf("%s: column %d is %v", p.FEN(), c.Fingerprint, c.Labels[0].Status)
			}
		}
		testkit.OK(t, l.Check())
	}

	cut := label.Request{In: lines, Out: filepath.Join(dir, "cut"), Workers: 1, Mates: true,
		Engine: stockfish.Config{Limit: stockfish.Nodes(1)}}
	testkit.Interrupted(t, func(ctx context.Context, stop func()) error {
		part := &moveOrder{}
		part.stop = func() {
			if part.searched == 40 {
				stop()
			}
		}
		cut.Start = part.start
		_, err := cut.Run(ctx)
		return err
	})
	testkit.Same(t, out, cut.Out)

	p1, _ := run("p1", &moveOrder{}, func(r *label.Request) { r.Part = dataset.Part{I: 1, N: 2} })
	p2, _ := run("p2", &moveOrder{}, func(r *label.Request) { r.Part = dataset.Part{I: 2, N: 2} })
	joined := filepath.Join(dir, "joined")
	testkit.Value(label.Join(t.Context(), output.Join{Parts: []string{p2, p1}, Out: joined}))(t)
	if a, b := madeup.All(t, out), madeup.All(t, joined); len(a) != len(b) {
		t.Errorf("%d lines joined, not %d", len(b), len(a))
	}
	testkit.Same(t, out, joined)

	// with the engine's labels on all samples, before and after
	all, _ := run("all", &moveOrder{}, func(r *label.Request) { r.Mates = false })
	for _, in := range []string{all, out} {
		name := filepath.Base(in) + "-both"
		both, _ := run(name, &moveOrder{}, func(r *label.Request) { r.In, r.Mates = in, in == all })
		m := testkit.Manifest(t, both)
		counting := testkit.Value(dataset.NewCounting(m.Fingerprints, ""))(t)
		engine := testkit.Value(dataset.NewCounting(m.Fingerprints, moveOrderPrint.ID()))(t)
		n := int64(0)
		for _, l := range madeup.All(t, both) {
			counted := counting.Of(&l, 0)
			if counted.Solved {
				n++
			}
			if counted.Solved != m.Fingerprints[counted.Column].IsSolved() || counted.ValueColumn != counted.Column {
				t.Fatalf("%+v", counted)
			}
			if counted := engine.Of(&l, 0); counted.Moves.Status != dataset.Labelled || counted.Solved {
				t.Fatalf("the engine's: %+v", counted)
			}
		}
		s, err := stats.Request{Dir: both}.Run(t.Context())
		if err != nil || n != sum.Solved || s.Coverage.Exact != n {
			t.Errorf("%d solved labels count of %d, %v", n, sum.Solved, err)
		}
	}
}

// TestLabelMatesAlone: where all positions have three pieces no engine is started.
func TestLabelMatesAlone(t *testing.T) {
	dir := t.TempDir()
	lines := drawn(t, filepath.Join(dir, "lines"), 300, 1)
	var last progress.Progress
	r := label.Request{In: lines, Out: filepath.Join(dir, "out"), Mates: true,
		Engine:   stockfish.Config{Path: filepath.Join(dir, "none"), Limit: stockfish.Nodes(1)},
		Progress: func(p progress.Progress) { last = p }}
	sum := testkit.Run(t, r)
	if sum.Solved != 300 || sum.Labelled != 0 || sum.Limit != dataset.SolvedLimit || sum.Engine != "talbot mates" {
		t.Errorf("%+v", sum)
	}
	if last.Done != 300 || last.Total != 300 {
		t.Errorf("progress %+v", last)
	}
	m, err := dataset.ReadManifest(r.Out)
	if err != nil || len(m.Fingerprints) != 1 || m.Counts.Labelled != 300 {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := (verify.Request{Dirs: []string{r.Out}}).Run(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := dataset.LastEngine(m.Fingerprints); !errors.Is(err, dataset.ErrNoLabels) {
		t.Errorf("an audit finds labels of an engine: %v", err)
	}
	four := drawn(t, filepath.Join(dir, "four"), 20, 0, 1)
	r.In, r.Out = four, filepath.Join(dir, "out4")
	if _, err := r.Run(t.Context()); err == nil {
		t.Error("positions of four pieces were labelled without an engine")
	}
}
