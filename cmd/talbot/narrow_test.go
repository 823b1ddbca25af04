package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// narrowTexts have what commands print: their tables, lists, charts and prose.
var narrowTexts = map[string]string{
	"stats": `30,000 games, 150,000 positions, 30,000 samples, 30,000 labelled
149,586 different positions (149,377 with colours swapped); among the samples 30,000 (30,000), the most frequent one 1 time

source             games     positions       samples      labelled
endgame           30,000       150,000        30,000        30,000

samples by result for the side to move (12,000 exact, the others from labels)
  win           ████████████████████████████████ 12,429, 41.4 %
  draw          ████████████████                 6,385, 21.3 %
  unknown                                        0, 0.0 %
`,
	"coverage": `up to 7          samples     greater         win        draw        loss     unknown    captures
pieces                       to move
KPvK               3,799       1,821       1,426       1,188       1,185           0       1,079
KRPPvKP              109          55          61           1          47           0          30
`,
	"openings": `openings                             games     share   White's score
1.e4                               137,877    42.4 %          54.2 %
1.d4 Nf6 2.c4 e6                    34,792    10.7 %          54.9 %
`,
	"diff": `a is /data/gm, b is /data/gm-labelled

manifest                                           a                           b
counts.games_read                             328546                      325495
flags.limit                                        –                 movetime 20
parents.0                                          –       gm (edf4b8598be91556)
`,
	"doctor": `talbot 0.1.0
  ok       go         go1.27.0-X:simd, linux/amd64
  absent   build      this Stockfish uses 64bit SSE2 although the processor has AVX2; an AVX2 build is faster
                      → run the task ` + "`setup:stockfish-native`" + `, which builds the source for this processor
  ok       onnx       ONNX Runtime 1.31.1, /usr/lib/talbot/libonnxruntime.so
`,
	"recipe": `probability: which of 20 likely moves players of a given rating choose, from priors and engine values
  network   2 layers of 128 units, 32,148 parameters
  data      positions with the moves played in them by rating, and values of candidates (label --candidates)
  settings  block_dropout=0.1 blocks=20 filters=128 label_smoothing=0 legal_mask=false value_weight=1
`,
	"sample": `fen      rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
history  1.e4 e5
pv       g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2
`,
	"plan": `games               6,139
shards           751.9 kB, 1.66 bytes a position; 1.9 MB with labels
train               8h15m for 786 steps, 406 MiB of memory for the loader
                  about 41m with --blocks 6 --filters 64
`,
	"bench": `talbot     batch   positions/s     in search   nodes/s   fill
               1           120           110       105   100%
              64         1,200         1,100      1050    97%
`,
	"workers": ` worker name                     engines     positions per second   jobs  again  wrong
      1 machine in the cellar         8     1,234,567      810.5    120      2      0
`,
	"ratings": `  player                         rating        95 % interval   games
  run1 with 800 visits           2345.6     2300.1 to 2391.0     400
  stockfish:nodes=100            2000.0                          400 *
`,
	"endgames": `            positions  value right  opposite  squared error  moves  keep the result  at random
       all     12,345      87.12 %    1.02 %         0.1234  1,234   91.23 % better    70.00 %
  7 pieces      6,000      85.00 %    2.00 %         0.1300    600    90.00 % worse    71.00 %
`,
	"style": `                         offers material           gives check       advances on king
         the network    2.1 (1.9 … 2.3)       7.8 (7.1 … 8.2)    12.3 (11.8 … 13.0)
   above those played  +0.4 (+0.1 … +0.7)    -0.2 (-0.6 … +0.2)    +1.1 (+0.3 … +1.9)
`,
	"error": "talbot: error: --workers must be from 1 to 1024: 5000, as `talbot label --workers 8` has it\n" +
		"talbot: hint: continue with `talbot train --run run1 --resume`, or begin another run in another folder\n",
	"wide characters": "用用用用用用用用 用用用用用用用用 用用用用用用用用 用用用用用用用用 用用用用用用用用 end\n",
}

// narrowOutlet returns an outlet that writes to w as to a terminal of that many columns.
func narrowOutlet(w io.Writer, columns int) *outlet {
	return outletTo(w, func() int { return columns })
}

