package stockfish

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"time"

	"talbot/dataset"
)

const (
	startAttempts = 3
	firstBackoff  = 50 * time.Millisecond
	lastBackoff   = time.Second
)

// task is a job with its place in the order of one call of Label.
type task struct {
	Job
	number int64
}

// outcome is what a worker answers to a task.
type outcome struct {
	kind   outcomeKind
	number int64
	result Result
	blame  bool // the engine failed, rather than the job being impossible
}

type outcomeKind uint8

const (
	empty    outcomeKind = iota // no outcome yet
	finished                    // result is there, failed or not
	skipped                     // not done, because the work ends
	fatal                       // the run cannot go on; result.Err says why
)

// worker is one goroutine's engine.
type worker struct {
	pool   *Pool
	engine *Engine // nil when the next task needs a new one
	fails  int     // engines lost since the last success
	busy   atomic.Int64
}

// run works until todo is closed. Once drain ends, tasks are answered without
// being done; hard kills the search under way.
func (w *worker) run(drain, hard context.Context, todo <-chan task, results chan<- outcome) {
	for t := range todo {
		o := outcome{kind: skipped, number: t.number}
		if drain.Err() == nil && hard.Err() == nil {
			begin := time.Now()
			o = w.do(hard, t)
			w.busy.Add(int64(time.Since(begin)))
		}
		results <- o
	}
}

// do labels one position, on a second engine if the first one fails.
func (w *worker) do(ctx context.Context, t task) outcome {
	o := outcome{kind: finished, number: t.number, result: Result{Index: t.Index}}
	var first error
	for attempt := range 2 {
		if err := w.ready(ctx); err != nil {
			if ctx.Err() != nil {
				return outcome{kind: skipped, number: t.number}
			}
			if first != nil {
				err = fmt.Errorf("%w; the engine before it: %w", err, first)
			}
			o.kind, o.result.Err = fatal, err
			return o
		}
		label, err := w.engine.Search(ctx, t.Start, t.Moves)
		if err == nil {
			if label.Status == dataset.Labelled {
				w.fails = 0
			}
			o.result.Label = label
			return o
		}
		if impossible := (*JobError)(nil); errors.As(err, &impossible) {
			o.result.Label.Status, o.result.Err = dataset.Failed, err
			return o
		}
		_ = w.drop()
		if ctx.Err() != nil {
			return outcome{kind: skipped, number: t.number}
		}
		w.fails++
		if attempt == 0 {
			w.pool.retried.Add(1)
			first = err
			continue
		}
		o.result.Err = fmt.Errorf("%w; at first: %w", err, first)
	}
	o.result.Label.Status, o.blame = dataset.Failed, true
	return o
}

// ready makes sure of an engine. After a loss it waits first, longer each time.
func (w *worker) ready(ctx context.Context) error {
	if w.engine != nil {
		return nil
	}
	var err error
	for attempt := range startAttempts {
		if n := w.fails + attempt; n > 0 {
			if err := sleep(ctx, backoff(n)); err != nil {
				return err
			}
			w.pool.restarts.Add(1)
		}
		var e *Engine
		if e, err = Start(ctx, w.pool.cfg); err != nil {
			if ctx.Err() != nil {
				return err
			}
			continue
		}
		if err := w.pool.recognise(e); err != nil {
			_ = e.Close()
			return err
		}
		w.engine = e
		return nil
	}
	return fmt.Errorf("%w (%d attempts)", err, startAttempts)
}

// drop closes the engine, if there is one.
func (w *worker) drop() error {
	e := w.engine
	w.engine = nil
	if e == nil {
		return nil
	}
	return e.Close()
}

// recognise refuses an engine whose labels would not belong under the pool's
// fingerprint.
func (p *Pool) recognise(e *Engine) error {
	now, err := stampOf(p.path)
	if err != nil {
		return fmt.Errorf("stockfish: %w", err)
	}
	if now == p.stamp && e.name == p.print.Engine && e.author == p.print.Author {
		return nil
	}
	print, err := e.Fingerprint()
	if err != nil {
		return err
	}
	if print.Build != p.print.Build || print.Engine != p.print.Engine || print.Author != p.print.Author {
		return fmt.Errorf("stockfish: %q changed during the run: it was %q build %s and is %q build %s",
			p.path, p.print.Engine, p.print.Build, print.Engine, print.Build)
	}
	return nil
}

// stamp is what shows cheaply that a file may have changed.
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

// backoff is the wait before the n-th start in a row: doubled each time, within
// a factor of a half to three halves at random so that workers that fell
// together do not start together.
func backoff(n int) time.Duration {
	d := min(firstBackoff<<min(n-1, 20), lastBackoff)
	return d/2 + rand.N(d)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
