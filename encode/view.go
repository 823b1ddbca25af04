package encode

import (
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// View is a position as a recipe may see it: with its real past, and with what is known of the game it stands in. In
// play that is the past and the ratings alone. A View keeps its memory from position to position; it is for one
// goroutine.
type View struct {
	Game *board.Game // the position and its past
	// WhiteElo and BlackElo are the players' ratings; 0 = not known.
	WhiteElo, BlackElo int

	Line   *dataset.Line   // nil in play
	Sample int             // the number of the sample on the line; −1 if it is not a sample
	Labels dataset.Counted // the labels that count

	legal     []board.Move
	codes     []int32
	generated bool
}

// Visit makes the view that of the walker's present position, with what counts of its labels.
func (v *View) Visit(w *dataset.Walker, said dataset.Counted) {
	l := w.Line()
	v.Play(w.Game(), l.WhiteElo, l.BlackElo)
	v.Line, v.Sample, v.Labels = l, w.Sample(), said
}

// Play makes the view that of a position in play.
func (v *View) Play(g *board.Game, whiteElo, blackElo int) {
	v.Game, v.WhiteElo, v.BlackElo = g, whiteElo, blackElo
	v.Line, v.Sample, v.Labels = nil, -1, dataset.Counted{}
	v.generated = false
}

// Position returns the present position.
func (v *View) Position() *board.Position { return v.Game.Position() }

// Legal returns the legal moves, which are generated at the first call for a position. They are valid until the view
// moves on.
func (v *View) Legal() []board.Move {
	if !v.generated {
		v.legal = v.Position().LegalMoves(v.legal[:0])
		v.generated = true
	}
	return v.legal
}

// Ratings returns the ratings of the side to move and of its opponent; 0 = not known.
func (v *View) Ratings() (own, other int) {
	if v.Position().Turn() == board.Black {
		return v.BlackElo, v.WhiteElo
	}
	return v.WhiteElo, v.BlackElo
}

// Played returns the move that was played on the line; false at its end, and in play.
func (v *View) Played() (board.Move, bool) {
	if v.Line == nil || v.Game.Ply() >= len(v.Line.Moves) {
		return board.NoMove, false
	}
	return v.Line.Moves[v.Game.Ply()], true
}

// Result returns that of the line's game for the side to move, 1, 0 or -1; false if it is not known, and in play.
func (v *View) Result() (float32, bool) {
	if v.Line == nil {
		return 0, false
	}
	side := 1 - 2*float32(v.Position().Turn())
	switch v.Line.Result {
	case dataset.WhiteWins:
		return side, true
	case dataset.BlackWins:
		return -side, true
	}
	return 0, v.Line.Result == dataset.Draw
}

// EncodeMove returns the words of a legal move, as many as the encoder's layout says. They are valid until the next
// call.
func (v *View) EncodeMove(e Encoder, words int, m board.Move) []int32 {
	v.codes = slices.Grow(v.codes[:0], words)[:words]
	e.EncodeMove(v.codes, v, m)
	return v.codes
}
