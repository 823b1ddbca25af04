package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/inspect/plan"
	"talbot/inspect/stats"
	"talbot/internal/output"
	"talbot/internal/testkit/madeup"
	"talbot/pipeline/ingest"
)

// TestLabelCounts labels searched, terminal and failed samples: manifest, verification and statistics count each label
// once, by its status.
func TestLabelCounts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games.pgn")
	const dead = "[FEN \"8/8/4k3/8/8/4K3/8/8 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd3 Kd5 *\n\n"
	if err := os.WriteFile(path, []byte(dead+"[White \"A\"]\n\n1. e4 e5 2. Nf3 *\n\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	lines := filepath.Join(dir, "lines")
	IngestFiles(t, lines, 1, path)
	p := board.StartPosition()
	m, err := p.ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	p.Play(m)
	t.Setenv(FailOn, p.EPD())
	defer os.Unsetenv(Child)
	check := func(in, out string, labelled, terminal, failed int64) {
		t.Helper()
		sum, err := Job{Inputs: []string{in}, Out: out, Workers: 1}.Label().Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r := madeup.Verify(t, out)
		d, err := dataset.ReadManifest(out)
		if err != nil {
			t.Fatal(err)
		}
		c := d.Counts
		want := [3]int64{labelled, terminal, failed}
		if got := [3]int64{c.Labelled, c.Terminal, c.Failed}; got != want ||
			[3]int64{r.Labelled, r.Terminal, r.Failed} != want || sum.Failed != failed {
			t.Errorf("manifest %v, verification %+v, summary %+v; want %v", got, r, sum, want)
		}
		s, err := stats.Request{Dir: out}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := s.Labels[0].Statuses
		if s.Labelled != labelled || got["labelled"] != labelled || got["terminal"] != terminal ||
			got["failed"] != failed {
			t.Errorf("statistics: %d, %v", s.Labelled, got)
		}
	}
	first := filepath.Join(dir, "labelled")
	check(lines, first, 2, 2, 1)
	os.Unsetenv(FailOn)
	check(first, filepath.Join(dir, "mended"), 3, 2, 0)
}

// evalGames writes short games that later ones begin with, with evaluations, tables of positions and other games.
func EvalGames(t *testing.T, dir string) (short, long, table string) {
	t.Helper()
	text := func(name string, n int, moves string) string {
		var b strings.Builder
		for i := range n {
			a := "abcdefg"[i%7]
			fmt.Fprintf(&b, "[White \"%s\"]\n[Result \"*\"]\n\n1. %c3 {[%%eval 0.2]} %c6 {[%%eval 0.1]} %s *\n\n", name,
				a, a, moves)
		}
		path := filepath.Join(dir, name+".pgn")
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	table = filepath.Join(dir, "table.csv")
	start := board.StartPosition()
	if err := os.WriteFile(table, []byte("FEN,Evaluation\n"+start.FEN()+",+20\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return text("short", 7, "2. Nh3 {[%eval 0.3]} Nh6"), text("long", 7,
		"2. Nh3 {[%eval 0.3]} Nh6 3. Ng1 {[%eval 0.0]} Ng8"), table
}

// TestPrunedCounts compares a dataset from which prefixes were pruned with one that never had them.
func TestPrunedCounts(t *testing.T) {
	output.SmallShards(t, 10)
	dir := t.TempDir()
	short, long, table := EvalGames(t, dir)
	request := func(name string, inputs ...string) ingest.Request {
		in := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, name), Splits: dataset.DefaultSplits, Workers: 2,
			ImportEvals: true, KeepMoveConflicts: true} // short games may be of any language
		in.Filters.SkipPlies, in.Filters.Rate = 1, 0.8
		return in
	}
	run := func(in ingest.Request) (ingest.Summary, dataset.Counts) {
		t.Helper()
		sum, err := in.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		madeup.Verify(t, in.Out)
		m, err := dataset.ReadManifest(in.Out)
		if err != nil {
			t.Fatal(err)
		}
		return sum, m.Counts
	}
	wantSum, want := run(request("want", table, long))
	pruned := request("pruned", table, short, long)
	pruned.Rejects = filepath.Join(dir, "pruned.tsv")
	sum, got := run(pruned)
	if got.Rejects[ingest.Prefix] == 0 || got.GamesKept != want.GamesKept || got.Samples != want.Samples ||
		got.Labelled != want.Labelled ||
		!maps.Equal(got.SamplesDropped, want.SamplesDropped) || sum.Evals.Imported != wantSum.Evals.Imported {
		t.Errorf("%+v, %+v; want %+v, %+v", got, sum.Evals, want, wantSum.Evals)
	}
	rows, err := os.ReadFile(pruned.Rejects)
	if err != nil {
		t.Fatal(err)
	}
	left := got.Rejects[ingest.Prefix] + got.Rejects[dataset.NoSamples] - want.Rejects[dataset.NoSamples]
	if n := strings.Count(string(rows), short+"\t"); int64(n) != left {
		t.Errorf("%d rows of %q:\n%s", n, short, rows)
	}

	// Interrupted among the drafts, with a row of rejects behind the last mark.
	again := request("again", table, short, long)
	again.Rejects = filepath.Join(dir, "again.tsv")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	again.Rejected = func(_ string, r *dataset.Reject) {
		if r.Reason == ingest.Prefix {
			cancel()
		}
	}
	if _, err := again.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	again.Rejected = nil
	part, err := os.OpenFile(filepath.Join(again.Out, "rejects.part"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	part.WriteString("a row that the killed run did not mark\n")
	part.Close()
	run(again)
	Same(t, pruned.Out, again.Out)
	other, err := os.ReadFile(again.Rejects)
	if err != nil || string(other) != string(rows) {
		t.Errorf("%v; rejects\n%s\nwant\n%s", err, other, rows)
	}
}

// TestPlanKinds plans every kind of input as ingest reads it.
func TestPlanKinds(t *testing.T) {
	dir := t.TempDir()
	table, tactics, games := filepath.Join(dir, "table.csv"), filepath.Join(dir, "tactics.epd"), filepath.Join(dir,
		"games.pgn")
	WriteRows(t, table, tactics, 100)
	WriteGames(t, games, 20, 1)
	inputs := []string{table, tactics, games}
	var counted int64
	e, err := plan.Request{Inputs: inputs, Workers: 1, Batch: 1, Epochs: 1,
		ReadFirst: func(_ context.Context, dir string) error {
			m, err := dataset.ReadManifest(dir)
			if err == nil {
				counted = m.Counts.Positions
			}
			return err
		},
		TrainRate: func(context.Context) (float64, string, error) { return 1, "given", nil }}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum, err := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, "out"), Splits: dataset.DefaultSplits,
		KeepDuplicates: true}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	without, err := ingest.Request{Inputs: inputs, Out: filepath.Join(dir, "without copies"),
		Splits: dataset.DefaultSplits}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e.Games != sum.GamesKept || e.Positions != sum.Positions || e.Samples != sum.Samples ||
		e.Rejected != sum.GamesRead-sum.GamesKept {
		t.Errorf("%+v, ingested %+v", e, sum)
	}
	var read []string
	for _, r := range e.Readings {
		if read = append(read, r.What); r.Seconds <= 0 {
			t.Errorf("%s takes %v s", r.What, r.Seconds)
		}
	}
	if want := []string{"verify", "stats", "aggregate", plan.Start}; !slices.Equal(read, want) ||
		counted != without.Positions {
		t.Errorf("read %q, want %q; %d positions of %d", read, want, counted, without.Positions)
	}
}

// TestPlanBeginning: what ingest makes of the beginning of an input is a beginning of what it makes of the whole, and
// plan tries the rest of the pipeline on that.
func TestPlanBeginning(t *testing.T) {
	dir := t.TempDir()
	games := filepath.Join(dir, "games.pgn")
	WriteGames(t, games, 3000, 1)
	whole, part := filepath.Join(dir, "whole"), filepath.Join(dir, "part")
	request := ingest.Request{Inputs: []string{games}, Out: whole, Splits: dataset.DefaultSplits, KeepDuplicates: true}
	all, err := request.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(games)
	if err != nil {
		t.Fatal(err)
	}
	request.Out, request.Beginning = part, info.Size()/10
	some, err := request.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if share := float64(some.Positions) / float64(all.Positions); share < 0.09 || share > 0.11 {
		t.Errorf("a tenth has %.3f of the positions", share)
	}
	want, got := ReadLines(t, whole), ReadLines(t, part)
	if len(got) != int(some.GamesKept) || !reflect.DeepEqual(got, want[:len(got)]) {
		t.Errorf("%d lines, which are not the first of the whole", len(got))
	}
	request.Out, request.KeepDuplicates = filepath.Join(dir, "without copies"), false
	if some, err = request.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var kept int64
	if _, err := (plan.Request{Inputs: request.Inputs, Sample: request.Beginning, Workers: 1, Batch: 1, Epochs: 1,
		ReadFirst: func(_ context.Context, dir string) error {
			m, err := dataset.ReadManifest(dir)
			if err == nil {
				kept = m.Counts.GamesKept
			}
			return err
		},
		TrainRate: func(context.Context) (float64, string, error) { return 1, "given", nil },
	}.Run(t.Context())); err != nil {
		t.Fatal(err)
	}
	if kept != some.GamesKept {
		t.Errorf("planned with %d games, ingested %d", kept, some.GamesKept)
	}
	if m, err := dataset.ReadManifest(part); err != nil || m.Inputs[0].SHA256 != "" {
		t.Errorf("%v; the sum of a beginning is that of a file: %+v", err, m.Inputs)
	}
}
