package mcts

import (
	"math"
	"math/bits"

	"talbot/board"
)

// tree is the searchers that grow one: puct and talbotbot.
type tree struct {
	root
	arena
	cache     *cache
	evaluator Evaluator
	looker    looker
	abilities Capabilities
	options   Options
	// choose returns the edge of an expanded node that a descent follows, -1 if it cannot continue.
	choose func(t *tree, n *node, top bool) int
	// asPublished: nothing but the end of the game is known for certain, nothing is a draw before it, and no two
	// descents of a batch meet, as talbotbot has it.
	asPublished bool
	gumbel      bool                     // the root is searched by sequential halving: see gumbel.go
	drawn       func(board.Move) float64 // tests: the noise of the root's moves
	provesLines bool                     // MultiPV makes the search continue where the root is proven

	top  uint32 // the root's node, 0: none yet
	full bool   // no memory was left when it was needed
	// narrowed are the only moves that the root's visits were spent on, by SearchMoves; nil: there was no such limit.
	narrowed []board.Move

	// of the search under way
	limits       Limits
	size         int                     // of the next batch
	rootMoves    []board.Move            // that may be chosen, at least one
	eligible     [board.MaxMoves]bool    // which of the root's edges they are
	noise        [board.MaxMoves]float64 // of the root's edges
	plan         int64                   // gumbel: visits of the root's moves that are planned
	raw          Estimate                // the network's evaluation of the root
	lower, upper int8                    // bounds of the root's result with them
	multiPV      bool                    // a proven root does not end the search: lines of other moves are asked for
	added        int64                   // visits
	unproven     int64                   // of these, visits that did not end where the result is proven
	depths       int64                   // sum of the distances of these from the root
	deepest      int
	pressure     int   // prunings in a row that no visit came of
	prunedAt     int64 // visits at the last of them
	hits         int64 // of tables
	illegal      int64 // favourites of the network

	// of the batch under way
	path    []uint32     // the descent, root first
	queue   []leaf       // descents that wait
	paths   []uint32     // their paths, one after the other
	store   []board.Move // their legal moves, likewise
	blocked []uint32     // talbotbot: nodes below which everything waits
	asked   int          // slots of the evaluator
	idle    int          // gathers in a row that asked nothing
	sizes   []int        // of batches, ascending
	answers []Evaluation
	replies []board.Move // of the current node
	priors  []uint16     // likewise
	weights []float64    // likewise
	logits  []float64    // likewise
	values  []float64    // likewise
}

// leaf is a descent that ended at a node which waits for the network.
type leaf struct {
	begin, end int // of its path, in tree.waits
	key        uint64
	position   board.Position
	legal      []board.Move
	collision  bool // another descent asks: this one met it
	reexpand   bool // the node is known and has only its moves to get
}

// newTree returns a tree with its memory divided between cache and tree.
func newTree(e Evaluator, o Options) *tree {
	o.Hash = max(o.Hash, 1<<20)
	past := e.History()
	if o.PositionCache {
		past = -1
	}
	t := &tree{evaluator: e, abilities: e.Capabilities(), options: o, cache: newCache(o.CacheSize, o.Hash/4, past)}
	t.arena.limit = o.Hash - t.cache.bytes()
	t.arena.reset()
	t.sizes = sizesOf(e, o.Batch, int(min(t.arena.limit/batchBytes, math.MaxInt32)))
	t.answers = make([]Evaluation, t.sizes[len(t.sizes)-1])
	t.queue = make([]leaf, 0, len(t.answers)+o.MaxCollisions+1)
	t.store = make([]board.Move, 0, len(t.answers)*board.MaxMoves)
	t.replies = make([]board.Move, 0, board.MaxMoves)
	t.priors = make([]uint16, board.MaxMoves)
	t.weights = make([]float64, board.MaxMoves)
	t.logits, t.values = make([]float64, board.MaxMoves), make([]float64, board.MaxMoves)
	return t
}

// Clear implements [Searcher].
func (t *tree) Clear() {
	t.arena.reset()
	t.cache.clear()
	t.top, t.full = 0, false
}

// hashFull returns the share of the memory that is used, per mille: all, if something did not fit.
func (t *tree) hashFull() int {
	if t.full {
		return 1000
	}
	full, rest := bits.Mul64(uint64(t.used()+t.cache.used()), 1000)
	per, _ := bits.Div64(full, rest, uint64(max(t.options.Hash, 1)))
	return int(min(per, 1000))
}

// child returns an edge's node, nil if there is none.
func (t *tree) child(e *edge) *node {
	if e.child == 0 {
		return nil
	}
	return t.at(e.child)
}
