package label_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/internal/testkit"
	"talbot/stockfish"
)

// TestKillLabel kills talbot and its engines at random moments, again and again. What is left in the end is to the byte
// what an undisturbed run leaves, nearly nothing is searched twice, and no engine lives on.
func TestKillLabel(t *testing.T) {
	output.SmallShards(t, 1500)
	rounds := 8
	if testkit.Full() {
		rounds = 100
	}
	t.Setenv(testkit.HasMemory, "1")
	in := someGames(t, 80)
	for _, scope := range []stockfish.HashScope{stockfish.PositionScope, stockfish.LineScope} {
		t.Run(scope.String(), func(t *testing.T) {
			count := testkit.Searches(t)
			j := job{In: in, Workers: 2, Scope: scope,
				Out: filepath.Join(t.TempDir(), "undisturbed")}
			testkit.OK(t, j.run(t.Context(), testkit.Engine(t)))
			needed := count()
			want := j.Out
			talbots, engines := 0, 0
			for talbots+engines < rounds || talbots == 0 || engines == 0 {
				j.Out = filepath.Join(t.TempDir(), "killed")
				a, b := testkit.KillUntilDone(t, j, j.Out, max(1, rounds-talbots-engines), 150*time.Millisecond,
					func(ctx context.Context) error { return j.run(ctx, testkit.Engine(t)) })
				testkit.Same(t, want, j.Out)
				most := needed + a*j.Workers*4 + b
				if scope == stockfish.LineScope {
					most = needed + (a*j.Workers*2+b)*24 // lines of at most 24 positions are searched again
				}
				if n := count(); n < needed || n > most {
					t.Errorf("%d searches for %d positions with %d and %d kills", n, needed, a, b)
				}
				talbots, engines = talbots+a, engines+b
			}
			t.Logf("killed talbot %d times, engines %d times", talbots, engines)
		})
	}
}

// TestLabelFailingWrites lets each step of writing fail in turn, alone or with all behind it as on a full disk.
func TestLabelFailingWrites(t *testing.T) {
	dir := t.TempDir()
	in := someGames(t, 3)
	want := job{In: in, Out: filepath.Join(dir, "want"), Workers: 1}.request(t)
	want.Fraction = 0.1
	labelled(t, want)
	testkit.FailingWrites(t, 2, 15, func(dir string) (func() error, func()) {
		got := want
		got.Out = filepath.Join(dir, "got")
		return func() error {
			_, err := got.Run(t.Context())
			return err
		}, func() { testkit.Same(t, want.Out, got.Out) }
	})
}

// TestLabelLocked: two labellers do not work on one dataset, and the lock of a killed one is not in the way, as every
// other test of a kill shows.
func TestLabelLocked(t *testing.T) {
	dir := t.TempDir()
	r := job{In: someGames(t, 3),
		Out: filepath.Join(dir, "out"), Workers: 1}.request(t)
	second := r
	tried := false
	r.Progress = func(progress.Progress) {
		if !tried {
			tried = true
			if _, err := second.Run(t.Context()); !errors.Is(err, durable.ErrLocked) {
				t.Error(err)
			}
		}
	}
	var checked, lines int64
	r.Checked = func(done, of int64) { checked, lines = done, of }
	labelled(t, r)
	if !tried {
		t.Error("not tried")
	}
	if checked != lines || lines == 0 {
		t.Errorf("%d lines of %d were checked", checked, lines)
	}
}

// TestFlippedLabelling interrupts a labelling, flips a bit of progress.json or of the journal, and goes on: that ends
// in damage, or in what an undisturbed run leaves, to the byte; then at most the flipped label is searched again.
func TestFlippedLabelling(t *testing.T) {
	output.SmallShards(t, 1500)
	dir := t.TempDir()
	in := someGames(t, 100)
	want := job{In: in, Out: filepath.Join(dir, "want"), Workers: 1,
		Scope: stockfish.PositionScope}.request(t)
	want.Fraction = 0.02
	searches := labelled(t, want).Labelled
	cut := want
	cut.Out = filepath.Join(dir, "cut")
	ctx, cancel := context.WithCancel(t.Context())
	cut.Progress = func(p progress.Progress) {
		if p.Rate >= searches-4 {
			cancel()
		}
	}
	if _, err := cut.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	files := map[string][]byte{}
	entries := testkit.Value(os.ReadDir(cut.Out))(t)
	for _, e := range entries {
		files[e.Name()] = testkit.Value(os.ReadFile(filepath.Join(cut.Out, e.Name())))(t)
	}
	stride := 41
	if testkit.Full() {
		stride = 1
	}
	var damaged, whole, kinds int
	for name, data := range files {
		journal := strings.HasSuffix(name, ".journal")
		if name != "progress.json" && !journal {
			continue
		}
		kinds++
		if len(data) < 200 {
			t.Fatalf("%s has %d bytes", name, len(data))
		}
		for at := 0; at < len(data); at += stride {
			got := want
			got.Out = filepath.Join(dir, "got")
			os.RemoveAll(got.Out)
			os.Mkdir(got.Out, 0o777)
			for file, content := range files {
				if file == name {
					content = bytes.Clone(content)
					content[at] ^= 1 << (at % 8)
				}
				testkit.WriteFile(t, filepath.Join(got.Out, file), content)
			}
			sum, err := got.Run(t.Context())
			switch {
			case errors.Is(err, dataset.ErrDamaged):
				damaged++
			case err != nil:
				t.Errorf("%s, byte %d: %v", name, at, err)
			default:
				whole++
				testkit.Same(t, want.Out, got.Out)
				if sum.Labelled > 4+1 {
					t.Errorf("%s, byte %d: %d searched again", name, at, sum.Labelled)
				}
			}
			if t.Failed() {
				t.FailNow()
			}
		}
	}
	if kinds != 2 || damaged == 0 || whole == 0 {
		t.Errorf("%d files, %d ends in damage, %d whole", kinds, damaged, whole)
	}
	// without the journal, of which there is a warning
	gone := want
	gone.Out = filepath.Join(dir, "gone")
	os.Mkdir(gone.Out, 0o777)
	for file, content := range files {
		if !strings.HasSuffix(file, ".journal") {
			testkit.WriteFile(t, filepath.Join(gone.Out, file), content)
		}
	}
	warned := ""
	gone.Warn = func(err error) { warned += err.Error() }
	testkit.Run(t, gone)
	testkit.Same(t, want.Out, gone.Out)
	if !strings.Contains(warned, "journal") || !strings.Contains(warned, "gone") {
		t.Errorf("warned %q", warned)
	}
	t.Logf("%d flips end in damage, %d in the dataset of an undisturbed run", damaged, whole)
}
