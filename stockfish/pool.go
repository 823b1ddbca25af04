package stockfish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/fault"
)

// Job is one line with the positions on it to label.
type Job struct {
	Index int64          // the caller's own number, handed back
	Start board.Position // of the line
	Moves []board.Move   // legal, from Start; not changed, and not to be changed until all results are there
	Plies []int          // the positions, by the number of moves before them, ascending; none: see [Pool.Label]
	// SearchMoves are the moves that are searched, for each of Plies; nil: all legal ones.
	SearchMoves [][]board.Move
}

// Result is the result of one position of a job.
type Result struct {
	Index  int64
	Sample int             // index into the job's Plies
	Labels []dataset.Label // one for each fingerprint of the pool: all Labelled, all Terminal or all Failed
	Err    error           // why it failed, nil otherwise
	Worker int             // the worker that searched it, if not an engine of the pool; 0 for these
}

// Pool labels positions with several engines. Engines live from one call of Label to the next. One Label runs at a
// time; Abort and Stats may be called from anywhere.
type Pool struct {
	path    string
	cfg     Config
	prints  []dataset.Fingerprint
	stamp   stamp // of the executable that was fingerprinted
	workers []*worker

	running sync.Mutex // held by Label and Close
	abort   context.Context
	doAbort context.CancelCauseFunc

	figures           Figures
	retried, restarts atomic.Int64
}

// ErrAborted is the cause of what [Pool.Abort] ends.
var ErrAborted = fault.New(fault.ExitInterrupted, "labelling was aborted", "repeat the same command to resume")

// maxFailedInARow failed jobs, over all workers and with no success between
// them, mean that the engine is at fault and not the positions.
const maxFailedInARow = 8

// tasksPerWorker is how many tasks wait for each worker. When the jobs are at their end the longest of them go first,
// so that no worker is left with a long line when the others have nothing to do.
const tasksPerWorker = 32

// NewPool starts the engines, all at once, and takes their fingerprint. The caller closes the pool.
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
	p.abort, p.doAbort = context.WithCancelCause(context.Background())
	if p.stamp, err = stampOf(path); err != nil {
		return nil, fmt.Errorf("stockfish: %w", err)
	}
	for range workers {
		p.workers = append(p.workers, &worker{pool: p})
	}
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for i, w := range p.workers {
		wg.Go(func() {
			w.engine, errs[i] = startUnlessKilled(ctx, cfg)
			if i == 0 && errs[i] == nil {
				p.prints, errs[i] = w.engine.Fingerprints()
			}
		})
	}
	wg.Wait()
	for i, w := range p.workers {
		if errs[i] == nil && errs[0] == nil {
			errs[i] = p.checkIdentity(w.engine)
		}
	}
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		_ = p.Close()
		return nil, errs[i]
	}
	return p, nil
}

// Fingerprints are the identities of the labels this pool makes, in the order of [Result].Labels. An engine that is
// started later and is not the same ends Label with an error.
func (p *Pool) Fingerprints() []dataset.Fingerprint { return p.prints }

// Config is what the engines are started with.
func (p *Pool) Config() Config { return p.cfg }

// Workers is the number of engines.
func (p *Pool) Workers() int { return len(p.workers) }

// Abort kills the running searches; Label returns soon after without their results. It is for the second signal: the
// first one ends Label's ctx. The pool does not work again.
func (p *Pool) Abort() { p.doAbort(ErrAborted) }

// Close ends all engines. It waits for a running Label.
func (p *Pool) Close() error {
	p.running.Lock()
	defer p.running.Unlock()
	p.doAbort(errors.New("pool is closed"))
	var errs []error
	for _, w := range p.workers {
		errs = append(errs, w.closeEngine())
	}
	return errors.Join(errs...)
}

