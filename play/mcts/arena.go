package mcts

import (
	"math"

	"talbot/board"
)

// nodeBytes is the memory of a position in the tree, and edgeBytes that of a legal move of an expanded one.
const (
	nodeBytes = 40
	edgeBytes = 8
)

// node is a position in the tree. All values are from the view of its side to move.
type node struct {
	sum      float64 // of the values of its visits
	visits   uint32
	edges    uint32  // of an expanded node, where its edges begin
	value    float32 // by the network, or by the rules
	drawn    float32 // mean chance of a draw of its visits
	left     float32 // mean of the plies that its visits have the game go on; 0 of networks that do not say
	inFlight uint16  // descents through it that wait for the network
	plies    uint16  // to the mate, where one is proven
	count    uint8   // edges
	opened   uint8   // edges with a child, the first ones; the root's may be others
	state    uint8   // kind, lower and upper bound, looked
	cycle    uint8   // of a repetition, the plies back to the first occurrence; of others, cyclesBelow and regrown
}

// edge is a legal move of an expanded node. The edges of a node are in the order of their priors.
type edge struct {
	child uint32 // 0: none yet
	move  board.Move
	prior uint16 // see pack
}

// kind is the state of a node.
type kind uint8

const (
	fresh      kind = iota // nothing yet
	waiting                // the network is asked
	expanded               // it has edges
	collapsed              // has visits, but there was no room for its edges any more
	terminal               // the game ends there by its rules
	repetition             // occurred before in the tree, which counts as a draw
	tablebase              // endgame tables know its value
)

// unknown is a distance to mate that is not known, though the result is: it is from tables.
const unknown = math.MaxUint16

// cyclesBelow in node.cycle: a node below is cyclic.
const cyclesBelow = 1 << 7

// reexpanded in node.cycle: the node gave up what was below it and got its edges again. It has more visits than they.
const reexpanded = 1 << 6

// looked in node.state: the priors of its edges are those of [tree.reweigh].
const looked = 1 << 7

// forget makes it a node that was never visited.
func (n *node) forget() {
	*n = node{}
	n.setBounds(-1, 1)
}

func (n *node) kind() kind     { return kind(n.state & 7) }
func (n *node) setKind(k kind) { n.state = n.state&^7 | uint8(k) }

// lower and upper bound the result: -1 lost, 0 drawn, 1 won.
func (n *node) lower() int8 { return int8(n.state>>3&3) - 1 }
func (n *node) upper() int8 { return 1 - int8(n.state>>5&3) }

func (n *node) setBounds(lower, upper int8) {
	n.state = n.state&(7|looked) | uint8(lower+1)<<3 | uint8(1-upper)<<5
}

// proven reports whether the result is certain.
func (n *node) proven() bool { return n.lower() == n.upper() }

// mean is the mean value of the visits, of which there must be one.
func (n *node) mean() float64 { return n.sum / float64(n.visits) }

// started counts descents, those that wait included.
func (n *node) started() uint32 { return n.visits + uint32(n.inFlight) }

// A prior is kept as the 16 bits of a float32 in [0, 1] that follow the two that are 0 in all of them: 7 of the
// exponent, 9 of the fraction, rounded, so with a relative error of at most 1/1024.
const priorShift = 14

func pack(p float32) uint16 {
	return uint16((math.Float32bits(min(max(p, 0), 1)) + 1<<(priorShift-1)) >> priorShift)
}

func unpack(p uint16) float32 { return math.Float32frombits(uint32(p) << priorShift) }

// The tree's memory comes in pieces of 128 KiB, each for nodes or for edges, which are taken when they are needed and
// never given back. An index says the piece and the place in it. Index 0 is nothing.
const (
	pieceBytes = 1 << 17
	pieceNodes = pieceBytes / nodeBytes
	pieceEdges = pieceBytes / edgeBytes
	maxEdges   = 255
)

// arena holds nodes and edges. What is dropped stays as it is until its memory is needed: dropping a tree of any size
// takes no time.
type arena struct {
	limit     int64 // bytes
	bytes     int64 // of all pieces
	nodes     []*[pieceNodes]node
	edges     []*[pieceEdges]edge
	nextNode  uint32               // all before were in use at some time
	nextEdge  uint32               // likewise
	dropped   uint32               // head of a list of nodes, linked by visits, whose subtrees were dropped with them
	spare     uint32               // head of a list of nodes without anything, linked by visits
	free      [maxEdges + 1]uint32 // heads of lists of blocks of edges by length, linked by their first edge's child
	freeEdges int64                // in these lists
	lack      shortage             // what there was no memory for
	spares    int64
}

