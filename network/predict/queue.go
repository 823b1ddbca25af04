package predict

import (
	"context"
	"slices"
	"sync"
	"time"
)

// queue holds the requests that wait for the device. One goroutine takes batches out of it: see [Predictor.runQueue].
type queue struct {
	sizes []int // of batches, ascending
	wait  time.Duration
	apart bool // a batch has the questions of one request

	mu       sync.Mutex
	requests []*call
	rows     int // questions before the first task
	closed   bool

	wake    chan struct{} // something came; holds one
	stopped chan struct{} // closed once nothing is taken any more
	timer   *time.Timer
	free    sync.Pool // of requests of questions
}

// call is what one caller waits for: answers, or a task that has the device for itself.
type call struct {
	run func() error // nil for questions

	questions []Input
	answers   []Output
	came      time.Time
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

func (q *queue) open(o Options) {
	q.sizes, q.wait, q.apart = o.Batches, o.Wait, o.SeparateRequests
	q.wake, q.stopped = make(chan struct{}, 1), make(chan struct{})
	q.timer = time.NewTimer(time.Hour)
	q.timer.Stop()
	q.free.New = func() any { return &call{done: make(chan error, 1)} }
}

func (q *queue) largest() int { return q.sizes[len(q.sizes)-1] }

// pick returns the batch size for the first of a number of questions: the smallest that takes all of them, unless more
// than half of it would be empty; then the largest that they fill.
func (q *queue) pick(rows int) int {
	at, exact := slices.BinarySearch(q.sizes, rows)
	switch {
	case at == len(q.sizes):
		return q.largest()
	case exact, at == 0, q.sizes[at] <= 2*rows:
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

// do has run called by the goroutine that owns the device. If ctx is done before, the call may still come.
func (q *queue) do(ctx context.Context, run func() error) error {
	r := &call{run: run, done: make(chan error, 1)}
	if err := q.add(r); err != nil {
		return err
	}
	select {
	case err := <-r.done:
		return err
	case <-ctx.Done():
		q.cancel(r, ctx.Err())
		return ctx.Err()
	}
}

func (q *queue) add(r *call) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	if q.wait > 0 {
		r.came = time.Now()
	}
	r.queued = true
	q.requests = append(q.requests, r)
	q.count()
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return nil
}

// count counts the questions before the first task.
func (q *queue) count() {
	q.rows = 0
	for _, r := range q.requests {
		if r.run != nil {
			return
		}
		q.rows += len(r.questions) - r.next
	}
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
	q.count()
}

// next waits for a task, or for questions, which it appends to rows; size is the batch's. The error is [ErrClosed].
func (q *queue) next(rows []row) (task *call, taken []row, size int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		switch {
		case q.closed:
			for len(q.requests) > 0 {
				r := q.requests[0]
				q.remove(r)
				r.done <- ErrClosed
			}
			return nil, nil, 0, ErrClosed
		case len(q.requests) > 0 && q.requests[0].run != nil:
			task = q.requests[0]
			q.remove(task)
			return task, nil, 0, nil
		case q.rows > 0:
			left := q.left()
			if left <= 0 {
				rows, size = q.takeBatch(rows)
				return nil, rows, size, nil
			}
			q.timer.Reset(left)
		}
		q.mu.Unlock()
		select {
		case <-q.wake:
		case <-q.timer.C:
		}
		q.mu.Lock()
		q.timer.Stop()
	}
}

// left is how long the questions may still wait for others. What waits after a task does not wait for others.
func (q *queue) left() time.Duration {
	if q.wait == 0 || q.rows >= q.largest() || q.requests[len(q.requests)-1].run != nil {
		return 0
	}
	return q.wait - time.Since(q.requests[0].came)
}

// takeBatch appends the questions of a batch to rows, in the order in which they came.
func (q *queue) takeBatch(rows []row) ([]row, int) {
	count := q.rows
	if q.apart {
		count = len(q.requests[0].questions) - q.requests[0].next
	}
	size := q.pick(count)
	for range min(size, count) {
		r := q.requests[0]
		rows = append(rows, row{request: r, index: r.next})
		r.next++
		r.taken++
		if r.next == len(r.questions) {
			r.queued = false
			q.requests = slices.Delete(q.requests, 0, 1)
		}
	}
	q.count()
	return rows, size
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
	select {
	case q.wake <- struct{}{}:
	default:
	}
}
