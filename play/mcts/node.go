package mcts

import (
	"math"

	"talbot/board"
)

// nodeBytes is the memory of a position in the tree, and edgeBytes that of a legal move of an expanded one.
const (
	nodeBytes = 32
	edgeBytes = 8
)

// node is a position in the tree. All values are from the view of its side to move.
type node struct {
	sum      float64 // of the values of its visits
	visits   uint32
	edges    uint32  // of an expanded node, where its edges begin
	value    float32 // by the network, or by the rules
	drawn    float32 // mean chance of a draw of its visits
	inFlight uint16  // descents through it that wait for the network
	plies    uint16  // to the mate, where one is proven
	count    uint8   // edges
	opened   uint8   // edges with a child, the first ones; the root's may be others
	state    uint8   // kind, lower and upper bound
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
	n.state = n.state&7 | uint8(lower+1)<<3 | uint8(1-upper)<<5
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
