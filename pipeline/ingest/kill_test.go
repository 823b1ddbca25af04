package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/ingest"
)

func TestMain(m *testing.M) {
	testkit.Main(m, func(ctx context.Context, j job) error {
		output.SmallShards(testkit.Forever{}, 1500)
		return j.run(ctx)
	})
}

// job is an ingest that filters, and that a test kills.
type job struct {
	Inputs  []string
	Out     string
	Workers int
}

func (j job) rejects() string { return j.Out + ".tsv" }

func (j job) run(ctx context.Context) error {
	in := ingest.Request{Inputs: j.Inputs, Out: j.Out, Splits: dataset.DefaultSplits, Workers: j.Workers,
		Rejects: j.rejects(), ImportEvals: true, Seed: 7}
	in.Filters.MinElo, in.Filters.MinPlies, in.Filters.KeepUnknownElo = 2100, 30, true
	in.Filters.SkipPlies, in.Filters.MaxPerGame, in.Filters.Rate, in.Filters.MinClock = 4, 20, 0.7, 10*time.Second
	_, err := in.Run(ctx)
	return err
}

// sameAs compares the datasets and the lists of rejects of two jobs, and each table with the counts.
func (j job) sameAs(t *testing.T, other job) {
	t.Helper()
	testkit.Same(t, other.Out, j.Out)
	a := testkit.Value(os.ReadFile(other.rejects()))(t)
	b := testkit.Value(os.ReadFile(j.rejects()))(t)
	if !bytes.Equal(a, b) {
		t.Errorf("the lists of rejects differ: %d and %d bytes", len(a), len(b))
	}
	m := testkit.Manifest(t, j.Out)
	checkTable(t, string(b), m)
}

// Filters, sampling, copies, prefixes and rejects give the same bytes at any number of workers.
func TestFilteredWorkers(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	inputs, _, _, _ := testkit.CutGames(t, dir)
	games := filepath.Join(dir, "more.pgn")
	testkit.WriteGames(t, games, 500, 11)
	var first job
	for _, workers := range []int{1, 2, 5} {
		j := job{append([]string{games}, inputs...), filepath.Join(dir, fmt.Sprint("workers", workers)), workers}
		testkit.OK(t, j.run(t.Context()))
		if workers == 1 {
			first = j
			m, err := dataset.ReadManifest(j.Out)
			if err != nil || len(m.Shards) < 3 || len(m.Counts.Rejects) < 4 || len(m.Counts.SamplesDropped) < 2 {
				t.Fatalf("too little is filtered: %+v, %v", m, err)
			}
			continue
		}
		j.sameAs(t, first)
	}
}

// What is killed again and again ends with the bytes of an undisturbed run.
func TestKill(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	games, table, tactics := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "table.csv"),
		filepath.Join(dir, "tactics.epd")
	testkit.WriteGames(t, games, 4000, 2)
	testkit.WriteRows(t, table, tactics, 3000)
	cut, _, _, _ := testkit.CutGames(t, dir)
	want := job{append([]string{games, table, tactics}, cut...), filepath.Join(dir, "want"), 2}
	testkit.OK(t, want.run(t.Context()))
	if m, err := dataset.ReadManifest(want.Out); err != nil || m.Counts.Rejects[ingest.Prefix] == 0 {
		t.Errorf("no prefixes: %v", err)
	}
	killed := want
	killed.Out = filepath.Join(dir, "killed")
	testkit.Kill(t, killed, want.Out, killed.Out, killed.run, func() {
		killed.sameAs(t, want)
		testkit.OK(t, os.Remove(killed.rejects()))
	})
}

func TestFailingWrites(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	cut, _, _, _ := testkit.CutGames(t, dir)
	want := job{cut, filepath.Join(dir, "want"), 2}
	testkit.OK(t, want.run(t.Context()))
	testkit.FailingWrites(t, 6, 50, func(dir string) (func() error, func()) {
		got := want
		got.Out = filepath.Join(dir, "out")
		return func() error { return got.run(t.Context()) }, func() { got.sameAs(t, want) }
	})
}

// checkTable fails unless the table has each reject that the manifest counts.
func checkTable(t *testing.T, table string, m *dataset.Manifest) {
	t.Helper()
	rows := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	counts := map[dataset.Reason]int64{}
	for _, row := range rows[1:] {
		cells := strings.Split(row, "\t")
		if len(cells) != 5 {
			t.Fatalf("row %q", row)
		}
		counts[dataset.Reason(cells[3])]++
	}
	if rows[0]+"\n" != "file\tnumber\toffset\treason\tdetail\n" || fmt.Sprint(counts) != fmt.Sprint(m.Counts.Rejects) ||
		len(counts) < 3 {
		t.Errorf("the table has %v, the manifest %v", counts, m.Counts.Rejects)
	}
}