// reset drops everything and keeps the memory.
func (a *arena) reset() {
	*a = arena{limit: a.limit, bytes: a.bytes, nodes: a.nodes, edges: a.edges, nextNode: 1, nextEdge: 1}
}

// at returns a node; the pointer stays good.
func (a *arena) at(i uint32) *node { return &a.nodes[i/pieceNodes][i%pieceNodes] }

// edgesOf returns the edges of an expanded node.
func (a *arena) edgesOf(n *node) []edge {
	at := n.edges % pieceEdges
	return a.edges[n.edges/pieceEdges][at : at+uint32(n.count)]
}

// grow makes room for another piece.
func (a *arena) grow() bool {
	if a.bytes+pieceBytes > a.limit {
		return false
	}
	a.bytes += pieceBytes
	return true
}

// newNode returns a node without anything, 0 if there is no memory left.
func (a *arena) newNode() uint32 {
	if a.spare == 0 && a.dropped != 0 {
		a.recycle()
	}
	i := a.spare
	if i != 0 {
		a.spare = a.at(i).visits
		a.spares--
	} else {
		i = a.nextNode
		if int(i/pieceNodes) == len(a.nodes) {
			if i > 1<<32-2*pieceNodes || !a.grow() {
				a.lack |= noNode
				return 0
			}
			a.nodes = append(a.nodes, new([pieceNodes]node))
		}
		a.nextNode++
	}
	a.at(i).forget()
	return i
}

// newEdges gives a node count edges, which the caller fills. It reports false if there is no memory left.
func (a *arena) newEdges(n *node, count int) bool {
	at := a.block(count)
	if at == 0 {
		a.lack |= noEdges
		return false
	}
	n.edges, n.count, n.opened = at, uint8(count), 0
	return true
}

// block returns the index of count edges in one piece, 0 if there are none.
func (a *arena) block(count int) uint32 {
	if a.free[count] == 0 {
		if at := a.unused(count); at != 0 {
			return at
		}
		for a.free[count] == 0 && a.dropped != 0 {
			a.recycle()
		}
	}
	for size := count; size <= maxEdges; size++ {
		at := a.free[size]
		if at == 0 {
			continue
		}
		a.free[size] = a.edge(at).child
		a.freeEdges -= int64(size)
		if size > count {
			a.freeBlock(at+uint32(count), size-count)
		}
		return at
	}
	return 0
}

// unused returns edges that were never in use, 0 if there are none.
func (a *arena) unused(count int) uint32 {
	piece, left := int(a.nextEdge/pieceEdges), pieceEdges-int(a.nextEdge%pieceEdges)
	if piece == len(a.edges) || left < count {
		next := min(piece+1, len(a.edges))
		if next == len(a.edges) {
			if next >= 1<<32/pieceEdges-1 || !a.grow() {
				return 0
			}
			a.edges = append(a.edges, new([pieceEdges]edge))
		}
		if next > piece {
			a.freeBlock(a.nextEdge, left)
			a.nextEdge = uint32(next) * pieceEdges
		}
	}
	a.nextEdge += uint32(count)
	return a.nextEdge - uint32(count)
}

func (a *arena) edge(i uint32) *edge { return &a.edges[i/pieceEdges][i%pieceEdges] }

// freeBlock makes edges available again.
func (a *arena) freeBlock(at uint32, count int) {
	a.edge(at).child = a.free[count]
	a.free[count] = at
	a.freeEdges += int64(count)
}

// drop gives up a node with all below it.
func (a *arena) drop(i uint32) {
	a.at(i).visits = a.dropped
	a.dropped = i
}

// recycle makes a dropped node spare, its edges free and its children dropped.
func (a *arena) recycle() {
	i := a.dropped
	n := a.at(i)
	a.dropped = n.visits
	a.dropEdges(n, 0)
	n.visits = a.spare
	a.spare = i
	a.spares++
}

// dropEdges drops a node's children but one, and frees its edges.
func (a *arena) dropEdges(n *node, but uint32) {
	if n.count == 0 {
		return
	}
	for _, e := range a.edgesOf(n) {
		if e.child != 0 && e.child != but {
			a.drop(e.child)
		}
	}
	a.freeBlock(n.edges, int(n.count))
	n.count, n.opened = 0, 0
}

// used is the number of bytes that hold something, dropped nodes included.
func (a *arena) used() int64 {
	return (int64(a.nextNode)-a.spares)*nodeBytes + (int64(a.nextEdge)-a.freeEdges)*edgeBytes
}
