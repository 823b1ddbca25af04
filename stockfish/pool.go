package stockfish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"talbot/board"
	"talbot/dataset"
)

// Job is one position to label.
type Job struct {
	Index int64          // the caller's own number, handed back
	Start board.Position // of the line
	Moves []board.Move   // legal, from Start to the position; not changed, and not to be changed until the result is there
}

// Result is what became of a job.
type Result struct {
	Index int64
	Label dataset.Label // Labelled, Terminal or Failed
	Err   error         // why it failed, nil otherwise
}

// Pool labels positions with several engines. Engines live from one call of
// Label to the next. One Label runs at a time; Abort and Stats may be called
// from anywhere.
type Pool struct {
	path    string
	cfg     Config
	print   dataset.Fingerprint
	stamp   stamp // of the executable that was fingerprinted
	workers []*worker

	running sync.Mutex // held by Label and Close
	abort   context.Context
	doAbort context.CancelCauseFunc

	labelled, terminal, failed, retried, restarts atomic.Int64
	elapsed                                       atomic.Int64 // ns inside Label that has returned
	since                                         atomic.Int64 // start of the running Label, Unix ns, 0 if none
}

// ErrAborted is the cause of what [Pool.Abort] ends.
var ErrAborted = errors.New("labelling was aborted")

// maxFailedInARow failed jobs, over all workers and with no success between
// them, mean that the engine is at fault and not the positions.
const maxFailedInARow = 8

// window is how many jobs a worker may run ahead of the oldest unfinished one.
// It covers a neighbour that waits out a timeout.
const window = 512

// NewPool starts one engine, to see that it works and to take its fingerprint,
// and leaves room for workers engines in all, which start when they are first
// needed. The caller closes the pool.
func NewPool(ctx context.Context, cfg Config, workers int) (*Pool, error) {
	if workers < 1 {
		return nil, fmt.Errorf("stockfish: %d workers", workers)
	}
	path, err := Find(cfg.Path)
	if err != nil {
		return nil, err
	}
	cfg.Path = path
	p := &Pool{path: path, cfg: cfg}
	if p.stamp, err = stampOf(path); err != nil {
		return nil, fmt.Errorf("stockfish: %w", err)
	}
	e, err := Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if p.print, err = e.Fingerprint(); err != nil {
		_ = e.Close()
		return nil, err
	}
	p.abort, p.doAbort = context.WithCancelCause(context.Background())
	for range workers {
		p.workers = append(p.workers, &worker{pool: p})
	}
	p.workers[0].engine = e
	return p, nil
}

// Fingerprint is the identity of the labels this pool makes. An engine that is
// started later and is not the same ends Label with an error.
func (p *Pool) Fingerprint() dataset.Fingerprint { return p.print }

// Workers is the number of engines the pool may run.
func (p *Pool) Workers() int { return len(p.workers) }

// Abort kills the running searches; Label returns soon after without their
// results. It is for the second signal: the first one ends Label's ctx. The
// pool does not work again.
func (p *Pool) Abort() { p.doAbort(ErrAborted) }

// Close ends all engines. It waits for a running Label.
func (p *Pool) Close() error {
	p.running.Lock()
	defer p.running.Unlock()
	p.doAbort(errors.New("pool is closed"))
	var errs []error
	for _, w := range p.workers {
		errs = append(errs, w.drop())
	}
	return errors.Join(errs...)
}