// Label labels the positions of the jobs and hands every result to done as soon as it is there: in the order of a line
// within a job whose engine keeps its memory, in no order otherwise. jobs and done are never called at the same time,
// and neither is called after Label has returned, so that a caller who reads lines in the one and writes them in the
// other needs no lock.
//
// With [LineScope] one engine searches all positions of a job; with [PositionScope] they are shared among the engines.
//
// A search that goes wrong is repeated on a fresh engine; if labels are exact and the scope is the line, so are those
// before it on the line. If it goes wrong again, or the moves are illegal, or the limit is too small for the lines
// asked for and labels are exact, the result is Failed, with the reason. That somebody killed the engine from outside
// does not count, up to ten times. Failures are handed on only when another position has succeeded since or the jobs
// are at their end. Besides them, at most four results for each worker are searched for or wait for done at a time.
//
// A job without positions says that no other is ready yet. jobs is asked again after the next result was handed on, or,
// if no search is under way, after all failures were.
//
// When ctx ends, no further search begins; the running ones finish, their results
// are handed on and Label returns the cause of ctx.
//
// Other errors: done's own; an engine that does not start, three times in a row; eight failed positions in a row over
// all workers (none of them is handed on); an executable that changed while the pool was at work; [ErrAborted].
func (p *Pool) Label(ctx context.Context, jobs iter.Seq[Job], done func(Result) error) error {
	p.running.Lock()
	defer p.running.Unlock()
	if p.abort.Err() != nil {
		return fmt.Errorf("stockfish: %w", context.Cause(p.abort))
	}
	defer p.figures.Begin()()

	n := len(p.workers)
	hard, kill := context.WithCancelCause(p.abort)
	todo := make(chan task, p.buffer())
	results := make(chan outcome, 2*n) // few, as results that wait here are lost with the process
	var wg sync.WaitGroup
	for _, w := range p.workers {
		wg.Go(func() { w.run(ctx, hard, todo, results) })
	}
	next, stop := iter.Pull(jobs)
	defer stop()
	q := &queue{pool: p, next: next}
	d := &delivery{pool: p, done: done}
	under := 0 // tasks with the workers
	draining := ctx.Done()
	for {
		over := d.failure != nil || ctx.Err() != nil || hard.Err() != nil
		var give chan task
		var first task
		if !over && q.fill() {
			give, first = todo, q.ready[0]
		}
		if give == nil && under == 0 {
			if over || q.end {
				break
			}
			_ = d.flush(true) // nothing else can bring more jobs; d keeps the error
			continue
		}
		select {
		case give <- first:
			q.ready = q.ready[1:]
			under++
		case o := <-results:
			if o.last {
				under--
			}
			if d.failure == nil && d.receive(o) != nil {
				kill(d.failure)
			}
		case <-draining:
			draining = nil
		}
	}
	cut := hard.Err() != nil
	close(todo)
	wg.Wait()
	kill(nil)
	switch {
	case d.failure != nil:
		return d.failure
	case cut:
		return fmt.Errorf("stockfish: %w", context.Cause(p.abort))
	case ctx.Err() != nil && (d.skipped || !q.end || len(q.ready) > 0):
		return context.Cause(ctx)
	}
	return d.flush(true)
}

// Search labels one position on the engine of a worker, 0 … Workers()−1, for callers that decide by each label what to
// search next. It is [Engine.Search] on an engine that is replaced when it is lost, as in [Pool.Label]; failed
// labels come with the reason as an error. Each worker may be asked by one goroutine at a time, none while Label runs,
// and Close waits for none of them. When ctx ends, a search under way is given up.
func (p *Pool) Search(ctx context.Context, worker int, start board.Position, moves, only []board.Move) ([]dataset.Label,
	error) {
	t := task{Job: Job{Start: start, Moves: moves, Plies: []int{len(moves)}}, to: 1}
	if only != nil {
		t.SearchMoves = [][]board.Move{only}
	}
	hard, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(p.abort, func() { stop(context.Cause(p.abort)) })()
	o := p.workers[worker].do(hard, t, 0, nil)
	if o.kind == skipped {
		return nil, context.Cause(hard)
	}
	return o.result.Labels, o.result.Err
}

// buffer is how many tasks are handed to the workers before they ask.
func (p *Pool) buffer() int {
	if p.cfg.HashScope() == LineScope {
		return 1 // a line is long, and the order of the last ones is worth something
	}
	return 16 * len(p.workers)
}
