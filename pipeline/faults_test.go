package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"talbot/internal/testkit/madeup"
)

// failing is how steps of writing fail in turn: every stride-th alone, and every stride-th, half a stride further, with
// all steps behind it as on a full disk; with TALBOT_FULL=1 each step in both ways.
func failing(stride int64) [2]struct{ first, stride int64 } {
	if os.Getenv("TALBOT_FULL") != "" {
		return [2]struct{ first, stride int64 }{{1, 1}, {1, 1}}
	}
	return [2]struct{ first, stride int64 }{{1, stride}, {1 + stride/2, stride}}
}

// TestFailingWrites lets steps of writing fail in turn (see [failing]), and repeats the command: the result is to the
// byte that of an undisturbed run.
func TestFailingWrites(t *testing.T) {
	Small(t)
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
		in := func(dir string) Job {
			j := j
			if j.Out = filepath.Join(dir, "out"); j.Rejects != "" {
				j.Rejects = j.Out + ".tsv"
			}
			return j
		}
		want := in(t.TempDir())
		if err := want.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, f := range failing(6) {
			t.Run(fmt.Sprint(j.Verb, i == 1), func(t *testing.T) {
				failed := madeup.FailSteps(t, f.first, f.stride, i == 1, func(dir string) (func() error, func()) {
					got := in(dir)
					return func() error { return got.Run(t.Context()) }, func() {
						Same(t, want.Out, got.Out)
						if j.Rejects != "" {
							SameRejects(t, want, got)
						}
					}
				})
				t.Logf("failed at %d steps", failed)
				if failed < 50/int(f.stride) {
					t.Errorf("only %d failures", failed)
				}
			})
		}
	}
}