// on returns what a text becomes on a terminal of that many columns.
func on(t *testing.T, columns int, print func(o *outlet)) string {
	t.Helper()
	var b strings.Builder
	o := narrowOutlet(&b, columns)
	print(o)
	if err := o.flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkFits reports lines that are too wide, and words of the text that are not there as often as they were.
func checkFits(t *testing.T, name string, columns int, text, shown string) {
	t.Helper()
	count := map[string]int{}
	for word := range strings.FieldsSeq(shown) {
		count[word]++
	}
	for word := range strings.FieldsSeq(text) {
		if count[word]--; count[word] < 0 && !strings.Contains(word, "█") {
			t.Errorf("%s, %d columns: %q is broken or missing:\n%s", name, columns, word, shown)
			return
		}
	}
	for line := range strings.SplitSeq(shown, "\n") {
		if widthOf(line) > columns && !slices.ContainsFunc(strings.Fields(line),
			func(word string) bool { return widthOf(word) > columns-2 }) { // the terminal breaks such a word
			t.Errorf("%s, %d columns: one line has %d: %q\n%s", name, columns, widthOf(line), line, shown)
			return
		}
	}
}

// What commands print fits on terminals of any width, and no word is broken; where it fits as it is, it stays so to the
// byte.
func TestNarrow(t *testing.T) {
	for name, text := range narrowTexts {
		write := func(o *outlet) { io.WriteString(o, text) }
		for _, columns := range []int{40, 60, 79, 80, 100} {
			checkFits(t, name, columns, text, on(t, columns, write))
		}
		widest := 0
		for line := range strings.SplitSeq(text, "\n") {
			widest = max(widest, widthOf(line))
		}
		for _, columns := range []int{widest, 200} {
			if shown := on(t, columns, write); shown != text {
				t.Errorf("%s changes at %d columns:\n%s", name, columns, shown)
			}
		}
	}
}

// Line by line and in pieces, as some tables are printed, nothing is lost or out of order either.
func TestNarrowInPieces(t *testing.T) {
	for name, text := range narrowTexts {
		for _, columns := range []int{40, 60, 79, 80} {
			for seed := range uint64(10) {
				rng := rand.New(rand.NewPCG(seed, 1))
				shown := on(t, columns, func(o *outlet) {
					for rest := text; rest != ""; {
						n := min(len(rest), 1+rng.IntN(40))
						io.WriteString(o, rest[:n])
						rest = rest[n:]
					}
				})
				checkFits(t, name, columns, text, shown)
			}
		}
	}
}

// The help of each command fits, and no word is broken.
func TestNarrowHelp(t *testing.T) {
	for _, cmd := range commandsOf(newRoot()) {
		var wide strings.Builder
		printHelp(&wide, cmd)
		for _, columns := range []int{40, 60, 79} {
			shown := on(t, columns, func(o *outlet) { printHelp(o, cmd) })
			checkFits(t, cmd.CommandPath(), columns, wide.String(), shown)
		}
		if shown := on(t, 80, func(o *outlet) { printHelp(o, cmd) }); shown != wide.String() {
			t.Errorf("the help of %s changes at 80 columns", cmd.CommandPath())
		}
	}
}

// How each kind of text is laid out.
func TestNarrowLayout(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"name            games   positions     samples\nendgame        30,000     150,000      30,000\n",
			"name      games  positions  samples\nendgame  30,000    150,000   30,000\n"},
		{"name            games   positions     samples    labelled\n" +
			"endgame        30,000     150,000      30,000       1,000\n",
			"name      games  positions  samples\nendgame  30,000    150,000   30,000\n\n" +
				"name     labelled\nendgame     1,000\n"},
		{"  win           ████████████████████████ 12, 75.0 %\n  draw          ████████                 4, 25.0 %\n",
			"  win           █████████████ 12, 75.0 %\n  draw          ████          4, 25.0 %\n"},
		{"  data      games, puzzles and endgames, labelled by Stockfish\n",
			"  data      games, puzzles and endgames,\n            labelled by Stockfish\n"},
		{"  player                        rating    95 % interval\n" +
			"  a network with a long name    2345.6    2300.1 to 2391.0\n",
			"player                  rating\na network with a long   2345.6\n  name\n\n" +
				"player                  95 % interval\na network with a long   2300.1 to 2391.0\n  name\n"},
		{"talbot: error: this is much too long for one row\n",
			"talbot: error: this is much too long for\n  one row\n"},
		{"next: talbot label lines --out lines-labelled --workers 8\n",
			"next: talbot label lines \\\n    --out lines-labelled --workers 8\n"},
		{"talbot: hint: continue with `talbot train --resume`\n",
			"talbot: hint: continue with\n  `talbot train --resume`\n"},
		{"wrote /a/folder/with/a/name/that/is/wider/than/the/terminal/x\n",
			"wrote /a/folder/with/a/name/that/is/wider/than/the/terminal/x\n"},
	} {
		if got := on(t, 40, func(o *outlet) { io.WriteString(o, c.text) }); got != c.want {
			t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
		}
	}
}

// A question is seen before it is answered, JSON is not touched, and what waits is written before what comes later.
func TestNarrowOrder(t *testing.T) {
	var b strings.Builder
	out, err := narrowOutlet(&b, 40), narrowOutlet(&b, 40)
	out.below, err.above = err, out
	fmt.Fprint(prompting{out}, "Continue? [y/N] ")
	if b.String() != "Continue? [y/N] " {
		t.Errorf("no question: %q", b.String())
	}
	fmt.Fprint(out, "\n", narrowTexts["bench"])
	fmt.Fprintln(err, "later")
	json := `{"a":"` + strings.Repeat("x y ", 50) + `"}` + "\n"
	fmt.Fprint(out, narrowTexts["bench"])
	fmt.Fprint(out.exact(), json)
	lines := strings.Split(b.String(), "\n")
	if i := slices.Index(lines, "later"); i < 4 || !strings.Contains(lines[i-1], "97%") {
		t.Errorf("the table is not before what follows:\n%s", b.String())
	}
	if !strings.HasSuffix(b.String(), "97%\n"+json) {
		t.Errorf("JSON is not as it was:\n%s", b.String())
	}
}
