package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"talbot/board"
	"talbot/formats/polyglot"
	"talbot/internal/testkit"
	"talbot/internal/testkit/fakenet"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/mcts"
)

// play runs a game with a script.
func play(t *testing.T, n *fakenet.Network, script string, change ...func(*Terminal)) (string, error) {
	t.Helper()
	return playIn(t, t.Context(), n, strings.NewReader(script), change...)
}

// playIn runs a game that reads what is typed.
func playIn(t *testing.T, ctx context.Context, n *fakenet.Network, in io.Reader, change ...func(*Terminal)) (string,
	error) {
	t.Helper()
	p := engine.NewPlayer(n.Open)
	testkit.OK(t, p.Prepare(t.Context(), engine.Setup{Options: mcts.Defaults()}))
	g := &Terminal{Session: &engine.Session{Player: p, Start: board.StartPosition(), Nodes: 8}}
	for _, c := range change {
		c(g)
	}
	var out bytes.Buffer
	err := g.Run(ctx, in, &out)
	return out.String(), err
}

func from(t *testing.T, fen string) func(*Terminal) {
	t.Helper()
	p := testkit.Must(board.ParseFEN(fen))
	return func(g *Terminal) { g.Start = p }
}

func TestBoard(t *testing.T) {
	out, err := play(t, &fakenet.Network{}, "")
	want := `fake network, searcher puct
You play white. Type a move, or help. Capitals are White's pieces. [ ] marks the last move.

8  r  n  b  q  k  b  n  r
7  p  p  p  p  p  p  p  p
6  .  .  .  .  .  .  .  .
5  .  .  .  .  .  .  .  .
4  .  .  .  .  .  .  .  .
3  .  .  .  .  .  .  .  .
2  P  P  P  P  P  P  P  P
1  R  N  B  Q  K  B  N  R
   a  b  c  d  e  f  g  h

`
	if err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
	out, _ = play(t, &fakenet.Network{}, "e4\n", func(g *Terminal) { g.Unicode = true })
	if !strings.Contains(out, "8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜") || !strings.Contains(out, "1  ♖  ♘  ♗  ♕  ♔  ♗  ♘  ♖") ||
		strings.Contains(out, "Capitals") {
		t.Error(out)
	}
	out, _ = play(t, &fakenet.Network{}, "", func(g *Terminal) { g.Human = board.Black })
	if !strings.Contains(out, "white plays ") ||
		!strings.Contains(out, "\n8  r  n  b  k  q  b  n  r\n   h  g  f  e  d  c  b  a\n") {
		t.Error(out)
	}
	// A marked square belongs to its own piece, not to its neighbour; colours go to a writer of their own.
	var colours strings.Builder
	out, _ = play(t, &fakenet.Network{}, "board\n", from(t, "4k3/8/8/8/8/8/8/R3K2R b - - 0 1"),
		func(g *Terminal) { g.Human, g.Colours = board.White, &colours })
	const black, yellow, end = "\x1b[36mk\x1b[m", "\x1b[33m", "\x1b[m"
	if strings.Contains(out, "\x1b") || !strings.Contains(colours.String(), "\x1b[1mR\x1b[m  .  .  .") ||
		strings.Count(colours.String(), yellow+"["+end+black+yellow+"]"+end) != 2 {
		t.Errorf("%q, %q", out, colours.String())
	}
}

