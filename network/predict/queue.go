package predict

import (
	"context"
	"slices"
	"sync"
)

// queue holds the requests that wait for the device. One goroutine takes batches out of it: see [Predictor.runQueue].
type queue struct {
	sizes       []int // of batches, ascending; with several a batch has the questions of one request
	freePadding bool  // a batch takes as long however many questions it has, as on a GPU

	mu       sync.Mutex
	came     sync.Cond // a request, or the end
	requests []*call
	closed   bool

	stopped chan struct{} // closed once nothing is taken any more
	free    sync.Pool     // of requests
}

// call is what one caller waits for.
type call struct {
	questions []Input
	answers   []Output
	next      int  // the first question that was not taken yet
	taken     int  // questions that the device has
	queued    bool // some were not taken
	err       error

	done chan error // holds one
}

// row is a question in a batch.
type row struct {
	request *call
	index   int
	err     error
}

func (r row) question() *Input { return &r.request.questions[r.index] }
func (r row) answer() *Output  { return &r.request.answers[r.index] }

func (q *queue) open(sizes []int) {
	q.sizes, q.came.L, q.stopped = sizes, &q.mu, make(chan struct{})
	q.free.New = func() any { return &call{done: make(chan error, 1)} }
}

func (q *queue) largest() int { return q.sizes[len(q.sizes)-1] }

// pick returns the batch size for the first of a number of questions: the smallest that takes all of them, unless more
// than half of it would be empty and that costs time; then the largest that they fill.
func (q *queue) pick(rows int) int {
	at, exact := slices.BinarySearch(q.sizes, rows)
	switch {
	case at == len(q.sizes):
		return q.largest()
	case exact, at == 0, q.freePadding, q.sizes[at] <= 2*rows:
		return q.sizes[at]
	}
	return q.sizes[at-1]
}

// ask waits for the answers.
func (q *queue) ask(ctx context.Context, questions []Input, answers []Output) error {
	r := q.free.Get().(*call)
	r.questions, r.answers = questions, answers
	if err := q.add(r); err != nil {
		return err
	}
	var err error
	select {
	case err = <-r.done:
	case <-ctx.Done():
		q.cancel(r, ctx.Err())
		err = <-r.done // of what the device has
	}
	*r = call{done: r.done}
	q.free.Put(r)
	return err
}

func (q *queue) add(r *call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	r.queued = true
	q.requests = append(q.requests, r)
	q.came.Signal()
	return nil
}

// cancel takes out of the queue what the device does not have.
func (q *queue) cancel(r *call, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !r.queued {
		return
	}
	q.remove(r)
	r.err = err
	if r.taken == 0 {
		r.done <- err
	}
}

func (q *queue) remove(r *call) {
	r.queued = false
	at := slices.Index(q.requests, r)
	q.requests = slices.Delete(q.requests, at, at+1)
}

// next waits for questions and appends those of a batch of that size to rows, in the order in which they came. The
// error is [ErrClosed].
func (q *queue) next(rows []row) (_ []row, size int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.requests) == 0 && !q.closed {
		q.came.Wait()
	}
	if q.closed {
		for len(q.requests) > 0 {
			r := q.requests[0]
			q.remove(r)
			r.done <- ErrClosed
		}
		return nil, 0, ErrClosed
	}
	first := q.requests[0]
	size = q.pick(len(first.questions) - first.next)
	for len(rows) < size && len(q.requests) > 0 && (q.requests[0] == first || len(q.sizes) == 1) {
		r := q.requests[0]
		rows = append(rows, row{request: r, index: r.next})
		r.next++
		r.taken++
		if r.next == len(r.questions) {
			q.remove(r)
		}
	}
	return rows, size, nil
}

// finish tells the callers whose questions are all answered, and those of whose questions one failed.
func (q *queue) finish(rows []row) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, row := range rows {
		r := row.request
		r.taken--
		if row.err != nil && r.err == nil {
			r.err = row.err
			if r.queued {
				q.remove(r)
			}
		}
		if r.taken == 0 && !r.queued {
			r.done <- r.err
		}
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.came.Signal()
}
