package fleet

import (
	"math/rand/v2"
	"slices"
	"time"

	"talbot/stockfish"
)

// openLine is a job under way.
type openLine struct {
	stockfish.Job
	done   []bool // of its plies
	losses []int  // of its plies: how often a worker failed
	left   int
}

// piece is a part of a line: the plies [from:to).
type piece struct {
	line     *openLine
	from, to int
}

// batch is a set of positions that are searched together.
type batch struct {
	pieces []piece
	checks []*check // instead of pieces
	lost   int      // how often it was lost since it was made
	number uint64   // in the fleet
	// offered is when it went to the queue: no worker can have spent more time on it than has passed since.
	offered time.Time
}

// fill reads jobs until there are enough for a batch, and reports whether it managed before the time was up.
func (r *run) fill(until time.Time) bool {
	slots, _ := r.workers()
	enough := max(64, 2*(slots+len(r.own))*r.target(r.share.BatchTime))
	for !r.ended && r.waiting < enough {
		j, ok := r.next()
		if !ok {
			r.ended = true
			break
		}
		if len(j.Plies) == 0 {
			break // none for now
		}
		l := &openLine{Job: j, done: make([]bool, len(j.Plies)), losses: make([]int, len(j.Plies)), left: len(j.Plies)}
		r.open[j.Index] = l
		r.ready = append(r.ready, piece{l, 0, len(j.Plies)})
		r.waiting += len(j.Plies)
		if time.Now().After(until) {
			return false
		}
	}
	return true
}

// target returns the number of positions that take a time.
func (r *run) target(d time.Duration) int {
	if r.mean == 0 {
		if t := r.config.Limit.Time(); t > 0 {
			return min(max(1, int(d/t)), maxBatch)
		}
		return firstBatch
	}
	return int(min(max(1, d.Seconds()/r.mean), maxBatch))
}

// size returns the number of positions of the next batch: engine time of at most d; an equal share of what is there,
// for more may take a while to come; and towards the end half of that, so that all engines end together; but not so few
// that there are more batches in a second than a coordinator can handle. The first batches are small, as their time is
// not known yet; those that follow vary in size, or the answers of all engines would keep coming at the same time.
func (r *run) size(d time.Duration) int {
	slots, _ := r.workers()
	engines := slots + len(r.own)
	most, least := r.target(d), 1
	switch {
	case r.mean == 0 && r.config.Limit.Time() == 0:
		return 1 + len(r.batch)%most
	case r.mean > 0:
		least = min(most, r.target(time.Duration(engines)*time.Second/maxRate))
	}
	share := r.waiting / engines
	if r.ended {
		share /= 2
	}
	n := min(most, max(least, share))
	if r.offered < 2*slots {
		n = least + rand.IntN(n-least+1)
	}
	return n
}

// cut takes at most the given number of ready positions, whole lines where memory is kept for a line.
func (r *run) cut(positions int) *batch {
	b := &batch{}
	size := 0
	for positions > 0 && len(r.ready) > 0 && size < maxBatchData && len(b.pieces) < maxQuestions {
		p := &r.ready[0]
		n := p.to - p.from
		if r.config.HashScope() == stockfish.PositionScope {
			n = min(n, positions)
		}
		size += 2 * p.line.Plies[p.from+n-1]
		r.addUndone(b, piece{p.line, p.from, p.from + n}, true)
		p.from += n
		r.waiting -= n
		positions -= n
		if p.from == p.to {
			r.ready = r.ready[1:]
		}
	}
	if len(b.pieces) == 0 {
		return nil
	}
	return b
}

// addUndone adds the unsearched positions of a piece to a batch, as one piece or several.
func (r *run) addUndone(b *batch, p piece, own bool) {
	whole := r.config.HashScope() == stockfish.LineScope
	skip := func(k int) bool {
		if whole && !own && slices.Max(p.line.losses) >= maxLost {
			return true
		}
		return p.line.done[k] || !own && p.line.losses[k] >= maxLost
	}
	for from := p.from; from < p.to; from++ {
		if skip(from) {
			continue
		}
		to := from + 1
		for to < p.to && !skip(to) {
			to++
		}
		b.pieces = append(b.pieces, piece{p.line, from, to})
		from = to
	}
}

// lostBatch is the next lost batch, without the positions that were done meanwhile, or nil.
func (r *run) lostBatch(own bool) *batch {
	for len(r.requeued) > 0 {
		b := r.requeued[0]
		r.requeued = r.requeued[1:]
		if r.prune(b, own) {
			return b
		}
	}
	return nil
}

// prune removes from a batch the positions that are done, and for workers those that they cannot do, and reports
// whether any are left.
func (r *run) prune(b *batch, own bool) bool {
	pieces := b.pieces
	b.pieces = nil
	for _, p := range pieces {
		r.addUndone(b, p, own)
	}
	return len(b.pieces) > 0
}

// halves cuts a batch in two, whole lines only if it must; nil if it cannot be cut.
func (b *batch) halves(whole bool) []*batch {
	if n := len(b.pieces); n > 1 {
		return []*batch{{pieces: slices.Clone(b.pieces[:n/2])}, {pieces: slices.Clone(b.pieces[n/2:])}}
	}
	p := b.pieces[0]
	if n := p.to - p.from; n > 1 && !whole {
		half := p.from + n/2
		return []*batch{{pieces: []piece{{p.line, p.from, half}}}, {pieces: []piece{{p.line, half, p.to}}}}
	}
	return nil
}