// TestNoValue: a network without a value tells how likely its move is.
func TestNoValue(t *testing.T) {
	out, err := play(t, &fakenet.Network{Blind: true}, "e4\n")
	if err != nil || !regexp.MustCompile(`black plays \S+ \(prior \d+ %\)`).MatchString(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestScript: both kinds of moves, what is no move, taking back, and the other commands.
func TestScript(t *testing.T) {
	const script = "e4\nd2d4\nKe9\nboard\nmoves\nback\nback\nback\nfen\nhelp\neval\n\nquit\ne4\n"
	out, err := play(t, &fakenet.Network{}, script)
	testkit.OK(t, err)
	for _, want := range []string{`black plays \S+ \([+-]\d+\.\d\d\)`, `\n1\. e4 \S+ 2\. d4 \S+\n`, `"Ke9"`,
		`There is no move to take back`, `\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n`,
		`resign +give up`, `\n[+-]\d+\.\d\d for white: \S+`, `\[[.a-zA-Z]\]`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("nothing like %s in\n%s", want, out)
		}
	}
	if n := strings.Count(out, "black plays"); n != 2 {
		t.Errorf("%d answers", n)
	}
}

func TestEndings(t *testing.T) {
	for _, c := range []struct{ fen, script, want string }{
		{"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8\ne4\n", "Checkmate: white wins.\n1. Rd8#\n"},
		{"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8\nback\nmoves\n", "There is no move yet.\n"},
		{"8/8/8/8/8/5k2/4p3/4K3 w - - 0 1", "Kd2\n", "mate"},
		{"k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7\nquit\n", "Draw: stalemate.\n1. Qc7\n"},
		{"8/8/8/3k4/8/3K4/4p3/8 w - - 0 1", "Kxe2\n", "Draw: dead position."},
		{"7k/8/8/8/8/8/R7/K7 w - - 99 90", "Ra3\n", "Draw: 50 moves."},
		{"7k/8/8/8/8/8/R7/K7 w - - 3 90", "resign\nRa3\ngo\nnew black\nresign\n", "You resign: black wins."},
	} {
		out, err := play(t, &fakenet.Network{}, c.script, from(t, c.fen))
		if err != nil || c.want != "mate" && !strings.Contains(out, c.want) {
			t.Errorf("%s: %v\n%s", c.script, err, out)
		}
	}
	out, _ := play(t, &fakenet.Network{}, "go\ngo\ngo\nmoves\n")
	if n := strings.Count(out, " plays "); n != 3 || !regexp.MustCompile(`\n1\. \S+ \S+ 2\. \S+\n`).MatchString(out) {
		t.Errorf("the network does not play both sides:\n%s", out)
	}
	out, _ = play(t, &fakenet.Network{}, "resign\ne4\nnew black\n")
	for _, want := range []string{"You resign: black wins.", "The game is over; type new", "You play black.",
		"white plays"} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q:\n%s", want, out)
		}
	}
}

