package board

// Phase is a part of a game.
type Phase uint8

// The phases.
const (
	Opening Phase = iota
	Middlegame
	Endgame
)

// String returns "opening", "middlegame" or "endgame".
func (f Phase) String() string {
	return [...]string{"opening", "middlegame", "endgame"}[min(f, Endgame)]
}

// The bounds of the phases. Those of pieces are Lichess's (class Divider of lichess-org/scalachess), which ends the
// opening by the look of the back ranks too; here it ends with the tenth move.
const (
	endgamePieces    = 6
	middlegamePieces = 10
	openingMoves     = 10
)

// Phase returns the phase of the position, by the knights, bishops, rooks and queens of both sides: an endgame has at
// most 6 of them, an opening more than 10 and is one of the first ten moves by the position's own count, which is that
// of its FEN; all else is the middlegame.
func (p *Position) Phase() Phase {
	n := (p.pieces[Knight] | p.pieces[Bishop] | p.pieces[Rook] | p.pieces[Queen]).Len()
	switch {
	case n <= endgamePieces:
		return Endgame
	case n > middlegamePieces && p.FullmoveNumber() <= openingMoves:
		return Opening
	}
	return Middlegame
}
