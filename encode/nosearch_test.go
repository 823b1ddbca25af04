package encode

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit/golden"
)

// noSearchOf returns the packed words and the numbers of p.
func noSearchOf(p *board.Position) (words []uint64, numbers []float32) {
	return encodedAs(NoSearch{}, viewOf(p, 0, 0))
}

// uciMoves returns the moves by their numbers.
func uciMoves(t *testing.T) (moves [UCIMoves]board.Move) {
	n := 0
	for from := range board.Square(64) {
		for to := range board.Square(64) {
			for pt := board.PieceType(0); pt <= board.Queen; pt++ {
				m := board.NewPromotion(from, to, pt)
				if i := UCIIndex(m); i >= 0 {
					moves[i], n = m, n+1
				}
			}
		}
	}
	if n != UCIMoves {
		t.Errorf("%d moves have a number", n)
	}
	return moves
}

// TestUCIMoves compares the list of moves with that of testdata/nosearch_oracle.py ("moves"), whose checksum this is,
// and every legal move in random games with its number.
func TestUCIMoves(t *testing.T) {
	var text strings.Builder
	for i, m := range uciMoves(t) {
		fmt.Fprintln(&text, m)
		if UCIIndex(m) != i {
			t.Errorf("%v is %d and %d", m, i, UCIIndex(m))
		}
	}
	sum := sha256.Sum256([]byte(text.String()))
	if got := hex.EncodeToString(sum[:]); got !=
		"0f3d8ae00e01f531b6bf366fdada38feff7bbc6ce3b6a1e19c31e5016c963833" {
		t.Errorf("checksum %s", got)
	}
	for uci, want := range map[string]int{"a1a2": 0, "a1a3": 1, "h8h7": 1967, "a1b8": -1, "a1a1": -1, "e7e8k": -1,
		"a6a7q": -1, "a7c8q": -1} {
		m := board.NewMove(square(uci[:2]), square(uci[2:4]))
		if len(uci) == 5 {
			m = board.NewPromotion(m.From(), m.To(), board.PieceType(1+strings.IndexByte("pnbrqk", uci[4])))
		}
		if got := UCIIndex(m); got != want {
			t.Errorf("%s is %d, want %d", uci, got, want)
		}
	}
}

func square(name string) board.Square { return board.Square(name[0]-'a') + 8*board.Square(name[1]-'1') }

// TestNoSearchGolden compares words, numbers and the number of each legal move with python-chess.
func TestNoSearchGolden(t *testing.T) {
	type row struct {
		FEN     string
		Packed  golden.Words
		Numbers []float32
		Legal   map[string]int
	}
	for _, g := range golden.Lines[row](t, "testdata/nosearch.jsonl.gz", 200) {
		p := parseFEN(t, g.FEN)
		words, numbers := noSearchOf(&p)
		if !slices.Equal(words, g.Packed) {
			t.Errorf("%q: packed %016x, want %016x", g.FEN, words, g.Packed)
		}
		if !slices.Equal(numbers, g.Numbers) {
			t.Errorf("%q: %v, want %v", g.FEN, numbers, g.Numbers)
		}
		legal := map[string]int{}
		for _, m := range p.LegalMoves(nil) {
			legal[m.String()] = UCIIndex(orientMove(p.Turn(), m))
		}
		if !maps.Equal(legal, g.Legal) {
			t.Errorf("%q: legal moves %v, want %v", g.FEN, legal, g.Legal)
		}
	}
}

// TestNoSearchByHand has a position that is easy to work out, as White and as Black see it. The published code fails
// it: colours that are swapped make the empty squares −5 there, and a mirrored move loses its promotion.
func TestNoSearchByHand(t *testing.T) {
	for _, fen := range []string{
		"1n2k2r/P7/8/3pP3/8/8/8/R3K3 w Qk d6 0 1",
		"r3k3/8/8/8/3Pp3/8/p7/1N2K2R b Kq d3 0 1",
	} {
		p := parseFEN(t, fen)
		_, numbers := noSearchOf(&p)
		want := make([]float32, NoSearchTokens+NoSearchBits)
		for i := 1; i < NoSearchTokens; i++ {
			want[i] = 1
		}
		for square, id := range map[string]float32{"a7": 8, "a1": 11, "e1": 13, "e5": 8, "b8": 3, "d5": 2, "e8": 7,
			"h8": 5} {
			want[1+8*(8-int(square[1]-'0'))+int(square[0]-'a')] = id
		}
		for _, i := range []int{66, 67, 69, 73} { // own queen side, the opponent's king side, en passant, file d
			want[i] = 1
		}
		if !slices.Equal(numbers, want) {
			t.Errorf("%q: %v, want %v", fen, numbers, want)
		}
		for _, uci := range []string{"a7a8q", "a7a8n", "a7b8r", "e1c1", "e5d6"} {
			m := board.NewPromotion(square(uci[:2]), square(uci[2:4]), 0)
			if len(uci) == 5 {
				m = board.NewPromotion(m.From(), m.To(), board.PieceType(1+strings.IndexByte("pnbrq", uci[4])))
			}
			legal := orientMove(p.Turn(), m)
			if !p.IsLegal(legal) || UCIIndex(m) < 0 {
				t.Errorf("%q: %s is %v", fen, uci, legal)
			}
		}
	}
}

