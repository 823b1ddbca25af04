package label_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/inspect/samples"
	"talbot/inspect/stats"
	"talbot/inspect/verify"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
	"talbot/internal/testkit/shareddata"
	"talbot/pipeline/label"
	"talbot/stockfish"
	"talbot/tablebase/mates"
	"talbot/tablebase/syzygy"
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

// TestLabelSyzygy: the exact results stand in a column of their own, are those of the tables, and change nothing of the
// engine's labels; samples that the tables have can be left out of the search; an interrupted run ends alike.
func TestLabelSyzygy(t *testing.T) {
	path, err := stockfish.Find("")
	if err != nil {
		t.Skip("NOT TESTED with tables:", err)
	}
	sharedTables := shareddata.Path(t, "syzygy")
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	lines := drawn(t, filepath.Join(dir, "lines"), 150, 1, 1, 1)
	run := func(name string, change func(*label.Request)) (string, label.Summary) {
		t.Helper()
		r := label.Request{In: lines, Out: filepath.Join(dir, name), Workers: 1, Syzygy: sharedTables,
			Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(200)}}
		change(&r)
		sum := testkit.Run(t, r)
		return r.Out, sum
	}
	bare, _ := run("bare", func(r *label.Request) { r.Syzygy = "" })
	with, sum := run("with", func(r *label.Request) { r.Workers = 2 })
	skipped, sumSkipped := run("skipped", func(r *label.Request) { r.SkipExact = true })
	cut := label.Request{In: lines, Out: filepath.Join(dir, "cut"), Workers: 2, Syzygy: sharedTables,
		Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(200)}}
	testkit.Interrupted(t, func(ctx context.Context, stop func()) error {
		cut.Progress = func(p progress.Progress) {
			if p.Rate >= 40 { // searched by this run
				stop()
			}
		}
		_, err := cut.Run(ctx)
		return err
	})
	testkit.Same(t, with, cut.Out)
	set := testkit.Value(syzygy.Open(t.Context(), sharedTables, syzygy.Check{}))(t)
	tables := testkit.Value(stockfish.OpenTables(t.Context(), stockfish.Config{Path: path}, set))(t)
	defer tables.Close()

	m := testkit.Manifest(t, with)
	if len(m.Fingerprints) != 2 || m.Fingerprints[0].IsExact() ||
		m.Fingerprints[1].ID() != tables.Fingerprint().ID() {
		t.Fatalf("fingerprints %+v", m.Fingerprints)
	}
	if text, _ := os.ReadFile(filepath.Join(with, dataset.ManifestName)); strings.Contains(string(text), "shared") {
		t.Error("the manifest has the path of the tables")
	}
	a, b, c := madeup.All(t, bare), madeup.All(t, with), madeup.All(t, skipped)
	exact := int64(0)
	for i := range b {
		p := b[i].Start
		for _, move := range b[i].Moves {
			p.Play(move)
		}
		label, ok := b[i].Exact(0, m.Fingerprints)
		class, known, err := tables.Probe(t.Context(), &p)
		if err != nil || ok != known || known != (p.Occupied().Len() <= 4) {
			t.Fatalf("%s: a result %v, in the tables %v, %v", p.FEN(), ok, known, err)
		}
		if known {
			exact++
			if got, _ := label.Class(); got != class || label.Best != board.NoMove || len(label.Lines) != 1 {
				t.Errorf("%s: %+v, the tables say %v", p.FEN(), label, class)
			}
		}
		if !reflect.DeepEqual(a[i].Labels[0], b[i].Labels[0]) {
			t.Errorf("%s: with tables the engine says %+v, without %+v", p.FEN(), b[i].Labels[0], a[i].Labels[0])
		}
		status := dataset.Labelled
		if known {
			status = dataset.Missing
		}
		got := dataset.Missing // as a line without such a column has it
		for _, column := range c[i].Labels {
			if column.Fingerprint == 0 {
				got = column.Labels[0].Status
			}
		}
		if got != status {
			t.Errorf("%s: leaving out what is exact, the engine's label is %v", p.FEN(), got)
		}
	}
	if sum.Exact != exact || sum.Labelled != 150 || sumSkipped.SkippedExact != exact ||
		sumSkipped.Labelled != 150-exact || exact < 60 {
		t.Errorf("%d exact; %+v and %+v", exact, sum, sumSkipped)
	}
	if v, err := (verify.Request{Dirs: []string{with, skipped}}).Run(t.Context()); err != nil {
		t.Errorf("verify: %v, %+v", err, v)
	}
	s := testkit.Run(t, stats.Request{Dir: with})
	if tables := s.Labels[0].Tables; tables == nil || tables.Samples != exact || s.Labels[1].Tables != nil ||
		s.Coverage.Exact != exact {
		t.Errorf("stats: %+v, %+v", tables, s.Coverage)
	}
	checkInspectExact(t, with, b, m.Fingerprints)
}

