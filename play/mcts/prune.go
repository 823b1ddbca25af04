package mcts

import (
	"math/bits"
	"slices"
)

// When no memory is left, the least visited positions give up what lies below them. They keep their visits, with the
// mean of these as their value, and count with it as before. A visit that comes to such a position asks the network for
// its moves again and continues with one of them: it is no visit of the position itself, which teaches nothing new
// about it.

// pruned is the part of the nodes, or of the edges, that pruning makes free at least: one in this many.
const pruned = 4

// shortage says what there was no memory for.
type shortage uint8

const (
	noNode shortage = 1 << iota
	noEdges
)

// prune makes room. It is called between two batches, when nothing waits for the network. Positions that are proven to
// be won or lost are spared where possible: the way to the mate leads through them. Where no visit came of the room
// that was made the last time, more is given up. It reports false if nothing is left to give up.
func (t *tree) prune() bool {
	lack := t.lack
	t.lack = 0
	if t.pressure++; t.added > t.prunedAt {
		t.pressure = 0
	}
	t.prunedAt = t.added
	for t.dropped != 0 {
		t.recycle()
	}
	for _, all := range []bool{false, true} {
		t.collapseBelow(t.top, max(1, t.threshold(lack, all))+8*t.pressure, all)
		for t.dropped != 0 {
			t.recycle()
		}
		if t.roomy(lack) {
			break
		}
	}
	t.join()
	return 8*t.pressure <= visitClasses
}

// roomy reports whether enough of what was lacking is free.
func (t *tree) roomy(lack shortage) bool {
	return (lack&noNode == 0 || t.spares*pruned >= t.nodeRoom()) &&
		(lack&noEdges == 0 || t.freeEdges*pruned >= t.edgeRoom())
}

func (a *arena) nodeRoom() int64 { return int64(len(a.nodes)) * pieceNodes }
func (a *arena) edgeRoom() int64 { return int64(len(a.edges)) * pieceEdges }

// visitClasses are classes of numbers of visits, eight for each doubling.
const visitClasses = 8 * 33

func visitClass(visits uint32) int {
	if visits < 16 {
		return int(visits)
	}
	n := bits.Len32(visits) - 4
	return 8*n + int(visits>>n)
}

// threshold returns the class of visits up to which positions have to give up what is below them to make enough room.
func (t *tree) threshold(lack shortage, all bool) int {
	var nodes, edges [visitClasses]int64
	t.countFreeable(t.top, all, &nodes, &edges)
	node, edge := t.spares, t.freeEdges
	for class := range visitClasses {
		node, edge = node+nodes[class], edge+edges[class]
		if (lack&noNode == 0 || node*pruned >= t.nodeRoom()) && (lack&noEdges == 0 || edge*pruned >= t.edgeRoom()) {
			return class
		}
	}
	return visitClasses
}

// collapsible reports whether a node has something below it that may be given up.
func (n *node) collapsible(all bool) bool { return n.kind() == expanded && (all || !n.proven()) }

// countFreeable counts by classes of visits what the positions below a node would make free.
func (t *tree) countFreeable(i uint32, all bool, nodes, edges *[visitClasses]int64) {
	for _, e := range t.edgesOf(t.at(i)) {
		c := t.child(&e)
		if c == nil || c.kind() != expanded {
			continue
		}
		if c.collapsible(all) {
			class := visitClass(c.visits)
			edges[class] += int64(c.count)
			for _, below := range t.edgesOf(c) {
				if below.child != 0 {
					nodes[class]++
				}
			}
		}
		t.countFreeable(e.child, all, nodes, edges)
	}
}

// collapseBelow drops what is below the positions under a node that have visits up to a class.
func (t *tree) collapseBelow(i uint32, class int, all bool) {
	n := t.at(i)
	if n.kind() != expanded {
		return
	}
	for _, e := range t.edgesOf(n) {
		switch c := t.child(&e); {
		case c == nil || c.kind() != expanded:
		case c.collapsible(all) && visitClass(c.visits) <= class:
			t.collapse(c)
		default:
			t.collapseBelow(e.child, class, all)
		}
	}
}

// collapse drops what is below a node. That repetitions were there is still noted.
func (t *tree) collapse(n *node) {
	t.dropEdges(n, 0)
	n.setKind(collapsed)
	n.value = float32(n.mean())
	n.cycle &= cyclesBelow
}

// restoreEdges gets the moves of a node that gave them up, or never had room for them. Where the network has to be
// asked for them, and where there is no room either, the descent ends.
func (t *tree) restoreEdges(n *node) (how arrival, ends bool) {
	t.replies = t.game.Position().LegalMoves(t.replies[:0])
	key, a, priors := t.lookup(t.replies)
	if a == nil {
		t.enqueue(n, leaf{key: key, reexpand: true})
		return queued, true
	}
	if !t.reexpand(n, t.path, &leaf{position: *t.game.Position(), legal: t.replies}, priors) {
		return outOfMemory, true
	}
	return visited, false
}

// reexpand gives a node, to which a path leads, its moves again.
func (t *tree) reexpand(n *node, path []uint32, l *leaf, priors []uint16) bool {
	lower, upper := n.lower(), n.upper()
	n.setBounds(-1, 1)
	n.cycle |= reexpanded
	if !t.expand(n, &l.position, l.legal, priors, n.value, n.drawn) {
		n.setBounds(lower, upper)
		return false
	}
	switch {
	case n.proven():
		t.prove(path)
	case lower != -1 || upper != 1: // what was known of the result has been given up
		for k := len(path) - 2; k > 0 && t.bound(t.at(path[k])); k-- {
		}
		t.boundRoot()
	}
	return true
}

// explorationVisits are the visits that a node's exploration goes by: all, but of a node that gave up its moves those
// since then.
func (t *tree) explorationVisits(n *node) uint32 {
	if n.cycle&reexpanded == 0 {
		return n.started()
	}
	return min(1+uint32(t.descents(t.edgesOf(n))), n.started())
}

// join makes neighbouring blocks of free edges one: else there would be ever smaller ones.
func (a *arena) join() {
	type block struct{ at, size uint32 }
	var list []block
	for size := range a.free {
		for at := a.free[size]; at != 0; at = a.edge(at).child {
			list = append(list, block{at, uint32(size)})
		}
		a.free[size] = 0
	}
	slices.SortFunc(list, func(a, b block) int { return int(int64(a.at) - int64(b.at)) })
	a.freeEdges = 0
	for i := 0; i < len(list); {
		b := list[i]
		for i++; i < len(list) && list[i].at == b.at+b.size && list[i].at%pieceEdges != 0; i++ {
			b.size += list[i].size
		}
		for ; b.size > maxEdges; b = (block{b.at + maxEdges, b.size - maxEdges}) {
			a.freeBlock(b.at, maxEdges)
		}
		a.freeBlock(b.at, int(b.size))
	}
}
