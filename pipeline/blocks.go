package pipeline

import (
	"context"
	"path/filepath"
	"sync"

	"talbot/dataset"
	"talbot/shards"
)

// blocks reads the finished shards, only what every line has, and calls f with their blocks on that many goroutines at
// a time. f must not keep the lines.
func (o *output) blocks(ctx context.Context, workers int, f func(lines []dataset.Line)) error {
	type block struct {
		shard *shards.Reader
		block int
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan block)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			var lines []dataset.Line
			for b := range work {
				var err error
				if lines, err = b.shard.ReadBlock(b.block, lines[:0]); err != nil {
					cancel(err)
					continue
				}
				f(lines)
			}
		})
	}
	var open []*shards.Reader
	for _, s := range o.shards() {
		r, err := shards.Open(filepath.Join(o.dir, s.File), shards.WithColumns(0))
		if err != nil {
			cancel(err)
			break
		}
		open = append(open, r)
		for i := 0; i < r.Blocks() && ctx.Err() == nil; i++ {
			work <- block{r, i}
		}
	}
	close(work)
	wg.Wait()
	for _, r := range open {
		if err := r.Close(); err != nil {
			cancel(err)
		}
	}
	return context.Cause(ctx)
}
