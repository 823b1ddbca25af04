package encode

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/golden"
)

// goldenPosition is one position of testdata/golden.jsonl.gz, written by testdata/oracle.py with python-chess.
type goldenPosition struct {
	Start  string
	Moves  []string
	Planes golden.Words
	Legal  map[string]int
}

// uciLine returns the line of UCI moves from a FEN; its last position is the sample.
func uciLine(t *testing.T, fen string, moves ...string) dataset.Line {
	t.Helper()
	start, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	l := dataset.Line{Start: start, Samples: dataset.LastPosition()}
	p := start
	for _, s := range moves {
		m, err := p.ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		l.Moves = append(l.Moves, m)
		p.Play(m)
	}
	return l
}

// encoded returns the planes of the line's last position and the game there.
func encoded(t *testing.T, l *dataset.Line) ([]uint64, *board.Game) {
	t.Helper()
	var w dataset.Walker
	if err := w.At(l, len(l.Moves)); err != nil {
		t.Fatal(err)
	}
	planes := make([]uint64, TalbotBotPlanes)
	for i := range planes {
		planes[i] = 0xdeadbeef // Encode must write every plane
	}
	TalbotBot{}.Planes(planes, w.Game())
	return planes, w.Game()
}

// TestGolden compares planes and the index of every legal move with python-chess.
func TestGolden(t *testing.T) {
	for n, g := range golden.Lines[goldenPosition](t, "testdata/golden.jsonl.gz", 150) {
		l := uciLine(t, g.Start, g.Moves...)
		planes, game := encoded(t, &l)
		p := game.Position()
		for i, got := range planes {
			if got != g.Planes[i] {
				t.Errorf("position %d, %q: plane %d = %016x, want %016x", n+1, p.FEN(), i, got, g.Planes[i])
			}
		}
		legal := map[string]int{}
		for _, m := range p.LegalMoves(nil) {
			legal[m.String()] = TalbotBot{}.MoveIndex(p, m)
		}
		if !maps.Equal(legal, g.Legal) {
			t.Errorf("position %d, %q: legal moves %v, want %v", n+1, p.FEN(), legal, g.Legal)
		}
		for uci, index := range g.Legal {
			if m, ok := (TalbotBot{}).Move(p, index); !ok || m.String() != uci {
				t.Errorf("position %d, %q: index %d is %v %v, want %s", n+1, p.FEN(), index, m, ok, uci)
			}
		}
	}
}

// pythonChess starts a script in testdata that answers what it is asked on its standard input, and returns its answers
// and what ends it, which fails the test if there is more than was read. It skips the test without python-chess.
func pythonChess(t *testing.T, asked io.Reader, script string, args ...string) (answers *bufio.Reader, end func()) {
	t.Helper()
	if out, err := exec.Command("python3", "-c", "import chess").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 with the package chess is missing: %v %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-B", "testdata/" + script, "-"}, args...)...)
	cmd.Stdin, cmd.Stderr = asked, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers = bufio.NewReaderSize(out, 1<<16)
	return answers, func() {
		t.Helper()
		if rest, err := io.ReadAll(answers); err != nil || len(rest) > 0 {
			t.Errorf("%d more bytes from python-chess: %v", len(rest), err)
		}
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
}

// fens are positions, one a line.
func fens(positions []board.Position) *bytes.Buffer {
	var list bytes.Buffer
	for i := range positions {
		fmt.Fprintln(&list, positions[i].FEN())
	}
	return &list
}
