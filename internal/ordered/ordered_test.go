package ordered

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// TestOrder: the results come in order, one worker's work never overlaps, and no goroutine is left.
func TestOrder(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 200} {
		before := runtime.NumGoroutine()
		busy := make([]atomic.Int32, max(workers, 1))
		want := 0
		for got, err := range N(t.Context(), 100, workers, func(worker, i int) (int, error) {
			if busy[worker].Add(1) != 1 {
				t.Error("two items on one worker at a time")
			}
			defer busy[worker].Add(-1)
			time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
			return i * i, nil
		}) {
			if err != nil || got != want*want {
				t.Fatalf("%d workers: %d, %v in place of %d²", workers, got, err, want)
			}
			want++
		}
		if want != 100 {
			t.Errorf("%d workers: %d results", workers, want)
		}
		if after := runtime.NumGoroutine(); after > before {
			t.Errorf("%d workers: %d goroutines are left", workers, after-before)
		}
	}
}

// TestBounded: a slow consumer holds the workers back.
func TestBounded(t *testing.T) {
	var taken atomic.Int64
	next := func() (int, error) { return int(taken.Add(1)), nil }
	n := 0
	for range Each(t.Context(), 2, 5, next, func(_, i int) (int, error) { return i, nil }) {
		if n++; n == 3 {
			time.Sleep(20 * time.Millisecond)
			// three were handed out, five wait, and each of two workers may hold one more
			if got := taken.Load(); got > 3+5+2+1 {
				t.Errorf("%d items were taken", got)
			}
			break
		}
	}
}

var errWork = errors.New("work fails")

// TestErrors: errors of an item come at its place, those of the sequence behind the last item, and end it.
func TestErrors(t *testing.T) {
	for _, workers := range []int{1, 3} {
		var got []int
		var last error
		for i, err := range N(t.Context(), 50, workers, func(_, i int) (int, error) {
			if i >= 10 {
				return i, errWork
			}
			return i, nil
		}) {
			if last = err; err == nil {
				got = append(got, i)
			}
		}
		if !errors.Is(last, errWork) || !slices.Equal(got, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
			t.Errorf("%d workers: %v, %v", workers, got, last)
		}
		n := 0
		for _, err := range Each(t.Context(), workers, 0, func() (int, error) {
			if n++; n == 4 {
				return 0, io.ErrUnexpectedEOF
			}
			return n, nil
		}, func(_, i int) (int, error) { return i, nil }) {
			last = err
		}
		if n != 4 || last != io.ErrUnexpectedEOF {
			t.Errorf("%d workers: %d items, then %v", workers, n, last)
		}
	}
}

// TestCancelled: the end of the context is the last that is said, even while everybody waits.
func TestCancelled(t *testing.T) {
	for range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		n, last := 0, error(nil)
		for _, err := range N(ctx, 1000, 3, func(_, i int) (int, error) { return i, nil }) {
			if last = err; n == rand.IntN(20) {
				cancel()
			}
			n++
		}
		cancel()
		if n < 1000 && !errors.Is(last, context.Canceled) {
			t.Fatalf("%d items, then %v", n, last)
		}
	}
	if err := All(t.Context(), 0, 4, func(int, int) error { return errWork }); err != nil {
		t.Error(err)
	}
	if err := All(t.Context(), 3, 4, func(int, int) error { return errWork }); !errors.Is(err, errWork) {
		t.Error(err)
	}
}