// checkInspectExact: inspect shows the engine's label beside the result, and the value is that of the result.
func checkInspectExact(t *testing.T, dir string, lines []dataset.Line, prints []dataset.Fingerprint) {
	t.Helper()
	i := slices.IndexFunc(lines, func(l dataset.Line) bool {
		label, ok := l.Exact(0, prints)
		class, _ := label.Class()
		return ok && class == dataset.Won
	})
	d := testkit.Value(samples.Open(dir, samples.Options{Encoder: encode.TalbotBot{}}))(t)
	defer d.Close()
	got := testkit.Value(d.Sample(int64(i)))(t)
	if got.Exact == nil || *got.Exact != "win" || got.Label == nil || got.Label.Limit != "nodes 200" ||
		got.Policy == nil || got.Policy.UCI != got.Label.Best {
		text, _ := json.Marshal(got)
		t.Fatalf("%s", text)
	}
	if want, _ := (encode.TalbotBot{}).Value(dataset.Centipawns(dataset.MaxCentipawns)); *got.Value != want {
		t.Errorf("the value of a win is %v", *got.Value)
	}
}

// table returns what passes for a table and holds no results.
func table(t *testing.T, name string) []byte {
	t.Helper()
	return testkit.Value(os.ReadFile("../../tablebase/syzygy/testdata/" + name))(t)
}

// TestTablesAskedOnce: tables are asked once about each sample, leaving out what is exact or not, and what they said
// stands in the dataset all the same.
func TestTablesAskedOnce(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	tables := filepath.Join(dir, "tables")
	os.Mkdir(tables, 0o777)
	testkit.WriteFile(t, filepath.Join(tables, "KQvKR.rtbw"), table(t, "KQvKR.rtbw"))
	lines := drawn(t, filepath.Join(dir, "lines"), 400, 1, 1, 1)
	count := testkit.Searches(t)
	r := job{In: lines, Out: filepath.Join(dir, "all"), Workers: 1}.request(t)
	r.Syzygy = tables
	all := labelled(t, r)
	asked := count() - int(all.Labelled) - 1 // one question to try the tables
	if all.Exact < 200 || asked != int(all.Exact) {
		t.Errorf("all searched: %d questions for %d results", asked, all.Exact)
	}
	skip := r
	skip.Out, skip.SkipExact = filepath.Join(dir, "skipped"), true
	some := labelled(t, skip)
	asked = count() - int(some.Labelled) - 1
	if some.Exact != all.Exact || some.SkippedExact != all.Exact || asked != int(all.Exact) {
		t.Errorf("left out: %d questions for %d results, %+v", asked, all.Exact, some)
	}
	exact := func(dir string) (list []dataset.LabelColumn) {
		for _, l := range madeup.All(t, dir) {
			for _, c := range l.Labels {
				if c.Fingerprint == 1 {
					list = append(list, c)
				}
			}
		}
		return list
	}
	if a, b := exact(r.Out), exact(skip.Out); !reflect.DeepEqual(a, b) {
		t.Error("the results differ")
	}
}

// TestLabelWithoutTables: a folder without tables is refused before anything is written.
func TestLabelWithoutTables(t *testing.T) {
	path, err := stockfish.Find("")
	if err != nil {
		t.Skip("NOT TESTED with an engine:", err)
	}
	dir := t.TempDir()
	lines, out := drawn(t, filepath.Join(dir, "lines"), 5), filepath.Join(dir, "out")
	_, err = label.Request{In: lines, Out: out, Workers: 1, Syzygy: dir,
		Engine: stockfish.Config{Path: path, Limit: stockfish.Nodes(200)}}.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no Syzygy tables") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder was made")
	}
}

// TestLabelDamagedTables: no label is made with damaged tables, and labels of tables that differ have different
// fingerprints, however alike their names and sizes are.
func TestLabelDamagedTables(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	tables, lines := filepath.Join(dir, "tables"), drawn(t, filepath.Join(dir, "lines"), 20, 1)
	os.Mkdir(tables, 0o777)
	path := filepath.Join(tables, "KQvK.rtbw")
	content := table(t, "KQvK.rtbw")
	testkit.Searches(t)
	var ids []string
	for name, text := range map[string][]byte{"one": content, "other": table(t, "other/KQvK.rtbw")} {
		testkit.WriteFile(t, path, text)
		r := job{In: lines, Out: filepath.Join(dir, name), Workers: 1}.request(t)
		r.Syzygy = tables
		labelled(t, r)
		m := testkit.Manifest(t, r.Out)
		ids = append(ids, m.Fingerprints[1].ID())
	}
	if ids[0] == ids[1] {
		t.Error("other tables of the same names and sizes have the same fingerprint")
	}
	for _, at := range []int{0, 4, 70, len(content) - 1} {
		bad := bytes.Clone(content)
		bad[at] ^= 2
		testkit.WriteFile(t, path, bad)
		r := job{In: lines, Out: filepath.Join(dir, "bad"), Workers: 1}.request(t)
		r.Syzygy = tables
		if _, err := r.Run(t.Context()); !errors.Is(err, syzygy.ErrDamaged) {
			t.Errorf("a bit flipped in byte %d: %v", at, err)
		}
		if _, err := os.Stat(r.Out); err == nil {
			t.Fatal("a folder was made")
		}
	}
}
