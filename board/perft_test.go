package board

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// nodeCap bounds one perft count so that the whole test stays short.
const nodeCap = 300_000

type perftCase struct {
	fen   string
	depth int
	nodes uint64
}

// shared returns the content of a file of the shared test data, decompressed,
// and skips the test where the data is not at hand.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	path := filepath.Join("../../shared/data", name)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("SKIPPED: shared test data is missing: %v", err)
	}
	if strings.HasSuffix(name, ".zst") {
		d, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if data, err = d.DecodeAll(data, nil); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

func readPerft(t *testing.T, name string) (cases []perftCase) {
	sc := bufio.NewScanner(bytes.NewReader(shared(t, name)))
	fen := ""
	for sc.Scan() {
		line := strings.Trim(sc.Text(), "\x00 ")
		if rest, ok := strings.CutPrefix(line, "epd "); ok {
			fen = rest
		} else if rest, ok := strings.CutPrefix(line, "perft "); ok {
			cases = appendPerft(t, cases, fen, rest)
		} else if strings.Contains(line, ";D") || strings.Contains(line, "; D") {
			parts := strings.Split(line, ";")
			for _, part := range parts[1:] {
				cases = appendPerft(t, cases, parts[0], strings.TrimPrefix(strings.TrimSpace(part), "D"))
			}
		}
	}
	return cases
}

func appendPerft(t *testing.T, cases []perftCase, fen, text string) []perftCase {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return cases
	}
	depth, err1 := strconv.Atoi(fields[0])
	nodes, err2 := strconv.ParseUint(fields[1], 10, 64)
	if err1 != nil || err2 != nil {
		t.Fatalf("bad perft line %q", text)
	}
	return append(cases, perftCase{fen, depth, nodes})
}

func TestPerftShared(t *testing.T) {
	for _, name := range []string{"perft/tricky.perft", "perft/random.perft.zst", "perft/perft.epd"} {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ran, total := 0, uint64(0)
			stride := 1
			if strings.Contains(name, "random") && testing.Short() {
				stride = 20
			}
			for i, c := range readPerft(t, name) {
				if c.depth > 4 || c.nodes > nodeCap || i%stride != 0 {
					continue
				}
				p, err := ParseFEN(c.fen)
				if err != nil {
					t.Errorf("%v", err)
					continue
				}
				if got := Perft(&p, c.depth); got != c.nodes {
					t.Errorf("%s depth %d: %d nodes, want %d", c.fen, c.depth, got, c.nodes)
				}
				ran++
				total += c.nodes
			}
			if ran < 20 {
				t.Errorf("only %d counts were checked", ran)
			}
			t.Logf("%d counts, %d nodes", ran, total)
		})
	}
}

// Published counts (chessprogramming wiki, "Perft Results"), so that the
// generator is tested without any other data.
func TestPerft(t *testing.T) {
	for _, c := range []perftCase{
		{StartFEN, 4, 197281},
		{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97862},
		{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674624},
		{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422333},
		{"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62379},
		{"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89890},
	} {
		p, err := ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := Perft(&p, c.depth); got != c.nodes {
			t.Errorf("%s depth %d: %d nodes, want %d", c.fen, c.depth, got, c.nodes)
		}
		m := p.Mirror()
		if got := Perft(&m, c.depth); got != c.nodes {
			t.Errorf("mirrored %s depth %d: %d nodes, want %d", c.fen, c.depth, got, c.nodes)
		}
	}
}

func BenchmarkPerft(b *testing.B) {
	p := StartPosition()
	nodes := uint64(0)
	for b.Loop() {
		nodes += Perft(&p, 4)
	}
	b.ReportMetric(float64(nodes)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
}
