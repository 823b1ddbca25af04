package studio

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// work is a part of a page that takes a while to find out. It is safe for concurrent use.
type work struct {
	asking
	key     string
	cancel  context.CancelFunc
	text    string // the part; "" until it is done
	doing   string // in a few words
	percent int
	err     error
}

// works are those that were asked for last. It is safe for concurrent use.
type works struct {
	turn chan struct{} // has a place for each that may go on
	ctx  context.Context
	end  context.CancelFunc
	runs sync.WaitGroup

	mu   sync.Mutex
	list []*work // the last one first
}

// maxWorks is how many works are kept.
const maxWorks = 12

func newWorks(turn chan struct{}) *works {
	w := &works{turn: turn}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// close ends all works.
func (w *works) close() {
	w.mu.Lock()
	w.end()
	w.mu.Unlock()
	w.runs.Wait()
}

// tell says how far a work is.
type tell func(doing string, percent int)

// of returns the work of a key, and begins it where it is new or was given up: do finds the part out. A work ends when
// no page has asked for it for a while.
func (w *works) of(key string, do func(context.Context, tell) (string, error)) *work {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := slices.IndexFunc(w.list, func(one *work) bool { return one.key == key }); i >= 0 {
		one := w.list[i]
		w.list = slices.Delete(w.list, i, i+1)
		if !one.given() {
			w.list = slices.Insert(w.list, 0, one)
			return one
		}
	}
	one := &work{asking: asking{asked: time.Now()}, key: key}
	ctx, cancel := context.WithCancel(w.ctx)
	one.cancel = cancel
	w.list = slices.Insert(w.list, 0, one)
	for len(w.list) > maxWorks {
		w.list[maxWorks].cancel()
		w.list = w.list[:maxWorks]
	}
	if one.err = ctx.Err(); one.err != nil { // the end has come
		return one
	}
	w.runs.Go(func() {
		defer cancel()
		stop := watchPage(ctx, cancel, one.lastAsked)
		defer stop()
		text, err := w.inTurn(ctx, one, do)
		one.mu.Lock()
		defer one.mu.Unlock()
		one.text, one.err = text, err
	})
	return one
}

func (w *works) inTurn(ctx context.Context, one *work, do func(context.Context, tell) (string, error)) (string, error) {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	return do(ctx, func(doing string, percent int) {
		one.mu.Lock()
		defer one.mu.Unlock()
		one.doing, one.percent = doing, percent
	})
}

// given reports whether a page that was closed has ended the work; the page that asks is noted.
func (one *work) given() bool {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.asked = time.Now()
	return errors.Is(one.err, context.Canceled)
}

// look returns what is known.
func (one *work) look() (text, doing string, percent int, err error) {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.text, one.doing, one.percent, one.err
}
