package fleet

import (
	"time"

	"talbot/stockfish"
)

// publish offers batches to workers: as many as they have slots for, one more for each slot, and some to spare. It
// reports whether it offered all before the time was up.
func (r *run) publish(until time.Time) bool {
	slots, workers := r.workers()
	if slots == 0 || r.queueFull {
		return true
	}
	r.publishChecks(workers)
	if r.begun.IsZero() {
		r.begun = r.now()
	}
	most := 2*slots + slots/2 + 2
	if r.mean == 0 && r.config.Limit.Time() == 0 { // the first answers show how long a batch takes
		if most = 2 * slots; r.now().Sub(r.begun) < scoutTime {
			most = min(most, maxScouts)
		}
	}
	for len(r.batch) < most && !r.queueFull {
		b := r.lostBatch(false)
		if b == nil {
			b = r.cut(r.size(r.share.BatchTime))
		}
		if b == nil {
			break
		}
		r.offer(b)
		if time.Now().After(until) {
			return false
		}
	}
	return true
}

// offer puts a batch into the queue. If the queue is full it is kept for later.
func (r *run) offer(b *batch) {
	var list []question
	for _, p := range b.pieces {
		list = append(list, newQuestion(&p.line.Job, p.line.Plies[p.from:p.to]))
	}
	for _, c := range b.checks {
		list = append(list, c.question)
	}
	n, err := r.fleet.Offer(appendAsked(nil, list), appendLines(nil, list))
	if err != nil {
		r.share.Log("%v", err)
		r.queueFull = true
		r.offerAgain(b)
		return
	}
	b.number, b.offered = n, r.now()
	r.batch[n] = b
	r.offered++
}

// offerAgain puts a batch back among those that are to be offered.
func (r *run) offerAgain(b *batch) {
	if b.checks != nil {
		r.checks.requeue(b.checks)
		return
	}
	r.requeued = append(r.requeued, b)
}

// retractAll takes back all offered batches except checks, which continue.
func (r *run) retractAll() {
	for n, b := range r.batch {
		if b.checks == nil {
			r.fleet.Retract(n)
			delete(r.batch, n)
		}
	}
}

// collectLost offers lost batches again, in halves after some losses; what is lost as a single position goes to the own
// engines.
func (r *run) collectLost() {
	for _, l := range r.fleet.LostJobs() {
		b := r.batch[l.number]
		delete(r.batch, l.number)
		if b == nil {
			continue
		}
		if l.blame {
			r.share.Log("worker %d: %s", l.worker, l.reason)
			b.lost++
		}
		r.requeue(b)
	}
}

// requeue requeues a batch that no worker has any more.
func (r *run) requeue(b *batch) {
	if b.checks != nil {
		r.checks.lost(b.checks)
		return
	}
	if !r.prune(b, false) {
		return
	}
	if b.lost < maxLost {
		r.requeued = append(r.requeued, b)
		return
	}
	halves := b.halves(r.config.HashScope() == stockfish.LineScope)
	if halves == nil {
		r.ownOnly = append(r.ownOnly, b)
		return
	}
	r.requeued = append(r.requeued, halves...)
}
