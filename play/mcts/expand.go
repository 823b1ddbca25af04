package mcts

import (
	"context"
	"math"
	"slices"

	"talbot/board"
)

// evaluate asks the network about the batch and adds what it says. After an error nothing has been added.
func (t *tree) evaluate(ctx context.Context) (err error) {
	if t.asked > 0 {
		err = t.evaluator.Evaluate(ctx, t.answers[:t.asked])
	}
	slot := 0
	for i := range t.queue {
		l := &t.queue[i]
		path := t.paths[l.begin:l.end]
		t.addInFlight(path, -1)
		if l.collision {
			continue
		}
		n, a := t.at(path[len(path)-1]), &t.answers[slot]
		slot++
		if err != nil {
			n.setKind(fresh)
			if n.visits > 0 {
				n.setKind(collapsed)
			}
			continue
		}
		if t.applyEvaluation(n, l, path, a); l.reexpand {
			continue
		}
		t.add(path, n.value, n.drawn)
		if n.proven() {
			t.prove(path)
		}
	}
	for _, i := range t.blocked {
		t.at(i).inFlight = 0
	}
	return err
}

// applyEvaluation expands a node, to which a path leads, with an answer and keeps that.
func (t *tree) applyEvaluation(n *node, l *leaf, path []uint32, a *Evaluation) {
	if a.Illegal {
		t.illegal++
	}
	value, drawn := valueOf(t.abilities, a), float32(0)
	if t.abilities.WDL {
		drawn = a.WDL[1]
	}
	priors := t.priorsOf(a, len(l.legal))
	if len(t.cache.answers) > 0 {
		t.cache.put(l.key, value, drawn, a.MovesLeft, priors)
	}
	if l.reexpand {
		n.setKind(collapsed)
		if !slices.ContainsFunc(path[1:], func(i uint32) bool { return t.at(i).proven() }) {
			t.reexpand(n, path, l, priors)
		}
		return
	}
	n.left = a.MovesLeft
	t.expand(n, &l.position, l.legal, priors, value, drawn)
}

// priorsOf returns an answer's priors, at the temperature of the options; equal ones from a network without.
func (t *tree) priorsOf(a *Evaluation, legal int) []uint16 {
	priors, weights := t.priors[:legal], t.weights[:legal]
	if !t.abilities.Prior {
		for i := range priors {
			priors[i] = pack(1 / float32(legal))
		}
		return priors
	}
	most := math.Inf(-1)
	for _, p := range a.Prior[:legal] {
		most = max(most, float64(p))
	}
	sum := 0.0
	for i, p := range a.Prior[:legal] {
		weights[i] = math.Exp((float64(p) - most) / t.options.PolicyTemp)
		sum += weights[i]
	}
	for i, w := range weights {
		priors[i] = pack(float32(w / sum))
	}
	return priors
}

// expand gives a node its value and its edges, the most probable first. It reports false if there is no room for these.
func (t *tree) expand(n *node, p *board.Position, legal []board.Move, priors []uint16, value, drawn float32) bool {
	n.value, n.drawn = value, drawn
	if n == t.at(t.top) {
		t.raw = Estimate{value, t.chances(value, drawn)}
	}
	if !t.newEdges(n, len(legal)) {
		t.full = true
		n.setKind(collapsed)
		return false
	}
	n.setKind(expanded)
	n.state &^= looked
	turn, edges := p.Turn(), t.edgesOf(n)
	for i, m := range legal {
		e, at := edge{move: m, prior: priors[i]}, i
		for ; at > 0 && before(turn, e, edges[at-1]); at-- {
			edges[at] = edges[at-1]
		}
		edges[at] = e
	}
	if t.options.MateInOne {
		t.mateInOne(n, p)
	}
	if n == t.at(t.top) {
		t.restrict()
	}
	return true
}

// before orders edges by prior, equal ones as the side to move sees the board.
func before(turn board.Color, a, b edge) bool {
	return a.prior > b.prior || a.prior == b.prior && fromSide(turn, a.move) < fromSide(turn, b.move)
}

// mateInOne proves a node that was just expanded if a move mates. The move becomes its first.
func (t *tree) mateInOne(n *node, p *board.Position) {
	edges := t.edgesOf(n)
	c := newChecks(p)
	for i, e := range edges {
		if !c.mates(p, e.move) {
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
	return c.from.Has(m.From()) || c.reach[p.TypeAt(m.From())].Has(m.To()) || m.Promotion() != board.NoPieceType ||
		p.IsEnPassant(m) || p.IsCastling(m)
}

// mates reports whether a legal move mates.
func (c *checks) mates(p *board.Position, m board.Move) bool {
	if !c.possible(p, m) {
		return false
	}
	q := p.After(m)
	return q.IsCheckmate()
}
