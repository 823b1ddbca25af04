package train

import (
	"context"
	"sync"
	"time"
)

// prefetcher fetches and checks batches ahead in one goroutine, and puts them into stacks.
type prefetcher struct {
	stacks      []stack
	ready, free chan *stack
	now         *stack // given out
	stop        context.CancelFunc
	done        sync.WaitGroup
	wait        time.Duration // time next has blocked
}

// prefetch begins to fetch batches: those of the next execution while one computes.
func prefetch(src Source, e *engine) *prefetcher {
	ctx, stop := context.WithCancel(context.Background())
	room := e.room()
	n := 2
	if room == 1 { // one batch more ahead
		n = 3
	}
	p := &prefetcher{stacks: make([]stack, n), ready: make(chan *stack, n), free: make(chan *stack, n), stop: stop}
	for i := range p.stacks {
		p.stacks[i].room = room
		p.free <- &p.stacks[i]
	}
	p.now = <-p.free
	p.done.Go(func() {
		var b Batch
		held := false // b is in no stack yet
		for {
			var s *stack
			select {
			case <-ctx.Done():
				return
			case s = <-p.free:
			}
			s.clear()
			for s.err == nil && len(s.states) < room && ctx.Err() == nil {
				if !held {
					if s.err = src.Next(&b); s.err == nil {
						s.err = b.Check(&e.layout)
					}
				}
				if held = s.err == nil && !e.add(s, &b); held {
					break
				}
			}
			e.upload(s)
			p.ready <- s
			if s.err != nil {
				return
			}
		}
	})
	return p
}

// next returns a stack with steps that are left, the same one until there are none. An error is returned once there is
// no batch before it.
func (p *prefetcher) next(ctx context.Context) (*stack, error) {
	start := time.Now()
	defer func() { p.wait += time.Since(start) }()
	for p.now.left() == 0 {
		if p.now.err != nil {
			return nil, p.now.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case s := <-p.ready:
			p.free <- p.now
			p.now = s
		}
	}
	return p.now, ctx.Err()
}

// close stops the goroutine and waits for it; a Next in progress is waited for.
func (p *prefetcher) close() {
	p.stop()
	p.done.Wait()
	for i := range p.stacks {
		p.stacks[i].clear()
	}
}
