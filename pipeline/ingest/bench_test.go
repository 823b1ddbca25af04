package ingest_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
	"talbot/formats/rows"
	"talbot/pipeline/ingest"
)

// benchGames returns a file of games: shared master games, or the sample of engine games.
func benchGames(b *testing.B) string {
	b.Helper()
	for _, path := range []string{"../../../shared/data/pgn/gm/gnuchess-book-g00001-30000.pgn.zst",
		"../../examples/games.pgn.zst"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
		b.Logf("%s is not here", path)
	}
	b.Fatal("no games")
	return ""
}

func millionPerSecond(b *testing.B, n int64, unit string) {
	b.Helper()
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "M"+unit+"/s")
}

// BenchmarkIngest goes from a compressed file of games to a finished dataset, duplicates and prefixes dropped, on one
// and on all cores.
func BenchmarkIngest(b *testing.B) {
	games := benchGames(b)
	for _, workers := range []int{1, 0} { // 0: all cores
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			var plies int64
			for b.Loop() {
				out := filepath.Join(b.TempDir(), "out")
				sum, err := ingest.Request{Inputs: []string{games}, Out: out, Splits: dataset.DefaultSplits,
					Workers: workers}.Run(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				plies = sum.Positions - sum.GamesKept
			}
			millionPerSecond(b, plies, "plies")
		})
	}
}

// BenchmarkLeaveOut reads plain text whose games are nearly all left out by their tags, on one core.
func BenchmarkLeaveOut(b *testing.B) {
	in, err := rows.Open(benchGames(b))
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		b.Fatal(err)
	}
	text = append(text, "\n[Event \"kept\"]\n[WhiteElo \"3900\"]\n[BlackElo \"3900\"]\n\n1. e4 e5 *\n"...)
	games := filepath.Join(b.TempDir(), "games.pgn")
	if err := os.WriteFile(games, text, 0o666); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		sum, err := ingest.Request{Inputs: []string{games}, Out: filepath.Join(b.TempDir(), "out"),
			Splits: dataset.DefaultSplits, Workers: 1, Filters: ingest.Filters{MinElo: 3900}}.Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if sum.GamesKept != 1 {
			b.Fatalf("%d games are kept", sum.GamesKept)
		}
	}
}
