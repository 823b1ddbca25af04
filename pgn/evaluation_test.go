package pgn

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/rows"
)

// notesOf parses one game and returns its evaluations as "ply score depth", and its clocks.
func notesOf(t *testing.T, text string) (evals []string, notes *Notes) {
	t.Helper()
	p := &Parser{ReadEvals: true, ReadClocks: true}
	if _, r := p.Parse(Game{Number: 1, Text: []byte(text)}); r != nil {
		t.Fatal(r)
	}
	for _, e := range p.Notes().Evals {
		evals = append(evals, fmt.Sprintf("%d %v %d", e.Ply, e.Score, e.Depth))
	}
	return evals, p.Notes()
}

// TestEvaluations has worked examples of each form: of which position, from whose view.
func TestEvaluations(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		unread           int
	}{
		// The position after 1. e4, Black to move; White is 0.35 ahead.
		{"lichess", "1. e4 { [%eval 0.35] [%clk 0:03:00] } 1... e5 { [%eval 0.24,18] } 2. Ke2 { [%eval #-3] } *",
			"1 cp -35 0, 2 cp 24 18, 3 mate 3 0", 0},
		// The start position, searched by White, who then played e4; then Black's search of the position after it.
		{"tcec", "1. e4 {d=33, sd=50, n=120, wv=0.60, } e5 { ev=-0.42, d=19, wv=0.42 } 2. Nf3 {book} Nc6 {wv=M5}",
			"0 cp 60 33, 1 cp -42 19, 3 mate -3 0", 0},
		{"cutechess", "1. e4 {+0.31/12 0.5s} e5 {-0.20/11 0.4s} 2. Nf3 {0.00/9 1s, White wins} Nc6 {-M4/20 1s}",
			"0 cp 31 12, 1 cp -20 11, 2 cp 0 9, 3 mate -2 20", 0},
		{"no sign", "1. e4 {0.31/12 239} e5 {5/7} 2. Nf3 {1-0/1-0} Nc6 { -0.41/24 } 3. Bb5 {M5/20} a6 {#3/9} " +
			"4. Ba4 {-#4/11 3} Nf6 {+#2/8} 5. a3 {#-3/9}",
			"0 cp 31 12, 3 cp -41 24, 4 mate 3 20, 5 mate 3 9, 6 mate -4 11, 7 mate 2 8, 8 mate -3 9", 0},
		{"ChessBase's lines", "1. e4 {0.\n60/21 826} e5 {0.61/\r\n20 103} 2. Nf3 {-\n0.3/3} Nc6 {\n-1.\n2\n5/9}",
			"0 cp 60 21, 1 cp 61 20", 0},
		{"two depths", "1. e4 {0.12/10/22 0.1s} e5 {+0.12/10/22}", "0 cp 12 10, 1 cp 12 10", 0},
		{"points and dates", "1. e4 {3.5/5} e5 {12.05/2010} 2. Nf3 {0,31/12} Nc6 {+0,31/12} 3. a3 {1.25/x} a6 {a.b/3}",
			"", 4},
		{"centipawns", "1. e4 {[%eval 31,15]}", "", 1},
		{"twice", "1. e4 {[%eval 0.31]} {[%eval 0.32]}", "1 cp -31 0", 1},
		{"variation", "1. e4 (1. d4 {[%eval 9.00]}) {[%eval 0.31]} e5", "1 cp -31 0", 0},
		{"before the first move", "{wv=0.5} {[%eval 0.20]} 1. e4 {wv=0.30}", "0 cp 20 0, 0 cp 30 0", 1},
		{"between tags", "{[%eval 0.2]}\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7", "0 cp -20 0", 0},
		{"mates", "1. e4 {wv=#5} e5 {wv=-#5} 2. Nf3 {wv=M9} Nc6 {wv=-M9}",
			"0 mate 5 0, 1 mate 5 0, 2 mate 5 0, 3 mate 5 0", 0},
		{"nothing", "1. e4 {wv=} e5 {wv=-} 2. Nf3 {[%eval ] swv=1.0} Nc6 {[%eval #0]}", "", 4},
		{"Black first", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 {wv=1.50} 2. e4 {[%eval 2.00]}",
			"0 cp -150 0, 2 cp -200 0", 0},
		{"line breaks", "1. e4 { [%eval\n0.35] } e5 {[%eval\r\n0.24,\n18\n]} " +
			"2. Nf3 {[%eval\t#-3]} Nc6 {[%eval\v0.1\f]}",
			"1 cp -35 0, 2 cp 24 18, 3 mate 3 0, 4 cp 10 0", 0},
		{"other commands", "1. e4 {[%evaluation 1.0] [%emt 0:00:01] [%eval 0.35]} e5 {[%evals 1.0]}", "1 cp -35 0", 0},
		{"cut off", "1. e4 {[%eval 0.35} e5 {[%eval]} 2. Nf3 {[%eval} Nc6 {[%eva}", "", 3},
	} {
		evals, notes := notesOf(t, c.text)
		if got := strings.Join(evals, ", "); got != c.want || notes.Unread != c.unread {
			t.Errorf("%s: %q, %d unread; want %q, %d", c.name, got, notes.Unread, c.want, c.unread)
		}
	}
}

