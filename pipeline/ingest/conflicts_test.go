package ingest_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/pipeline/ingest"
)

// TestMoveConflicts leaves games out whose text contradicts their moves, or keeps and counts them; the manifest says
// which.
func TestMoveConflicts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games.pgn")
	if err := os.WriteFile(path, []byte("[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n\n[White \"b\"]\n\n12. Nf3 Nf6 *\n\n"+
		"[White \"c\"]\n\n1. d4 d5 2. Bxf4 *\n\n[White \"d\"]\n\n1. e4 e5 3. Bc4 *\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		keep         bool
		kept, odd    int64
		format       int
		rule, folder string
	}{{false, 1, 0, 1, "drop", "dropped"}, {true, 4, 3, 5, "keep", "kept"}} {
		out := filepath.Join(dir, c.folder)
		sum, err := ingest.Request{Inputs: []string{path}, Out: out, Splits: dataset.DefaultSplits,
			KeepMoveConflicts: c.keep}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		m, err := dataset.ReadManifest(out)
		if err != nil {
			t.Fatal(err)
		}
		if sum.GamesKept != c.kept || sum.MoveConflicts != c.odd || m.Counts.MoveConflicts != c.odd ||
			m.Counts.Rejects[dataset.MoveConflict] != 4-c.kept || m.Format != c.format ||
			!slices.Equal(m.Flags, []dataset.Tag{{Name: "move-conflict", Value: c.rule}}) {
			t.Errorf("%s: %+v, %+v", c.rule, sum, m)
		}
	}
}

// TestOlderRules refuses to go on with an ingest that was begun when games were read by other rules, and says so; one
// with other flags is refused as that.
func TestOlderRules(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "games.pgn")
	if err := os.WriteFile(path, []byte("[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, flags := range map[string][]dataset.Tag{"older": nil, "other": {{Name: "move-conflict", Value: "keep"}}} {
		out := filepath.Join(dir, name)
		f, err := output.Open(out, dataset.Manifest{Verb: "ingest", Splits: dataset.DefaultSplits, Flags: flags},
			[]ingest.InputInfo{{Name: "games.pgn", Size: 31}}, output.Options{ResumeCommand: "talbot ingest"})
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		before, err := os.ReadFile(f.Path("progress.json"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = ingest.Request{Inputs: []string{path}, Out: out, Splits: dataset.DefaultSplits}.Run(t.Context())
		var older *ingest.OlderRulesError
		if !errors.Is(err, output.ErrOccupied) || errors.As(err, &older) != (name == "older") {
			t.Errorf("%s: %v", name, err)
		}
		if after, err := os.ReadFile(f.Path("progress.json")); err != nil || string(after) != string(before) {
			t.Errorf("%s: the interrupted command has changed, %v", name, err)
		}
	}
}
