package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"talbot/stockfish"
)

// run is one call of Label. All of it belongs to the goroutine of [run.loop]; the pool's own engines have a
// goroutine each and talk to it over channels.
type run struct {
	*Pool
	next func() (stockfish.Job, bool)
	done func(stockfish.Result) error

	ended      bool // next has no more
	open       map[int64]*openLine
	ready      []position  // to be searched, in order
	others     []*openLine // checks for another worker
	requeued   []*batch    // that were lost
	ownOnly    []*batch    // that no worker managed, and checks for the own engines
	queueFull  bool        // the queue is full for now
	ownRunning int         // batches with the own engines
	offered    int         // batches so far
	begun      time.Time   // of offering

	prepared *batch // for the next own engine

	toOwn   chan *batch
	results chan ownResult
}

// How work is divided. A batch takes about batchTime of an engine, less towards the end.
const (
	batchTime    = 5 * time.Second
	ownBatchTime = time.Second
	firstBatch   = 8  // positions, before the engines' speed is known
	maxScouts    = 64 // batches that are offered before that, for
	scoutTime    = time.Second
	maxBatch     = 4096
	maxRate      = 500       // batches in a second
	maxBatchData = 400 << 10 // bytes of a message, about: some for each line, and for each of its plies
	lineData     = 256
	plyData      = 8
	maxLost      = 3
	maxOwnLosses = 6
	smoothing    = 0.1 // weight of a batch in the mean time of a position
	maxSpeed     = 16  // times as fast, or as slow, as the own engines a worker can be
	tickTime     = 500 * time.Millisecond
	stepTime     = 5 * time.Millisecond // of reading, of offering or of handling answers, in turns
)

// ready is a channel that is always ready.
var ready = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// loop searches until all is done.
func (r *run) loop(ctx context.Context) error {
	soft, drain := context.WithCancelCause(ctx) // ends the own engines' work after the searches under way
	defer drain(nil)
	r.toOwn, r.results = make(chan *batch), make(chan ownResult, 2*len(r.own))
	var engines sync.WaitGroup
	for _, own := range r.own {
		engines.Go(func() { r.search(soft, own) })
	}
	err := r.steps(ctx)
	if err == nil && ctx.Err() != nil && !r.finished() {
		err = context.Cause(ctx)
	}
	if err == nil && r.abort.Err() != nil {
		err = fmt.Errorf("labelling: %w", context.Cause(r.abort))
	}
	drain(errors.New("the work ends"))
	close(r.toOwn)
	go func() {
		for range r.results {
		}
	}()
	engines.Wait()
	close(r.results) // no sender is left
	for n := range r.batch {
		r.fleet.Retract(n)
	}
	clear(r.batch)
	return err
}

// finished reports whether nothing is left to do.
func (r *run) finished() bool { return r.ended && len(r.open) == 0 }

// steps does one step after another until the end.
func (r *run) steps(ctx context.Context) error {
	var answers <-chan *delivery
	var changed <-chan struct{}
	if r.fleet != nil {
		answers, changed = r.fleet.answers, r.fleet.changed
	}
	tick := time.NewTicker(tickTime)
	defer tick.Stop()
	draining := ctx.Done()
	for {
		over := ctx.Err() != nil
		if r.abort.Err() != nil {
			return nil
		}
		var more <-chan struct{} // ready if there is more to read or offer
		if !over {
			read := r.fill(time.Now().Add(stepTime))
			if offered := r.publish(time.Now().Add(stepTime)); !read || !offered {
				more = ready
			}
		}
		if r.ownRunning == 0 && (over || r.finished()) {
			return nil
		}
		var give chan *batch
		var first *batch
		if !over {
			if first = r.ownBatch(); first != nil {
				give = r.toOwn
			}
		}
		var err error
		select {
		case give <- first:
			r.prepared = nil
			r.ownRunning++
		case o := <-r.results:
			err = r.ownDone(o)
		case a := <-answers:
			err = r.onResults(a, answers)
		case <-changed:
			r.collectLost()
		case <-more:
		case <-tick.C:
			r.queueFull = false
		case <-draining:
			draining = nil
		case <-r.abort.Done():
		}
		if err != nil {
			return err
		}
	}
}

// publish offers batches to workers: as many as they have slots for, one more for each slot, and some to spare. It
// reports whether it offered all before the time was up.
func (r *run) publish(until time.Time) bool {
	slots, workers := r.workers()
	r.publishChecks(workers)
	if slots == 0 || r.queueFull {
		return true
	}
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
	for _, j := range b.jobs() {
		j.Index = b.positions[j.Index].line.Index
		list = append(list, newQuestion(&j))
	}
	n, err := r.fleet.Offer(encodeJSON(list), encodeJSON(linesOf(list)))
	if err != nil {
		r.share.Log("%v", err)
		r.queueFull = true
		r.requeued = append(r.requeued, b)
		return
	}
	b.number, b.offered = n, r.now()
	r.batch[n] = b
	r.offered++
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
	if !r.prune(b, false) {
		return
	}
	if b.lost < maxLost {
		r.requeued = append(r.requeued, b)
		return
	}
	halves := b.halves(r.whole())
	if halves == nil {
		r.ownOnly = append(r.ownOnly, b)
		return
	}
	r.requeued = append(r.requeued, halves...)
}

// ownResult is the result of an own engine for one position of the jobs of a batch, or the end of the batch.
type ownResult struct {
	batch  *batch
	result stockfish.Result
	over   bool
	err    error // of the engine, with over
	spent  time.Duration
}

// ownBatch prepares the batch for the next own engine; nil if there is none.
func (r *run) ownBatch() *batch {
	if r.prepared != nil || len(r.own) == 0 {
		return r.prepared
	}
	for r.prepared == nil && len(r.ownOnly) > 0 {
		if b := r.ownOnly[0]; r.prune(b, true) {
			r.prepared = b
		}
		r.ownOnly = r.ownOnly[1:]
	}
	if slots, _ := r.workers(); r.prepared == nil && (slots == 0 || len(r.ready) == 0) {
		r.prepared = r.lostBatch(true)
	}
	if r.prepared == nil {
		r.prepared = r.cut(r.size(min(ownBatchTime, r.share.BatchTime)))
	}
	return r.prepared
}

// search is the goroutine of an own engine.
func (r *run) search(ctx context.Context, engine *stockfish.Pool) {
	for b := range r.toOwn {
		begun := time.Now()
		err := engine.Label(ctx, slices.Values(b.jobs()), func(result stockfish.Result) error {
			r.results <- ownResult{batch: b, result: result}
			return nil
		})
		if ctx.Err() != nil {
			err = nil
		}
		r.results <- ownResult{batch: b, over: true, err: err, spent: time.Since(begun)}
	}
}

// ownDone handles the result of an own engine.
func (r *run) ownDone(o ownResult) error {
	if !o.over {
		p := o.batch.positions[int(o.result.Index)+o.result.Sample]
		switch {
		case p.line.done[p.k]:
			return nil // a late answer came first
		case p.line.check != nil:
			return r.ownCheck(p, o.result)
		}
		return r.finish(p.line, p.k, o.result)
	}
	r.ownRunning--
	if o.err != nil {
		return o.err
	}
	r.updateMean(0, o.spent, len(o.batch.positions))
	return nil
}
