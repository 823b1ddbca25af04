package match

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
)

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	testkit.OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// TestReadOpenings: games give their first moves, positions themselves; what leads to the same position counts once,
// and nothing is left out silently.
func TestReadOpenings(t *testing.T) {
	games := writeFile(t, "o.pgn", `[Event "?"]

1. e4 e5 2. Nf3 Nc6 *

[Event "transposes"]

1. Nf3 Nc6 2. e4 e5 *

[Event "over"]

1. f3 e5 2. g4 Qh4# 0-1

[Event "illegal"]

1. e4 e5 2. Ke3 *

[Event "from a position"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 3 20"]
[SetUp "1"]

20. e4 Kd7 *
`)
	o, err := ReadOpenings(games, 0)
	testkit.OK(t, err)
	if len(o.List) != 2 || o.Copies != 1 || o.Ended != 1 || o.Unreadable != 1 || len(o.List[0].Moves) != 4 ||
		o.List[1].Start == board.StartPosition() {
		t.Errorf("%+v", o)
	}
	if o, err = ReadOpenings(games, 2); err != nil || len(o.List) != 4 || len(o.List[0].Moves) != 2 {
		t.Errorf("two plies: %+v, %v", o, err)
	}
	positions := writeFile(t, "o.epd", `# remark
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -
rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 4 7
4k3/8/8/8/8/8/4P3/4K3 b - - hmvc 0; id "pawn";
7k/5Q2/6K1/8/8/8/8/8 b - - 0 1
7k/6Q1/6K1/8/8/8/8/8 b - - 0 1
8/8/8/8/8/8/8/8 w - - 0 1
`)
	if o, err = ReadOpenings(positions, 0); err != nil || len(o.List) != 2 || o.Copies != 1 || o.Ended != 2 ||
		o.Unreadable != 1 {
		t.Errorf("positions: %+v, %v", o, err)
	}
	if got, want := o.LeftOut(), "1 lead where an earlier one leads, 2 end the game, 1 cannot be read (the first: "+
		"bad_fen: number 6 "; !strings.HasPrefix(got, want) {
		t.Errorf("left out: %s, want %s…", got, want)
	}
	for name, text := range map[string]string{"empty": "", "a table": "FEN,Evaluation\nx,y\n",
		"prose": "once upon a time", "games that are over": "1. f3 e5 2. g4 Qh4# 0-1\n"} {
		_, err := ReadOpenings(writeFile(t, "o", text), 0)
		if err == nil || strings.HasSuffix(name, "over") && !strings.HasSuffix(err.Error(), "used: 1 end the game") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadOpenings(filepath.Join(t.TempDir(), "missing"), 0); !os.IsNotExist(unwrapAll(err)) {
		t.Errorf("missing: %v", err)
	}
}

func unwrapAll(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok || os.IsNotExist(err) {
			return err
		}
		err = u.Unwrap()
	}
}

// TestBook: there are enough of talbot's own openings, all different, begun with every first move, from which nobody is
// in check and both sides can move.
func TestBook(t *testing.T) {
	o := testkit.Must(Book())
	if len(o.List) < 5000 || o.Copies+o.Ended+o.Unreadable > 0 || len(book) > 200_000 {
		t.Errorf("%d openings in %d bytes, %d copies, %d over", len(o.List), len(book), o.Copies, o.Ended)
	}
	first := map[board.Move]int{}
	for _, opening := range o.List {
		first[opening.Moves[0]]++
		p := opening.Start
		for _, m := range opening.Moves {
			p.Play(m)
		}
		if p.InCheck() || len(opening.Moves) != 8 || p.Turn() != board.White {
			t.Fatalf("%v", opening.Moves)
		}
	}
	if len(first) != 20 {
		t.Errorf("%d first moves", len(first))
	}
	for m, n := range first {
		if n > len(o.List)/5 {
			t.Errorf("%d of %d openings begin with %v", n, len(o.List), m)
		}
	}
}

// TestShuffle: the order is the seed's, and nothing is lost.
func TestShuffle(t *testing.T) {
	text := func(seed uint64) string {
		o := testOpenings(100)
		o.Shuffle(seed)
		var b strings.Builder
		o.hash(&b)
		return b.String()
	}
	lines := func(s string) []string { all := strings.Split(s, "\n"); slices.Sort(all); return all }
	first := text(1)
	if first != text(1) || first == text(2) || !slices.Equal(lines(first), lines(text(2))) {
		t.Error("not an order by the seed")
	}
}

// TestECO: every code of the encyclopaedia has an opening, a part of one has those of all, and what only looks like a
// code is a file.
func TestECO(t *testing.T) {
	all := 0
	for volume := 'A'; volume <= 'E'; volume++ {
		list := testkit.Must(ReadOpenings(string(volume), 0)).List
		if all += len(list); len(list) < 100 {
			t.Errorf("%c has %d openings", volume, len(list))
		}
	}
	for i := 0; i < 500; i += 7 {
		code := fmt.Sprintf("%c%02d", 'A'+i/100, i%100)
		if o := testkit.Must(ReadOpenings(code, 0)); len(o.List) == 0 || o.Unreadable+o.Ended > 0 {
			t.Errorf("%s: %d openings, %s", code, len(o.List), o.LeftOut())
		}
	}
	najdorf := board.StartPosition()
	testkit.Must((&najdorf).PlayUCI(strings.Fields("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6")...))
	for _, o := range testkit.Must(ReadOpenings("B90", 0)).List {
		if g := board.NewGame(o.Start, o.Moves[:10]...); *g.Position() != najdorf {
			t.Errorf("B90: %v", o.Moves)
		}
	}
	if all < 3000 {
		t.Errorf("%d openings", all)
	}
	for _, path := range []string{"B900", "F00", "./B90", "b90"} {
		if _, err := ReadOpenings(path, 0); err == nil {
			t.Errorf("%s is read", path)
		}
	}
}
