package mcts

import "talbot/board"

// add counts a visit of a descent's last node with its value.
func (t *tree) add(path []uint32, value, drawn float32) {
	v, d, left := float64(value), drawn, t.at(path[len(path)-1]).left
	for i := len(path) - 1; i >= 0; i-- {
		n := t.at(path[i])
		if i > 0 && n.proven() {
			v = float64(n.lower())
			d = float32(1 - v*v)
		}
		n.visits++
		n.sum += v
		n.drawn += (d - n.drawn) / float32(n.visits)
		n.left += (left - n.left) / float32(n.visits)
		left++
		v = -v
	}
	t.added++
	if !t.at(path[len(path)-1]).proven() {
		t.unproven++
		t.depths += int64(len(path) - 1)
	}
	t.deepest = max(t.deepest, len(path)-1)
}

// prove tells the nodes above that the bounds of a descent's last node have changed. A node's result lies between what
// the best of its moves brings for certain and what it may bring.
func (t *tree) prove(path []uint32) {
	for k := len(path) - 1; k > 0; k-- {
		n := t.at(path[k])
		if k < len(path)-1 && !t.bound(n) {
			return
		}
		if n.proven() {
			t.settleVisits(path[:k+1])
		}
	}
	t.boundRoot()
}

// settleVisits gives all visits of a descent's last node the value that is proven, for the nodes above as well.
func (t *tree) settleVisits(path []uint32) {
	n := t.at(path[len(path)-1])
	v := float64(n.lower())
	value := v*float64(n.visits) - n.sum
	drawn := (float32(1-v*v) - n.drawn) * float32(n.visits)
	for k := len(path) - 1; k >= 0; k-- {
		n := t.at(path[k])
		if 0 < k && k < len(path)-1 && n.proven() {
			return
		}
		n.sum += value
		n.drawn += drawn / float32(n.visits)
		value = -value
	}
}

// bound finds a node's bounds, and its distance to mate if it is proven, from its children, and reports whether they
// changed.
func (t *tree) bound(n *node) (changed bool) {
	lower, upper, short, long := int8(-1), int8(-1), uint16(unknown), uint16(0)
	for _, e := range t.edgesOf(n) {
		c := t.child(&e)
		if c == nil {
			upper = 1
			continue
		}
		lower, upper = max(lower, -c.upper()), max(upper, -c.lower())
		if c.proven() && c.lower() == -1 {
			short = min(short, addPly(c.plies))
		}
		long = max(long, addPly(c.plies))
	}
	plies := uint16(0)
	switch {
	case lower == 1:
		plies = short
	case upper == -1:
		plies = long
	}
	changed = lower != n.lower() || upper != n.upper() || plies != n.plies
	n.setBounds(lower, upper)
	n.plies = plies
	return changed
}

// addPly adds a ply to a distance.
func addPly(plies uint16) uint16 {
	if plies >= unknown-1 {
		return unknown
	}
	return plies + 1
}

// boundRoot finds the bounds of the root's result with the moves that may be chosen.
func (t *tree) boundRoot() {
	n := t.at(t.top)
	if n.count == 0 {
		t.lower, t.upper = -1, 1
		return
	}
	t.lower, t.upper = -1, -1
	for i, e := range t.edgesOf(n) {
		if !t.eligible[i] {
			continue
		}
		c := t.child(&e)
		if c == nil {
			t.upper = 1
			continue
		}
		t.lower, t.upper = max(t.lower, -c.upper()), max(t.upper, -c.lower())
	}
}

// proven reports whether the result of the root is certain.
func (t *tree) proven() bool { return t.lower == t.upper }

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
