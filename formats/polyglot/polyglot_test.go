package polyglot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/pgn"
)

// game plays UCI moves from a position.
func game(t testing.TB, fen, moves string) *board.Game {
	t.Helper()
	start := testkit.Must(board.ParseFEN(fen))
	p := start
	played := testkit.Must(p.PlayUCI(strings.Fields(moves)...))
	return board.NewGame(start, played...)
}

// TestKey compares with the keys that the description of the format has, and with python-chess's where a pawn that
// could take en passant is pinned, or none stands there.
func TestKey(t *testing.T) {
	for _, c := range []struct {
		fen, moves string
		want       uint64
	}{
		{board.StartFEN, "", 0x463b96181691fc9c},
		{board.StartFEN, "e2e4", 0x823c9b50fd114196},
		{board.StartFEN, "e2e4 d7d5", 0x0756b94461c50fb0},
		{board.StartFEN, "e2e4 d7d5 e4e5", 0x662fafb965db29d4},
		{board.StartFEN, "e2e4 d7d5 e4e5 f7f5", 0x22a48b5a8e47ff78},
		{board.StartFEN, "e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a607ca3f242c1},
		{board.StartFEN, "e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fdd303c946bdd9},
		{board.StartFEN, "a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c8123ea7b067637},
		{board.StartFEN, "a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f9b829b279560},
		{"k3r3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", 0xfc93a44181d50f4e},
	} {
		if got := Key(game(t, c.fen, c.moves)); got != c.want {
			t.Errorf("%s %s: %016x, want %016x", c.fen, c.moves, got, c.want)
		}
	}
}

// reader prints, for each position of the games of a PGN file before a move, its key, python-chess's entries in a book
// and the one that it chooses; and at last what it would itself have counted other than the book has it.
const reader = `
import chess.pgn, chess.polyglot, collections, sys
count = collections.Counter()
def raw(board, m):
    to = m.to_square
    if board.is_castling(m):
        to = chess.square(7 if board.is_kingside_castling(m) else 0, chess.square_rank(to))
    return to | m.from_square << 6 | ((m.promotion - 1) << 12 if m.promotion else 0)
with chess.polyglot.open_reader(sys.argv[2]) as book, open(sys.argv[1], encoding="latin-1") as games:
    while count.total() < int(sys.argv[3]) and (g := chess.pgn.read_game(games)):
        b = g.board()
        for m in g.mainline_moves():
            key = chess.polyglot.zobrist_hash(b)
            count[key, raw(b, m)] += 1
            print("%016x" % key, *(f"{e.move.uci()}={e.weight}" for e in book.find_all(b, minimum_weight=0)), end=" ")
            print(book.find(b).move.uci())
            b.push(m)
    wrong = {k: n for k, n in count.items()}
    for e in book:
        if wrong.pop((e.key, e.raw_move), None) != e.weight:
            print("differs", e)
    print("end", len(book), len(wrong))
`

// TestBesidePythonChess makes a book of real games, in which python-chess must find the same entries and choose the
// same move in each position, and which must hold what it counts itself: of 50 games, and with TALBOT_FULL of 1,189.
func TestBesidePythonChess(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import chess.polyglot, chess.pgn").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 has no python-chess: %v: %.200s", err, out)
	}
	enough := 4000 // positions
	if os.Getenv("TALBOT_FULL") != "" {
		enough = math.MaxInt32
	}
	path := shareddata.Path(t, "pgn/gm/tal-wins.pgn")
	in := testkit.Must(os.Open(path))
	defer in.Close()
	var games []*board.Game
	var moves [][]board.Move
	var builder Builder
	counted := 0
	for s, p := pgn.NewSplitter(in), new(pgn.Parser); ; {
		batch, err := s.Next()
		if err != nil {
			break
		}
		for _, text := range batch.Games {
			if counted >= enough {
				break
			}
			l, reject := p.Parse(text)
			if reject != nil {
				t.Fatal(reject)
			}
			g := board.NewGame(l.Start)
			for _, m := range l.Moves {
				testkit.OK(t, builder.Add(g, m, 1))
				g.Push(m)
			}
			counted += len(l.Moves)
			games, moves = append(games, g), append(moves, slices.Clone(l.Moves))
		}
		batch.Release()
	}
	var out bytes.Buffer
	testkit.OK(t, builder.Write(&out))
	file := testkit.WriteFile(t, filepath.Join(t.TempDir(), "book.bin"), out.Bytes())
	book := testkit.Must(Open(file))
	defer book.Close()
	answer, err := exec.Command("python3", "-c", reader, path, file, fmt.Sprint(enough)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	lines := strings.Split(strings.TrimSpace(string(answer)), "\n")
	positions := 0
	for i, g := range games {
		for g.Rewind(0); g.Ply() < len(moves[i]); g.Push(moves[i][g.Ply()]) {
			var b strings.Builder
			fmt.Fprintf(&b, "%016x", Key(g))
			for _, e := range testkit.Must(book.Entries(g)) {
				fmt.Fprintf(&b, " %v=%d", e.Move, e.Weight)
			}
			fmt.Fprintf(&b, " %v", testkit.Must(book.Choose(g, 0, true)))
			if b.String() != lines[positions] {
				t.Fatalf("%s: %q, python-chess has %q", g.Position().FEN(), b.String(), lines[positions])
			}
			positions++
		}
	}
	if want := fmt.Sprintf("end %d 0", out.Len()/entrySize); !slices.Equal(lines[positions:], []string{want}) {
		t.Errorf("%q, want %q", lines[positions:], want)
	}
	t.Logf("%d positions of %d games, %d entries", positions, len(games), out.Len()/entrySize)
	if positions < min(enough, 90_000) {
		t.Errorf("only %d positions", positions)
	}
}

// entry is an entry of a file.
func entry(key uint64, raw, weight uint16) []byte {
	b := binary.BigEndian.AppendUint64(nil, key)
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, raw), weight)
	return append(b, 1, 2, 3, 4)
}

func write(t testing.TB, entries ...[]byte) string {
	return testkit.WriteFile(t, filepath.Join(t.TempDir(), "book.bin"), bytes.Join(entries, nil))
}

// TestOpen: what is no book is refused, with its name and place.
func TestOpen(t *testing.T) {
	one := entry(7, 0, 1)
	many := slices.Repeat([][]byte{one}, board.MaxMoves)
	for name, c := range map[string]struct {
		path string
		want string // of the error; "": none
	}{
		"none":         {filepath.Join(t.TempDir(), "none.bin"), "no such file"},
		"folder":       {t.TempDir(), "not a regular file"},
		"empty":        {write(t), "empty"},
		"one entry":    {write(t, one), ""},
		"cut":          {write(t, one, one[:5]), "5 bytes follow the last entry, at byte 16"},
		"text":         {write(t, []byte("1. e4 e5 *")), "10 bytes follow"},
		"descending":   {write(t, one, entry(8, 0, 1), entry(6, 0, 1)), "byte 32: the keys do not ascend"},
		"most moves":   {write(t, many...), ""},
		"too many":     {write(t, append(many, one)...), "byte 4096: more than 256"},
		"greatest key": {write(t, one, entry(1<<64-1, 0, 1)), ""},
	} {
		b, err := Open(c.path)
		text := fmt.Sprint(err)
		if (err == nil) != (c.want == "") ||
			err != nil && (!strings.Contains(text, c.want) || !strings.Contains(text, filepath.Base(c.path))) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err == nil {
			testkit.OK(t, b.Close())
		}
	}
}

// TestMoves writes and reads each legal move of positions that have castling, promotions and en passant, and leaves out
// what is not legal.
func TestMoves(t *testing.T) {
	const rights = "r3k2r/P6P/8/8/8/8/p7/R3K2R w KQkq - 0 1"
	total := 0
	for _, c := range [][2]string{
		{rights, ""}, {rights, "e1g1"}, {rights, "h1h2"}, {"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", ""},
		{"4k3/8/8/8/8/8/8/R3K1R1 w Q - 0 1", ""}, {board.StartFEN, "e2e4 d7d5 e4e5 f7f5"},
	} {
		g := game(t, c[0], c[1])
		var b Builder
		legal := g.Position().LegalMoves(nil)
		for i, m := range legal {
			testkit.OK(t, b.Add(g, m, float64(i+1)))
		}
		var out bytes.Buffer
		testkit.OK(t, b.Write(&out))
		book := testkit.Must(Open(write(t, out.Bytes())))
		list := testkit.Must(book.Entries(g))
		testkit.OK(t, book.Close())
		for i, e := range list {
			if want := legal[len(legal)-1-i]; e.Move != want || int(e.Weight) != len(legal)-i {
				t.Errorf("%v: entry %d is %v, want %v", c, i, e, want)
			}
		}
		if total += len(list); len(list) != len(legal) {
			t.Errorf("%v: %d of %d moves", c, len(list), len(legal))
		}
	}
	if total < 100 {
		t.Errorf("only %d moves", total)
	}
	square := func(name string) uint16 { s, _ := board.ParseSquare(name); return uint16(s) }
	g := game(t, rights, "")
	key := Key(g)
	for name, c := range map[string]struct {
		from, to string
		promote  uint16
		want     string
	}{
		"castling as others write it": {"e1", "g1", 0, "e1g1"},
		"king takes rook":             {"e1", "a1", 0, "e1c1"},
		"no promotion":                {"a7", "a8", 0, ""},
		"rook captures":               {"a1", "a2", 0, "a1a2"},
		"a king":                      {"h7", "g8", 5, ""},
		"beyond":                      {"h7", "g8", 15, ""},
		"not a pawn's":                {"e1", "e2", 4, ""},
		"own rook":                    {"h1", "e1", 0, ""},
	} {
		book := testkit.Must(Open(write(t, entry(key, square(c.to)|square(c.from)<<6|c.promote<<12, 9))))
		list := testkit.Must(book.Entries(g))
		testkit.OK(t, book.Close())
		got := ""
		for _, e := range list {
			got += e.Move.String()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestWeights: counts are kept where they fit, and scaled by position where not.
func TestWeights(t *testing.T) {
	for _, c := range []struct{ times, want []float64 }{
		{[]float64{3, 2, 1}, []float64{3, 2, 1}},
		{[]float64{65535, 1}, []float64{65535, 1}},
		{[]float64{131070, 65536, 1}, []float64{65535, 32768, 1}},
		{[]float64{0.5, 0.25, 1e-9}, []float64{65535, 32768, 1}},
		{[]float64{1e12, 1e12}, []float64{65535, 65535}},
	} {
		g := board.NewGame(board.StartPosition())
		legal := g.Position().LegalMoves(nil)
		var b Builder
		for i, n := range c.times {
			testkit.OK(t, b.Add(g, legal[i], n/2))
			testkit.OK(t, b.Add(g, legal[i], n/2))
		}
		var out bytes.Buffer
		testkit.OK(t, b.Write(&out))
		book := testkit.Must(Open(write(t, out.Bytes())))
		var got []float64
		for _, e := range testkit.Must(book.Entries(g)) {
			got = append(got, float64(e.Weight))
		}
		testkit.OK(t, book.Close())
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.times, got, c.want)
		}
	}
}

// TestChoose draws by weight, the same with the same seed, and never what weighs nothing.
func TestChoose(t *testing.T) {
	g := board.NewGame(board.StartPosition())
	p := g.Position()
	raw := func(uci string) uint16 { return encode(p, testkit.Must(p.ParseUCI(uci))) }
	key := Key(g)
	book := testkit.Must(Open(write(t, entry(key, raw("a2a3"), 0), entry(key, raw("e2e4"), 3),
		entry(key, raw("d2d4"), 6), entry(key, raw("c2c4"), 6), entry(key+1, raw("b2b4"), 9))))
	defer book.Close()
	const draws = 15_000
	seen := map[string]int{}
	for seed := range uint64(draws) {
		m := testkit.Must(book.Choose(g, seed, false))
		if m != testkit.Must(book.Choose(g, seed, false)) {
			t.Fatal("the same seed draws another move")
		}
		seen[m.String()]++
	}
	for move, weight := range map[string]int{"e2e4": 3, "d2d4": 6, "c2c4": 6} { // within five standard deviations
		if n := seen[move]; n < draws*weight/15-300 || n > draws*weight/15+300 {
			t.Errorf("%s is drawn %d times", move, n)
		}
	}
	if best := testkit.Must(book.Choose(g, 1, true)); best.String() != "d2d4" || len(seen) != 3 {
		t.Errorf("best %v, drawn %v", best, seen)
	}
	g.Push(testkit.Must(p.ParseUCI("e2e4")))
	if m, err := book.Choose(g, 1, false); m != board.NoMove || err != nil {
		t.Errorf("%v, %v in a position that is not there", m, err)
	}
	only := testkit.Must(Open(write(t, entry(key, raw("a2a3"), 0))))
	defer only.Close()
	if m, err := only.Choose(board.NewGame(board.StartPosition()), 1, false); m != board.NoMove || err != nil {
		t.Errorf("%v, %v without a weight", m, err)
	}
}

// TestBuilder: a book does not depend on when counts are summed.
func TestBuilder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string]uint16{}
	var b Builder
	for range 3000 {
		g := board.NewGame(board.StartPosition())
		for range 60 {
			legal := g.Position().LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(min(2, len(legal)))]
			testkit.OK(t, b.Add(g, m, 1))
			want[fmt.Sprintf("%d %d", Key(g), encode(g.Position(), m))]++
			g.Push(m)
		}
	}
	var out bytes.Buffer
	testkit.OK(t, b.Write(&out))
	data := out.Bytes()
	if len(want) < 1<<16 || len(data) != entrySize*len(want) {
		t.Fatalf("%d bytes of %d moves", len(data), len(want))
	}
	for e := range slices.Chunk(data, entrySize) {
		k := fmt.Sprintf("%d %d", binary.BigEndian.Uint64(e), binary.BigEndian.Uint16(e[8:]))
		if n := binary.BigEndian.Uint16(e[10:]); n != want[k] {
			t.Fatalf("%s: %d, want %d", k, n, want[k])
		}
	}
}

// FuzzBook opens anything: what it holds of a position is legal, and what is chosen is among it.
func FuzzBook(f *testing.F) {
	g := board.NewGame(board.StartPosition())
	f.Add(entry(Key(g), 12|28<<6, 1))
	f.Add(entry(Key(g), 28|12<<6, 1))
	f.Add(slices.Concat(entry(1, 2, 3), entry(Key(g), 28|12<<6, 1), entry(1<<63, 2, 3)))
	f.Fuzz(func(t *testing.T, data []byte) {
		book, err := Open(write(t, data))
		if err != nil {
			return
		}
		defer book.Close()
		list := testkit.Must(book.Entries(g))
		for _, e := range list {
			if !g.Position().IsLegal(e.Move) {
				t.Errorf("%v is not legal", e.Move)
			}
		}
		m := testkit.Must(book.Choose(g, 1, false))
		if m != board.NoMove && !slices.ContainsFunc(list, func(e Entry) bool { return e.Move == m && e.Weight > 0 }) {
			t.Errorf("%v is chosen of %v", m, list)
		}
	})
}
