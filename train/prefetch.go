package train

import (
	"context"
	"sync"
	"time"

	"talbot/encode"
)

// prefetcher fetches and checks batches ahead in one goroutine.
type prefetcher struct {
	ready chan fetchResult
	free  chan *Batch
	stop  context.CancelFunc
	done  sync.WaitGroup
	wait  time.Duration // time some has blocked
	held  *fetchResult  // received and not given out, or nil
}

type fetchResult struct {
	batch *Batch
	err   error
}

// ahead is the number of batches fetched ahead: those of the next execution while one computes.
const ahead = together

// prefetch begins to fetch batches of a layout.
func prefetch(src Source, l *encode.Layout) *prefetcher {
	ctx, stop := context.WithCancel(context.Background())
	p := &prefetcher{ready: make(chan fetchResult, ahead), free: make(chan *Batch, ahead+2+together), stop: stop}
	for range ahead + 2 + together { // ahead in the channel, one being filled, one held, the others in use
		p.free <- &Batch{}
	}
	p.done.Go(func() {
		for {
			var b *Batch
			select {
			case <-ctx.Done():
				return
			case b = <-p.free:
			}
			err := src.Next(b)
			if err == nil {
				err = b.Check(l)
			}
			select {
			case <-ctx.Done():
				return
			case p.ready <- fetchResult{b, err}:
			}
			if err != nil {
				return
			}
		}
	})
	return p
}

// some returns up to n batches, at least one; the caller gives them back with release. Their lists of moves are of one
// length. An error is returned once there is no batch before it.
func (p *prefetcher) some(ctx context.Context, n int) (list []*Batch, err error) {
	start := time.Now()
	defer func() { p.wait += time.Since(start) }()
	for len(list) < n {
		if p.held == nil {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case f := <-p.ready:
				p.held = &f
			}
		}
		next := *p.held
		if len(list) > 0 && (next.err != nil || next.batch.N != list[0].N || next.batch.Moves() != list[0].Moves()) {
			break
		}
		p.held = nil
		if next.err != nil {
			return nil, next.err
		}
		list = append(list, next.batch)
	}
	return list, nil
}

func (p *prefetcher) release(list ...*Batch) {
	for _, b := range list {
		p.free <- b
	}
}

// close stops the goroutine and waits for it; a Next in progress is waited for.
func (p *prefetcher) close() {
	p.stop()
	p.done.Wait()
}
