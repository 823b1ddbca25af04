package mcts

// add counts a visit of a descent's last node with its value.
func (t *tree) add(path []uint32, value, drawn float32) {
	v, d := float64(value), drawn
	for i := len(path) - 1; i >= 0; i-- {
		n := t.at(path[i])
		if i > 0 && n.proven() {
			v = float64(n.lower())
			d = float32(1 - v*v)
		}
		n.visits++
		n.sum += v
		n.drawn += (d - n.drawn) / float32(n.visits)
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
