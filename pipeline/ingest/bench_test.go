package ingest_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
	"talbot/encode"
	"talbot/formats/rows"
	"talbot/inspect/stats"
	"talbot/pipeline/ingest"
	"talbot/shards"
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

// BenchmarkReadPlanes goes from shards on disk to packed planes with history and repetitions, on one core.
func BenchmarkReadPlanes(b *testing.B) {
	out := filepath.Join(b.TempDir(), "out")
	if _, err := (ingest.Request{Inputs: []string{benchGames(b)}, Out: out,
		Splits: dataset.DefaultSplits}).Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	m, err := dataset.ReadManifest(out)
	if err != nil {
		b.Fatal(err)
	}
	e := encode.TalbotBot{}
	planes := make([]uint64, encode.TalbotBotPlanes)
	var walker dataset.Walker
	var lines []dataset.Line
	var samples int64
	for b.Loop() {
		samples = 0
		for _, s := range m.Shards {
			r, err := shards.Open(filepath.Join(out, s.File), shards.WithColumns(0))
			if err != nil {
				b.Fatal(err)
			}
			for i := range r.Blocks() {
				if lines, err = r.ReadBlock(i, lines[:0]); err != nil {
					b.Fatal(err)
				}
				for k := range lines {
					walker.Reset(&lines[k])
					for walker.Next() {
						e.Planes(planes, walker.Game())
						samples++
					}
				}
			}
			r.Close()
		}
	}
	millionPerSecond(b, samples, "positions")
}

// BenchmarkUnique counts the unique positions of a dataset.
func BenchmarkUnique(b *testing.B) {
	out := filepath.Join(b.TempDir(), "out")
	if _, err := (ingest.Request{Inputs: []string{benchGames(b)}, Out: out,
		Splits: dataset.DefaultSplits}).Run(b.Context()); err != nil {
		b.Fatal(err)
	}
	var positions int64
	for b.Loop() {
		r, err := stats.Request{Dir: out, Unique: true, Workers: 1}.Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		positions = r.Positions
	}
	millionPerSecond(b, positions, "positions")
}
