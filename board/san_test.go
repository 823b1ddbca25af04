package board

import (
	"errors"
	"strings"
	"testing"
)

func TestParseSAN(t *testing.T) {
	const (
		castling = "r3k2r/pppqpppp/8/8/8/8/PPPQPPPP/R3K2R w KQkq - 0 1"
		black    = "r3k2r/pppqpppp/8/8/8/8/PPPQPPPP/R3K2R b KQkq - 0 1"
		promote  = "3r2k1/P3P3/8/8/8/8/6p1/4K2N w - - 0 1" // e8 and exd8, a8
		under    = "6k1/8/8/8/8/8/p5p1/1R2K2N b - - 0 1"
		capture  = "4k3/8/8/3pPp2/2P1P3/8/8/4K3 w - d6 0 1" // cxd5, exd5, exd6 e.p., exf5
		knights  = "4k3/8/8/8/8/5N2/8/1N2K1r1 w - - 0 1"    // both reach d2; White is in check
		two      = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"
		pinned   = "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1" // the knight on c3 cannot go to e2
		queens   = "8/8/6k1/8/Q6Q/8/8/K6Q w - - 0 1"
		bishop   = "4k3/8/8/8/3p4/2p5/1P6/B3K3 w - - 0 1" // bxc3 and a bishop blocked behind it
	)
	illegal, ambiguous, syntax := errIllegal, errAmbiguous, errSyntax
	for _, test := range []struct {
		fen, san string
		want     any // UCI or the error
	}{
		{StartFEN, "e4", "e2e4"}, {StartFEN, "e3", "e2e3"}, {StartFEN, "Nf3", "g1f3"},
		{StartFEN, "Pe4", "e2e4"}, {StartFEN, "P2e4", "e2e4"}, {StartFEN, "ee4", "e2e4"},
		// Check marks and glyphs, right or wrong.
		{StartFEN, "e4+", "e2e4"}, {StartFEN, "e4#", "e2e4"}, {StartFEN, "e4++", "e2e4"},
		{StartFEN, "e4!?", "e2e4"}, {StartFEN, "Nf3+!!", "g1f3"}, {StartFEN, "e4=", "e2e4"},
		{queens, "Qhd4", "h4d4"}, {queens, "Q4d4", ambiguous}, {queens, "Qad4", "a4d4"}, {queens, "Qad4?!", "a4d4"},
		{queens, "Qh4e4", "h4e4"}, {queens, "Qh1e4", "h1e4"}, {queens, "Q1e4", "h1e4"}, {queens, "Qae4", "a4e4"},
		{queens, "Q1e4+", "h1e4"}, {queens, "Qhe4", ambiguous}, {queens, "Q4e4", ambiguous}, {queens, "Qe4", ambiguous},
		// Capture marks missing, superfluous, old style.
		{capture, "cxd5", "c4d5"}, {capture, "cd5", "c4d5"}, {capture, "c:d5", "c4d5"}, {capture, "cd5:", "c4d5"},
		{capture, "exd5", "e4d5"}, {capture, "exf5", "e4f5"}, {capture, "xf5", "e4f5"}, {capture, "xd5", ambiguous},
		{capture, "exd6", "e5d6"}, {capture, "ed6", "e5d6"}, {capture, "e5d6", "e5d6"}, {capture, "e5xd6", "e5d6"},
		{capture, "xd6", "e5d6"}, {capture, "exe6", "e5e6"}, {StartFEN, "Nxf3", "g1f3"}, {StartFEN, "e2xe4", "e2e4"},
		{capture, "d5", illegal}, {capture, "f5", illegal}, {capture, "d6", illegal}, {capture, "Pd5", illegal},
		{capture, "exf6", illegal}, {capture, "dxd5", illegal}, {capture, "e4", illegal},
		// Promotions.
		{promote, "e8=Q", "e7e8q"}, {promote, "e8Q", "e7e8q"}, {promote, "e8(Q)", "e7e8q"}, {promote, "e8/Q", "e7e8q"},
		{promote, "e8=n", "e7e8n"}, {promote, "e8b", "e7e8b"}, {promote, "e8=B+", "e7e8b"}, {promote, "e8R#", "e7e8r"},
		{promote, "exd8=N", "e7d8n"}, {promote, "ed8Q", "e7d8q"}, {promote, "xd8=Q", "e7d8q"}, {promote, "e7-e8=Q",
			"e7e8q"},
		{promote, "e7xd8=R", "e7d8r"}, {promote, "e7d8r", "e7d8r"}, {promote, "e7e8q", "e7e8q"}, {promote, "e7e8Q",
			"e7e8q"},
		{promote, "a8=Q", "a7a8q"}, {promote, "a8b", "a7a8b"}, {promote, "a7a8b", "a7a8b"},
		{promote, "e8", illegal}, {promote, "e8=", illegal}, {promote, "d8=Q", illegal}, {promote, "exd8", illegal},
		{promote, "e8=K", syntax}, {promote, "e8=P", syntax}, {promote, "e8=", illegal}, {promote, "e8=QQ", syntax},
		{promote, "e8(Q", syntax}, {promote, "e8=(Q)", syntax}, {promote, "e8X", syntax}, {StartFEN, "e4=Q", illegal},
		{StartFEN, "Nf3=Q", syntax}, {StartFEN, "g1f3q", illegal}, {under, "axb1=N", "a2b1n"}, {under, "gxh1Q",
			"g2h1q"},
		{under, "axb1b", "a2b1b"}, {under, "a1=R", "a2a1r"}, {under, "g2g1q", "g2g1q"}, {under, "h1=Q", illegal},
		// Disambiguation.
		{two, "Nbd2", "b1d2"}, {two, "Nfd2", "f3d2"}, {two, "N1d2", "b1d2"}, {two, "N3d2", "f3d2"}, {two, "Nb1d2",
			"b1d2"},
		{two, "Nf3-d2", "f3d2"}, {two, "Nd2", ambiguous}, {two, "Ned2", illegal}, {two, "Nb1d4", illegal},
		{two, "Nfg5", "f3g5"}, {two, "N3g5", "f3g5"}, {two, "Nf3g5", "f3g5"}, {knights, "Nd2", illegal},
		{knights, "Nxg1", "f3g1"}, {knights, "Ng1", "f3g1"}, {pinned, "Ne2", "g1e2"}, {pinned, "Nge2", "g1e2"}, {pinned,
			"Nce2", illegal},
		{bishop, "bxc3", "b2c3"}, {bishop, "Bxc3", illegal}, {bishop, "b3", "b2b3"}, {bishop, "bb3", "b2b3"}, {bishop,
			"bc3", "b2c3"},
		// Castling.
		{castling, "O-O", "e1g1"}, {castling, "0-0", "e1g1"}, {castling, "o-o", "e1g1"}, {castling, "O-O+", "e1g1"},
		{castling, "O-O-O", "e1c1"}, {castling, "0-0-0", "e1c1"}, {castling, "O-O-O#!", "e1c1"}, {castling, "0-O-o",
			"e1c1"},
		{castling, "e1g1", "e1g1"}, {castling, "e1c1", "e1c1"}, {castling, "e1h1", "e1g1"}, {castling, "e1a1", "e1c1"},
		{castling, "Kg1", "e1g1"}, {castling, "Ke1-c1", "e1c1"}, {castling, "Kf1", "e1f1"}, {castling, "Kh1", illegal},
		{black, "O-O", "e8g8"}, {black, "0-0-0", "e8c8"}, {black, "e8h8", "e8g8"}, {black, "e8a8", "e8c8"}, {black,
			"e1g1", illegal},
		{castling, "OO", syntax}, {castling, "O-O-O-O", syntax}, {castling, "O-", syntax}, {castling, "O-O-", syntax},
		{castling, "O--O", syntax}, {castling, "OxO", syntax}, {castling, "0-1", syntax}, {castling, "0000", syntax},
		{StartFEN, "O-O", illegal}, {StartFEN, "e1h1", illegal},
		// UCI and long algebraic notation of other pieces.
		{StartFEN, "e2e4", "e2e4"}, {StartFEN, "e2-e4", "e2e4"}, {StartFEN, "g1f3", "g1f3"}, {StartFEN, "Ng1-f3",
			"g1f3"},
		{StartFEN, "Ng1xf3", "g1f3"}, {StartFEN, "Pe2e4", "e2e4"}, {StartFEN, "Pg1f3", illegal}, {StartFEN, "Bg1f3",
			illegal},
		{StartFEN, "ag1f3", illegal}, {StartFEN, "e2e5", illegal}, {StartFEN, "e7e5", illegal}, {StartFEN, "a1a1",
			illegal},
		{"4k3/8/8/8/8/8/8/R5K1 w - - 0 1", "bh1c1", illegal}, // no square is on the b-file and h1
		// Not a move at all.
		{StartFEN, "", syntax}, {StartFEN, "e", syntax}, {StartFEN, "4", syntax}, {StartFEN, "+", syntax}, {StartFEN,
			"--", syntax},
		{StartFEN, "Z0", syntax}, {StartFEN, "N@f3", syntax}, {StartFEN, "nf3", syntax}, {StartFEN, "Nf",
			syntax}, {StartFEN, "N3", syntax},
		{StartFEN, "e9", syntax}, {StartFEN, "i4", syntax}, {StartFEN, "e4e", syntax}, {StartFEN, "e44",
			syntax}, {StartFEN, "e2e3e4", syntax},
		{StartFEN, "1-0", syntax}, {StartFEN, "*", syntax}, {StartFEN, "1.e4", syntax}, {StartFEN, "Sf3",
			syntax}, {StartFEN, "Ngg1f3x4", syntax},
		{StartFEN, "Nf3\x00", syntax}, {StartFEN, "Ñf3", syntax}, {StartFEN, "Qe5", illegal}, {StartFEN, "Nd2",
			illegal}, {StartFEN, "Ke2", illegal},
	} {
		p := mustParse(t, test.fen)
		m, err := p.ParseSAN([]byte(test.san))
		switch want := test.want.(type) {
		case string:
			if err != nil || m.String() != want {
				t.Errorf("%s: %q is %v, %v, want %s", test.fen, test.san, m, err, want)
			} else if !p.IsLegal(m) {
				t.Errorf("%s: %q gives the illegal %v", test.fen, test.san, m)
			}
		case error:
			if !errors.Is(err, want) || m != NoMove {
				t.Errorf("%s: %q gives %v, %v, want %v", test.fen, test.san, m, err, want)
			} else if !strings.HasPrefix(err.Error(), want.Error()+` "`) {
				t.Errorf("%q: error %q", test.san, err)
			}
		}
	}
}

