package testkit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/board"
)

// WriteGames writes n random games as PGN, every tenth of them bad and every seventh a copy of an earlier one.
func WriteGames(t testing.TB, path string, n int, seed uint64) (bad, copies int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	var b bytes.Buffer
	var good []string
	for i := range n {
		var moves strings.Builder
		p := board.StartPosition()
		for ply := range 20 + rng.IntN(60) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(len(legal))]
			if ply%2 == 0 {
				fmt.Fprintf(&moves, "%d. ", ply/2+1)
			}
			moves.WriteString(p.SAN(m) + " ")
			p.Play(m)
		}
		text := moves.String()
		switch {
		case i%10 == 9:
			text, bad = text+"Ke5 ", bad+1
			text = "1. e5 " + text
		case i%7 == 6:
			text, copies = good[rng.IntN(len(good))], copies+1
		default:
			good = append(good, text)
		}
		fmt.Fprintf(&b, "[Event \"Random\"]\n[White \"A%d\"]\n[Black \"B\"]\n[WhiteElo \"%d\"]\n[Result "+
			"\"1/2-1/2\"]\n\n%s1/2-1/2\n\n", i, 2000+i%500, text)
	}
	OK(t, os.WriteFile(path, b.Bytes(), 0o666))
	return bad, copies
}

// PGN writes games, given as moves, to a file, and returns its path.
func PGN(t testing.TB, dir, name string, games ...string) string {
	t.Helper()
	var b strings.Builder
	for i, g := range games {
		fmt.Fprintf(&b, "[White \"%s %d\"]\n[Result \"*\"]\n\n%s *\n\n", name, i, g)
	}
	path := filepath.Join(dir, name)
	OK(t, os.WriteFile(path, []byte(b.String()), 0o666))
	return path
}

// CutGames writes random games and, in two further files, beginnings of some of them, copies and one game more.
func CutGames(t testing.TB, dir string) (inputs []string, games, cut, copies int) {
	t.Helper()
	a := filepath.Join(dir, "a.pgn")
	WriteGames(t, a, 200, 7)
	text, err := os.ReadFile(a)
	OK(t, err)
	var early, late []string
	seen := map[string]bool{}
	for i, g := range strings.Split(string(text), "\n\n") {
		words := strings.Fields(strings.TrimSuffix(g, "1/2-1/2"))
		if i%2 == 0 || len(words) < 30 || words[1] == "e5" || seen[g] {
			continue
		}
		seen[g] = true
		if len(seen)%3 == 0 {
			early = append(early, strings.Join(words[:12], " "), strings.Join(words[:15], " "))
		} else if len(seen)%7 == 0 {
			late = append(late, strings.Join(words[:len(words)-2], " "))
		} else if len(seen)%11 == 0 {
			late, copies = append(late, strings.Join(words, " ")), copies+1
		}
	}
	cut = len(early) + len(late) - copies
	return []string{PGN(t, dir, "early.pgn", early...), a,
		PGN(t, dir, "late.pgn", append(late, "1. a4 a5 2. Ra3 e5 3. h3 Qe7")...)}, len(seen) + 1, cut, copies
}

// WriteRows writes a table of evaluations and EPD of n random positions each, every tenth of them bad.
func WriteRows(t testing.TB, table, tactics string, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 0))
	var csv, epd bytes.Buffer
	csv.WriteString("FEN,Evaluation\n")
	for i := range n {
		p := board.StartPosition()
		for range 6 + rng.IntN(30) {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			p.Play(legal[rng.IntN(len(legal))])
		}
		eval, op := fmt.Sprintf("%+d", rng.IntN(500)-250), "bm"
		legal := p.LegalMoves(nil)
		if len(legal) == 0 {
			continue
		}
		best := p.SAN(legal[rng.IntN(len(legal))])
		if i%10 == 3 {
			eval, op = "?", "c0"
		}
		fmt.Fprintf(&csv, "%s,%s\n", p.FEN(), eval)
		fmt.Fprintf(&epd, "%s %s %s; id \"%d\";\n", p.EPD(), op, best, i)
	}
	for path, b := range map[string][]byte{table: csv.Bytes(), tactics: epd.Bytes()} {
		OK(t, os.WriteFile(path, b, 0o666))
	}
}
