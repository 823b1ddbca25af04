package fleet

import (
	"math/rand/v2"
	"slices"
	"time"

	"talbot/stockfish"
)

// openLine is a job under way, or a check.
type openLine struct {
	stockfish.Job
	check  *check // nil: a job
	done   []bool // of its plies
	losses []int  // of its plies: how often a worker failed
	left   int
}

func newOpenLine(j stockfish.Job) *openLine {
	n := len(j.Plies)
	return &openLine{Job: j, done: make([]bool, n), losses: make([]int, n), left: n}
}

// position is one of a line, by its place among the line's plies.
type position struct {
	line *openLine
	k    int
}

// positions returns all positions of a line.
func (l *openLine) positions() (list []position) {
	for k := range l.Plies {
		list = append(list, position{l, k})
	}
	return list
}

// batch is a set of positions that are searched together. Those of a line stand together, ascending.
type batch struct {
	positions []position
	lost      int    // how often it was lost since it was made
	number    uint64 // in the fleet
	// offered is when it went to the queue: no worker can have spent more time on it than has passed since.
	offered time.Time
}

// jobs returns what is searched: a job for each line, whose index is the place of its first position in the batch.
func (b *batch) jobs() (list []stockfish.Job) {
	for i := 0; i < len(b.positions); {
		line := b.positions[i].line
		j := stockfish.Job{Index: int64(i), Start: line.Start, Moves: line.Moves}
		for ; i < len(b.positions) && b.positions[i].line == line; i++ {
			j.Plies = append(j.Plies, line.Plies[b.positions[i].k])
		}
		list = append(list, j)
	}
	return list
}

// fill reads jobs until there are enough for a batch, and reports whether it managed before the time was up.
func (r *run) fill(until time.Time) bool {
	slots, _ := r.workers()
	enough := max(64, 2*(slots+len(r.own))*r.target(r.share.BatchTime))
	for !r.ended && len(r.ready) < enough {
		j, ok := r.next()
		if !ok {
			r.ended = true
			break
		}
		if len(j.Plies) == 0 {
			break // none for now
		}
		l := newOpenLine(j)
		r.open[j.Index] = l
		r.ready = append(r.ready, l.positions()...)
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
	share := len(r.ready) / engines
	if r.ended {
		share /= 2
	}
	n := min(most, max(least, share))
	if r.offered < 2*slots {
		n = least + rand.IntN(n-least+1)
	}
	return n
}

// whole reports whether lines are searched whole, because memory is kept for a line.
func (r *run) whole() bool { return r.config.HashScope() == stockfish.LineScope }

// cut takes at most the given number of ready positions, or whole lines; nil if none of them is left to be searched.
func (r *run) cut(positions int) *batch {
	taken, size := 0, 0
	for ; taken < len(r.ready); taken++ {
		begins := taken == 0 || r.ready[taken-1].line != r.ready[taken].line
		if begins && taken > 0 {
			last := r.ready[taken-1]
			size += lineData + plyData*last.line.Plies[last.k]
		}
		if taken >= positions && (begins || !r.whole()) || begins && size >= maxBatchData {
			break
		}
	}
	b := &batch{positions: slices.Clone(r.ready[:taken])}
	r.ready = r.ready[taken:]
	if !r.prune(b, true) {
		return nil
	}
	return b
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
	b.positions = slices.DeleteFunc(b.positions, func(p position) bool {
		losses := p.line.losses[p.k]
		if r.whole() {
			losses = slices.Max(p.line.losses)
		}
		return p.line.done[p.k] || !own && losses >= maxLost
	})
	return len(b.positions) > 0
}

// halves cuts a batch in two, between lines if these are whole; nil if it cannot be cut.
func (b *batch) halves(whole bool) []*batch {
	var cuts []int
	for i := 1; i < len(b.positions); i++ {
		if !whole || b.positions[i].line != b.positions[i-1].line {
			cuts = append(cuts, i)
		}
	}
	if cuts == nil {
		return nil
	}
	at := cuts[len(cuts)/2]
	return []*batch{{positions: b.positions[:at:at]}, {positions: b.positions[at:]}}
}
