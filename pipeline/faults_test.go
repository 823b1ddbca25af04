package pipeline_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"talbot/internal/durable"
	"talbot/pipeline/output"
)

// TestFailingWrites lets every third step of writing fail in turn, with TALBOT_FULL=1 each, alone or with all steps
// behind it as on a full disk, and repeats the command: the result is to the byte that of an undisturbed run.
func TestFailingWrites(t *testing.T) {
	Small(t)
	stride := int64(3)
	if os.Getenv("TALBOT_FULL") != "" {
		stride = 1
	}
	dir := t.TempDir()
	cut, _, _, _ := CutGames(t, dir)
	lines := filepath.Join(dir, "lines")
	if err := (Job{Verb: "ingest", Inputs: cut, Workers: 2, Out: lines}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, j := range []Job{
		{Verb: "ingest", Inputs: cut, Workers: 2, Rejects: "filtered"},
		{Verb: "synth", Workers: 2, Count: EndgameCount},
		{Verb: "aggregate", Inputs: []string{lines}, Workers: 2},
	} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprint(j.Verb, full), func(t *testing.T) {
				want := j
				want.Out = filepath.Join(t.TempDir(), "undisturbed")
				if j.Rejects != "" {
					want.Rejects = want.Out + ".tsv"
				}
				if err := want.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				failed := 0
				for k := int64(1); ; k += stride {
					got := j
					got.Out = filepath.Join(t.TempDir(), "disturbed")
					if j.Rejects != "" {
						got.Rejects = got.Out + ".tsv"
					}
					var steps atomic.Int64
					durable.InjectFaults(t, func(op, path string) error {
						if n := steps.Add(1); n == k || full && n > k {
							return &os.PathError{Op: op, Path: path, Err: syscall.ENOSPC}
						}
						return nil
					})
					err := got.Run(t.Context())
					durable.InjectFaults(t, nil)
					if err != nil {
						failed++
						if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), filepath.Dir(got.Out)) {
							t.Fatalf("step %d: %v", k, err)
						}
						if err := got.Run(t.Context()); err != nil && !errors.Is(err, output.ErrFinished) {
							t.Fatalf("step %d, repeated: %v", k, err)
						}
					}
					Same(t, want.Out, got.Out)
					if j.Rejects != "" {
						SameRejects(t, want, got)
					}
					if steps.Load() < k {
						break
					}
				}
				t.Logf("failed at %d steps", failed)
				if failed < 50/int(stride) {
					t.Errorf("only %d failures", failed)
				}
			})
		}
	}
}