// TestWrapped has pgn-extract write shared games with evaluations and clocks again, in lines of different lengths,
// which breaks them inside comments: no evaluation and no clock is lost or changed.
func TestWrapped(t *testing.T) {
	extract, err := exec.LookPath("pgn-extract")
	if err != nil {
		t.Skip("SKIPPED: pgn-extract is missing")
	}
	notes := func(text []byte) (all []string) {
		p := &Parser{ReadEvals: true, ReadClocks: true}
		for _, g := range splitText(t, text) {
			if _, r := p.Parse(g); r == nil {
				all = append(all, fmt.Sprint(*p.Notes()))
			}
		}
		return all
	}
	for _, file := range []string{"lichess/lichess-2021-10-g001-600.pgn.zst", "tcec/TCEC_Season_5_-_Superfinal.pgn.zst",
		"tcec/TCEC_Cup_1_Final_5.pgn", "dirty/python-chess/stockfish-learning.pgn"} {
		in, err := rows.Open(sharedData + "/pgn/" + file)
		if err != nil {
			t.Skip("SKIPPED: the shared test data are not here")
		}
		text, err := io.ReadAll(in)
		in.Close()
		if err != nil {
			t.Fatal(err)
		}
		want := notes(text)
		for _, width := range []string{"20", "33", "50", "75", "80", "120"} {
			cmd := exec.Command(extract, "-s", "-w"+width)
			cmd.Stdin = bytes.NewReader(text)
			wrapped, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := notes(wrapped); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s, width %s: the notes of %d games differ from those of %d as written", file, width,
					len(got), len(want))
			}
		}
	}
}

// TestBook leaves out what TCEC writes of moves of the book, and numbers that stand for none.
func TestBook(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
		book, sentinels  int
	}{
		{"without nodes", "1. e4 {d=1, n=0, wv=0.00} e5 {d=1, mt=00:00:00, n=0, wv=0.00} 2. Nf3 {d=20, n=9, wv=0.10} " +
			"Nc6 {d=1, n=0, wv=0.30}", "2 cp 10 20", 3, 0},
		{"nodes alone", "1. e4 {d=1, n=12, wv=0.30} e5 {d=2, n=0, wv=0.00} 2. Nf3 {n=0, wv=0.00}",
			"0 cp 30 1, 1 cp 0 2, 2 cp 0 0", 0, 0},
		{"leading run", "1. e4 {d=1, wv=0.00} e5 {book} 2. Nf3 {d=1, wv=-0.00} Nc6 {d=20, wv=0.10} 3. a3 {d=1, " +
			"wv=0.00}",
			"3 cp -10 20, 4 cp 0 1", 2, 0},
		{"depth 1 is a search", "1. e4 {d=1, wv=0.01} e5 {d=1, wv=0.00}", "0 cp 1 1, 1 cp 0 1", 0, 0},
		{"other origins", "1. e4 {0.00/1 0s} e5 {[%eval 0.0,1]}", "0 cp 0 1, 2 cp 0 1", 0, 0},
		{"sentinels", "1. e4 {d=9, wv=99.99} e5 {d=9, wv=-99.99} 2. Nf3 {d=9, wv=+777.77} Nc6 {d=1, wv=-777.77} " +
			"3. a3 {d=9, wv=99.98} a6 {d=1, wv=0.00}", "4 cp 9998 9, 5 cp 0 1", 0, 4},
	} {
		evals, notes := notesOf(t, c.text)
		if got := strings.Join(evals, ", "); got != c.want || notes.Book != c.book || notes.Sentinels != c.sentinels ||
			notes.Unread != 0 {
			t.Errorf("%s: %q, %d book, %d sentinels, %d unread; want %q, %d, %d, 0", c.name, got, notes.Book,
				notes.Sentinels, notes.Unread, c.want, c.book, c.sentinels)
		}
	}
}

