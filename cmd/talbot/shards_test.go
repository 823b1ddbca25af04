package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/output"
	"talbot/pipeline/ingest"
	"talbot/stockfish"
)

// TestManyShards has every verb that reads datasets read one of hundreds of shards where fewer files may be open.
func TestManyShards(t *testing.T) {
	output.SmallShards(t, 1)
	many := filepath.Join(t.TempDir(), "many")
	var games strings.Builder
	rng := rand.New(rand.NewPCG(1, 1))
	for range 700 {
		p := board.StartPosition()
		games.WriteString("[Result \"*\"]\n\n")
		for range 12 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[rng.IntN(len(moves))]
			games.WriteString(p.SAN(m) + " ")
			p.Play(m)
		}
		games.WriteString("*\n\n")
	}
	pgn := filepath.Join(t.TempDir(), "games.pgn")
	if err := os.WriteFile(pgn, []byte(games.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (ingest.Request{Inputs: []string{pgn}, Out: many, Splits: dataset.DefaultSplits}).Run(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, err := dataset.ReadManifest(many); err != nil || len(m.Shards) < 600 {
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
