package pgn

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/notnil/chess"
)

// BenchmarkPeers reads the same games, tags and all, and resolves every move, with talbot and with the programs and
// libraries that users would otherwise take, each on one core. Those that are not installed are skipped.
func BenchmarkPeers(b *testing.B) {
	text := carlsen(b)
	path := filepath.Join(b.TempDir(), "games.pgn")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		b.Fatal(err)
	}
	plies := readPlies(b, bytes.NewReader(text))
	report := func(b *testing.B, plies int) {
		b.ReportMetric(float64(plies)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mplies/s")
	}
	b.Run("talbot", func(b *testing.B) {
		for b.Loop() {
			f, err := os.Open(path)
			if err != nil {
				b.Fatal(err)
			}
			if n := readPlies(b, f); n != plies {
				b.Fatalf("%d plies", n)
			}
			f.Close()
		}
		report(b, plies)
	})
	b.Run("shakmaty", func(b *testing.B) {
		program := shakmaty(b)
		for b.Loop() {
			out, err := exec.Command(program, path).Output()
			if n, _ := strconv.Atoi(strings.TrimSpace(string(out))); err != nil || n != plies {
				b.Fatalf("%s plies, want %d: %v", out, plies, err)
			}
		}
		report(b, plies)
	})
	b.Run("pgn-extract", func(b *testing.B) {
		program, err := exec.LookPath("pgn-extract")
		if err != nil {
			b.Skip("SKIPPED: pgn-extract is not installed")
		}
		for b.Loop() {
			if out, err := exec.Command(program, "-s", "-r", path).CombinedOutput(); err != nil { // -r: only check
				b.Fatalf("%v: %.200s", err, out)
			}
		}
		report(b, plies)
	})
	b.Run("notnil", func(b *testing.B) {
		games := splitText(b, text)   // its own scanner loses most of them
		games = games[:len(games)/20] // it takes seconds for all
		plies := 0
		for b.Loop() {
			plies = 0
			for _, g := range games {
				if read, err := chess.PGN(bytes.NewReader(g.Text)); err == nil { // it refuses mates written “+”
					plies += len(chess.NewGame(read).Moves())
				}
			}
		}
		report(b, plies)
	})
}

// readPlies counts the plies of all games.
func readPlies(b *testing.B, r io.Reader) (plies int) {
	b.Helper()
	var p Parser
	err := eachGame(NewSplitter(r), func(g Game) {
		line, reject := p.Parse(g)
		if reject != nil {
			b.Fatal(reject)
		}
		plies += len(line.Moves)
	})
	if err != nil {
		b.Fatal(err)
	}
	return plies
}

// shakmaty builds the reader that uses Rust's pgn-reader and shakmaty.
func shakmaty(b *testing.B) (program string) {
	b.Helper()
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		b.Skip("SKIPPED: Rust's cargo is not installed")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	target := filepath.Join(cache, "talbot", "shakmaty-peer")
	build := exec.Command(cargo, "build", "--release", "--locked", "--quiet", "--target-dir", target)
	build.Dir = "testdata/shakmaty"
	build.Env = append(os.Environ(), "RUSTFLAGS=-C target-cpu=native")
	if out, err := build.CombinedOutput(); err != nil {
		b.Skipf("SKIPPED: building the peer: %v\n%s", err, out)
	}
	return filepath.Join(target, "release", "shakmaty-peer")
}
