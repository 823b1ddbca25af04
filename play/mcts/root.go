package mcts

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"talbot/board"
)

// root is the position that is searched, with its past.
type root struct {
	start board.Position
	moves []board.Move
	game  *board.Game
	legal []board.Move // ordered as the side to move sees them, so that mirrored positions are searched alike
}

// Position implements [Searcher] for those that keep nothing of a position before.
func (r *root) Position(start *board.Position, moves []board.Move) {
	r.start = *start
	r.moves = append(r.moves[:0], moves...)
	if r.game == nil {
		r.game = board.NewGame(*start)
	}
	r.game.Reset(*start, moves...)
	p := r.game.Position()
	r.legal = sortMoves(p, p.LegalMoves(r.legal[:0]))
}

// Clear implements [Searcher] for the same.
func (*root) Clear() {}

// allowed returns the legal moves that a search may choose from. If none of only is legal, that is all legal moves.
func (r *root) allowed(searchMoves []board.Move) []board.Move {
	var list []board.Move
	for _, m := range r.legal {
		if slices.Contains(searchMoves, m) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return r.legal
	}
	return list
}

// temperature is the temperature of this move.
func (r *root) temperature(o *Options) float64 {
	if o.TempCutoffPly > 0 && r.ply() >= o.TempCutoffPly {
		return 0
	}
	return o.Temperature
}

// ply counts the plies of the game by the number of the move, which is that of the FEN at the start.
func (r *root) ply() int {
	p := r.game.Position()
	return 2*(p.FullmoveNumber()-1) + int(p.Turn())
}

// random returns numbers that depend on the seed, on the position as the side to move sees it and on the number of the
// move alone, so that a search does not draw others because of what was searched before.
func (r *root) random(seed uint64) *rand.Rand {
	p := *r.game.Position()
	if p.Turn() == board.Black {
		p = p.Mirror()
	}
	return rand.New(rand.NewPCG(seed, p.Key()+uint64(p.FullmoveNumber())))
}

// sortMoves orders moves as the side to move sees the board.
func sortMoves(p *board.Position, moves []board.Move) []board.Move {
	turn := p.Turn()
	slices.SortFunc(moves, func(a, b board.Move) int { return cmp.Compare(fromSide(turn, a), fromSide(turn, b)) })
	return moves
}

// fromSide returns a move as a side sees it.
func fromSide(turn board.Color, m board.Move) board.Move {
	if turn == board.Black {
		return m.Mirror()
	}
	return m
}

// draw returns an index with a probability in proportion to its weight to the power of 1/temperature, -1 where all
// weights are 0. The first of the largest is taken at temperature 0.
func draw(weights []float64, temperature float64, random *rand.Rand) int {
	best := -1
	for i, w := range weights {
		if w > 0 && (best < 0 || w > weights[best]) {
			best = i
		}
	}
	if best < 0 || temperature <= 0 {
		return best
	}
	top, sum := weights[best], 0.0
	for i, w := range weights {
		weights[i] = math.Pow(max(w, 0)/top, 1/temperature)
		sum += weights[i]
	}
	x := random.Float64() * sum
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	return best
}

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

// value is the result of a game that has ended for its side to move, and the chances of win, draw and loss.
func (o outcome) value() (value float32, wdl [3]float32) {
	if o == mated {
		return -1, [3]float32{0, 0, 1}
	}
	return 0, [3]float32{0, 1, 0}
}

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