// failing is a writer that cannot write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrors(t *testing.T) {
	n := &fakenet.Network{}
	n.Fails.Store(true)
	if _, err := play(t, n, "e4\n"); !errors.Is(err, fakenet.ErrFails) {
		t.Errorf("a network that fails: %v", err)
	}
	p := engine.NewPlayer((&fakenet.Network{}).Open)
	testkit.OK(t, p.Prepare(t.Context(), engine.Setup{Options: mcts.Defaults()}))
	g := &Terminal{Session: &engine.Session{Player: p, Start: board.StartPosition(), Nodes: 8}}
	if err := g.Run(t.Context(), strings.NewReader(""), failing{}); err == nil {
		t.Error("an output that fails is no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g.Human = board.Black
	if err := g.Run(ctx, strings.NewReader("e4\n"), &bytes.Buffer{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an end from outside: %v", err)
	}
}

// Letters of the other case are understood where they name one move; what may be two is what it says.
func TestCase(t *testing.T) {
	for _, c := range []struct{ fen, text, want string }{
		{"", "E4", "1. e4"}, {"", "nF3", "1. Nf3"}, {"", "E2E4", "1. e4"}, {"", "nf3!?", "1. Nf3"},
		{"4k3/8/8/8/8/2p5/1P1B4/4K2R w K - 0 1", "bxc3", "1. bxc3"},
		{"4k3/8/8/8/8/2p5/1P1B4/4K2R w K - 0 1", "Bxc3", "1. Bxc3"},
		{"4k3/8/8/8/8/2p5/1P1B4/4K2R w K - 0 1", "BXC3", `"BXC3"`},
		{"4k3/8/8/8/8/2p5/1P1B4/4K2R w K - 0 1", "o-o", "1. O-O"},
		{"8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "E8=q", "1. e8=Q"},
	} {
		change := func(*Terminal) {}
		if c.fen != "" {
			change = from(t, c.fen)
		}
		if out, err := play(t, &fakenet.Network{}, c.text+"\nmoves\n", change); err != nil ||
			!strings.Contains(out, "\n"+c.want) && !strings.Contains(out, c.want+";") {
			t.Errorf("%s: %v\n%s", c.text, err, out)
		}
	}
}

// The end of the context does not wait for a line, and the game goes to its file.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, typed := io.Pipe()
	file := filepath.Join(t.TempDir(), "games.pgn")
	ended := make(chan error)
	go func() {
		_, err := playIn(t, ctx, &fakenet.Network{}, in, func(g *Terminal) { g.SaveTo = file })
		ended <- err
	}()
	if _, err := typed.Write([]byte("e4\nmoves\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := typed.Write([]byte("board\n")); err != nil { // e4 was played when it is read
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "1. e4") {
		t.Errorf("the game is %q (%v)", text, err)
	}
}

// Each game that is left goes to the file once, with the colours that it was played with, and save adds to any file.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	all, one := filepath.Join(dir, "all.pgn"), filepath.Join(dir, "one game.pgn")
	out, err := play(t, &fakenet.Network{}, "save\nsave "+one+"\ne4\nsave "+one+"\nresign\nnew black\nnew white\nd4\n",
		func(g *Terminal) { g.SaveTo = all })
	testkit.OK(t, err)
	for _, want := range []string{"Type save and the name", "There is no move to save.", "is added to " + one} {
		if !strings.Contains(out, want) {
			t.Errorf("nothing says %q: %s", want, out)
		}
	}
	text, _ := os.ReadFile(all)
	saved, _ := os.ReadFile(one)
	if got := string(text); strings.Count(got, "[Event ") != 3 || strings.Count(got, `[White "Human"]`) != 2 ||
		strings.Count(got, `[Result "0-1"]`) != 1 || strings.Count(got, `[Result "*"]`) != 2 {
		t.Errorf("the games are %s", got)
	}
	if strings.Count(string(saved), "[Event ") != 1 {
		t.Errorf("the game is %s", saved)
	}
}

// TestOpenings: games begin with openings in turn, which are not taken back; the network answers from its book while
// the position is in it; and the times in PGN are those of moves that were made.
func TestOpenings(t *testing.T) {
	start := board.StartPosition()
	opening := func(uci ...string) match.Opening {
		p := start
		return match.Opening{Start: start, Moves: testkit.Must(p.PlayUCI(uci...))}
	}
	sicilian, pawn := opening("e2e4", "c7c5"), opening("d2d4")
	var b polyglot.Builder
	game := board.NewGame(start, sicilian.Moves...)
	game.Push(testkit.Must(game.Position().ParseUCI("h2h4")))
	testkit.OK(t, b.Add(game, testkit.Must(game.Position().ParseUCI("a7a5")), 1))
	var data bytes.Buffer
	testkit.OK(t, b.Write(&data))
	dir := t.TempDir()
	book := testkit.Must(polyglot.Open(testkit.WriteFile(t, filepath.Join(dir, "book.bin"), data.Bytes())))
	defer book.Close()
	saved := filepath.Join(dir, "games.pgn")
	out, err := play(t, &fakenet.Network{}, "back\nh4\nback\nh4\nmoves\nnew\nback\nnew\nmoves\n",
		func(g *Terminal) {
			g.Openings, g.Book, g.SaveTo = []match.Opening{sicilian, pawn}, book, saved
			g.Restart()
		})
	testkit.OK(t, err)
	for want, times := range map[string]int{"1. e4 c5\n": 3, "There is no move to take back.": 2,
		"black plays a5 (book)": 2, "1. e4 c5 2. h4 a5\n": 1, "1. d4\n": 1, "black plays ": 3} {
		if n := strings.Count(out, want); n != times {
			t.Errorf("%d of %q, want %d, in\n%s", n, want, times, out)
		}
	}
	text := string(testkit.Must(os.ReadFile(saved)))
	if !strings.Contains(text, "1. e4 c5 2. h4 {[%emt 0:00:00]} 2... a5 {[%emt 0:00:00]} *") ||
		!strings.Contains(text, "1. d4 ") {
		t.Errorf("saved: %s", text)
	}
}
