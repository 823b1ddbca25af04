package mates

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
)

// each calls f for every position of a piece of White's.
func each(t testing.TB, piece board.PieceType, f func(p *board.Position)) {
	t.Helper()
	for i := range int32(64 * 64 * 64) {
		wk, bk, s := squares(i)
		if wk == bk || wk == s || bk == s {
			continue
		}
		for _, turn := range []board.Color{board.White, board.Black} {
			setup := board.Setup{Turn: turn}
			setup.Put(board.NewPiece(board.White, board.King), wk)
			setup.Put(board.NewPiece(board.Black, board.King), bk)
			setup.Put(board.NewPiece(board.White, piece), s)
			if p, err := setup.Position(); err == nil {
				f(&p)
			}
		}
	}
}

// TestMaxima: the longest wins are those known: mates in 10, 16 and 28.
func TestMaxima(t *testing.T) {
	for _, c := range []struct {
		piece board.PieceType
		mate  int
	}{{board.Queen, 10}, {board.Rook, 16}, {board.Pawn, 28}, {board.Bishop, 0}, {board.Knight, 0}} {
		longest := 0
		each(t, c.piece, func(p *board.Position) {
			a, ok := Find(p)
			if !ok {
				t.Fatalf("%s: not known", p.FEN())
			}
			if a.Class == dataset.Won {
				longest = max(longest, a.Mate())
			}
		})
		if longest != c.mate {
			t.Errorf("%v: mate in %d, not %d", c.piece, longest, c.mate)
		}
	}
}

// TestConsistent: each answer follows from those of the positions after the moves, by the rules alone.
func TestConsistent(t *testing.T) {
	for _, piece := range []board.PieceType{board.Queen, board.Rook, board.Pawn} {
		each(t, piece, func(p *board.Position) { consistent(t, p) })
	}
}

func consistent(t *testing.T, p *board.Position) {
	t.Helper()
	a, ok := Find(p)
	legal := p.LegalMoves(nil)
	if !ok || (len(a.Moves) == 0) != (len(legal) == 0) {
		t.Fatalf("%s: %+v, %v", p.FEN(), a, ok)
	}
	if len(legal) == 0 {
		if (a.Class == dataset.Lost) != p.IsCheckmate() || a.Plies != 0 || a.Class == dataset.Won {
			t.Fatalf("%s is over: %+v", p.FEN(), a)
		}
		return
	}
	// the best of all moves
	class, plies := dataset.Lost, 0
	for _, m := range legal {
		q := p.After(m)
		c, n := dataset.Drawn, 0
		if left, ok := Find(&q); ok {
			c, n = dataset.Won-left.Class, left.Plies+1
		}
		switch {
		case c > class:
			class, plies = c, n
		case c == class && c == dataset.Won:
			plies = min(plies, n)
		case c == class && c == dataset.Lost:
			plies = max(plies, n)
		}
	}
	if class == dataset.Drawn {
		plies = 0
	}
	if a.Class != class || a.Plies != plies {
		t.Fatalf("%s: %v in %d, and the moves say %v in %d", p.FEN(), a.Class, a.Plies, class, plies)
	}
}

// TestMirrored: the other colour's positions have the same answers.
func TestMirrored(t *testing.T) {
	n := 0
	for _, piece := range []board.PieceType{board.Queen, board.Rook, board.Pawn} {
		each(t, piece, func(p *board.Position) {
			if n++; n%23 != 0 {
				return
			}
			a, _ := Find(p)
			q := p.Mirror()
			b, ok := Find(&q)
			if !ok || a.Class != b.Class || a.Plies != b.Plies || len(a.Moves) != len(b.Moves) {
				t.Fatalf("%s: %+v, and mirrored %+v", p.FEN(), a, b)
			}
			for _, m := range a.Moves {
				if !slices.Contains(b.Moves, m.Mirror()) {
					t.Fatalf("%s: %v, and mirrored %v", p.FEN(), a.Moves, b.Moves)
				}
			}
		})
	}
}

