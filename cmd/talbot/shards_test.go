package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"talbot/dataset"
	"talbot/pipeline/endgames"
	"talbot/pipeline/output"
	"talbot/stockfish"
	"talbot/synth"
)

// TestManyShards has every verb that reads datasets read one of thousands of shards where few files may be open.
func TestManyShards(t *testing.T) {
	output.SmallShards(t, 1)
	many := filepath.Join(t.TempDir(), "many")
	config := synth.DefaultConfig()
	sum, err := endgames.Request{Count: 2000, Config: config, Out: many, Splits: dataset.DefaultSplits}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m, err := dataset.ReadManifest(many); err != nil || len(m.Shards) < 1500 {
		t.Fatalf("%d lines, %d shards, %v", sum.GamesKept, len(m.Shards), err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/shards",
		Condition: func(string) (bool, error) {
			_, err := stockfish.Find("")
			return err == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("MANY", many)
			return nil
		},
	})
}
