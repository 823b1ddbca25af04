package mcts

import (
	"cmp"
	"math"
	"slices"

	"talbot/board"
)

// QuickSearch orders moves of a game's present position without a network, in a millisecond or two: for when there is
// no time for one. It knows the rules, counts material and what is lost or won in exchanges, and a little about where
// pieces stand. Mates in one of both sides are seen. Draws and positions that occurred before count 0.
// The lines have no visits, and [Line.Quick] is set.
func QuickSearch(g *board.Game, moves []board.Move) []Line {
	lines := make([]Line, 0, len(moves))
	ply := g.Ply()
	defer g.Rewind(ply)
	e := exchanges{}
	for i, m := range sortMoves(g.Position(), slices.Clone(moves)) {
		e.left = quickNodes / len(moves) * (i + 1) // what others have left may be used
		g.Rewind(ply)
		g.Push(m)
		lines = append(lines, e.line(g, m))
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(b.Centipawns, a.Centipawns) })
	return lines
}

const (
	quickNodes = 800
	quickDepth = 6
	quickMate  = 10000
)

// line looks at the position after a move.
func (e *exchanges) line(g *board.Game, m board.Move) Line {
	p := g.Position()
	l := Line{PV: []board.Move{m}, Quick: true}
	replies := p.LegalMoves(nil)
	switch end := ended(g, replies); {
	case end == mated:
		l.Centipawns, l.Mate, l.Proven = quickMate, 1, true
	case end == open && g.Repetitions() == 0:
		e.used = min(e.used, e.left)
		l.Centipawns = -e.quiescence(p, -math.MaxInt32, math.MaxInt32, quickDepth)
		if mate := mateIn1(p, replies); mate != board.NoMove {
			l.Centipawns, l.Mate, l.Proven, l.PV = -quickMate, -1, true, append(l.PV, mate)
		}
	}
	l.Value = float32(math.Tanh(float64(l.Centipawns) / 350))
	if l.Mate != 0 {
		l.Value = float32(l.Mate)
	}
	l.WDL = wdlOf(l.Value)
	return l
}

// mateIn1 returns a move that mates, or NoMove.
func mateIn1(p *board.Position, legal []board.Move) board.Move {
	c := newChecks(p)
	for _, m := range legal {
		if c.mates(p, m) {
			return m
		}
	}
	return board.NoMove
}

// exchanges searches captures and promotions to a queen until none pays any more.
type exchanges struct {
	used, left int // positions
}

// quiescence is the value of a position for its side to move once all exchanges are done, in centipawns.
func (e *exchanges) quiescence(p *board.Position, low, high, depth int) int {
	e.used++
	best := side(p, p.Turn()) - side(p, p.Turn().Other())
	if best >= high || depth == 0 || e.used > e.left {
		return best
	}
	var buffer [board.MaxMoves]board.Move
	moves := p.LegalMoves(buffer[:0])
	if len(moves) == 0 {
		if p.InCheck() {
			return -quickMate / 2
		}
		return 0
	}
	moves = slices.DeleteFunc(moves, func(m board.Move) bool { return gain(p, m) == 0 })
	slices.SortFunc(moves, func(a, b board.Move) int { // mirrored positions alike
		return cmp.Or(gain(p, b)-gain(p, a), cmp.Compare(fromSide(p.Turn(), a), fromSide(p.Turn(), b)))
	})
	low = max(low, best)
	for _, m := range moves {
		q := p.After(m)
		if v := -e.quiescence(&q, -high, -low, depth-1); v > best {
			if best = v; v >= high {
				break
			}
			low = max(low, v)
		}
	}
	return best
}

// worth of pieces in centipawns.
var worth = [...]int{board.Pawn: 100, board.Knight: 320, board.Bishop: 330, board.Rook: 500, board.Queen: 900,
	board.King: 0}

// gain returns the value that a move captures or becomes, ten times, less that of what moves; 0: neither.
func gain(p *board.Position, m board.Move) int {
	taken := worth[p.Captured(m)]
	if m.Promotion() == board.Queen {
		taken += worth[board.Queen] - worth[board.Pawn]
	}
	if taken == 0 {
		return 0
	}
	return 10*taken - worth[p.TypeAt(m.From())]/10
}

// side counts the material of a side and where it stands.
func side(p *board.Position, c board.Color) (sum int) {
	heavy := p.Pieces(c.Other(), board.Queen)|p.Pieces(c.Other(), board.Rook) != 0
	for pt := board.Pawn; pt <= board.King; pt++ {
		for list := p.Pieces(c, pt); list != 0; list &= list - 1 {
			s := list.First()
			sum += worth[pt] + placed(pt, c, s, heavy)
		}
	}
	return sum
}

// placed returns the worth of a square to a piece. heavy: the opponent has a queen or rooks that the king has to fear.
func placed(pt board.PieceType, c board.Color, s board.Square, heavy bool) int {
	file, rank := int(s.File()), int(s.Rank())
	if c == board.Black {
		rank = 7 - rank
	}
	center := min(file, 7-file) + min(rank, 7-rank) // 0 to 6
	switch pt {
	case board.Pawn:
		return 2*rank*rank + min(file, 7-file)*rank
	case board.Knight:
		return 8 * center
	case board.Bishop:
		return 4 * center
	case board.Rook:
		return 3*min(file, 7-file) + 15*b2i(rank == 6)
	case board.Queen:
		return center
	}
	if heavy {
		return -10*rank - 6*min(file, 7-file)
	}
	return 8 * center
}
