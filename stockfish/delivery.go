package stockfish

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"talbot/dataset"
)

// delivery hands results to the caller.
type delivery struct {
	pool         *Pool
	done         func(Result) error
	unconfirmed  []Result // failures that no success vouches for yet
	failedInARow int      // failed positions since the last success
	skipped      bool     // something was not done
	failure      error    // the run must end
}

// receive takes one outcome and returns the failure, if there is one now.
func (d *delivery) receive(o outcome) error {
	switch o.kind {
	case fatal:
		d.failure = o.result.Err
		return d.failure
	case skipped:
		d.skipped = true
		return nil
	}
	if !o.blame {
		if o.result.Labels[0].Status == dataset.Labelled {
			d.failedInARow = 0
			d.flush(true)
		}
		return d.deliver(o.result)
	}
	d.unconfirmed = append(d.unconfirmed, o.result)
	if d.failedInARow++; d.failedInARow >= maxFailedInARow {
		d.failure = fmt.Errorf("stockfish: %d positions in a row failed; the last: %w", d.failedInARow, o.result.Err)
	}
	return d.failure
}

// flush hands on the failures, if the engine has proved itself since.
func (d *delivery) flush(trusted bool) error {
	for trusted && len(d.unconfirmed) > 0 && d.failure == nil {
		r := d.unconfirmed[0]
		d.unconfirmed = d.unconfirmed[1:]
		d.deliver(r)
	}
	return d.failure
}

// deliver counts a result and hands it on.
func (d *delivery) deliver(r Result) error {
	if d.failure != nil {
		return d.failure
	}
	d.pool.figures.Count(&r)
	d.failure = d.done(r)
	return d.failure
}

// queue turns jobs into tasks.
type queue struct {
	pool  *Pool
	next  func() (Job, bool)
	ready []task
	end   bool // of the jobs
}

// fill makes sure that a task is ready, if there is one for now.
func (q *queue) fill() bool {
	for !q.end && len(q.ready) < tasksPerWorker*len(q.pool.workers) {
		j, ok := q.next()
		if !ok {
			q.end = true
			slices.SortStableFunc(q.ready, func(a, b task) int { return (b.to - b.from) - (a.to - a.from) })
			break
		}
		if len(j.Plies) == 0 {
			break
		}
		if q.pool.cfg.HashScope() == LineScope {
			q.ready = append(q.ready, task{Job: j, to: len(j.Plies)})
			continue
		}
		for i := range j.Plies {
			q.ready = append(q.ready, task{Job: j, from: i, to: i + 1})
		}
	}
	return len(q.ready) > 0
}

// Stats are a pool's figures since it was made.
type Stats struct {
	Workers  int
	Labelled int64 // positions handed on that an engine searched
	Terminal int64 // positions handed on that needed none
	Failed   int64 // positions handed on that two engines failed at, or that were impossible
	Retried  int64 // searches that went wrong once
	Restarts int64 // engines started in place of lost ones

	Elapsed time.Duration // inside Label
	Limit   Limit
}

// Figures count what a pool hands on and the time that it takes. The zero value is ready; it is safe for concurrent
// use.
type Figures struct {
	labelled, terminal, failed atomic.Int64
	elapsed                    atomic.Int64 // ns inside Label that has returned
	since                      atomic.Int64 // start of the running Label, Unix ns, 0 if none
}

// Begin is called when Label begins, and what it returns when Label ends.
func (f *Figures) Begin() (end func()) {
	begin := time.Now()
	f.since.Store(begin.UnixNano())
	return func() {
		f.since.Store(0)
		f.elapsed.Add(int64(time.Since(begin)))
	}
}

// Count counts a result.
func (f *Figures) Count(r *Result) {
	switch r.Labels[0].Status {
	case dataset.Labelled:
		f.labelled.Add(1)
	case dataset.Terminal:
		f.terminal.Add(1)
	default:
		f.failed.Add(1)
	}
}

// Stats are Labelled, Terminal, Failed and Elapsed so far; the rest is left to the pool.
func (f *Figures) Stats() Stats {
	s := Stats{Labelled: f.labelled.Load(), Terminal: f.terminal.Load(), Failed: f.failed.Load(),
		Elapsed: time.Duration(f.elapsed.Load())}
	if since := f.since.Load(); since != 0 {
		s.Elapsed += time.Since(time.Unix(0, since))
	}
	return s
}

// Stats returns the figures so far.
func (p *Pool) Stats() Stats {
	s := p.figures.Stats()
	s.Workers, s.Retried, s.Restarts, s.Limit = len(p.workers), p.retried.Load(), p.restarts.Load(), p.cfg.Limit
	return s
}

// Utilisation is the time that was asked to be searched over the time there was: labelled × time limit ÷ (workers ×
// seconds). ok is false when the limit is not a time.
func (s Stats) Utilisation() (share float64, ok bool) {
	if s.Limit.Time() == 0 || s.Elapsed <= 0 {
		return 0, false
	}
	return float64(s.Labelled) * s.Limit.Time().Seconds() / (float64(s.Workers) * s.Elapsed.Seconds()), true
}