// Label labels the jobs and hands every result to done in the order of the
// jobs. jobs and done are never called at the same time, and neither is called
// after Label has returned, so that a caller who reads lines in the one and
// writes them in the other needs no lock. Up to 512 jobs for each worker are
// held at a time.
//
// A job whose search goes wrong is tried once more on a fresh engine. If that
// goes wrong too, or the job's moves are illegal, its result is Failed, with
// the reason. Failures are handed on only when another position has succeeded
// since or the jobs are at their end.
//
// When ctx ends, no further search begins; the running ones finish and Label
// returns the cause of ctx, having handed on every result up to the first
// missing one.
//
// Other errors: done's own; an engine that does not start, three times in a
// row; eight failed jobs in a row over all workers (none of them is handed on);
// an executable that changed while the pool was at work; [ErrAborted].
func (p *Pool) Label(ctx context.Context, jobs iter.Seq[Job], done func(Result) error) error {
	p.running.Lock()
	defer p.running.Unlock()
	if p.abort.Err() != nil {
		return fmt.Errorf("stockfish: %w", context.Cause(p.abort))
	}
	begin := time.Now()
	p.since.Store(begin.UnixNano())
	defer func() {
		p.since.Store(0)
		p.elapsed.Add(int64(time.Since(begin)))
	}()

	n := len(p.workers)
	hard, kill := context.WithCancelCause(p.abort)
	todo := make(chan task, n)
	results := make(chan outcome, 2*n) // room for all that are under way, so that workers never wait
	var wg sync.WaitGroup
	for _, w := range p.workers {
		wg.Go(func() { w.run(ctx, hard, todo, results) })
	}
	defer wg.Wait()
	defer close(todo)
	defer kill(nil)

	next, stop := iter.Pull(jobs)
	defer stop()
	r := &reorder{pool: p, done: done, slots: make([]outcome, n*window)}
	var (
		job      Job
		have     bool // job is waiting for a worker
		under    int  // jobs with the workers
		end      bool // of the jobs
		draining = ctx.Done()
		failure  error
	)
	for {
		over := failure != nil || ctx.Err() != nil || hard.Err() != nil
		if !over && !end && !have && r.room() {
			job, have = next()
			end = !have
		}
		var give chan task
		switch {
		case have && !over:
			give = todo
		case under > 0:
		case !over && !end: // no room, and no success to come that would vouch for the failures
			failure = r.flush(true)
			continue
		}
		if give == nil && under == 0 {
			break
		}
		select {
		case give <- task{job, r.sent}:
			have = false
			r.sent++
			under++
		case o := <-results:
			under--
			if failure == nil {
				if failure = r.take(o); failure != nil {
					kill(failure)
				}
			}
		case <-draining:
			draining = nil
		}
	}
	switch {
	case failure != nil:
		return failure
	case p.abort.Err() != nil:
		return fmt.Errorf("stockfish: %w", context.Cause(p.abort))
	case ctx.Err() != nil && !(end && r.given == r.sent):
		return context.Cause(ctx)
	}
	return r.flush(true)
}

// reorder hands results on in the order of their jobs.
type reorder struct {
	pool  *Pool
	done  func(Result) error
	slots []outcome // a ring, by number of the job
	sent  int64     // jobs given out
	given int64     // results handed on
	row   int       // failed jobs since the last success
}

func (r *reorder) room() bool { return r.sent-r.given < int64(len(r.slots)) }

// take files one outcome and hands on what is next in order.
func (r *reorder) take(o outcome) error {
	switch o.kind {
	case fatal:
		return o.result.Err
	case skipped:
		return nil
	}
	switch {
	case o.result.Label.Status == dataset.Labelled:
		r.row = 0
	case o.blame:
		if r.row++; r.row >= maxFailedInARow {
			return fmt.Errorf("stockfish: %d positions in a row failed, each on two engines; the last: %w", r.row, o.result.Err)
		}
	}
	r.slots[o.number%int64(len(r.slots))] = o
	return r.flush(r.row == 0)
}

// flush hands on results up to the first missing one and, unless the engine
// has proved itself since, the first failed one.
func (r *reorder) flush(trusted bool) error {
	for r.given < r.sent {
		slot := &r.slots[r.given%int64(len(r.slots))]
		if slot.kind != finished || slot.blame && !trusted {
			return nil
		}
		o := *slot
		*slot = outcome{}
		r.given++
		switch o.result.Label.Status {
		case dataset.Labelled:
			r.pool.labelled.Add(1)
		case dataset.Terminal:
			r.pool.terminal.Add(1)
		default:
			r.pool.failed.Add(1)
		}
		if err := r.done(o.result); err != nil {
			return err
		}
	}
	return nil
}
