package mcts

import (
	"cmp"
	"slices"

	"talbot/board"
)

// better orders a node's edges as moves to play: mates and other wins first, the shortest first; lost ones last, the
// longest first; the rest, and equal ones, by visits, then by value. Edges that are still equal stay in the order of
// their priors.
func (t *tree) better(a, b *edge) int {
	x, y := t.child(a), t.child(b)
	cx, cy := class(x), class(y)
	if cx != cy {
		return cmp.Compare(cy, cx)
	}
	switch {
	case cx > 0 && x.plies != y.plies:
		return cmp.Compare(x.plies, y.plies)
	case cx < 0 && x.plies != y.plies:
		return cmp.Compare(y.plies, x.plies)
	}
	nx, ny := visitsOf(x), visitsOf(y)
	if nx != ny || nx == 0 {
		return cmp.Compare(ny, nx)
	}
	return cmp.Compare(x.mean(), y.mean())
}

// betterAtRoot is better among the root's edges. Where the root's result is proven, moves that are proven to reach it
// come before those that may do worse. Of moves with as many visits gumbel prefers that with the greatest sum of noise,
// log-prior and scaled value.
func (t *tree) betterAtRoot(a, b *edge) int {
	if t.proven() {
		if x, y := t.secures(a), t.secures(b); x != y {
			if x {
				return -1
			}
			return 1
		}
	}
	x, y := t.child(a), t.child(b)
	if t.gumbel && class(x) == 0 && class(y) == 0 && visitsOf(x) == visitsOf(y) {
		i, k := t.place(a), t.place(b)
		scores := t.improved(t.at(t.top), true)
		return cmp.Compare(scores[k]+t.noise[k], scores[i]+t.noise[i])
	}
	return t.better(a, b)
}

// secures reports whether a move is proven to get the root's result at least.
func (t *tree) secures(e *edge) bool {
	c := t.child(e)
	return c != nil && -c.upper() >= t.lower
}

// class of a child: 1 the move to it wins, -1 it loses.
func class(n *node) int {
	switch {
	case n == nil:
		return 0
	case n.upper() == -1:
		return 1
	case n.lower() == 1:
		return -1
	}
	return 0
}

func visitsOf(n *node) uint32 {
	if n == nil {
		return 0
	}
	return n.visits
}

// bestOf returns the best of an expanded node's edges.
func (t *tree) bestOf(n *node, top bool) *edge {
	edges := t.edgesOf(n)
	order := t.better
	if top {
		order = t.betterAtRoot
	}
	var best *edge
	for i := range edges {
		if (!top || t.eligible[i]) && (best == nil || order(&edges[i], best) < 0) {
			best = &edges[i]
		}
	}
	return best
}

// bestMove returns the best move so far.
func (t *tree) bestMove() board.Move {
	if n := t.at(t.top); n.count > 0 {
		return t.bestOf(n, true).move
	}
	return board.NoMove
}

// report tells about the search so far, with a line for each move that may be chosen.
func (t *tree) report() *Report {
	r := &Report{Nodes: t.added, Depth: t.depth(), SelDepth: max(t.deepest, 1), HashFull: t.hashFull(),
		TableHits: t.hits, Illegal: t.illegal}
	if t.top == 0 || t.at(t.top).count == 0 {
		r.Lines = []Line{{PV: []board.Move{t.rootMoves[0]}, WDL: wdlOf(0)}}
		return r
	}
	n := t.at(t.top)
	list := make([]*edge, 0, n.count)
	mass := 0.0
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if t.eligible[i] {
			list = append(list, e)
		}
		if visitsOf(t.child(e)) > 0 {
			mass += float64(unpack(e.prior))
		}
	}
	slices.SortStableFunc(list, t.betterAtRoot)
	expected := Line{Value: float32(min(max(t.unvisited(n, mass), -1), 1))}
	expected.WDL = t.chances(expected.Value, n.drawn)
	for _, e := range list {
		r.Lines = append(r.Lines, t.line(e, expected))
	}
	t.targets(list, r.Lines)
	r.Root, r.Raw = t.rootEstimate(n), t.raw
	return r
}

