package mcts

import "talbot/board"

// advance makes the child that a move leads to the root and drops the rest. It reports false if there is none.
func (t *tree) advance(m board.Move) bool {
	n := t.at(t.top)
	if n.count == 0 {
		return false
	}
	for _, e := range t.edgesOf(n) {
		if e.move == m && e.child != 0 {
			t.dropEdges(n, e.child)
			t.drop(t.top)
			t.top = e.child
			return true
		}
	}
	return false
}

// promoteRoot makes a node that was searched from above the root: what ended the game there does not end the search,
// and its children tell whether it is proven.
func (t *tree) promoteRoot(n *node) {
	if n.kind() != expanded {
		n.forget()
		return
	}
	t.undoRepetitions(n, 0)
	own := n.visits
	for _, e := range t.edgesOf(n) {
		own -= visitsOf(t.child(&e))
	}
	t.sumChildren(n, own)
	n.setBounds(-1, 1)
	n.plies = 0
}

// undoRepetitions takes back the draws by repetition below a node whose first occurrence lies before the root: it is
// now in the game's past, and the second occurrence there is no draw yet. The node's depth is that below the root.
// Visits, values and proofs that are built on such draws are taken back as well. It reports whether there were any.
func (t *tree) undoRepetitions(n *node, depth int) (changed bool) {
	if n.kind() == repetition && int(n.cycle) > depth {
		n.forget()
		return true
	}
	if n.kind() == collapsed && n.cycle&cyclesBelow != 0 { // which of them are below is not known any more
		n.forget()
		return true
	}
	if n.kind() != expanded || n.cycle&cyclesBelow == 0 {
		return false
	}
	own, below := n.visits, uint8(0)
	for _, e := range t.edgesOf(n) {
		if c := t.child(&e); c != nil {
			own -= c.visits
			changed = t.undoRepetitions(c, depth+1) || changed
			if c.kind() == repetition || c.cycle&cyclesBelow != 0 {
				below = cyclesBelow
			}
		}
	}
	n.cycle = n.cycle&reexpanded | below
	if !changed {
		return false
	}
	t.sumChildren(n, own)
	if t.bound(n); n.proven() {
		v := float64(n.lower())
		n.sum, n.drawn = v*float64(n.visits), float32(1-v*v)
	}
	return true
}

// sumChildren finds a node's visits and values from its children's. own are the visits that ended at it.
func (t *tree) sumChildren(n *node, own uint32) {
	n.visits, n.sum = own, float64(own)*float64(n.value)
	drawn := 0.0
	for _, e := range t.edgesOf(n) {
		if c := t.child(&e); c != nil {
			n.visits += c.visits
			n.sum -= c.sum
			drawn += float64(c.drawn) * float64(c.visits)
		}
	}
	if n.visits > own {
		n.drawn = float32(drawn / float64(n.visits-own))
	}
}

// repeated reports whether a position occurred before in the tree, and writes it down as a draw: what can be repeated
// once can be repeated twice.
func (t *tree) repeated(n *node) bool {
	p, depth := t.game.Position(), len(t.path)-1
	for k := 4; k <= min(depth, p.HalfmoveClock()); k += 2 {
		if t.game.Previous(k).Key() != p.Key() {
			continue
		}
		t.setResult(n, repetition, 0)
		n.cycle = uint8(k)
		for _, i := range t.path[:depth] {
			t.at(i).cycle |= cyclesBelow
		}
		return true
	}
	return false
}