// TestSelect leaves games out by their tags, before their moves are looked at.
func TestSelect(t *testing.T) {
	p := &Parser{Select: func(head *dataset.Line) dataset.Reason {
		if head.WhiteElo < 2000 {
			return dataset.LowElo
		}
		return ""
	}}
	_, r := p.Parse(Game{Number: 3, Offset: 7, Text: []byte("[WhiteElo \"1999\"]\n\n1. e5 *")})
	if r == nil || r.Reason != dataset.LowElo || r.Number != 3 || r.Offset != 7 {
		t.Errorf("%+v", r)
	}
	if l, r := p.Parse(Game{Text: []byte("[White \"A\"]\n[WhiteElo \"2000\"]\n\n1. e4 *")}); r != nil ||
		l.Tag("White") != "A" {
		t.Errorf("%+v, %v", l, r)
	}
}

// TestEvaluationsShared counts the evaluations of the shared files. Those of the TCEC corpus are what its README has,
// 2,602,079, without the 239 in its two Chess960 games; how many are of the book or stand for none (26 more do so in
// the Chess960 games) was counted by a script that knows no chess. Where a TCEC game ends in mate, the mating side's
// own search before its last move says mate in 1, if it says mate at all.
func TestEvaluationsShared(t *testing.T) {
	for file, want := range map[string]struct{ evals, book, sentinels, clocks int }{
		"corpus/tcec-evals.pgn.zst":                          {2_602_079 - 239, 19_919, 1_828, 0},
		"pgn/tcec/TCEC_Season_5_-_Superfinal.pgn.zst":        {6_622, 564, 0, 0},
		"pgn/lichess/lichess-2021-10-g001-600.pgn.zst":       {2_997, 0, 0, 40_428},
		"pgn/dirty/python-chess/cutechess-fischerrandom.pgn": {0, 0, 0, 0},
	} {
		in, err := rows.Open(sharedData + "/" + file)
		if err != nil {
			t.Skip("SKIPPED: the shared test data are not here")
		}
		evals, unread, book, sentinels, clocks, mates, odd := 0, 0, 0, 0, 0, 0, 0
		p := &Parser{ReadEvals: true, ReadClocks: true}
		err = eachGame(NewSplitter(in), func(g Game) {
			l, r := p.Parse(g)
			if r != nil {
				return
			}
			n := p.Notes()
			evals, unread = evals+len(n.Evals), unread+n.Unread
			book, sentinels = book+n.Book, sentinels+n.Sentinels
			for _, c := range l.Clocks {
				if c >= 0 {
					clocks++
				}
			}
			if k := len(n.Evals); k > 0 && n.Evals[k-1].Kind == TCECEval && n.Evals[k-1].Ply == len(l.Moves)-1 {
				end := final(&l)
				switch mate, ok := n.Evals[k-1].Score.Mate(); {
				case !ok || !end.IsCheckmate():
				case mate == 1:
					mates++
				default:
					odd++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		in.Close()
		if evals+unread+book+sentinels != want.evals || unread != 0 || clocks != want.clocks || book != want.book ||
			sentinels != want.sentinels {
			t.Errorf("%s: %d evaluations, %d unread, %d book, %d sentinels, %d clocks; want %+v", file, evals, unread,
				book, sentinels, clocks, want)
		}
		if odd > mates/100 {
			t.Errorf("%s: before the mating move, %d evaluations say mate in 1 and %d do not", file, mates, odd)
		}
		t.Logf("%s: %d evaluations, %d clocks, %d of %d mating moves known", file, evals, clocks, mates, mates+odd)
	}
}

// FuzzComment checks that no comment breaks the reading of evaluations and clocks.
func FuzzComment(f *testing.F) {
	for _, s := range []string{"[%eval 0.35] [%clk 0:03:00]", "d=33, n=5, wv=-M3", "+0.31/12 0.5s", "0.00/9,",
		"wv=wv=1", "[%eval\n0.35,\r\n18] [%clk\n0:03:\n00]"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, white bool) {
		turn := board.Black
		if white {
			turn = board.White
		}
		e, found, ok := evalOf(text, 7, turn)
		n, mate := e.Score.Mate()
		if ok && !found || ok && (!e.Score.Valid() || mate && n == 0 || e.Depth < 0 || e.Depth > 1<<16-1 ||
			e.Nodes < 0 || e.Ply < 6 || e.Ply > 7) {
			t.Fatalf("%+v, %v, %v", e, found, ok)
		}
		if s, ok := clockOf(text); ok && s < 0 {
			t.Fatal(s)
		}
	})
}
