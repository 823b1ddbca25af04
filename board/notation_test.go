package board

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNotationShared reads and writes the cases of notnil/chess.
func TestNotationShared(t *testing.T) {
	var cases []struct{ Pos1, Pos2, AlgText, LongAlgText, UCIText string }
	if err := json.Unmarshal(shared(t, "notation/valid_notation_tests.json"), &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 23 {
		t.Errorf("%d cases, want 23", len(cases))
	}
	for _, c := range cases {
		p := mustParse(t, c.Pos1)
		m := mustMove(t, &p, c.UCIText)
		for _, text := range []string{c.AlgText, c.LongAlgText, c.UCIText} {
			if got, err := p.ParseSAN([]byte(text)); err != nil || got != m {
				t.Errorf("%s: %q is %v, %v, want %v", c.Pos1, text, got, err, m)
			}
		}
		want := strings.TrimRight(c.AlgText, "?!")
		if want == "Qxd1" {
			want = "Qxd1+" // the file leaves the mark out
		}
		if got := p.SAN(m); got != want {
			t.Errorf("%s: %v is written %s, want %s", c.Pos1, m, got, want)
		}
		after := p.After(m)
		if want := mustParse(t, c.Pos2); after != want {
			t.Errorf("%s: after %v %s, want %s", c.Pos1, m, after.FEN(), want.FEN())
		}
	}
}

func TestSAN(t *testing.T) {
	for _, test := range []struct{ fen, uci, want string }{
		{"8/8/6k1/8/Q6Q/8/8/K6Q w - - 0 1", "h4e4", "Qh4e4+"},
		{"8/8/6k1/8/Q6Q/8/8/K6Q w - - 0 1", "h1e4", "Q1e4+"},
		{"8/8/6k1/8/Q6Q/8/8/K6Q w - - 0 1", "a4e4", "Qae4+"},
		{"4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2"}, // the other one is pinned
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"},
		{"3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1", "e7d8q", "exd8=Q+"},
		{"6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", "Ra8#"},
		{"5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+"},
		{"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"},
	} {
		p := mustParse(t, test.fen)
		if got := p.SAN(mustMove(t, &p, test.uci)); got != test.want {
			t.Errorf("%s: %s is written %s, want %s", test.fen, test.uci, got, test.want)
		}
	}
}

// TestSANOfAllMoves writes and reads every legal move of the positions of
// games, and tries all 65,536 values of Move on some of them.
func TestSANOfAllMoves(t *testing.T) {
	stride := 100
	if full {
		stride = 1
	}
	plies, moves := 0, 0
	games := sharedGames(t, "pgn/gm/carlsen.pgn.zst")
	for i := 0; i < len(games); i += stride {
		p := StartPosition()
		for _, san := range games[i] {
			seen := map[string]bool{}
			for _, m := range p.LegalMoves(nil) {
				text := p.SAN(m)
				if got, err := p.ParseSAN([]byte(text)); err != nil || got != m || seen[text] {
					t.Fatalf("%s: %v is written %s, which reads as %v, %v", p.FEN(), m, text, got, err)
				}
				if got, err := p.ParseUCI(m.String()); err != nil || got != m {
					t.Fatalf("%s: %v reads as %v, %v", p.FEN(), m, got, err)
				}
				seen[text] = true
				moves++
			}
			if plies++; plies%50 == 0 {
				testIsLegal(t, &p)
			}
			m, err := p.ParseSAN(san)
			if err != nil {
				t.Fatal(err)
			}
			p.Play(m)
		}
	}
	t.Logf("%d moves of %d positions", moves, plies)
}

// testIsLegal compares IsLegal with LegalMoves over all values of Move.
func testIsLegal(t *testing.T, p *Position) {
	t.Helper()
	legal := map[Move]bool{}
	for _, m := range p.LegalMoves(nil) {
		legal[m] = true
	}
	for i := range 1 << 16 {
		if m := Move(i); p.IsLegal(m) != legal[m] {
			t.Fatalf("%s: IsLegal(%#x %v) is %v", p.FEN(), i, m, p.IsLegal(m))
		}
	}
}