func TestParseUCI(t *testing.T) {
	p := mustParse(t, "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1")
	for text, want := range map[string]any{
		"e1g1": "e1g1", "e1h1": "e1g1", "e1c1": "e1c1", "e1a1": "e1c1", "e1e2": "e1e2", "h1h8": "h1h8",
		"b7b8q": "b7b8q", "b7a8n": "b7a8n", "b7b8R": "b7b8r",
		"b7b8": errIllegal, "b7b8k": errSyntax, "b7b8p": errSyntax, "e1e3": errIllegal, "e8g8": errIllegal,
		"h1h8q": errIllegal,
		"e1g1q": errIllegal, "e1h1q": errIllegal,
		"": errSyntax, "e1": errSyntax, "0000": errSyntax, "e1e1": errSyntax, "e1e9": errSyntax, "i1e1": errSyntax,
		"e1e2 ": errSyntax,
		"O-O":   errSyntax, "e1-e2": errSyntax,
	} {
		m, err := p.ParseUCI(text)
		switch want := want.(type) {
		case string:
			if err != nil || m.String() != want {
				t.Errorf("%q is %v, %v, want %s", text, m, err, want)
			}
		case error:
			if !errors.Is(err, want) || m != NoMove || !strings.Contains(err.Error(), `"`+text+`"`) {
				t.Errorf("%q gives %v, %v, want %v", text, m, err, want)
			}
		}
	}
	if _, err := p.ParseUCI(strings.Repeat("x", 1000)); len(err.Error()) > 100 {
		t.Errorf("a long text gives the error %q", err)
	}
}
