//go:build unix

package job

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// TestPipesAreRefused: whatever file of a run or its data is a pipe, every verb that reads it reports that it is
// damaged, and none waits for it.
func TestPipesAreRefused(t *testing.T) {
	verbs := map[string]func(folder) error{
		"resume": folder.resume,
		"eval":   func(f folder) error { _, _, err := f.eval(); return err },
		"export": func(f folder) error { _, err := f.export(); return err },
	}
	for name, reads := range map[string]map[string]bool{
		"run.json":                  {"resume": true, "eval": true, "export": true},
		"data.json":                 {"resume": true, "eval": true},
		"metrics.jsonl":             {"resume": true},
		"checkpoints":               {"resume": true, "eval": true, "export": true},
		"../shard-00000.talbot.zst": {"resume": true, "eval": true},
		"../manifest.json":          {"resume": true, "eval": true},
	} {
		f := newFolder(t)
		paths := []string{filepath.Join(f.dir, name)}
		switch {
		case name == "checkpoints":
			paths, _ = filepath.Glob(filepath.Join(f.dir, name, "*"))
		case name[0] == '.':
			paths[0] = filepath.Join(f.spec.Dir, filepath.Base(name))
		}
		for _, path := range paths {
			if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		for verb, do := range verbs {
			done := make(chan error, 1)
			go func() { done <- do(f) }()
			select {
			case err := <-done:
				damaged := errors.Is(err, run.ErrDamaged) || errors.Is(err, checkpoint.ErrDamaged) ||
					errors.Is(err, dataset.ErrDamaged)
				if damaged != reads[verb] || !damaged && err != nil {
					t.Errorf("%s with a pipe for %s: %v", verb, name, err)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%s with a pipe for %s hangs", verb, name)
			}
		}
	}
}
