package ingest_test

import (
	"path/filepath"
	"slices"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/pipeline/ingest"
)

// TestMoveConflicts leaves games out whose text contradicts their moves, or keeps and counts them; the manifest says
// which.
func TestMoveConflicts(t *testing.T) {
	dir := t.TempDir()
	path := testkit.WriteFile(t, filepath.Join(dir, "games.pgn"),
		"[White \"a\"]\n\n1. e4 e5 2. Nf3 *\n\n[White \"b\"]\n\n12. Nf3 Nf6 *\n\n"+
			"[White \"c\"]\n\n1. d4 d5 2. Bxf4 *\n\n[White \"d\"]\n\n1. e4 e5 3. Bc4 *\n")
	for _, c := range []struct {
		keep         bool
		kept, odd    int64
		rule, folder string
	}{{false, 1, 0, "drop", "dropped"}, {true, 4, 3, "keep", "kept"}} {
		out := filepath.Join(dir, c.folder)
		sum := testkit.Run(t, ingest.Request{Inputs: []string{path}, Out: out, Splits: dataset.DefaultSplits,
			KeepMoveConflicts: c.keep})
		m := testkit.Manifest(t, out)
		if sum.GamesKept != c.kept || sum.MoveConflicts != c.odd || m.Counts.MoveConflicts != c.odd ||
			m.Counts.Rejects[dataset.MoveConflict] != 4-c.kept ||
			!slices.Equal(m.Flags, []dataset.Tag{{Name: "move-conflict", Value: c.rule}}) {
			t.Errorf("%s: %+v, %+v", c.rule, sum, m)
		}
	}
}
