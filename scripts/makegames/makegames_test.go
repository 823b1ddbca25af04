package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/pipeline/ingest"
)

// The games depend on the seed alone, all are legal, and the shares of copies and beginnings are what they are to be.
func TestGames(t *testing.T) {
	const positions = 400_000
	texts := make([]bytes.Buffer, 3)
	for i, x := range []struct {
		seed    uint64
		workers int
	}{{1, 1}, {1, 3}, {2, 2}} {
		if _, err := write(context.Background(), &texts[i], x.seed, positions, x.workers); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) || bytes.Equal(texts[0].Bytes(), texts[2].Bytes()) {
		t.Error("the games do not depend on the seed alone")
	}
	dir := t.TempDir()
	file, out := filepath.Join(dir, "games.pgn"), filepath.Join(dir, "out")
	if err := os.WriteFile(file, texts[0].Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	sum, err := ingest.Request{Inputs: []string{file}, Out: out, Splits: dataset.DefaultSplits}.Run(
		context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for reason, n := range sum.Rejects {
		share := float64(n) / float64(sum.GamesRead)
		t.Logf("%s: %.4f of %d games", reason, share, sum.GamesRead)
		want := map[string]float64{"duplicate": copies, "prefix": prefixes}[string(reason)]
		if want == 0 || share < want-0.006 || share > want+0.02 { // short games are beginnings of others anyway
			t.Errorf("%s: %.4f of the games", reason, share)
		}
	}
	var text strings.Builder
	if err := measure(&text, out, 1); err != nil || !strings.Contains(text.String(), "positions seen before") {
		t.Error(text.String(), err)
	}
}