// TestLabel has answers that are known by hand.
func TestLabel(t *testing.T) {
	for _, c := range []struct {
		name, fen, score, wdl, moves string
	}{
		{"back rank", "7k/8/6K1/8/8/8/8/R7 w - - 0 1", "mate 1", "1000/0/0", "a1a8"},
		{"to be mated", "6k1/8/6K1/8/8/8/8/R7 b - - 0 1", "mate -2", "0/0/1000", "g8f8"},
		{"black mates", "r7/8/8/8/8/6k1/8/7K b - - 0 1", "mate 1", "1000/0/0", "a8a1"},
		{"a queen would stalemate", "8/k1P5/2K5/8/8/8/8/8 w - - 0 1", "mate 2", "1000/0/0", "c7c8r"},
		{"the opposition", "4k3/8/3KP3/8/8/8/8/8 b - - 0 1", "cp 0", "0/1000/0", "e8d8"},
		{"the rook hangs", "8/8/8/8/8/5k2/6R1/K7 b - - 0 1", "cp 0", "0/1000/0", "f3g2"},
		{"the pawn is not given away", "4k3/8/4P3/4K3/8/8/8/8 w - - 0 1", "cp 0", "0/1000/0",
			"e5d4 e5d5 e5d6 e5e4 e5f4 e5f5 e5f6"},
		{"mated", "R6k/8/6K1/8/8/8/8/8 b - - 0 1", "terminal", "", ""},
		{"stalemate", "k7/8/1Q6/8/8/8/8/7K b - - 0 1", "terminal", "", ""},
		{"bishop", "k7/8/8/8/8/8/8/B6K w - - 0 1", "terminal", "", ""},
		{"kings", "k7/8/8/8/8/8/8/7K w - - 0 1", "terminal", "", ""},
		{"a right to castle", "8/8/8/4k3/8/8/8/4K2R w K - 0 1", "", "", ""},
		{"four pieces", "8/8/8/4k3/8/8/8/R3K2R w - - 0 1", "", "", ""},
		{"fifty moves come first", "7k/8/8/8/8/8/8/R1K5 w - - 90 90", "", "", ""},
		{"mate comes first", "7k/8/6K1/8/8/8/8/R7 w - - 99 90", "mate 1", "1000/0/0", "a1a8"},
	} {
		p, err := board.ParseFEN(c.fen)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		l, ok := Label(&p)
		if ok != (c.score != "") {
			t.Errorf("%s: %+v, %v", c.name, l, ok)
			continue
		}
		if err := l.Check(&p); ok && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if l.Status != dataset.Labelled {
			if ok && (l.Status != dataset.Terminal || c.score != "terminal") {
				t.Errorf("%s: %v", c.name, l.Status)
			}
			continue
		}
		var moves []string
		for _, line := range l.Lines {
			moves = append(moves, line.PV[0].String())
			wdl := fmt.Sprintf("%d/%d/%d", line.WDL.Win, line.WDL.Draw, line.WDL.Loss)
			if line.Score.String() != c.score || wdl != c.wdl {
				t.Errorf("%s: %v, %s", c.name, line.Score, wdl)
			}
		}
		if slices.Sort(moves); strings.Join(moves, " ") != c.moves || l.Best != l.Lines[0].PV[0] {
			t.Errorf("%s: %v, best %v", c.name, moves, l.Best)
		}
	}
}

// gaviota probes a FEN a line, and prints the plies to mate: above 0 the side to move mates, below 0 it is mated.
const gaviota = `import sys, chess, chess.gaviota
with chess.gaviota.PythonTablebase() as tables:
    tables.add_directory(sys.argv[1])
    for line in sys.stdin:
        print(tables.probe_dtm(chess.Board(line.strip())))
`

// TestGaviota compares distances with Gaviota's tables, read by python-chess.
func TestGaviota(t *testing.T) {
	const folder = "../../../shared/data/gaviota"
	if found, _ := filepath.Glob(folder + "/*.gtb.cp4"); len(found) == 0 {
		t.Skip("NOT TESTED with Gaviota's tables: none in ", folder)
	}
	if out, err := exec.Command("python3", "-c", "import chess.gaviota").CombinedOutput(); err != nil {
		t.Skipf("NOT TESTED with Gaviota's tables: python3 with chess is missing: %v %s", err, out)
	}
	step := 41
	if os.Getenv("TALBOT_FULL") != "" {
		step = 1
	}
	var in bytes.Buffer
	var want []int
	n := 0
	for _, piece := range []board.PieceType{board.Pawn, board.Knight, board.Bishop, board.Rook, board.Queen} {
		each(t, piece, func(p *board.Position) {
			if n++; n%step != 0 {
				return
			}
			a, _ := Find(p)
			plies := a.Plies
			if a.Class == dataset.Lost {
				plies = -plies
			}
			q := *p
			if len(want)%2 == 1 {
				q = p.Mirror()
			}
			want = append(want, plies)
			fmt.Fprintln(&in, q.FEN())
		})
	}
	positions := strings.Split(in.String(), "\n")
	cmd := exec.CommandContext(t.Context(), "python3", "-c", gaviota, folder)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out := testkit.Value(cmd.Output())(t)
	i := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); i++ {
		if i >= len(want) || lines.Text() != fmt.Sprint(want[i]) {
			t.Fatalf("%s: Gaviota says %s, we say %d", positions[i], lines.Text(), want[i])
		}
	}
	if i != len(want) || i < 10000 {
		t.Errorf("%d answers for %d positions", i, len(want))
	}
	t.Logf("%d positions are the same", i)
}

// FuzzLabel: any position is answered without a panic, and a label makes sense.
func FuzzLabel(f *testing.F) {
	for _, fen := range []string{board.StartFEN, "7k/8/6K1/8/8/8/8/R7 w - - 99 90", "8/k1P5/2K5/8/8/8/8/8 w - - 0 1",
		"k7/8/8/8/8/8/8/7K w - - 0 1", "8/8/8/4k3/8/8/8/4K2R w K - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1"} {
		f.Add(fen)
	}
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return // refused before it gets here
		}
		l, ok := Label(&p)
		if !ok {
			return
		}
		if err := l.Check(&p); err != nil {
			t.Error(err)
		}
		if p.Occupied().Len() == Pieces && l.Status == dataset.Labelled {
			consistent(t, &p)
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		build(board.Pawn, build(board.Queen), build(board.Rook))
	}
}

func BenchmarkLabel(b *testing.B) {
	p, err := board.ParseFEN("8/8/8/4k3/8/8/8/R3K3 w - - 0 1")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		Label(&p)
	}
}
