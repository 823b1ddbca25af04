package aggregate

import (
	"math/rand/v2"
	"testing"

	"talbot/board"
)

// randomGame calls f with the positions of a game of random moves from a position.
func randomGame(rng *rand.Rand, p board.Position, plies int, f func(p *board.Position)) {
	for range plies {
		f(&p)
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			return
		}
		p.Play(moves[rng.IntN(len(moves))])
	}
}

// TestPack: positions are packed without loss but for their counters, and equal exactly where their EPD is.
func TestPack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[position]string{}
	passed, rights := 0, map[uint16]bool{}
	starts := []string{board.StartFEN, "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 9",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "7k/8/8/8/8/8/8/K7 b - - 0 1"}
	for i := range 400 {
		start, err := board.ParseFEN(starts[i%len(starts)])
		if err != nil {
			t.Fatal(err)
		}
		randomGame(rng, start, 120, func(p *board.Position) {
			q := pack(p)
			if epd, ok := seen[q]; ok && epd != p.EPD() {
				t.Fatalf("%s and %s are packed alike", epd, p.EPD())
			}
			seen[q] = p.EPD()
			back, err := q.unpack()
			if err != nil || back.EPD() != p.EPD() || back.HalfmoveClock() != 0 || back.FullmoveNumber() != 1 {
				t.Fatalf("%s: unpacked %s, %v", p.FEN(), back.FEN(), err)
			}
			var again position
			if rest, ok := again.decode(q.append(nil)); !ok || len(rest) != 0 || again != q {
				t.Fatalf("%s: from bytes %+v, %v", p.FEN(), again, ok)
			}
			if again.compare(&q) != 0 {
				t.Fatal("a position differs from itself")
			}
			if p.EnPassant() != board.NoSquare {
				passed++
			}
			rights[q.state>>1&15] = true
		})
	}
	epds := map[string]bool{}
	for _, epd := range seen {
		epds[epd] = true
	}
	if len(epds) != len(seen) || passed < 20 || len(rights) < 10 {
		t.Errorf("%d packed positions, %d EPDs; %d en passant, %d sets of rights", len(seen), len(epds), passed,
			len(rights))
	}
}

// TestPackMirror: a position and its mirror image are two.
func TestPackMirror(t *testing.T) {
	p := board.StartPosition()
	m := p.Mirror()
	if a, b := pack(&p), pack(&m); a == b || a.compare(&b) != -b.compare(&a) {
		t.Errorf("%+v and %+v", a, b)
	}
}

// FuzzUnpack: no bytes make a position that is not one, or a panic.
func FuzzUnpack(f *testing.F) {
	p := board.StartPosition()
	q := pack(&p)
	f.Add(q.append(nil))
	q.state |= 8 << passedShift
	f.Add(q.append(nil))
	q.state |= 15 << passedShift
	f.Add(q.append(nil))
	f.Add([]byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, b []byte) {
		var q position
		if _, ok := q.decode(b); !ok {
			return
		}
		p, err := q.unpack()
		if err != nil {
			return
		}
		if _, err := board.ParseFEN(p.FEN()); err != nil || pack(&p) != q {
			t.Fatalf("%+v is unpacked as %s: %v", q, p.FEN(), err)
		}
	})
}
