package mcts

import (
	"context"
	"math"
	"slices"
	"time"

	"talbot/board"
)

// Position implements [Searcher].
func (t *tree) Position(start *board.Position, moves []board.Move) {
	from := len(t.moves)
	kept := !t.options.FreshTree && t.game != nil && t.start == *start && len(moves) >= from &&
		slices.Equal(moves[:from], t.moves)
	t.root.Position(start, moves)
	if t.top == 0 {
		return
	}
	for _, m := range moves[min(from, len(moves)):] {
		kept = kept && t.advance(m)
	}
	t.full = false
	if !kept || len(moves) > from {
		t.narrowed = nil
	}
	if !kept {
		t.arena.reset()
		t.top = 0
		return
	}
	if len(moves) > from {
		t.promoteRoot(t.at(t.top))
	}
}

// Search implements [Searcher].
func (t *tree) Search(ctx context.Context, l Limits, report func(*Report)) (*Report, error) {
	if len(t.legal) == 0 {
		return &Report{}, nil
	}
	t.begin(l)
	var err error
	var took time.Duration
	began, told, best := time.Now(), time.Now(), board.NoMove
	for err == nil && ctx.Err() == nil && t.top != 0 && !t.done(took) {
		rest := int64(math.MaxInt64)
		if l.Nodes > 0 {
			rest = l.Nodes - t.added
		}
		if t.lack != 0 && !t.prune() {
			break
		}
		t.gather(rest)
		err = t.evaluate(ctx)
		now := time.Now()
		if took, began = now.Sub(began), now; t.asked == 0 {
			took = 0 // says nothing about how long the network takes
			t.idle++
		} else {
			t.idle = 0
		}
		if report == nil || err != nil {
			continue
		}
		if m := t.bestMove(); m != best || now.Sub(told) >= time.Second {
			best, told = m, now
			report(trimLines(t.report(), &t.options))
		}
	}
	r := t.report()
	t.applyTemperature(r)
	return trimLines(r, &t.options), unlessCancelled(ctx, err)
}

// begin prepares a search.
func (t *tree) begin(l Limits) {
	t.limits = l
	t.added, t.unproven, t.depths, t.deepest, t.hits, t.illegal, t.idle, t.size = 0, 0, 0, 0, 0, 0, 0, 0
	t.pressure, t.prunedAt, t.lack = 0, -1, 0
	t.narrow(t.allowed(l.SearchMoves))
	t.multiPV = t.provesLines && t.options.MultiPV > 1 && l.Mate == 0
	t.lower, t.upper = -1, 1
	t.plan = t.planned()
	if t.top == 0 {
		t.raw = Estimate{}
		t.top = t.newNode()
		return
	}
	if t.at(t.top).kind() == expanded {
		t.restrict()
	}
}

// narrow limits the root to some moves. The visits of a search that was limited to others would decide this one, so its
// tree is dropped.
func (t *tree) narrow(moves []board.Move) {
	if t.top != 0 && t.narrowed != nil && !slices.Equal(t.narrowed, moves) {
		t.arena.reset()
		t.top = 0
	}
	if t.narrowed = nil; len(moves) < len(t.legal) {
		t.narrowed = slices.Clone(moves)
	}
	t.rootMoves = t.bestByTables(moves)
}

// planned returns the number of visits for the root's moves: one less than the nodes, as the first is the root itself.
func (t *tree) planned() int64 {
	nodes := t.limits.Nodes
	if nodes == 0 && t.limits.VisitsLeft != nil {
		nodes = t.limits.VisitsLeft()
	}
	if nodes <= 0 {
		nodes = int64(t.options.Planned)
	}
	return nodes - 1
}

// restrict marks the root's edges that may be chosen, and draws their noise.
func (t *tree) restrict() {
	t.look(t.at(t.top))
	for i, e := range t.edgesOf(t.at(t.top)) {
		t.eligible[i] = slices.Contains(t.rootMoves, e.move)
	}
	t.addNoise()
	t.boundRoot()
}

// mostVisits is the highest count of a node.
const mostVisits = math.MaxUint32 - 1<<20

// mostIdle is the number of times in a row that a search to a depth may come back without a question to the network,
// from moves whose result is proven: where such a draw is the best move, visits hardly go anywhere else.
const mostIdle = 100

// done reports whether the search ends here, and if not chooses the size of the next batch. took is how long the
// network took for the last.
func (t *tree) done(took time.Duration) bool {
	l, last := &t.limits, t.size
	t.size = t.nextBatchSize()
	switch {
	case t.finished(), t.at(t.top).visits > mostVisits:
		return true
	case l.Nodes > 0 && t.added >= l.Nodes:
		return true
	case l.Depth > 0 && t.unproven > 0 && t.depth() >= l.Depth:
		return true
	case l.Depth+l.Mate > 0 && (t.full || t.idle > mostIdle): // it may never be reached any more
		return true
	case l.ShouldStop == nil:
		return false
	}
	p := Progress{Nodes: t.added, Batch: took, Settled: len(t.rootMoves) == 1 || t.proven(),
		Smallest: last == t.sizes[0]}
	if last > 0 {
		p.Growth = float64(t.size) / float64(last)
	}
	p.Best, p.Second = t.lead()
	return l.ShouldStop(p)
}

// finished reports whether nothing is left to find out: the result of the root is proven, and if several lines are
// asked for, that of as many moves, too. The search for a mate ends with the first.
func (t *tree) finished() bool {
	if !t.proven() || !t.multiPV {
		return t.proven()
	}
	open, n := 0, t.at(t.top)
	for i, e := range t.edgesOf(n) {
		if c := t.child(&e); t.eligible[i] && (c == nil || !c.proven()) {
			open++
		}
	}
	return open == 0 || len(t.rootMoves)-open >= t.options.MultiPV
}

// depth is one more than the mean distance from the root of this search's visits, but for those that end where the
// result is proven, rounded down. A proven draw that is the best move has nearly all visits: they would hold the mean
// down.
func (t *tree) depth() int { return 1 + int(t.depths/max(t.unproven, 1)) }

// lead returns the visits of the two most visited moves that may be chosen: not of those that are proven to lose.
func (t *tree) lead() (best, second int64) {
	n := t.at(t.top)
	if n.count == 0 {
		return 0, 0
	}
	for i, e := range t.edgesOf(n) {
		if c := t.child(&e); c != nil && t.eligible[i] && c.lower() < 1 {
			if v := int64(c.visits); v > best {
				best, second = v, best
			} else {
				second = max(second, v)
			}
		}
	}
	return best, second
}

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
