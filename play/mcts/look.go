package mcts

import (
	"math"
	"math/bits"
	"slices"

	"talbot/board"
)

// The worth of pieces to a look, in centipawns, and its bounds.
var lookWorth = [board.King + 1]int{board.Pawn: 100, board.Knight: 300, board.Bishop: 310, board.Rook: 500,
	board.Queen: 900}

const (
	lookMate  = 10000
	lookRange = 900 // more than that is neither won nor lost
	lookDepth = 5   // captures in a row, after the reply
)

// What a look makes of a prior: see [tree.reweigh].
const (
	leastLooked = 0.02 // prior of a move that is looked at; captures always are
	priorPower  = 0.86
	pawnWon     = 0.36
	pawnLost    = 0.54
)

// looker counts what moves win and lose of material. It keeps the captures of each depth.
type looker struct {
	order [lookDepth + 2][board.MaxMoves]capture
}

type capture struct {
	move board.Move
	gain int // of material, in centipawns
	rank int // the higher ones are tried first
}

// look reweighs the priors of the present position's node before their first use.
func (t *tree) look(n *node) {
	if t.options.Look && t.abilities.Prior && n.state&looked == 0 && n.opened == 0 {
		t.reweigh(n, t.game.Position())
		n.state |= looked
	}
}

// reweigh gives each of a node's priors the weight of what its move wins or loses of material at once: with the best
// reply, whatever it is, and all captures after it. Networks see that only in part.
//
//	logit = 0.86 · ln prior + 0.36 · pawns won − 0.54 · pawns lost
//
// at a temperature of 1; PolicyTemp divides it, as it has divided the logarithms. Moves that capture nothing and have a
// prior below 0.02 count as if they won and lost nothing. The numbers are the likeliest ones for the engine's choice on
// half of 6,000 positions of games that net: had not seen (docs/log.md).
func (t *tree) reweigh(n *node, p *board.Position) {
	edges := t.edgesOf(n)
	weights, balance, sum := t.weights[:len(edges)], materialOf(p), 0.0
	for i, e := range edges {
		prior := float64(unpack(e.prior))
		gain, won := gainOf(p, e.move), 0
		if prior >= leastLooked || gain > 0 {
			q := p.After(e.move)
			won = -t.looker.reply(&q, -balance-gain, -balance-lookRange, -balance+lookRange) - balance
		}
		logit := pawnWon * float64(min(won, lookRange)) / 100
		if won < 0 {
			logit = pawnLost * float64(max(won, -lookRange)) / 100
		}
		weights[i] = math.Pow(prior, priorPower) * math.Exp(logit/t.options.PolicyTemp)
		sum += weights[i]
	}
	for i := range edges {
		edges[i].prior = pack(float32(weights[i] / sum))
	}
	turn := p.Turn()
	slices.SortFunc(edges, func(a, b edge) int {
		if before(turn, a, b) {
			return -1
		}
		return 1
	})
}

// materialOf is that of the side to move less that of the other.
func materialOf(p *board.Position) (sum int) {
	own, other := p.ByColor(p.Turn()), p.ByColor(p.Turn().Other())
	for pt := board.Pawn; pt <= board.Queen; pt++ {
		all := p.Pieces(board.White, pt) | p.Pieces(board.Black, pt)
		sum += lookWorth[pt] * (bits.OnesCount64(uint64(all&own)) - bits.OnesCount64(uint64(all&other)))
	}
	return sum
}

// gainOf is what a move adds to the material of its side.
func gainOf(p *board.Position, m board.Move) int {
	gain := lookWorth[p.Captured(m)]
	if m.Promotion() != board.NoPieceType {
		gain += lookWorth[m.Promotion()] - lookWorth[board.Pawn]
	}
	return gain
}

// reply is the value of a position for its side to move, which makes any move, after which captures follow. balance is
// its material.
func (l *looker) reply(p *board.Position, balance, low, high int) int {
	best := -lookMate
	// better tries a move and reports whether the opponent would not let it come so far.
	better := func(m board.Move, gain int) bool {
		q := p.After(m)
		best = max(best, -l.exchange(&q, -balance-gain, -high, -max(low, best), lookDepth))
		return best >= high
	}
	for _, c := range l.captures(p, lookDepth+1) {
		if better(c.move, c.gain) {
			return best
		}
	}
	var buffer [board.MaxMoves]board.Move
	checks, occupied := newChecks(p), p.Occupied()
	moves := p.LegalMoves(buffer[:0])
	for _, m := range moves {
		switch {
		case occupied.Has(m.To()) || m.Promotion() != board.NoPieceType || p.IsEnPassant(m): // looked at
		case best >= balance && !checks.possible(p, m): // what wins nothing and threatens nothing leaves the balance
		case better(m, 0):
			return best
		}
	}
	if len(moves) == 0 && !p.InCheck() {
		return 0
	}
	return best
}

// exchange is the value of a position for its side to move, which captures as long as it pays. At first, depth
// lookDepth, it sees mate and gets out of check by any move.
func (l *looker) exchange(p *board.Position, balance, low, high, depth int) int {
	if depth == lookDepth && p.InCheck() {
		return l.escape(p, balance, low, high)
	}
	best := balance
	if best >= high || depth == 0 {
		return best
	}
	for _, c := range l.captures(p, depth) {
		if balance+c.gain <= low { // at best
			continue
		}
		q := p.After(c.move)
		if v := -l.exchange(&q, -balance-c.gain, -high, -max(low, best), depth-1); v > best {
			if best = v; v >= high {
				break
			}
		}
	}
	return best
}

// escape is [looker.exchange] in check.
func (l *looker) escape(p *board.Position, balance, low, high int) int {
	best := -lookMate
	var buffer [board.MaxMoves]board.Move
	for _, m := range p.LegalMoves(buffer[:0]) {
		gain, q := gainOf(p, m), p.After(m)
		if v := -l.exchange(&q, -balance-gain, -high, -max(low, best), lookDepth-1); v > best {
			if best = v; v >= high {
				break
			}
		}
	}
	return best
}

// captures returns the moves that change the material, the most valuable captures by the least valuable pieces first.
func (l *looker) captures(p *board.Position, depth int) []capture {
	var buffer [board.MaxMoves]board.Move
	list := l.order[depth][:0]
	turn := p.Turn()
	for _, m := range p.Captures(buffer[:0]) {
		gain := gainOf(p, m)
		c := capture{m, gain, 10*gain - lookWorth[p.TypeAt(m.From())]/10}
		list = append(list, c)
		at := len(list) - 1
		for ; at > 0; at-- {
			b := list[at-1]
			if b.rank > c.rank || b.rank == c.rank && fromSide(turn, b.move) < fromSide(turn, m) {
				break
			}
			list[at] = b
		}
		list[at] = c
	}
	return list
}
