//go:build unix

package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"talbot/network/checkpoint"
	"talbot/network/run"
)

// TestFolderIsGone: a run whose folder is removed, moved away or replaced ends with an error that says so at the next
// write, without exception, and makes no new folder.
func TestFolderIsGone(t *testing.T) {
	away := map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+" elsewhere") },
		"replaced": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+" elsewhere"), os.Mkdir(dir, 0o777),
				os.WriteFile(filepath.Join(dir, run.MetricsName), nil, 0o666))
		},
	}
	writes := map[string]func(c *run.Config, cancel func()){
		"line":       func(c *run.Config, _ func()) { c.LogEvery, c.EvalEvery, c.CheckpointEvery = 6, 0, 0 },
		"validation": func(c *run.Config, _ func()) { c.LogEvery, c.EvalEvery, c.CheckpointEvery = 12, 6, 0 },
		"checkpoint": func(c *run.Config, _ func()) { c.LogEvery, c.EvalEvery, c.CheckpointEvery = 12, 0, 6 },
		"interrupt": func(c *run.Config, cancel func()) {
			c.LogEvery, c.EvalEvery, c.CheckpointEvery = 12, 0, 0
			cancel()
		},
	}
	b := openTest(t, "go")
	for how, remove := range away {
		for write, set := range writes {
			ctx, cancel := context.WithCancel(t.Context())
			later := func() {}
			c, dir := tiny(), filepath.Join(t.TempDir(), "run")
			set(&c, func() { later = cancel })
			o := Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 1)}
			o.Progress = func(p Progress) {
				if p.Step == 5 && p.Val == nil {
					if err := remove(dir); err != nil {
						t.Fatal(err)
					}
					later()
				}
			}
			result, err := Run(ctx, c, o)
			if !errors.Is(err, ErrGone) || errors.Is(err, context.Canceled) || result.Steps > 6 ||
				!strings.Contains(err.Error(), dir) {
				t.Errorf("%s, then a %s: step %d, %v", how, write, result.Steps, err)
			}
			entries, err := os.ReadDir(dir)
			if how == "replaced" && len(entries) != 1 || how != "replaced" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s, then a %s: the folder holds %v", how, write, entries)
			}
			cancel()
		}
	}
}

// within ends the test if f takes longer than anything that does not wait for a pipe.
func within(t *testing.T, what string, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

// TestPipesAreRefused: a file of the run that is a pipe, also behind a link, is damage, and never waited for.
func TestPipesAreRefused(t *testing.T) {
	for _, name := range []string{run.ConfigName, run.MetricsName, "checkpoints"} {
		c, o := trained(t)
		paths := []string{filepath.Join(o.Dir, name)}
		if name == "checkpoints" {
			var err error
			if paths, err = filepath.Glob(filepath.Join(o.Dir, name, "*")); err != nil || len(paths) < 2 {
				t.Fatal(paths, err)
			}
		}
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o666); err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			err := os.Remove(path)
			if i%2 == 0 {
				err = errors.Join(err, os.Symlink(pipe, path))
			} else {
				err = errors.Join(err, syscall.Mkfifo(path, 0o666))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for what, do := range map[string]func() error{
			"resuming":    func() error { _, err := Run(t.Context(), c, o); return err },
			"predicting":  func() error { _, _, err := run.Load(o.Dir, run.BestCheckpoint); return err },
			"from a run":  func() error { _, err := run.ReadWeights(o.Dir); return err },
			"from a file": func() error { _, err := run.ReadWeights(paths[0]); return err },
			"metrics":     func() error { _, err := ReadMetrics(o.Dir, nil); return err },
		} {
			concerned := what == "resuming" || what == "from a file" || what == "metrics" == (name == run.MetricsName)
			err := within(t, what+" with "+name+" a pipe", do)
			if damaged := errors.Is(err, run.ErrDamaged) ||
				errors.Is(err, checkpoint.ErrDamaged); damaged != concerned ||
				!damaged && err != nil {
				t.Errorf("%s with %s a pipe: %v", what, name, err)
			}
		}
	}
}
