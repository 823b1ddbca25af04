package mcts

import "math"

// The size of a batch. Positions that are selected together are selected with less knowledge, and how much less depends
// on how many are known already. In a tree of few visits a full batch looks at moves that would not have been looked at
// one by one. So a batch has a share of the visits that the tree has, and of a part of those to come: what goes astray
// early in a long search matters little. Where little is left to come batches are small, too, as each decides more.
const (
	batchShare  = 64 // a batch is at most that part of the visits
	futureShare = 8  // of the visits to come that part counts as there already
	batchesLeft = 4  // of the visits to come a batch is at most that part
	// batchBytes is the memory of the tree that there must be for each position of a batch. What pruning makes free is
	// not used up by one batch then.
	batchBytes = 4096
)

// sizesOf returns the sizes of batches that a search may choose from: those of the evaluator up to the least of these
// bounds, which is one of them. A bound of 0 does not count.
func sizesOf(e Evaluator, bounds ...int) (sizes []int) {
	largest := e.Batch()
	for _, n := range bounds {
		if n > 0 {
			largest = min(largest, n)
		}
	}
	largest = max(largest, 1)
	for _, n := range e.Sizes() {
		if n < largest {
			sizes = append(sizes, n)
		}
	}
	return append(sizes, largest)
}

// nextBatchSize returns the size that suits the next batch.
func (t *tree) nextBatchSize() int {
	if len(t.sizes) == 1 {
		return t.sizes[0]
	}
	rest := int64(math.MaxInt64)
	if t.limits.Nodes > 0 {
		rest = t.limits.Nodes - t.added
	}
	if t.limits.VisitsLeft != nil {
		rest = min(rest, t.limits.VisitsLeft())
	}
	room := min((int64(t.at(t.top).visits)+rest/futureShare)/batchShare, rest/batchesLeft)
	size := t.sizes[0]
	for _, n := range t.sizes[1:] {
		if int64(n) <= room {
			size = n
		}
	}
	return size
}

// collisions returns the number of descents of a batch that may end where another waits: MaxCollisions, in proportion
// to its size.
func (t *tree) collisions() int {
	return (t.options.MaxCollisions*t.size + len(t.answers) - 1) / len(t.answers)
}
