package stockfish

import "slices"

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
