package pgn

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// chunkReader hands out at most n bytes a read.
type chunkReader struct {
	r io.Reader
	n int
}

func (c chunkReader) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }

// splitAll returns every game of r, with texts of their own, and the error that ended it (nil at the end).
func splitAll(s *Splitter) ([]Game, error) {
	var games []Game
	err := eachGame(s, func(g Game) {
		g.Text, g.Next = bytes.Clone(g.Text), bytes.Clone(g.Next)
		games = append(games, g)
	})
	return games, err
}

// eachGame calls f with every game of s, whose text is valid until f returns.
func eachGame(s *Splitter, f func(Game)) error {
	for {
		b, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for _, g := range b.Games {
			f(g)
		}
		b.Release()
	}
}

func splitText[T string | []byte](t testing.TB, text T) []Game {
	t.Helper()
	return splitChunks(t, text, len(text)+1)
}

// splitChunks reads at most n bytes at a time.
func splitChunks[T string | []byte](t testing.TB, text T, n int) []Game {
	t.Helper()
	games, err := splitAll(NewSplitter(chunkReader{strings.NewReader(string(text)), n}))
	if err != nil {
		t.Fatal(err)
	}
	return games
}

// splitCases are inputs with “¦” before the first byte of every game but none elsewhere.
var splitCases = map[string]string{
	"empty": "",
	"blank": " \n\r\n\t\x00\x1a",
	"one":   "¦[Event \"a\"]\n\n1. e4 *\n",
	"two": "¦[Event \"a\"]\n[Site \"b\"]\n\n1. e4 *\n\n¦[Event \"a\"]\n[Site " +
		"\"b\"]\n\n1. e4 *\n",
	"no blank line between":   "¦[Event \"a\"]\n\n1. e4 *\n¦[Event \"b\"]\n\n1. e4 *",
	"no blank line at all":    "¦[Event \"a\"]\n1. e4 *\n¦[Event \"b\"]\n1. e4 *",
	"two blank lines":         "¦[Event \"a\"]\n\n\n1. e4 *\n\n\n¦[Event \"b\"]\n\n\n1. e4 *\n\n\n\n",
	"CRLF":                    "¦[Event \"a\"]\r\n\r\n1. e4 *\r\n\r\n¦[Event \"b\"]\r\n\r\n1. e4 *\r\n",
	"CR":                      "¦[Event \"a\"]\r\r1. e4\r1... e5 *\r\r¦[Event \"b\"]\r\r1. e4 *\r",
	"mixed ends":              "¦[Event \"a\"]\r\n\n1. e4\r1... e5 *\n\r¦[Event \"b\"]\n\r\n1. e4 *\r",
	"mark":                    "\ufeff¦[Event \"a\"]\n\n1. e4 *\n\ufeff¦[Event \"b\"]\n\n1. e4 *",
	"mark on a blank line":    "¦[Event \"a\"]\n\n1. e4 *\n\ufeff\n¦[Event \"b\"]\n\n1. e4 *",
	"blank line in the tags":  "¦[Event \"a\"]\n\n[Site \"b\"]\n[White \"w\"]\n\n1. e4 *\n",
	"blank lines with blanks": "¦[Event \"a\"]\n \t\n1. e4 *\n  \n¦[Event \"b\"]\n\x00\n1. e4 *\n",
	"indented":                "  ¦[Event \"a\"]\n  [Site \"b\"]\n\n  1. e4 *\n\n  ¦[Event \"b\"]\n\n1. e4 *\n",
	"tags only": "¦[Event \"a\"]\n[Round \"1\"]\n\n¦[Event \"b\"]\n[Round \"2\"]\n\n¦[Event " +
		"\"c\"]\n\n*\n",
	"tags only, no Event": "¦[Event \"a\"]\n[Round \"1\"]\n[White \"w\"]\n\n¦[Round \"2\"]\n[White " +
		"\"w\"]\n\n¦[Round \"3\"]\n\n1. e4",
	"tags only, no blank line":     "¦[Event \"a\"]\n[Round \"1\"]\n¦[Event \"b\"]\n[Round \"2\"]\n\n1. e4",
	"repeated tag":                 "¦[Event \"a\"]\n[Site \"a\"]\n[Site \"b\"]\n\n1. e4",
	"Event not first":              "¦[Site \"a\"]\n[Event \"b\"]\n\n1. e4\n\n¦[Site \"a\"]\n[Event \"b\"]\n\n1. e4",
	"no Event":                     "¦[Variant \"x\"]\n\n1. e4 *\n\n¦[Variant \"x\"]\n\n1. e4 *\n",
	"comment line start":           "¦[Event \"a\"]\n\n1. e4 {\n[Event \"x\"]\n} e5 *\n\n¦[Event \"b\"]\n\n1. e4",
	"comment with clock":           "¦[Event \"a\"]\n\n1. e4 {\n\n[%clk 0:01]\n} e5 *\n\n¦[Event \"b\"]\n\n1. e4",
	"comment not closed":           "¦[Event \"a\"]\n\n1. e4 { e5\n2. Nf3 *\n\n¦[Event \"b\"]\n\n1. e4",
	"comment not closed, no Event": "¦[Event \"a\"]\n\n1. e4 { e5\n2. Nf3 *\n\n¦[White \"b\"]\n\n1. e4",
	"comment with empty lines":     "¦[Event \"a\"]\n\n1. e4 { a\n\n1. d4\n\nb } e5 *\n\n¦[Event \"b\"]\n\n1. e4",
	"semicolon after the result":   "¦[Event \"a\"]\n\n1. e4 *\n; { Game 1\n; over }\n\n\n¦[Event \"b\"]\n\n1. e4",
	"semicolon with open brace":    "¦[Event \"a\"]\n\n1. e4 ; {\n1... e5 *\n¦[Event \"b\"]\n\n1. e4",
	"semicolon inside a brace":     "¦[Event \"a\"]\n\n1. e4 { ; }\n1... e5 *\n¦[Event \"b\"]\n\n1. e4",
	"escape line with brace":       "¦[Event \"a\"]\n\n1. e4\n% {\n1... e5 *\n¦[Event \"b\"]\n\n1. e4",
	"percent with brace":           "¦[Event \"a\"]\n\n1. e4 {50 %} e5 {\n[Site \"x\"]\n} *\n¦[Event \"b\"]\n\n1. e4",
	"escape lines first":           "% made by hand\n%\n¦[Event \"a\"]\n% here too\n[Site \"b\"]\n\n1. e4",
	"comments first":               "; my games\n\n¦[Event \"a\"]\n\n1. e4",
	"only comments":                "{ nothing }\n; at all\n",
	"brace comment as a game":      "{ my games }\n\n¦[Event \"a\"]\n\n1. e4",
	"comment between tags": "¦[Event \"a\"]\n{ hm }\n[Site \"b\"]\n; hm\n[White \"b\"]\n\n1. " +
		"e4\n\n¦[Event \"a\"]\n\n*",
	"bare":                      "¦1. e4 e5\n2. Nf3",
	"bare games":                "¦1. e4 e5\n2. Nf3\n10. Nc3\n\n¦1. d4 d5 1-0\n\n¦1.c4 *\n",
	"bare games, a line each":   "¦1. e4 e5 1-0\n¦1. d4 d5 1/2-1/2\n¦1. c4 *\n",
	"bare game, Black's number": "¦1. e4 { long }\n\n1... e5\n\n2. Nf3\n",
	"bare then tags":            "¦1. e4 e5\n\n¦[Event \"b\"]\n\n1. e4\n",
	"result glued to a tag":     "¦[Event \"a\"]\n\n1. e4 1-0¦[Event \"b\"]\n[Site \"s\"]\n\n1. e4 *\n",
	"everything on one line": "¦[Event \"a\"] [Site \"s\"] 1. e4 1-0 ¦[Event \"b\"] 1. e4 * ¦[Event " +
		"\"c\"][Site \"x\"]1. d4 0-1",
	"Event in a comment on one line": "¦[Event \"a\"] 1. e4 {1-0 [Event \"b\"]} 1... e5 *",
	"tag and moves on one line":      "¦[Event \"a\"] 1. e4 e5\n¦[Event \"b\"] 1. e4 e5\n",
	"broken tag":                     "¦[Event \"a\"]\n[Site]\n[White \"w\n[Black \"b\"]\n\n1. e4",
	"brackets in a value":            "¦[Event \"a [b] c\"]\n[Site \"[Event \\\"x\\\"]\"]\n\n1. e4",
	"SAN, a line each":               "¦e4 e5 Nf3 1-0\n¦d4 d5 c4 0-1\n¦c4 c5 1/2-1/2\n",
	"UCI, blank lines between":       "¦e2e4 e7e5 1-0\n\n¦d2d4 d7d5 0-1\n\n¦c2c4 *\n",
	"half a point":                   "¦1. e4 e5 1/2\n¦1. d4 d5 ½-½\n¦1. c4 \xbd\n¦1. a4",
	"a comment behind the result":    "¦1. e4 e5 1-0 {resigned}\n¦1. d4 d5 0-1 (2. c4) $1 ; over\n\n¦1. c4 1-0 {}",
	"all on one line":                "¦1. e4 e5 1-0 ¦1. d4 d5 0-1 {x} ¦e4 e5 * ¦c4",
	"tags on one line, no Event": "¦[White \"a\"] 1. e4 1-0 ¦[White \"b\"] [Black \"c\"] 1. d4 0-1 ¦[White " +
		"\"d\"]1. c4",
	"tags on one line, no result":  "¦[White \"a\"] 1. e4 e5 ¦[White \"b\"] 1. d4 d5",
	"no results, numbers":          "¦1. e4 e5\n2. Nf3 ¦1. d4 d5\n¦1. c4 c5\n2. Nf3",
	"no results, blank lines":      "¦e4 e5\nNf3\n\n¦d4 d5\n\n\n¦c4",
	"no results, lines":            "¦e4 e5 Nf3\nd4 d5 c4\n",
	"another number":               "¦1. e4 e5 1-0 2. Nf3 Nc6 0-1 ¦1. d4 d5",
	"Black's number":               "¦1. e4 1-0 1... e5\n",
	"prose":                        "¦1. e4 e5 1-0 White resigned in 1995. Well played\n¦d4 d5",
	"prose and moves":              "¦1. e4 e5 1-0 ¦rather d4 d5 1-0",
	"a word with a square":         "¦1. e4 e5 1-0 Round1 game1 N1 2nd\n",
	"open brace before a game":     "¦1. e4 {x e5 1-0\n¦1. d4 {y} d5 0-1\n¦1. c4",
	"open brace to the end":        "¦e4 {x e5 1-0\n¦d4 d5 0-1\n¦c4",
	"open parenthesis":             "¦1. e4 (1. d4 e5 1-0\n¦1. d4 (1. c4) d5 0-1\n¦1. c4",
	"open brace behind a result":   "¦e4 e5 1-0 ¦{x\n¦d4 d5 0-1\n¦c4 {y} c5",
	"semicolon on a line of games": "¦e4 1-0 ¦d4 ; d5 0-1 ¦c4 * ¦a4",
	"games in a semicolon":         "¦1. e4 1-0 ; 1. d4 d5\n¦1. c4",
	"result in a variation":        "¦1. e4 (1. d4 1-0) e5 (1... c5 1-0 Tal) 2. Nf3 (2. f4 {1-0} e4) *\n",
	"junk between":                 "¦[Event \"a\"]\n\n1. e4 *\n\nsome text\n\n¦[Event \"b\"]\n\n1. e4",
}

