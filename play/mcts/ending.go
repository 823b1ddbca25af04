package mcts

import "talbot/board"

// valueOf returns an answer's value in [-1, 1]. Of a network that knows chances only it is win less loss.
func valueOf(k Capabilities, a *Evaluation) float32 {
	v := a.Value
	if !k.Value {
		v = a.WDL[0] - a.WDL[2]
	}
	return min(max(v, -1), 1)
}

// wdlOf returns the chances of win, draw and loss that go with a value of which no more is known: as if the game
// were two halves, each of them won with the expected score s = (1 + v) / 2. So they are s², 2s(1−s) and (1−s)².
func wdlOf(v float32) [3]float32 {
	s := (1 + v) / 2
	return [3]float32{s * s, 2 * s * (1 - s), (1 - s) * (1 - s)}
}

// outcome is how a game ends.
type outcome uint8

const (
	open      outcome = iota
	mated             // the side to move is checkmated
	stalemate         // and so a draw
	dead              // neither side can mate
	fifty             // fifty moves without a capture or a pawn move
	threefold         // the position occurred twice before
)

// claimed reports whether a player must claim the draw: the rules alone do not end the game.
func (o outcome) claimed() bool { return o >= fifty }

// ended says whether and how the game ends with its present position, of which legal are the legal moves. What a
// player may claim, fifty moves and threefold repetition, counts as an end.
func ended(g *board.Game, legal []board.Move) outcome {
	p := g.Position()
	switch {
	case len(legal) == 0 && p.InCheck():
		return mated
	case len(legal) == 0:
		return stalemate
	case p.IsDead():
		return dead
	case p.HalfmoveClock() >= 100:
		return fifty
	case p.HalfmoveClock() >= 8 && g.Repetitions() >= 2:
		return threefold
	}
	return open
}
