package mcts

import "talbot/board"

// mateInOne proves a node that was just expanded if a move mates. The move becomes its first.
func (t *tree) mateInOne(n *node, p *board.Position) {
	edges := t.edgesOf(n)
	c := newChecks(p)
	for i, e := range edges {
		if !c.possible(p, e.move) {
			continue
		}
		if q := p.After(e.move); !q.InCheck() || q.HasLegalMove() {
			continue
		}
		if e.child = t.newNode(); e.child == 0 {
			t.full = true
			return
		}
		t.setResult(t.at(e.child), terminal, -1)
		copy(edges[1:i+1], edges[:i])
		edges[0] = e
		n.opened, n.plies, n.value, n.drawn = 1, 1, 1, 0
		n.setBounds(1, 1)
		return
	}
}

// checks says which moves of a position may give check.
type checks struct {
	from  board.Bitboard                 // what leaves these squares may uncover one
	reach [board.King + 1]board.Bitboard // from these a piece of a type attacks the king
}

func newChecks(p *board.Position) (c checks) {
	them, occupied := p.Turn().Other(), p.Occupied()
	king := p.Pieces(them, board.King).First()
	c.from = board.Attacks(them, board.Queen, king, 0)
	for pt := board.Pawn; pt <= board.Rook; pt++ {
		c.reach[pt] = board.Attacks(them, pt, king, occupied)
	}
	c.reach[board.Queen] = c.reach[board.Bishop] | c.reach[board.Rook]
	return c
}

// possible reports whether a legal move may give check; it rules out most that cannot.
func (c *checks) possible(p *board.Position, m board.Move) bool {
	pt := p.PieceAt(m.From()).Type()
	switch {
	case c.from.Has(m.From()), c.reach[pt].Has(m.To()), m.Promotion() != board.NoPieceType:
		return true
	case pt == board.King: // castling
		return m.From().File()-m.To().File() == 2 || m.To().File()-m.From().File() == 2
	case pt == board.Pawn: // what is taken en passant stands elsewhere
		return m.From().File() != m.To().File() && p.PieceAt(m.To()) == board.NoPiece
	}
	return false
}
