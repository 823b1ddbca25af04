package stockfish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish/uci"
)

// task is a part of a job: the plies Plies[from:to].
type task struct {
	Job
	from, to int
}

// outcome is a worker's result for one position of a task.
type outcome struct {
	kind   outcomeKind
	result Result
	blame  bool // the engine failed, rather than the job being impossible
	last   bool // of the task
}

type outcomeKind uint8

const (
	finished outcomeKind = iota // result is there, failed or not
	skipped                     // not done, because the work ends
	fatal                       // the run must end; result.Err says why
)

// worker is one goroutine's engine.
type worker struct {
	pool     *Pool
	engine   *Engine // nil when the next search needs a new one
	failures int     // engines lost since the last success
}

// run works until todo is closed. Once drain ends, positions are answered without
// being searched; hard kills the search under way.
func (w *worker) run(drain, hard context.Context, todo <-chan task, results chan<- outcome) {
	for t := range todo {
		if w.engine != nil {
			w.engine.NewLine()
		}
		passed := make([]bool, t.to) // positions that searching the line again leaves out
		for i := t.from; i < t.to; i++ {
			o := outcome{kind: skipped}
			if drain.Err() == nil && hard.Err() == nil {
				o = w.do(hard, t, i, passed)
				passed[i] = o.kind != finished || o.result.Labels[0].Status != dataset.Labelled
			}
			o.last = o.kind != finished || i == t.to-1
			results <- o
			if o.last {
				break
			}
		}
	}
}

// do labels one position of a task, on a second engine if the first one fails.
func (w *worker) do(ctx context.Context, t task, i int, passed []bool) outcome {
	o := outcome{kind: finished, result: Result{Index: t.Index, Sample: i}}
	var first error
	killed := 0
	for {
		labels, err := w.search(ctx, t, i, passed)
		short := (*ShortError)(nil)
		switch impossible := (*JobError)(nil); {
		case err == nil:
			o.result.Labels = labels
			return o
		case ctx.Err() != nil:
			return outcome{kind: skipped}
		case errors.As(err, &impossible):
			o.result.Labels, o.result.Err = w.pool.failedLabels(), err
			return o
		case errors.As(err, &short) && w.pool.cfg.Exact():
			if w.pool.cfg.HashScope() == LineScope {
				_ = w.closeEngine() // the rest of the line must not depend on what this search left in the hash
			}
			o.result.Labels, o.result.Err, o.blame = w.pool.failedLabels(), err, true
			return o
		case errors.Is(err, errStart):
			if first != nil {
				err = fmt.Errorf("%w; first attempt on another engine: %w", err, first)
			}
			o.kind, o.result.Err = fatal, err
			return o
		}
		_ = w.closeEngine()
		w.failures++
		if killed++; errors.Is(err, uci.ErrKilled) && killed <= uci.MaxKilled {
			w.pool.retried.Add(1)
			continue
		}
		if first == nil {
			w.pool.retried.Add(1)
			first = err
			continue
		}
		o.result.Labels, o.result.Err, o.blame = w.pool.failedLabels(), fmt.Errorf("%w; first attempt: %w", err, first),
			true
		return o
	}
}

// search searches the i-th position of a task. An engine that is new to the line
// first searches those before it, where they decide the label.
func (w *worker) search(ctx context.Context, t task, i int, passed []bool) ([]dataset.Label, error) {
	from := i
	if w.engine == nil {
		if err := w.startEngine(ctx); err != nil {
			return nil, fmt.Errorf("%w%w", errStart, err)
		}
		if w.pool.cfg.Exact() && w.pool.cfg.HashScope() == LineScope {
			from = t.from
		}
	}
	for k := from; ; k++ {
		if k < i && passed[k] {
			continue
		}
		var only []board.Move
		if t.SearchMoves != nil {
			only = t.SearchMoves[k]
		}
		labels, err := w.engine.Search(ctx, t.Start, t.Moves[:t.Plies[k]], only...)
		if err != nil {
			return nil, err
		}
		if labels[0].Status == dataset.Labelled {
			w.failures = 0
		}
		if k == i {
			return labels, nil
		}
	}
}

// errStart marks an error of [worker.startEngine].
var errStart = errors.New("")

// failedLabels are the labels of a position without one.
func (p *Pool) failedLabels() []dataset.Label {
	labels := make([]dataset.Label, len(p.prints))
	for i := range labels {
		labels[i].Status = dataset.Failed
	}
	return labels
}

// startEngine starts the engine. After a loss it waits first, longer each time.
func (w *worker) startEngine(ctx context.Context) error {
	var other error // an engine that is not the pool's is no matter of another attempt
	err := uci.Retry(ctx, w.failures, func(n int) error {
		if n > 0 {
			w.pool.restarts.Add(1)
		}
		e, err := Start(ctx, w.pool.cfg)
		if err != nil {
			return err
		}
		if other = w.pool.checkIdentity(e); other != nil {
			_ = e.Close()
			return nil
		}
		w.engine = e
		return nil
	})
	return cmp.Or(other, err)
}

// startUnlessKilled is [Start], begun again when somebody kills the engine meanwhile.
func startUnlessKilled(ctx context.Context, cfg Config) (*Engine, error) {
	for killed := 1; ; killed++ {
		e, err := Start(ctx, cfg)
		if err == nil || !errors.Is(err, uci.ErrKilled) || killed > uci.MaxKilled {
			return e, err
		}
		if err := uci.Pause(ctx, killed); err != nil {
			return nil, err
		}
	}
}

// closeEngine closes the engine, if there is one.
func (w *worker) closeEngine() error {
	e := w.engine
	w.engine = nil
	if e == nil {
		return nil
	}
	return e.Close()
}

// checkIdentity refuses an engine whose labels would not belong under the pool's fingerprint.
func (p *Pool) checkIdentity(e *Engine) error {
	now, err := stampOf(p.path)
	if err != nil {
		return fmt.Errorf("stockfish: %w", err)
	}
	was := p.prints[0]
	if now == p.stamp && len(e.namedFiles()) == 0 && e.client.Name == was.Engine && e.client.Author == was.Author {
		return nil
	}
	prints, err := e.Fingerprints()
	if err != nil {
		return err
	}
	if is := prints[0]; is.ID() != was.ID() {
		return fmt.Errorf("stockfish: %q changed during the run: it was %q build %s and is %q build %s",
			p.path, was.Engine, was.Build, is.Engine, is.Build)
	}
	return nil
}

// stamp shows cheaply whether a file may have changed.
type stamp struct {
	size     int64
	modified time.Time
}

func stampOf(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stamp{info.Size(), info.ModTime()}, nil
}
