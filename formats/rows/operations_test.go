package rows

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"talbot/board"
)

// otherOperations are operations of the standard beside bm, am and id, with operands as programs write them, and the
// remarks that no move list may swallow.
var otherOperations = []string{
	"acd 20", "acn 123456", "acs 10", "ce -35", "dm 26", "draw_accept", "draw_claim", "draw_offer", "draw_reject",
	"eco C42", "fmvn 17", "hmvc 3", "nic RL 17.3", "noop", "pm %m", "pv %m", "rc 1", "resign", "sm %m", "sv -12",
	`tcgs "x"`, `tcri "a" "b"`, `tcsi "a" "b"`, `c0 "bm e4 is better"`, `c1 "am"`, `c4 "two; bm x"`, `c9 "dm 3"`,
	"v0 1.5", "v9 -2",
}

// TestEPDOperationsGenerated: positions from random play with random lists of best and avoided moves among operations
// of the standard, in any order, with and without semicolons between them, come back as they were put in.
func TestEPDOperationsGenerated(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	pick := func(p *board.Position, n int) (moves []board.Move, text string) {
		legal := p.LegalMoves(nil)
		rng.Shuffle(len(legal), func(i, k int) { legal[i], legal[k] = legal[k], legal[i] })
		for _, m := range legal[:min(n, len(legal))] {
			moves = append(moves, m)
			text += " " + p.SAN(m) + [...]string{"", "", "!", " +", "?"}[rng.IntN(5)]
		}
		return moves, text
	}
	var text strings.Builder
	var want []string
	text.WriteString("# made by a generator\n; as some suites begin\n\n")
	p := board.StartPosition()
	for len(want) < 4000 {
		legal := p.LegalMoves(nil)
		if len(legal) == 0 || rng.IntN(120) == 0 {
			p = board.StartPosition()
			continue
		}
		p.Play(legal[rng.IntN(len(legal))])
		if !p.HasLegalMove() {
			continue
		}
		best, bm := pick(&p, 1+rng.IntN(3))
		operations := []string{"bm" + bm}
		avoidText := ""
		if rng.IntN(3) == 0 {
			avoid, am := pick(&p, 1+rng.IntN(2))
			operations = append(operations, "am"+am)
			for _, m := range avoid {
				avoidText += m.String() + " "
			}
		}
		id := ""
		if rng.IntN(2) == 0 {
			id = fmt.Sprintf("no. %d; bm", len(want))
			operations = append(operations, fmt.Sprintf("id %q", id))
		}
		for range rng.IntN(4) {
			_, m := pick(&p, 1)
			operations = append(operations, strings.ReplaceAll(otherOperations[rng.IntN(len(otherOperations))], " %m",
				m))
		}
		rng.Shuffle(len(operations), func(i, k int) { operations[i], operations[k] = operations[k], operations[i] })
		row := strings.Join(strings.Fields(p.FEN())[:4], " ")
		for _, op := range operations {
			row += " " + op + [...]string{"", ";", " ;"}[rng.IntN(3)]
		}
		fmt.Fprintln(&text, row)
		policy := ""
		for _, m := range best {
			if len(best) > 1 {
				policy += m.String() + " "
			}
		}
		want = append(want, strings.TrimSpace(fmt.Sprintf("[%v] | %s| %s | %s", best[0], policy,
			strings.TrimSpace(avoidText), id)))
	}
	if !LooksLikeEPD([]byte(text.String())[:2000]) {
		t.Error("the text is not told as EPD")
	}
	got := readEPD(t, text.String())
	if len(got) != len(want) {
		t.Fatalf("%d positions, want %d", len(got), len(want))
	}
	rows := strings.Split(text.String(), "\n")[3:]
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s\n%s\n%s", rows[i], got[i], want[i])
		}
	}
}

// TestEPDOperations has the places where a word may be an opcode or something else.
func TestEPDOperations(t *testing.T) {
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - "
	for _, c := range []struct{ operations, want string }{
		{"bm e4 dm 26", "[e2e4] | |  |"},
		{"dm 26 bm e4", "[e2e4] | |  |"},
		{"acd 12; acn 5 bm e4 acs 3 am d4 ce 30", "[e2e4] | | d2d4 |"},
		{"bm e4 c4", "[e2e4] | e2e4 c2c4 |  |"},           // the pawn's move
		{"bm c4 c4 \"x\"", "[c2c4] | |  |"},               // the comment
		{"bm c4 c0 \"x\"; c3", "[c2c4] | |  |"},           // not behind a comment
		{"bm c4; c3", "[c2c4] | c2c4 c2c3 |  |"},          // a further move
		{"bm e4; d4 Nf3", "[e2e4] | e2e4 d2d4 g1f3 |  |"}, // further moves
		{"bm e4 c5", "illegal_move"},                      // neither a legal move nor a comment
		{"bm e4 foo 3", "illegal_move"},                   // no opcode of the standard
		{"id here I am; bm e4", "[e2e4] | |  | here I am"},
		{"id BK.01 bm e4", "[e2e4] | |  | BK.01"},
		{"id \"bm d4\" bm e4", "[e2e4] | |  | bm d4"},
		{"c1 diff=20 am here; bm e4", "[e2e4] | |  |"},
		{"perft 1 20 bm e4", "[e2e4] | |  |"},
		{"pv e4 e5 Nf3; bm d4", "[d2d4] | |  |"},
		{"pv e4; d4", "no_moves"}, // d4 belongs to no list
		{"dm 26", "no_moves"},
	} {
		if got := readEPD(t, start+c.operations); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q: %q, want %q", c.operations, got, c.want)
		}
	}
}
