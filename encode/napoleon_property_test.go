package encode

import (
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// walked is the input worked out another way: each piece walks the board in steps of rank and file.
func walked(p *board.Position) []float32 {
	if p.Turn() == board.Black {
		mirror := p.Mirror()
		p = &mirror
	}
	n := make([]float32, napoleonSize)
	straight, diagonal := [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}, [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	around := slices.Concat(straight, diagonal)
	jumps := [][2]int{{2, 1}, {2, -1}, {-2, 1}, {-2, -1}, {1, 2}, {1, -2}, {-1, 2}, {-1, -2}}
	for s := range 64 {
		piece := p.PieceAt(board.Square(s))
		if piece == board.NoPiece {
			continue
		}
		kind, sign := 0, float32(1)
		if piece.Color() == board.Black {
			kind, sign = 6, -1
		}
		var steps [][2]int
		far := false
		switch piece.Type() {
		case board.Pawn:
			steps = [][2]int{{int(sign), -1}, {int(sign), 1}}
		case board.Knight:
			steps = jumps
		case board.Bishop:
			steps, far = diagonal, true
		case board.Rook:
			steps, far = straight, true
		case board.Queen:
			steps, far = around, true
		case board.King:
			steps = around
		}
		kind += int(piece.Type()) - 1
		n[64*kind+s] = sign
		for _, step := range steps {
			for rank, file := s/8+step[0], s%8+step[1]; rank >= 0 && rank < 8 && file >= 0 && file < 8; {
				to := 8*rank + file
				n[64*(12+kind)+to] += sign
				n[64*33+s]++
				if !far || p.PieceAt(board.Square(to)) != board.NoPiece {
					break
				}
				rank, file = rank+step[0], file+step[1]
			}
		}
	}
	for i := range 64 {
		for k := range 6 {
			own, theirs := n[64*(12+k)+i], n[64*(18+k)+i]
			n[64*(24+k)+i] = own + theirs
			n[64*30+i] += own + theirs
			n[64*31+i] += own
			n[64*32+i] += theirs
		}
	}
	return n
}

// checkNapoleon checks the input of a position against another way to work it out, its mirror image, and what the
// planes must have to do with each other.
func checkNapoleon(t testing.TB, p *board.Position) {
	t.Helper()
	words, numbers := napoleonOf(p)
	sameNapoleon(t, p, numbers, walked(p))
	q := p.Mirror()
	mirroredWords, mirrored := napoleonOf(&q)
	if !slices.Equal(words, mirroredWords) {
		t.Fatalf("%q: packed %x, mirrored %x", p.FEN(), words, mirroredWords)
	}
	sameNapoleon(t, &q, mirrored, numbers)
	sum := func(from, to, s int) (x float32) {
		for plane := from; plane < to; plane++ {
			x += numbers[64*plane+s]
		}
		return x
	}
	made, met := float32(0), float32(0)
	for s := range 64 {
		own, theirs, all := numbers[64*31+s], numbers[64*32+s], numbers[64*30+s]
		if own != sum(12, 18, s) || theirs != sum(18, 24, s) || all != sum(24, 30, s) || all != own+theirs {
			t.Fatalf("%q: %v: attackers %g and %g, in all %g", p.FEN(), board.Square(s), own, theirs, all)
		}
		for k, limit := range []float32{2, 8, 4, 4, 8, 1} {
			if a, b := numbers[64*(12+k)+s], -numbers[64*(18+k)+s]; !(a >= 0 && a <= limit && b >= 0 && b <= limit) {
				t.Fatalf("%q: %v is attacked by %g and %g pieces of type %d", p.FEN(), board.Square(s), a, b, k)
			}
		}
		made += numbers[64*33+s]
		met += own - theirs
	}
	if made != met {
		t.Fatalf("%q: pieces attack %g squares, squares are attacked %g times", p.FEN(), made, met)
	}
}

func TestNapoleonRandomGames(t *testing.T) {
	everywhere := [34]uint64{}
	count := func(p *board.Position) {
		checkNapoleon(t, p)
		_, numbers := napoleonOf(p)
		for i, x := range numbers {
			if x != 0 {
				everywhere[i/64] |= 1 << (i % 64)
			}
		}
	}
	games := uint64(12)
	if testing.Short() {
		games = 3
	}
	for _, fen := range starts {
		for seed := range games {
			line := randomLine(seed, parseFEN(t, fen), 80)
			var w dataset.Walker
			w.Reset(&line)
			for w.Next() {
				count(w.Position())
			}
		}
	}
	for _, g := range readNapoleonGolden(t) {
		p := parseFEN(t, g.FEN)
		count(&p)
	}
	pawns := [34]uint64{0: ^(uint64(0xff)<<56 | 0xff), 6: ^(uint64(0xff)<<56 | 0xff), 12: ^uint64(0xffff),
		18: ^(uint64(0xffff) << 48)}
	for plane, squares := range everywhere {
		want := ^uint64(0)
		if pawns[plane] != 0 {
			want = pawns[plane]
		}
		if !testing.Short() && squares != want {
			t.Errorf("plane %d was something on the squares %016x only, want %016x", plane, squares, want)
		}
	}
}

func FuzzNapoleon(f *testing.F) { fuzzPositions(f, checkNapoleon) }
