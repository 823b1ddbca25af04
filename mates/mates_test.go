package mates

import (
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// each calls f for every position of a material with a side to move, of White's piece and of Black's.
func each(t testing.TB, piece board.PieceType, f func(p *board.Position)) (positions int) {
	t.Helper()
	for _, strong := range []board.Color{board.White, board.Black} {
		for i := range int32(64 * 64 * 64) {
			wk, bk, s := squares(i)
			if wk == bk || wk == s || bk == s {
				continue
			}
			for _, turn := range []board.Color{board.White, board.Black} {
				setup := board.Setup{Turn: turn}
				setup.Put(board.NewPiece(strong, board.King), wk)
				setup.Put(board.NewPiece(strong.Other(), board.King), bk)
				setup.Put(board.NewPiece(strong, piece), s)
				if p, err := setup.Position(); err == nil {
					positions++
					f(&p)
				}
			}
		}
	}
	return positions
}

// TestMaxima: the longest wins, in plies, and how many positions are won and lost, known from literature and tables.
func TestMaxima(t *testing.T) {
	for _, c := range []struct {
		piece board.PieceType
		plies int
	}{{board.Queen, 19}, {board.Rook, 31}, {board.Pawn, 55}, {board.Bishop, 0}, {board.Knight, 0}} {
		longest := 0
		each(t, c.piece, func(p *board.Position) {
			a, ok := Find(p)
			if !ok {
				t.Fatalf("%s: not known", p.FEN())
			}
			if a.Class == dataset.Won {
				longest = max(longest, a.Plies)
			}
		})
		if longest != c.plies {
			t.Errorf("%v: %d plies, not %d", c.piece, longest, c.plies)
		}
	}
}

// TestConsistent: each answer follows from those of the positions after the moves, by the rules alone.
func TestConsistent(t *testing.T) {
	for _, piece := range []board.PieceType{board.Queen, board.Rook, board.Pawn} {
		each(t, piece, func(p *board.Position) { consistent(t, p) })
	}
}

func consistent(t *testing.T, p *board.Position) {
	t.Helper()
	a, ok := Find(p)
	legal := p.LegalMoves(nil)
	if !ok || (len(a.Moves) == 0) != (len(legal) == 0) {
		t.Fatalf("%s: %+v, %v", p.FEN(), a, ok)
	}
	if len(legal) == 0 {
		if (a.Class == dataset.Lost) != p.IsCheckmate() || a.Plies != 0 || a.Class == dataset.Won {
			t.Fatalf("%s is over: %+v", p.FEN(), a)
		}
		return
	}
	// the best of all moves
	class, plies := dataset.Lost, 0
	for _, m := range legal {
		q := p.After(m)
		c, n := dataset.Drawn, 0
		if left, ok := Find(&q); ok {
			c, n = dataset.Won-left.Class, left.Plies+1
		}
		switch {
		case c > class:
			class, plies = c, n
		case c == class && c == dataset.Won:
			plies = min(plies, n)
		case c == class && c == dataset.Lost:
			plies = max(plies, n)
		}
	}
	if class == dataset.Drawn {
		plies = 0
	}
	if a.Class != class || a.Plies != plies {
		t.Fatalf("%s: %v in %d, and the moves say %v in %d", p.FEN(), a.Class, a.Plies, class, plies)
	}
}
