package board

import (
	"errors"
	"strings"
	"testing"
)

func TestFENRoundTrip(t *testing.T) {
	for _, fen := range []string{
		StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"r3k2r/8/8/8/8/8/8/R3K2R b Qk - 99 65535",
		"8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1",
		"rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
		"8/8/8/8/8/8/8/K1k5 w - - 65535 1",
	} {
		p := mustParse(t, fen)
		if got := p.FEN(); got != fen {
			t.Errorf("%q comes back as %q", fen, got)
		}
	}
}

func TestFENTolerance(t *testing.T) {
	for _, test := range []struct{ fen, want string }{
		{"8/8/8/8/8/8/8/K1k5 w - -", "8/8/8/8/8/8/8/K1k5 w - - 0 1"},
		{"8/8/8/8/8/8/8/K1k5 w - - 7", "8/8/8/8/8/8/8/K1k5 w - - 7 1"},
		{"8/8/8/8/8/8/8/K1k5 b - - 7 0", "8/8/8/8/8/8/8/K1k5 b - - 7 1"},
		{" 8/8/44/8/8/8/8/K1k5\tw  -   - 0 1\r\n", "8/8/8/8/8/8/8/K1k5 w - - 0 1"},
		{"r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
	} {
		p := mustParse(t, test.fen)
		if got := p.FEN(); got != test.want {
			t.Errorf("%q parses to %q, want %q", test.fen, got, test.want)
		}
	}
}

func TestFENErrors(t *testing.T) {
	for _, test := range []struct{ fen, want string }{
		{"", "0 fields, expected 4 to 6"},
		{"8/8/8/8/8/8/8/K1k5 w -", "3 fields, expected 4 to 6"},
		{"8/8/8/8/8/8/8/K1k5 w - - 0 1 bm", "7 fields, expected 4 to 6"},
		{"8/8/8/8/8/8/8/K1k4 w - - 0 1", "placement ends on rank 1 after 7 files"},
		{"8/8/8/8/8/8/K1k5 w - - 0 1", "placement ends on rank 2 after 8 files"},
		{"8/8/8/8/8/8/8/8/K1k5 w - - 0 1", "more than 8 ranks"},
		{"8/8/8/8/8/8/8/K1k5/ w - - 0 1", "more than 8 ranks"},
		{"8/8/8/7/8/8/8/K1k5 w - - 0 1", "rank 5 has 7 files"},
		{"8/8/8/ppppppppp/8/8/8/K1k5 w - - 0 1", "rank 5 is too long"},
		{"8/8/8/p8/8/8/8/K1k5 w - - 0 1", "rank 5 is too long"},
		{"8/8/8/9/8/8/8/K1k5 w - - 0 1", "unknown piece '9'"},
		{"8/8/8/4x3/8/8/8/K1k5 w - - 0 1", "unknown piece 'x'"},
		{"8/8/8/8/8/8/8/K1k5 W - - 0 1", `side to move "W", expected w or b`},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KK - 0 1", `castling rights "KK", expected letters of KQkq or -`},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KH - 0 1", `castling rights "KH", expected letters of KQkq or -`},
		{"r3k2r/8/8/8/8/8/8/R3K1R1 w GAha - 0 1", `castling rights of Chess960: "GAha"`},
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQ- - 0 1", `castling rights "KQ-", expected letters of KQkq or -`},
		{"r3k1r1/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "castling rights of black need king and rook on e8 and h8"},
		{"r3k2r/8/8/8/8/8/8/R2K3R w Q - 0 1", "castling rights of white need king and rook on e1 and a1"},
		{"R3k2r/8/8/8/8/8/8/4K3 b q - 0 1", "castling rights of black need king and rook on e8 and a8"},
		{"8/8/8/8/8/8/8/K1k5 w - - -1 1", `counter "-1", expected 0 to 65535`},
		{"8/8/8/8/8/8/8/K1k5 w - - 0 65536", `counter "65536", expected 0 to 65535`},
		{"8/8/8/8/8/8/8/K1k5 w - - 0 1.", `counter "1.", expected 0 to 65535`},
		{"8/8/8/8/8/8/8/2k5 w - - 0 1", "white has 0 kings"},
		{"8/8/8/8/8/8/8/K1k1k3 w - - 0 1", "black has 2 kings"},
		{"7P/8/8/8/8/8/8/K1k5 w - - 0 1", "a pawn is on the first or last rank"},
		{"8/8/8/8/8/8/8/K1k4p w - - 0 1", "a pawn is on the first or last rank"},
		{"4k3/8/8/8/P7/PPPPPPPP/8/4K3 w - - 0 1", "white has 9 pawns"},
		{"4k3/8/8/8/8/1P6/PPPPPPPP/RNBQKBNR w - - 0 1", "white has 17 pieces"},
		{"4k3/8/8/8/8/8/PPPPPPPP/Q2QK3 w - - 0 1", "white has 8 pawns and at least 1 promoted pieces"},
		{"4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1", "white has 8 pawns and at least 1 promoted pieces"},
		{"8/8/8/8/8/8/8/Kk6 w - - 0 1", "black is in check, but white is to move"},
		{"4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "black is in check, but white is to move"},
		{"4k3/3P4/3N4/8/8/8/8/K3R3 b - - 0 1", "black is in check from more than two pieces"},
		{"8/8/8/8/8/8/8/K1k5 w - e4 0 1", `impossible en passant square "e4"`},
		{"8/8/8/8/8/8/8/K1k5 w - e9 0 1", `unknown en passant square "e9"`},
		{"8/8/8/8/8/8/8/K1k5 w - x 0 1", `unknown en passant square "x"`},
		{"8/8/8/4p3/8/8/8/K1k5 b - e6 0 1", `impossible en passant square "e6"`},
		{"8/8/8/8/8/8/8/K1k5 w - e6 0 1", `en passant square "e6" without a pawn that just passed it`},
		{"8/8/8/4P3/8/8/8/K1k5 w - e6 0 1", `en passant square "e6" without a pawn that just passed it`},
		{"8/8/4n3/4p3/8/8/8/K1k5 w - e6 0 1", `en passant square "e6" without a pawn that just passed it`},
		{"8/4n3/8/4p3/8/8/8/K1k5 w - e6 0 1", `en passant square "e6" without a pawn that just passed it`},
	} {
		p, err := ParseFEN(test.fen)
		if err == nil {
			t.Errorf("%q is accepted, want %q", test.fen, test.want)
			continue
		}
		if want := `bad FEN "` + test.fen + `": ` + test.want; err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if p != (Position{}) {
			t.Errorf("%q: a position comes with the error", test.fen)
		}
	}
	if _, err := ParseFEN(strings.Repeat("x", 1000)); err == nil || len(err.Error()) > 200 {
		t.Errorf("a long text gives the error %q", err)
	}
}

// TestEnPassantCanonical holds positions after a double push: the square is
// kept only if a capture is legal, whether it was read or played.
func TestEnPassantCanonical(t *testing.T) {
	for _, test := range []struct {
		name, before, push, after string
	}{
		{"no pawn beside", StartFEN, "e2e4", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
		{"capture", "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1", "d2d4", "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 1"},
		{"capture, black", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d7d5", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2"},
		{"not around the edge", "4k3/8/8/8/7p/8/P7/4K3 w - - 0 1", "a2a4", "4k3/8/8/8/P6p/8/8/4K3 b - - 0 1"},
		{"a piece beside, no pawn", "4k3/8/8/8/4n3/8/3P4/4K3 w - - 0 1", "d2d4", "4k3/8/8/8/3Pn3/8/8/4K3 b - - 0 1"},
		{"pinned on the file", "4k3/8/8/8/4p3/8/3P4/4RK2 w - - 0 1", "d2d4", "4k3/8/8/8/3Pp3/8/8/4RK2 b - - 0 1"},
		{"pinned on the other diagonal", "k7/8/8/8/4p3/8/3P4/5K1B w - - 0 1", "d2d4",
			"k7/8/8/8/3Pp3/8/8/5K1B b - - 0 1"},
		{"pinned along the capture", "8/8/8/6k1/5p2/8/4P3/2B2K2 w - - 0 1", "e2e4",
			"8/8/8/6k1/4Pp2/8/8/2B2K2 b - e3 0 1"},
		{"check along the rank when both pawns go", "8/8/8/8/k3p2R/8/3P4/4K3 w - - 0 1", "d2d4",
			"8/8/8/8/k2Pp2R/8/8/4K3 b - - 0 1"},
		{"a third piece shields the rank", "8/8/8/8/k1n1p2R/8/3P4/4K3 w - - 0 1", "d2d4",
			"8/8/8/8/k1nPp2R/8/8/4K3 b - d3 0 1"},
		{"two capturers, one pinned", "4k3/8/8/8/2p1p3/8/3P4/4RK2 w - - 0 1", "d2d4",
			"4k3/8/8/8/2pPp3/8/8/4RK2 b - d3 0 1"},
		{"both capturers on the rank", "8/8/8/8/k1p1p2R/8/3P4/4K3 w - - 0 1", "d2d4",
			"8/8/8/8/k1pPp2R/8/8/4K3 b - d3 0 1"},
		{"the pushed pawn's check answered", "8/8/8/2k5/4p3/8/3P4/4K3 w - - 0 1", "d2d4",
			"8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1"},
		{"discovered check is not answered", "8/8/7k/8/4p3/8/3P4/2B1K3 w - - 0 1", "d2d4",
			"8/8/7k/8/3Pp3/8/8/2B1K3 b - - 0 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := mustParse(t, test.before)
			m := mustMove(t, &p, test.push)
			p.Play(m)
			if got := p.FEN(); got != test.after {
				t.Errorf("%s gives %s, want %s", test.push, got, test.after)
			}
			// Tools that note the square after every double push mean the same.
			fields := strings.Fields(test.after)
			fields[3] = ((m.From() + m.To()) / 2).String()
			if q := mustParse(t, strings.Join(fields, " ")); q != p {
				t.Errorf("read with %s: %s", fields[3], q.FEN())
			}
		})
	}
}

// TestEnPassantOnlyAnswer: with the capture the check has one answer, without
// it the same board is mate.
func TestEnPassantOnlyAnswer(t *testing.T) {
	p := mustParse(t, "1R1R4/8/R7/2k5/3Pp3/4K3/8/5B2 b - d3 0 1")
	moves := p.LegalMoves(nil)
	if len(moves) != 1 || moves[0].String() != "e4d3" || p.IsCheckmate() {
		t.Errorf("moves %v, want e4d3", moves)
	}
	q := mustParse(t, "1R1R4/8/R7/2k5/3Pp3/4K3/8/5B2 b - - 0 1")
	if !q.IsCheckmate() || p.Key() == q.Key() {
		t.Error("without en passant it is not mate, or the key is the same")
	}
}

// TestEnPassantWithoutPast holds squares that no game can lead to, because the
// check would have been there before the push. They are read by the rules of
// the moves alone.
func TestEnPassantWithoutPast(t *testing.T) {
	for fen, want := range map[string]Square{
		// the captured pawn shields the king
		"8/k7/8/8/3Pp3/8/8/4K1B1 b - d3 0 1": NoSquare,
		// the capture blocks the check
		"8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1": NewSquare(3, 2),
		// the capture does not answer it
		"rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1": NoSquare,
	} {
		if p := mustParse(t, fen); p.EnPassant() != want {
			t.Errorf("%s: en passant %v, want %v", fen, p.EnPassant(), want)
		}
	}
}

// TestReadFEN: rights are read by one rule. "" stands for an error; what python-chess's clean_castling_rights keeps of
// KQkq in standard chess is kept here too.
func TestReadFEN(t *testing.T) {
	const chess960 = "960"
	for _, c := range []struct{ placement, rights, standard, other, left string }{
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "KQkq", "KQkq", "KQkq", ""},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "HAha", "KQkq", "KQkq", ""},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "AHqh", "KQkq", "KQkq", ""},
		{"r3k2r/8/8/8/8/8/8/RR2K1RR", "KQkq", "KQkq", "KQkq", ""},
		{"r3k2r/8/8/8/8/8/8/RR2K1RR", "GBkq", chess960, chess960, ""},
		{"4k3/8/8/8/8/8/8/RR2K1RR", "-", "-", "-", ""},
		{"4k3/8/8/8/8/8/8/4K3", "KQkq", "-", "-", "KQkq"},
		{"k7/8/8/8/8/8/8/K7", "KQkq", "-", "-", "KQkq"},
		{"4k3/8/8/8/8/8/8/4K2R", "KQ", "K", "K", "Q"},
		{"4k3/8/8/8/8/8/8/4K2R", "HA", chess960, chess960, ""}, // no rook on a1
		{"4k3/8/8/8/8/8/8/4K3", "H", chess960, chess960, ""},
		{"4k3/8/8/8/8/8/8/1R2K3", "Q", "-", chess960, "Q"},
		{"4k3/8/8/8/8/8/8/1R2K2R", "KQ", "K", chess960, "Q"},
		{"4k3/8/8/8/8/8/8/5K1R", "K", "-", chess960, "K"},
		{"4k3/8/8/8/8/8/8/K6R", "K", "-", "-", "K"}, // a king in the corner has no rook on either side
		{"4k3/8/8/8/8/8/8/R6K", "Q", "-", "-", "Q"},
		{"1r4k1/8/8/8/8/8/8/R3K3", "Qq", "Q", chess960, "q"},
		{"6k1/8/8/8/8/8/8/r3K2R", "KQ", "K", "K", "Q"}, // the rook is Black's
		{"4k3/8/8/8/8/R7/4K3/8", "Q", "-", "-", "Q"},
		{"4k3/8/8/8/8/8/8/4K2R", "KK", "", "", ""},
		{"4k3/8/8/8/8/8/8/4K2R", "x", "", "", ""},
	} {
		for i, want := range []string{c.standard, c.other} {
			p, left, err := ReadFEN(c.placement+" w "+c.rights+" - 0 1", i == 0)
			got := ""
			if errors.Is(err, ErrChess960) {
				got = chess960
			} else if err == nil {
				got = strings.Fields(p.FEN())[2]
			}
			if got != want || err == nil && left != c.left {
				t.Errorf("%s %s: %q, left out %q (%v), want %q, %q", c.placement, c.rights, got, left, err, want,
					c.left)
			}
		}
	}
}
