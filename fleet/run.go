package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"talbot/stockfish"
)

// run is one call of Label or Settle. All of it belongs to the goroutine of [run.loop]; the pool's own engines have a
// goroutine each and talk to it over channels.
type run struct {
	*Pool
	next   func() (stockfish.Job, bool)
	done   func(stockfish.Result) error
	settle bool // until no label waits to be searched again

	ended      bool // next has no more
	open       map[int64]*openLine
	ready      []piece   // to be searched, in order
	waiting    int       // positions in ready
	requeued   []*batch  // that were lost
	ownOnly    []*batch  // that no worker managed
	queueFull  bool      // the queue is full for now
	ownRunning int       // batches with the own engines
	offered    int       // batches so far
	begun      time.Time // of offering

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
	maxBatchData = 256 << 10 // bytes of lines, about
	maxLost      = 3
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
	stop := func() { // engines end, and no sender is left
		drain(errors.New("the work ends"))
		close(r.toOwn)
		go func() {
			for range r.results {
			}
		}()
		engines.Wait()
		close(r.results)
		r.retractAll()
		if r.prepared != nil {
			r.checks.own = append(r.prepared.checks, r.checks.own...)
		}
		r.checks.recover(r.batch)
	}
	err := r.steps(ctx)
	if err == nil && ctx.Err() != nil && !r.finished() {
		err = context.Cause(ctx)
	}
	if err == nil && r.abort.Err() != nil {
		err = fmt.Errorf("labelling: %w", context.Cause(r.abort))
	}
	stop()
	return err
}

// finished reports whether nothing is left to do.
func (r *run) finished() bool {
	return r.ended && len(r.open) == 0 && (!r.settle || r.checks.empty())
}

// steps does one step after another until the end.
func (r *run) steps(ctx context.Context) error {
	var answers <-chan *delivery
	var changed <-chan struct{}
	if r.fleet != nil {
		answers, changed = r.fleet.Results(), r.fleet.Changed()
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
