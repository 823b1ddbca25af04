package board

import (
	"bufio"
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// nodeCap bounds one perft count so that the whole test stays short; with
// TALBOT_FULL=1 every count to depth 4 is checked (4.3 G nodes).
const nodeCap = 100_000

type perftCase struct {
	fen   string
	depth int
	nodes uint64
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

// TestPerftShared compares with the counts of three collections. Positions of
// Chess960 (castling rights with the king or a rook not at home) are refused
// by design and counted.
func TestPerftShared(t *testing.T) {
	for _, test := range []struct {
		name      string
		positions int // with a count checked by default
		run, all  int // counts checked by default and with TALBOT_FULL=1
		chess960  int // counts of Chess960 positions, not checked
	}{
		{"perft/tricky.perft", 13, 41, 42, 24},
		{"perft/perft.epd", 126, 489, 518, 0},
		{"perft/random.perft.zst", 6752, 21931, 27352, 0}, // 6,838 entries, 86 of them twice,
	} {
		t.Run(filepath.Base(test.name), func(t *testing.T) {
			ran, chess960, total := 0, 0, uint64(0)
			positions := map[string]bool{}
			for _, c := range readPerft(t, test.name) {
				if c.depth > 4 {
					continue
				}
				p, err := ParseFEN(c.fen)
				if err != nil {
					if strings.Contains(err.Error(), "need king and rook on") {
						chess960++
						continue
					}
					t.Fatal(err)
				}
				if c.nodes > nodeCap && !full {
					continue
				}
				if got := Perft(&p, c.depth); got != c.nodes {
					t.Errorf("%s depth %d: %d nodes, want %d", c.fen, c.depth, got, c.nodes)
				}
				positions[c.fen] = true
				ran++
				total += c.nodes
			}
			want := test.run
			if full {
				want = test.all
			}
			if len(positions) < test.positions {
				t.Errorf("%d positions checked, want at least %d", len(positions), test.positions)
			}
			if ran != want || chess960 != test.chess960 {
				t.Errorf("%d counts checked and %d of Chess960, want %d and %d", ran, chess960, want, test.chess960)
			}
			t.Logf("%d counts of %d positions, %d nodes", ran, len(positions), total)
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

// Perft counts the leaves of the legal move tree of that depth, the standard test of a move generator.
func Perft(p *Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var buf [MaxMoves]Move
	moves := p.LegalMoves(buf[:0])
	if depth == 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, m := range moves {
		q := *p
		q.Play(m)
		n += Perft(&q, depth-1)
	}
	return n
}
