package board

import (
	"slices"
	"strings"
	"testing"
)

// FuzzParseFEN: no text makes the parser panic, and what it accepts is a sound
// position that comes back from its own FEN and stays sound after any move.
func FuzzParseFEN(f *testing.F) {
	for _, fen := range startFENs {
		f.Add(fen)
	}
	for _, fen := range []string{
		"8/8/8/8/8/8/8/K1k5 w - -",
		"8/k7/8/8/3Pp3/8/8/4K1B1 b - d3 65535 65535",
		"1R1R4/8/R7/2k5/3Pp3/4K3/8/5B2 b - d3 0 1",
		"QQQQQQQQ/8/8/7k/8/8/8/QK6 b - - 0 1",
	} {
		f.Add(fen)
	}
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := ParseFEN(fen)
		if err != nil {
			if p != (Position{}) {
				t.Fatal("a position comes with the error")
			}
			return
		}
		q, err := ParseFEN(p.FEN())
		if err != nil || q != p {
			t.Fatalf("%q comes back as %q, %v", p.FEN(), q.FEN(), err)
		}
		checkSound(t, &p)
		moves := p.LegalMoves(nil)
		if len(moves) > MaxMoves {
			t.Fatalf("%d legal moves", len(moves))
		}
		for _, m := range moves {
			q := p.After(m)
			checkSound(t, &q)
			for _, reply := range q.LegalMoves(nil) {
				r := q.After(reply)
				checkSound(t, &r)
			}
		}
	})
}

func checkSound(t *testing.T, p *Position) {
	t.Helper()
	if err := p.Validate(); err != nil {
		t.Fatalf("%s: %v", p.FEN(), err)
	}
	if p.Key() != p.computeKey() {
		t.Fatalf("%s: key %x, recomputed %x", p.FEN(), p.Key(), p.computeKey())
	}
	if ep := p.EnPassant(); ep != NoSquare && !p.epCapturePossible(ep) {
		t.Fatalf("%s: no en passant capture is legal", p.FEN())
	}
	var all Bitboard
	for pt := Pawn; pt <= King; pt++ {
		if all&p.pieces[pt] != 0 {
			t.Fatalf("%s: two pieces on one square", p.FEN())
		}
		all |= p.pieces[pt]
	}
	if all != p.Occupied() || p.colors[White]&p.colors[Black] != 0 || p.pieces[NoPieceType] != 0 {
		t.Fatalf("%s: the sets disagree", p.FEN())
	}
}

// FuzzParseSAN: no text makes the parser panic, and what it gives is a legal
// move whose own SAN reads as the same move.
func FuzzParseSAN(f *testing.F) {
	for i, san := range []string{
		"e4", "Qxe6+", "O-O", "exd6", "b8=Q", "gxh1(N)", "Nb1-d2", "e1h1", "a7a8b", "Kg1!?", "0-0-0#", "R1a3", "xd5",
		"P2e4",
	} {
		for j := range startFENs {
			f.Add(uint8(i+j), san)
		}
	}
	f.Fuzz(func(t *testing.T, start uint8, san string) {
		p, err := ParseFEN(startFENs[int(start)%len(startFENs)])
		if err != nil {
			t.Fatal(err)
		}
		if start >= 128 { // the other side of the same board, where it may move
			if q, err := ParseFEN(strings.Replace(p.FEN(), " w ", " b ", 1)); err == nil {
				p = q
			}
		}
		checkPlaySAN(t, &p, append([]byte(san), "\n       "...))
		checkPlaySAN(t, &p, []byte(san))
		m, err := p.ParseSAN([]byte(san))
		if err != nil {
			if m != NoMove {
				t.Fatalf("%q: %v comes with the error %v", san, m, err)
			}
			return
		}
		if !slices.Contains(p.LegalMoves(nil), m) {
			t.Fatalf("%s: %q gives the illegal %v", p.FEN(), san, m)
		}
		if again, err := p.ParseSAN([]byte(p.SAN(m))); err != nil || again != m {
			t.Fatalf("%s: %v is written %s, which gives %v, %v", p.FEN(), m, p.SAN(m), again, err)
		}
		if uci, err := p.ParseUCI(m.String()); err != nil || uci != m {
			t.Fatalf("%v gives %v, %v", m, uci, err)
		}
	})
}