func TestSplit(t *testing.T) {
	for name, marked := range splitCases {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(marked, "¦", "")
			var want []Game
			parts := strings.Split(marked, "¦")
			offset := int64(len(parts[0]))
			for i, part := range parts[1:] {
				want = append(want, Game{Number: int64(i + 1), Offset: offset, Text: []byte(part)})
				offset += int64(len(part))
			}
			for _, chunk := range []int{1, 2, 3, 7, 4096} {
				compareGames(t, fmt.Sprintf("chunks of %d", chunk), splitChunks(t, text, chunk), want)
			}
		})
	}
}

// compareGames compares places and texts, but for blanks and marks at the end of a text.
func compareGames(t *testing.T, what string, got, want []Game) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d games, want %d: %+v", what, len(got), len(want), got)
	}
	trim := func(text []byte) string { return strings.TrimRight(string(text), " \t\r\n\x00\x1a\ufeff") }
	for i := range want {
		g, w := got[i], want[i]
		if g.Number != w.Number || g.Offset != w.Offset || g.TooLong != w.TooLong || trim(g.Text) != trim(w.Text) {
			t.Fatalf("%s: game %d: got %d at %d %q, want %d at %d %q", what, i, g.Number, g.Offset, g.Text, w.Number,
				w.Offset, w.Text)
		}
	}
}

