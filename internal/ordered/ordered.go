// Package ordered works on the items of a sequence with several goroutines and hands the results out in the sequence's
// order, so that what is made of them does not depend on the number of workers.
//
// Each loop starts its goroutines and ends them before it returns, however it ends.
package ordered

import (
	"context"
	"io"
	"iter"
	"sync"
)

// Each yields what work makes of the items that next gives, in their order. next is called by one worker at a time and
// ends the sequence with io.EOF; another error of next, an error of work or the end of ctx ends it too, and is yielded
// last. work gets the number of its worker, from 0: what belongs to that worker is its own while it runs. At most ahead
// results wait to be taken (but at least one for each worker).
func Each[In, Out any](ctx context.Context, workers, ahead int, next func() (In, error),
	work func(worker int, in In) (Out, error)) iter.Seq2[Out, error] {
	type result struct {
		out Out
		err error
	}
	workers = max(workers, 1)
	return func(yield func(Out, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		order := make(chan chan result, max(ahead, workers))
		var mu sync.Mutex // held from taking an item until its place in the order is taken
		ended := false
		take := func() (in In, place chan result, ok bool) {
			mu.Lock()
			defer mu.Unlock()
			if ended {
				return in, nil, false
			}
			place = make(chan result, 1)
			err := ctx.Err()
			if err == nil {
				in, err = next()
			}
			if err == nil {
				select {
				case order <- place:
					return in, place, true
				case <-ctx.Done():
					err = ctx.Err()
				}
			}
			if ended = true; err != io.EOF {
				place <- result{err: err}
				select {
				case order <- place:
				case <-ctx.Done(): // no results are wanted any more, or ctx has the error
				}
			}
			close(order)
			return in, nil, false
		}
		var all sync.WaitGroup
		defer all.Wait()
		defer cancel()
		for worker := range workers {
			all.Go(func() {
				for in, place, ok := take(); ok; in, place, ok = take() {
					out, err := work(worker, in)
					place <- result{out, err}
				}
			})
		}
		for place := range order {
			r := <-place
			if !yield(r.out, r.err) || r.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			var none Out
			yield(none, err)
		}
	}
}

// N is [Each] over the numbers 0 … n−1.
func N[Out any](ctx context.Context, n, workers int, work func(worker, i int) (Out, error)) iter.Seq2[Out, error] {
	i := -1
	next := func() (int, error) {
		if i++; i >= n {
			return 0, io.EOF
		}
		return i, nil
	}
	return func(yield func(Out, error) bool) {
		i = -1
		Each(ctx, min(workers, n), 0, next, work)(yield)
	}
}

// All is [N] for work without a result: it returns the error of the first item that has one.
func All(ctx context.Context, n, workers int, work func(worker, i int) error) error {
	for _, err := range N(ctx, n, workers, func(worker, i int) (struct{}, error) {
		return struct{}{}, work(worker, i)
	}) {
		if err != nil {
			return err
		}
	}
	return nil
}
