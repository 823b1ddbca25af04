package loader

import (
	"sync"
)

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
