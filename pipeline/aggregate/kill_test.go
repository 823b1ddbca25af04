package aggregate

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/ingest"
)

func TestMain(m *testing.M) {
	testkit.Main(m, func(ctx context.Context, j job) error {
		if j.Whole {
			return j.runWhole(ctx)
		}
		output.SmallShards(testkit.Forever{}, 1500)
		return j.run(ctx)
	})
}

// job aggregates, and is killed or measured.
type job struct {
	In, Out string
	Whole   bool // nothing is small
}

func (j job) run(ctx context.Context) error {
	small(testkit.Forever{}, 2500, 1<<16)
	_, err := Request{In: []string{j.In}, Out: j.Out, Bands: Bands{2100, 2300}, MinCount: 2, MinBand: 1,
		Splits: dataset.DefaultSplits, Workers: 2}.Run(ctx)
	return err
}

func (j job) runWhole(ctx context.Context) error {
	debug.SetGCPercent(GCPercent)
	sum, err := Request{In: []string{j.In}, Out: j.Out, Bands: DefaultBands, MinCount: 6, MinBand: 3,
		Splits: dataset.DefaultSplits, Workers: 2}.Run(ctx)
	if err == nil {
		fmt.Printf("%d samples, %d bytes sorted", sum.Samples, sum.Temporary)
	}
	return err
}

// small sets how many positions are sorted together and the number of counters, a power of two, until a test ends.
func small(t interface{ Cleanup(func()) }, positions int64, counters uint64) {
	size, most := chunkSize, sieveCounters
	chunkSize, sieveCounters = positions, counters
	t.Cleanup(func() { chunkSize, sieveCounters = size, most })
}

func ingested(t *testing.T, dir string, inputs ...string) string {
	t.Helper()
	out := filepath.Join(dir, "lines")
	if _, err := (ingest.Request{Inputs: inputs, Out: out, Splits: dataset.DefaultSplits}).
		Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out
}

// What is killed again and again ends with the bytes of an undisturbed run.
func TestKill(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	games := filepath.Join(dir, "games.pgn")
	testkit.WriteGames(t, games, 4000, 2)
	in := ingested(t, dir, games)
	want, killed := job{In: in, Out: filepath.Join(dir, "want")}, job{In: in, Out: filepath.Join(dir, "killed")}
	if err := want.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.Kill(t, killed, want.Out, killed.Out, killed.run, func() {})
}

func TestFailingWrites(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	cut, _, _, _ := testkit.CutGames(t, dir)
	in := ingested(t, dir, cut...)
	want := job{In: in, Out: filepath.Join(dir, "want")}
	if err := want.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	testkit.FailingWrites(t, 6, 50, func(dir string) (func() error, func()) {
		got := job{In: in, Out: filepath.Join(dir, "out")}
		return func() error { return got.run(t.Context()) }, func() { testkit.Same(t, want.Out, got.Out) }
	})
}
