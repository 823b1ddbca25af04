package studio

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// jobs find out what takes a while: each job once, whoever asks for it, and no longer than pages ask. S is what is
// known of a job so far. It is safe for concurrent use.
type jobs[S any] struct {
	kept    int  // jobs that are kept, done or not
	lasting bool // they go on when no page asks
	ctx     context.Context
	end     context.CancelFunc
	runs    sync.WaitGroup

	mu   sync.Mutex
	list []*work[S] // the last one asked for first
}

// work is one job with what is known of it. It is safe for concurrent use.
type work[S any] struct {
	asking
	key, page string
	ctx       context.Context
	cancel    context.CancelFunc
	state     S
	done      bool // it has ended, with err
	err       error
}

// asking knows when a page last asked for something, and ends that when no page has for a while. Its mutex also
// protects what it is embedded in.
type asking struct {
	mu     sync.Mutex
	asked  time.Time
	expiry *time.Timer // nil: nothing ends
}

const (
	maxRunning = 16               // jobs of a kind at a time
	gone       = 10 * time.Second // without a request, after which a page counts as closed
)

// errBusy says that there are too many pages.
var errBusy = errors.New("too many pages ask at the same time: close some of them")

func newJobs[S any](kept int) *jobs[S] {
	js := &jobs[S]{kept: kept}
	js.ctx, js.end = context.WithCancel(context.Background())
	return js
}

// close ends all jobs.
func (js *jobs[S]) close() {
	js.mu.Lock()
	js.end()
	js.mu.Unlock()
	js.runs.Wait()
}

// get returns the work of a key. Where it is new or was abandoned, start gives what is known at once and what finds out
// the rest. A page that is named has one job at a time: its next one ends the one before.
func (js *jobs[S]) get(key, page string, start func() (S, func(*work[S]) error)) (*work[S], error) {
	js.mu.Lock()
	defer js.mu.Unlock()
	if err := js.ctx.Err(); err != nil {
		return nil, err
	}
	running := 0
	for _, j := range js.list {
		switch {
		case page != "" && j.page == page && j.key != key:
			j.cancel()
		case j.key != key && !j.ended():
			running++
		}
	}
	if i := slices.IndexFunc(js.list, func(j *work[S]) bool { return j.key == key }); i >= 0 {
		j := js.list[i]
		js.list = slices.Delete(js.list, i, i+1)
		if !j.abandoned() {
			js.list = slices.Insert(js.list, 0, j)
			return j, nil
		}
	}
	if running >= maxRunning {
		return nil, errBusy
	}
	j := &work[S]{asking: asking{asked: time.Now()}, key: key, page: page}
	j.ctx, j.cancel = context.WithCancel(js.ctx)
	js.list = slices.Insert(js.list, 0, j)
	for len(js.list) > js.kept {
		js.list[js.kept].cancel()
		js.list = js.list[:js.kept]
	}
	var do func(*work[S]) error
	j.state, do = start()
	js.runs.Go(func() {
		defer j.cancel()
		if !js.lasting {
			defer j.whileAsked(j.cancel)()
		}
		err := do(j)
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.done = !errors.Is(err, context.Canceled); j.done {
			j.err = err
		}
	})
	return j, nil
}

// ended reports whether the job needs nothing any more.
func (j *work[S]) ended() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.done || j.ctx.Err() != nil
}

// abandoned reports whether the job was ended before it was done; the page that asks is noted.
func (j *work[S]) abandoned() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ask()
	return !j.done && j.ctx.Err() != nil
}

// change changes what is known.
func (j *work[S]) change(do func(*S)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	do(&j.state)
}

// look hands out what is known, and whether and how the job has ended.
func (j *work[S]) look(use func(state *S, done bool, err error)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	use(&j.state, j.done, j.err)
}

// lastAsked returns when a page last asked.
func (a *asking) lastAsked() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asked
}

// ask notes that a page asks. The caller holds the mutex.
func (a *asking) ask() {
	a.asked = time.Now()
	if a.expiry != nil {
		a.expiry.Reset(gone)
	}
}

// whileAsked calls cancel once no page has asked for a while, until stop is called.
func (a *asking) whileAsked(cancel func()) (stop func() bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expiry = time.AfterFunc(gone, cancel)
	return a.expiry.Stop
}

// turns has a place for each that may go on at a time.
type turns chan struct{}

// do waits for its turn.
func (t turns) do(ctx context.Context, do func() error) error {
	select {
	case t <- struct{}{}:
		defer func() { <-t }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return do()
}

// recent keeps what was used last, so many at most. It is safe for concurrent use.
type recent[T any] struct {
	most  int
	use   func(T) // of each item that is handed out; may be nil
	close func(T) // of each that is kept no longer; may be nil

	mu   sync.Mutex
	list []recentEntry[T]
}

type recentEntry[T any] struct {
	key  string
	item T
}

// get returns what is kept under a key, or opens it.
func (r *recent[T]) get(key string, open func() (T, error)) (T, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(e recentEntry[T]) bool { return e.key == key })
	if i < 0 {
		item, err := open()
		if err != nil {
			return item, err
		}
		i, r.list = len(r.list), append(r.list, recentEntry[T]{key, item})
	}
	e := r.list[i]
	r.list = slices.Insert(slices.Delete(r.list, i, i+1), 0, e)
	if r.use != nil {
		r.use(e.item)
	}
	r.shrink(r.most)
	return e.item, nil
}

// end lets go of everything.
func (r *recent[T]) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shrink(0)
}

// shrink keeps only some of the items. The caller holds the lock.
func (r *recent[T]) shrink(most int) {
	for len(r.list) > most {
		last := len(r.list) - 1
		if r.close != nil {
			r.close(r.list[last].item)
		}
		r.list = r.list[:last]
	}
}