// TestSplitTooLong puts overlong games, of long lines and of many lines, between good ones.
func TestSplitTooLong(t *testing.T) {
	const limit = 5000
	good := "[Event \"g\"]\n\n1. e4 *\n\n"
	for name, long := range map[string]string{
		"one line":       "[Event \"l\"]\n\n" + strings.Repeat("1. e4 ", 3000) + "*\n\n",
		"many lines":     "[Event \"l\"]\n\n" + strings.Repeat("1. e4\n", 3000) + "*\n\n",
		"comment":        "[Event \"l\"]\n\n1. e4 {" + strings.Repeat("[Event \"x\"]\n", 3000) + "} *\n",
		"comment line":   "[Event \"l\"]\n\n1. e4 {" + strings.Repeat("x ", 30000) + "} *\n",
		"open comment":   "[Event \"l\"]\n\n1. e4 {" + strings.Repeat("x\n", 30000) + "\n",
		"tags":           "[Event \"l\"]\n" + strings.Repeat("[Site \"x\"]\n", 3000) + "\n*\n\n",
		"tag line":       "[Event \"l\"]\n[Site \"" + strings.Repeat("x", 30000) + "\"]\n\n1. e4 *\n\n",
		"first tag":      "[Event \"" + strings.Repeat("x", 30000) + "\"]\n\n1. e4 *\n\n",
		"blanks":         "[Event \"l\"]\n\n1. e4 " + strings.Repeat(" ", 30000) + "\n*\n\n",
		"blank lines":    "[Event \"l\"]\n\n1. e4 " + strings.Repeat("\n", 30000) + "\n*\n\n",
		"just over":      pad("[Event \"l\"]\n\n1. e4 \n\n", limit+1),
		"just fits":      pad("[Event \"s\"]\n\n1. e4 \n\n", limit),
		"semicolon":      "[Event \"l\"]\n\n1. e4 ;" + strings.Repeat("{", 30000) + "\n1... e5 *\n",
		"without a name": "",
	} {
		t.Run(name, func(t *testing.T) {
			text := good + long + good + good
			for _, chunk := range []int{1, 7, 512, 4096, 1 << 20} {
				s := NewSplitter(chunkReader{strings.NewReader(text), chunk})
				s.maxGame, s.chunk = limit, min(chunk, 4096)
				got, err := splitAll(s)
				if err != nil {
					t.Fatal(err)
				}
				want := []Game{{Number: 1, Text: []byte(good)}}
				next := int64(len(good) + len(long))
				if long != "" {
					want = append(want, Game{Number: 2, Offset: int64(len(good)), TooLong: true})
					if strings.Contains(long, "\"s\"") {
						want[1].Text, want[1].TooLong = []byte(long), false
					}
				}
				n := int64(len(want))
				want = append(want, Game{Number: n + 1, Offset: next, Text: []byte(good)},
					Game{Number: n + 2, Offset: next + int64(len(good)), Text: []byte(good)})
				compareGames(t, fmt.Sprintf("chunks of %d", chunk), got, want)
				if len(s.buf) > 3*batchSize {
					t.Errorf("the buffer has grown to %d bytes", len(s.buf))
				}
			}
		})
	}
}

// pad lengthens the movetext of a game to n bytes in all.
func pad(game string, n int) string {
	return strings.Replace(game, "1. e4 ", "1. e4 "+strings.Repeat(" ", n-len(game)), 1)
}

func TestSplitReadError(t *testing.T) {
	broken := errors.New("disk is gone")
	text := "[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. e4 e5 2."
	for _, r := range []io.Reader{
		io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)),
		iotest.DataErrReader(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))),
	} {
		s := NewSplitter(r)
		games, err := splitAll(s)
		if len(games) != 1 || games[0].Number != 1 {
			t.Errorf("%d games before the error, want 1", len(games))
		}
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), fmt.Sprintf("byte %d", len(text))) {
			t.Errorf("got error %v, want the reader's with the byte", err)
		}
		if _, again := s.Next(); !errors.Is(again, broken) {
			t.Errorf("the error is not repeated: %v", again)
		}
	}
	if _, err := splitAll(NewSplitter(emptyReader{})); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that never reads: %v", err)
	}
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }
