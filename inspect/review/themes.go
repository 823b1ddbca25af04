package review

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// crushing is the score above which an advantage has this theme.
const crushing = dataset.Score(600)

// themes returns those of Lichess's themes that follow from rules alone, by those of its tagger (cook.py of
// ornicar/lichess-puzzler). The phase is [board.Position.Phase].
func (p *puzzle) themes() (list []string) {
	end, moves := p.end(), len(p.solution)/2
	add := func(is bool, theme string) {
		if is {
			list = append(list, theme)
		}
	}
	mated := end.IsCheckmate()
	add(!mated && p.score <= crushing, "advantage")
	add(!mated && p.score > crushing, "crushing")
	at, fork, promotion, double := p.start, false, false, false
	for ply, m := range p.solution {
		at.Play(m)
		if ply%2 == 1 {
			fork = fork || ply < len(p.solution)-1 && forks(&at, m.To())
			promotion = promotion || m.Promotion() != board.NoPieceType
			double = double || attackers(&at, kingOf(&at, at.Turn()), at.Turn().Other(), at.Occupied()).Len() > 1
		}
	}
	first := p.start.After(p.solution[0])
	add(double, "doubleCheck")
	add(fork, "fork")
	add(p.hanging(), "hangingPiece")
	add(mated, "mate")
	add(mated, fmt.Sprintf("mateIn%d", min(moves, 5)))
	add(promotion, "promotion")
	add(true, [...]string{1: "oneMove", 2: "short", 3: "long", 4: "veryLong"}[min(moves, 4)])
	return append(list, first.Phase().String())
}

// worths are the pieces' values; a king is worth more than any.
var worths = [...]int{board.NoPieceType: 0, board.Pawn: 1, board.Knight: 3, board.Bishop: 3, board.Rook: 5,
	board.Queen: 9, board.King: 99}

func kingOf(p *board.Position, c board.Color) board.Square { return p.Pieces(c, board.King).First() }

// attackers returns the pieces of a side that attack a square.
func attackers(p *board.Position, s board.Square, c board.Color, occupied board.Bitboard) (found board.Bitboard) {
	for pt := board.Pawn; pt <= board.King; pt++ {
		found |= board.Attacks(c.Other(), pt, s, occupied) & p.Pieces(c, pt)
	}
	return found & occupied
}

// undefended reports whether nothing could take back on a square of side c, behind a piece that takes there either.
func undefended(p *board.Position, s board.Square, c board.Color) bool {
	if attackers(p, s, c, p.Occupied()) != 0 {
		return false
	}
	for b := attackers(p, s, c.Other(), p.Occupied()); b != 0; b &= b - 1 {
		pt := p.TypeAt(b.First())
		if pt >= board.Bishop && pt <= board.Queen && attackers(p, s, c, p.Occupied()&^(b&-b)) != 0 {
			return false
		}
	}
	return true
}

// forks reports whether the piece that has just moved to a square, not a king, attacks two pieces that are worth more,
// or are undefended and do not attack it, and cannot itself be taken with gain.
func forks(p *board.Position, s board.Square) bool {
	theirs, own := p.Turn(), p.Turn().Other()
	mover := p.TypeAt(s)
	if mover == board.King {
		return false
	}
	against := attackers(p, s, theirs, p.Occupied())
	for b := against; b != 0; b &= b - 1 {
		if undefended(p, s, own) || worths[p.TypeAt(b.First())] < worths[mover] {
			return false
		}
	}
	forked := 0
	for b := board.Attacks(own, mover, s, p.Occupied()) & p.ByColor(theirs); b != 0; b &= b - 1 {
		at := b.First()
		pt := p.TypeAt(at)
		if pt != board.Pawn && (worths[pt] > worths[mover] || undefended(p, at, theirs) && against&(b&-b) == 0) {
			forked++
		}
	}
	return forked > 1
}

// hanging reports whether the solver's first move takes an undefended piece, which was not taking something as good
// there, and the opponent's reply wins nothing back.
func (p *puzzle) hanging() bool {
	at := p.start.After(p.solution[0])
	to := p.solution[1].To()
	taken := at.TypeAt(to)
	if taken == board.NoPieceType || taken == board.Pawn || !undefended(&at, to, at.Turn().Other()) ||
		p.solution[0].To() == to && worths[p.start.Captured(p.solution[0])] >= worths[taken] {
		return false
	}
	ahead := func(plies int) int {
		end := p.start
		for _, m := range p.solution[:plies] {
			end.Play(m)
		}
		if at.Turn() == board.Black {
			return -end.Material().Difference()
		}
		return end.Material().Difference()
	}
	return len(p.solution) < 4 || ahead(4) >= ahead(2)
}
