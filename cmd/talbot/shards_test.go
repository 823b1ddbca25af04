package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"talbot/dataset"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/pipeline/ingest"
	"talbot/stockfish"
)

// TestManyShards has every verb that reads datasets read one of many shards where fewer files may be open.
func TestManyShards(t *testing.T) {
	t.Parallel()
	output.SmallShards(t, 1)
	many := filepath.Join(t.TempDir(), "many")
	pgn := filepath.Join(t.TempDir(), "games.pgn")
	testkit.WriteGames(t, pgn, 250, 1)
	if _, err := (ingest.Request{Inputs: []string{pgn}, Out: many, Splits: dataset.DefaultSplits}).Run(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, err := dataset.ReadManifest(many); err != nil || len(m.Shards) < 150 {
		t.Fatal(m, err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/shards",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("MANY", many)
			e.Setenv("STOCKFISH", "yes")
			if _, err := stockfish.Find(""); err != nil {
				e.Setenv("STOCKFISH", "no")
			}
			return nil
		},
	})
}