// line describes a move at the root. expected has the value and the chances that an unvisited one is taken to have.
func (t *tree) line(e *edge, expected Line) Line {
	l := Line{PV: t.variation(e), Prior: unpack(e.prior)}
	c := t.child(e)
	switch {
	case c != nil && c.proven():
		l.Value, l.Proven, l.Visits = float32(-c.lower()), true, int64(c.visits)
		l.WDL[1-int(-c.lower())] = 1
		if c.lower() != 0 && c.plies != unknown {
			l.Mate = int(c.plies)/2 + 1 // moves of the side that mates: plies 0 and 1 of the child are mates in 1
			if c.lower() == 1 {
				l.Mate = -(int(c.plies) + 1) / 2
			}
		}
	case visitsOf(c) > 0:
		l.Value, l.Visits = float32(0-c.mean()), int64(c.visits)
		l.WDL = t.chances(l.Value, c.drawn)
	default:
		l.Value, l.WDL = expected.Value, expected.WDL
	}
	return l
}

// chances returns those of a value whose chance of a draw is known if the network gives it.
func (t *tree) chances(v, drawn float32) [3]float32 {
	if !t.abilities.WDL {
		return wdlOf(v)
	}
	drawn = min(max(drawn, 0), 1-max(v, -v))
	return [3]float32{(1 + v - drawn) / 2, drawn, (1 - v - drawn) / 2}
}

// variation returns a move and what is best after it, as far as it was looked at.
func (t *tree) variation(e *edge) []board.Move {
	pv := []board.Move{e.move}
	for c := t.child(e); c != nil && c.count > 0; c = t.child(e) {
		e = t.bestOf(c, false)
		if x := t.child(e); x == nil || x.visits == 0 && !x.proven() {
			break
		}
		pv = append(pv, e.move)
	}
	return pv
}

// applyTemperature draws the move to play by the visits, if there is a temperature: never one that loses for certain,
// if there are others, and always the best where that wins for certain.
func (t *tree) applyTemperature(r *Report) {
	warm := t.temperature(&t.options)
	if warm <= 0 || r.Lines[0].Proven && r.Lines[0].Value > 0 {
		return
	}
	weights := t.weights[:len(r.Lines)]
	for i, l := range r.Lines {
		weights[i] = float64(l.Visits)
		if l.Proven && l.Value < 0 {
			weights[i] = 0
		}
	}
	if i := draw(weights, warm, t.random(t.options.Seed)); i > 0 {
		l := r.Lines[i]
		r.Lines = slices.Insert(slices.Delete(r.Lines, i, i+1), 0, l)
	}
}

// targets gives the lines of a report, which are those of all moves that may be chosen, their weights in the policy
// that a network should learn: see [Line.Target].
func (t *tree) targets(edges []*edge, lines []Line) {
	weights := make([]float64, len(lines))
	switch n := t.at(t.top); {
	case t.proven() && t.lower != 0:
		for i := range lines { // the best moves come first
			weights[i] = float64(b2i(lines[i].Proven && lines[i].Value == lines[0].Value &&
				lines[i].Mate == lines[0].Mate))
		}
	default:
		var improved []float64
		if t.gumbel {
			improved = t.improved(n, true)
			softmax(improved)
		}
		for i, e := range edges {
			if c := t.child(e); c != nil && c.lower() == 1 && t.upper > -1 || t.proven() && !t.secures(e) {
				continue // loses for certain, or is not known to hold the draw
			}
			weights[i] = float64(lines[i].Visits)
			if t.gumbel {
				weights[i] = improved[t.place(e)]
			}
		}
	}
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i, w := range weights {
		switch {
		case sum > 0:
			lines[i].Target = float32(w / sum)
		case i == 0: // nothing was visited yet
			lines[i].Target = 1
		}
	}
}

// place is the index of a root's edge.
func (t *tree) place(e *edge) int {
	for i := range t.edgesOf(t.at(t.top)) {
		if t.edgesOf(t.at(t.top))[i].move == e.move {
			return i
		}
	}
	return 0
}

// rootEstimate is the mean of the root's visits, or its result where that is proven.
func (t *tree) rootEstimate(n *node) (e Estimate) {
	switch {
	case t.proven():
		e.Value = float32(t.lower)
		e.WDL[1-int(t.lower)] = 1
	case n.visits > 0:
		e.Value = float32(n.mean())
		e.WDL = t.chances(e.Value, n.drawn)
	}
	return e
}
