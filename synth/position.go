package synth

import "talbot/board"

// position draws squares for a material and the side to move. All placements without two pieces on a square are equally
// likely, except for the second bishop of a side, which stands on squares of the other colour; one that is no fit
// endgame is given with the reason.
func (d *Drawer) position(m board.Material) (p board.Position, why int) {
	setup := board.Setup{Turn: board.Color(d.rng.IntN(2))}
	for !d.squares(&setup, m) {
		setup = board.Setup{Turn: setup.Turn}
	}
	p, err := setup.Position()
	switch {
	case err != nil:
		return p, illegalPlacement
	case p.IsDead():
		return p, dead
	case p.HasLegalMove():
		return p, accepted
	case p.InCheck():
		return p, checkmate
	}
	return p, stalemate
}

// squares puts the pieces on random squares, and reports false if two came on the same one.
func (d *Drawer) squares(s *board.Setup, m board.Material) bool {
	for c := board.White; c <= board.Black; c++ {
		s.Put(board.NewPiece(c, board.King), board.Square(d.rng.IntN(64)))
		for n := m.Count(c, board.Pawn); n > 0; n-- {
			s.Put(board.NewPiece(c, board.Pawn), board.Square(8+d.rng.IntN(48)))
		}
		for pt := board.Knight; pt <= board.Queen; pt++ {
			shade := -1 // of the square of the first bishop
			for n := m.Count(c, pt); n > 0; n-- {
				on := board.Square(d.rng.IntN(64))
				if pt == board.Bishop {
					now := (on.File() + on.Rank()) & 1
					if shade == now {
						on ^= 1 // the next square has the other colour
					}
					shade = now
				}
				s.Put(board.NewPiece(c, pt), on)
			}
		}
	}
	return s.Occupied().Len() == m.Pieces()
}
