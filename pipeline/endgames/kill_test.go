package endgames_test

import (
	"context"
	"path/filepath"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/endgames"
)

const endgameCount = 1200

func TestMain(m *testing.M) {
	testkit.Main(m, func(ctx context.Context, j job) error {
		output.SmallShards(testkit.Forever{}, 1500)
		return j.run(ctx)
	})
}

// job draws endgames, and is killed.
type job struct {
	Out   string
	Count int64
}

func (j job) run(ctx context.Context) error {
	_, err := endgames.Request{Count: j.Count, Config: config(1), Out: j.Out, Splits: dataset.DefaultSplits,
		Workers: 2}.Run(ctx)
	return err
}

// What is killed again and again ends with the bytes of an undisturbed run.
func TestKill(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	want, killed := job{filepath.Join(dir, "want"), 12 * endgameCount}, job{filepath.Join(dir, "killed"),
		12 * endgameCount}
	testkit.OK(t, want.run(t.Context()))
	testkit.Kill(t, killed, want.Out, killed.Out, killed.run, func() {})
}

func TestFailingWrites(t *testing.T) {
	output.SmallShards(t, 1500)
	want := job{filepath.Join(t.TempDir(), "want"), endgameCount}
	testkit.OK(t, want.run(t.Context()))
	testkit.FailingWrites(t, 6, 50, func(dir string) (func() error, func()) {
		got := job{filepath.Join(dir, "out"), endgameCount}
		return func() error { return got.run(t.Context()) }, func() { testkit.Same(t, want.Out, got.Out) }
	})
}