// checkNoSearch checks that the mirror image of a position is the same input and has the same moves, each with a number
// of its own.
func checkNoSearch(t testing.TB, p *board.Position) {
	t.Helper()
	words, numbers := noSearchOf(p)
	q := p.Mirror()
	if other, _ := noSearchOf(&q); !slices.Equal(words, other) {
		t.Fatalf("%q: packed %x, mirrored %x", p.FEN(), words, other)
	}
	used := map[int]bool{}
	for _, m := range p.LegalMoves(nil) {
		i, j := UCIIndex(orientMove(p.Turn(), m)), UCIIndex(orientMove(q.Turn(), m.Mirror()))
		if i < 0 || i != j || used[i] {
			t.Fatalf("%q: %v has the number %d, mirrored %d", p.FEN(), m, i, j)
		}
		used[i] = true
	}
	pieces := 0
	for i, x := range numbers {
		if i > 0 && i < NoSearchTokens && x > 1 {
			pieces++
		}
		if !(x >= 0 && x <= 13) || i > 0 && i < NoSearchTokens && x < 1 || i >= NoSearchTokens && x > 1 {
			t.Fatalf("%q: number %d is %g", p.FEN(), i, x)
		}
	}
	if numbers[0] != 0 || pieces != p.Occupied().Len() {
		t.Fatalf("%q: token 0 is %g, and %d pieces", p.FEN(), numbers[0], pieces)
	}
}

func TestNoSearchRandomGames(t *testing.T) { eachRandomPosition(t, checkNoSearch) }

func FuzzNoSearch(f *testing.F) { fuzzPositions(f, checkNoSearch) }

// TestNoSearchTargets: what is learnt of games that are won, lost, drawn and without a result, with either side to
// move, as it is shown: the move played, and with scores also the result and the plies left.
func TestNoSearchTargets(t *testing.T) {
	policies := [][]dataset.WeightedMove{{}, {{Move: board.NewMove(52, 36), Weight: 2}}, nil}
	for _, test := range []struct {
		name     string
		result   dataset.Result
		policies [][]dataset.WeightedMove
		ply      int
		scores   bool
		want     string
	}{
		{"played, White", dataset.ResultUnknown, nil, 0, false, `{"policy":{"e2e4":1}}`},
		{"played, Black", dataset.WhiteWins, nil, 1, false, `{"policy":{"e7e5":1}}`},
		{"no policy", dataset.WhiteWins, policies, 0, false, `null`},
		{"White won", dataset.WhiteWins, nil, 0, true, `{"plies":3,"policy":{"e2e4":1},"result":1}`},
		{"White won, the last move", dataset.WhiteWins, nil, 2, true, `{"plies":1,"policy":{"g1f3":1},"result":1}`},
		{"Black lost", dataset.WhiteWins, nil, 1, true, `{"plies":2,"policy":{"e7e5":1},"result":-1}`},
		{"White lost", dataset.BlackWins, nil, 0, true, `{"plies":3,"policy":{"e2e4":1},"result":-1}`},
		{"Black won", dataset.BlackWins, nil, 1, true, `{"plies":2,"policy":{"e7e5":1},"result":1}`},
		{"drawn", dataset.Draw, nil, 0, true, `{"plies":3,"policy":{"e2e4":1},"result":0}`},
		{"no result", dataset.ResultUnknown, nil, 0, true, "null"},
		{"taken back", dataset.BlackWins, policies, 0, true, `{"plies":3,"policy":{},"result":-1}`},
		{"taken back, no result", dataset.ResultUnknown, policies, 0, true, `{"plies":3,"policy":{},"result":null}`},
		{"a list", dataset.BlackWins, policies, 1, true, `{"plies":2,"policy":{"e7e5":1},"result":1}`},
		{"several", dataset.Draw, [][]dataset.WeightedMove{{{Move: board.NewMove(12, 28), Weight: 3},
			{Move: board.NewMove(6, 21), Weight: 1}}}, 0, false, `{"policy":{"e2e4":0.75,"g1f3":0.25}}`},
	} {
		line := uciLine(t, board.StartFEN, "e2e4", "e7e5", "g1f3")
		line.Samples, line.Result, line.Policies = dataset.AllMoves(), test.result, test.policies
		v, e := viewAt(t, &line, test.ply), NoSearch{Scores: test.scores}
		if text, err := json.Marshal(Describe(e, v, Targets{})); string(text) != test.want || err != nil {
			t.Errorf("%s: %s, want %s, %v", test.name, text, test.want, err)
		}
		var target Target
		l := e.Layout()
		target.Reset(&l)
		if e.Target(&target, v, Targets{}) && test.scores && len(target.Moves) != len(v.Legal()) {
			t.Errorf("%s: %d moves are listed", test.name, len(target.Moves))
		}
	}
}
