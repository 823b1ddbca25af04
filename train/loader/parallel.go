package loader

import (
	"iter"
	"sync"
)

// inOrder yields work(0) … work(n−1) in order, up to that many at work or waiting at a time. An error ends the
// sequence. No goroutine is left when it ends, for whatever reason.
func inOrder[T any](n, workers int, work func(i int) (T, error)) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		var queue []chan result
		var all sync.WaitGroup
		defer all.Wait()
		start := func(i int) {
			c := make(chan result, 1)
			queue = append(queue, c)
			all.Go(func() {
				value, err := work(i)
				c <- result{value, err}
			})
		}
		next := 0
		for ; next < min(n, workers); next++ {
			start(next)
		}
		for len(queue) > 0 {
			r := <-queue[0]
			queue = queue[1:]
			if next < n && r.err == nil {
				start(next)
				next++
			}
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}

// spread cuts 0 … n−1 into as many stretches as there are workers and works on all of them at a time. It returns the
// error of the first stretch that has one.
func spread(n, workers int, work func(from, to int) error) error {
	workers = max(1, min(workers, n))
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { errs[w] = work(w*n/workers, (w+1)*n/workers) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
