package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/progress"
	"talbot/stockfish"
)

// TestFlippedLabelling interrupts a labelling, flips a bit of progress.json or of the journal, and goes on: that ends
// in damage, or in what an undisturbed run leaves, to the byte; then at most the flipped label is searched again.
func TestFlippedLabelling(t *testing.T) {
	Small(t)
	defer os.Unsetenv(Child)
	dir := t.TempDir()
	Openings(t, filepath.Join(dir, "g.pgn"), 100, 1)
	in := Ingested(t, filepath.Join(dir, "in"), filepath.Join(dir, "g.pgn"))
	want := Job{Inputs: []string{in}, Out: filepath.Join(dir, "want"), Workers: 1,
		Scope: stockfish.PositionScope}.Label()
	want.Fraction = 0.02
	searches := Labelled(t, want).Labelled
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
	entries, err := os.ReadDir(cut.Out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(cut.Out, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	stride := 41
	if os.Getenv("TALBOT_FULL") != "" {
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
				if err := os.WriteFile(filepath.Join(got.Out, file), content, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			sum, err := got.Run(t.Context())
			switch {
			case errors.Is(err, dataset.ErrDamaged):
				damaged++
			case err != nil:
				t.Errorf("%s, byte %d: %v", name, at, err)
			default:
				whole++
				Same(t, want.Out, got.Out)
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
	t.Logf("%d flips end in damage, %d in the dataset of an undisturbed run", damaged, whole)
}
