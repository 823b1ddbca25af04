package stockfish

import (
	"fmt"
	"slices"

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
