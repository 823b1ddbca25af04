package train

import (
	"context"
	"sync"
	"time"

	"talbot/encode"
)

// prefetcher fetches and checks batches ahead in one goroutine.
type prefetcher struct {
	ready chan fetched
	free  chan *Batch
	stop  context.CancelFunc
	done  sync.WaitGroup
	wait  time.Duration // time next has blocked
}

type fetched struct {
	batch *Batch
	err   error
}

// ahead is the number of batches fetched ahead.
const ahead = 2

// prefetch begins to fetch batches of a layout.
func prefetch(src Source, l *encode.Layout) *prefetcher {
	ctx, stop := context.WithCancel(context.Background())
	p := &prefetcher{ready: make(chan fetched, ahead), free: make(chan *Batch, ahead+2), stop: stop}
	for range ahead + 2 { // ahead in the channel, one being filled, one in use
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
				err = b.check(l)
			}
			select {
			case <-ctx.Done():
				return
			case p.ready <- fetched{b, err}:
			}
			if err != nil {
				return
			}
		}
	})
	return p
}

// next returns the next batch; the caller gives it back with release.
func (p *prefetcher) next(ctx context.Context) (*Batch, error) {
	start := time.Now()
	defer func() { p.wait += time.Since(start) }()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case f := <-p.ready:
		return f.batch, f.err
	}
}

func (p *prefetcher) release(b *Batch) { p.free <- b }

// close stops the goroutine and waits for it; a Next in progress is waited for.
func (p *prefetcher) close() {
	p.stop()
	p.done.Wait()
}
