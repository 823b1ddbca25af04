package train

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
