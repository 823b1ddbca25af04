package chart

import (
	"strings"
	"testing"

	"talbot/board"
)

func TestPlain(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for text, want := range map[string]string{"Übel, שלום": "Übel, שלום", "a\u202eb\x00": `a\u202eb\x00`, "<b>": "<b>",
		"\xff": `\xff`, long: strings.Repeat("é", longest) + "…"} {
		if got := Plain(text); got != want {
			t.Errorf("%.20q is %.200q", text, got)
		}
	}
	if got := Plain(Name(long) + " – " + Name(long)); strings.Count(got, "…") != 2 {
		t.Errorf("of two names %.200q is left", got)
	}
}

// Every man stands on its square, the side to move below, and an arrow goes from square to square.
func TestBoard(t *testing.T) {
	for _, c := range []struct {
		fen           string
		kingX, kingY  int // of White's king on e1
		queenX, queen int // of Black's queen on d8
		files, ranks  string
		number        string
	}{
		{"3qk3/8/8/8/8/8/8/4K3 w - - 0 7", 4 * side, 7 * side, 3 * side, 0, "abcdefgh", "12345678", "7."},
		{"3qk3/8/8/8/8/8/8/4K3 b - - 0 7", 3 * side, 0, 4 * side, 7 * side, "abcdefgh", "12345678", "7…"},
	} {
		p, err := board.ParseFEN(c.fen)
		if err != nil {
			t.Fatal(err)
		}
		b := NewBoard(&p)
		found := map[boardPiece]bool{}
		for _, m := range b.Men {
			found[m] = true
		}
		if len(b.Men) != 3 || !found[boardPiece{"k", true, c.kingX, c.kingY}] ||
			!found[boardPiece{"q", false, c.queenX, c.queen}] {
			t.Errorf("%s: men %+v", c.fen, b.Men)
		}
		files, ranks := "", ""
		for i := range b.Files {
			files, ranks = files+b.Files[i].Text, ranks+b.Ranks[i].Text
		}
		if files != c.files || ranks != c.ranks || b.Number != c.number || b.FEN != c.fen {
			t.Errorf("%s: %s, %s, %s", b.FEN, files, ranks, b.Number)
		}
		b.Arrow("target", board.NewMove(4, 12)) // e1e2
		if a := b.Arrows[0]; a.X1 != a.X2 || (a.Y1 > a.Y2) != (p.Turn() == board.White) {
			t.Errorf("%s: arrow %+v", c.fen, a)
		}
	}
}
