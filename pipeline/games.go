package pipeline

import (
	"context"
	"io"
	"sync"

	"talbot/dataset"
	"talbot/pgn"
)

// parsed is a batch of games on its way through the workers.
type parsed struct {
	batch   *pgn.Batch
	lines   []dataset.Line
	rejects []*dataset.Reject // nil where the line is good
	ready   chan struct{}
}

// games splits PGN text, parses the games behind number done on the workers,
// and hands them out in order in this goroutine.
func (g *ingester) games(ctx context.Context, in io.Reader, done int64, each func(*dataset.Line, *dataset.Reject) error) error {
	ctx, cancel := context.WithCancel(ctx)
	work := make(chan *parsed, g.Workers)
	order := make(chan *parsed, 2*g.Workers)
	var readErr error
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(work)
		defer close(order)
		readErr = split(ctx, in, done, work, order)
	})
	for range g.Workers {
		wg.Go(func() {
			var p pgn.Parser
			for b := range work {
				b.parse(&p)
			}
		})
	}
	for b := range order {
		<-b.ready
		for i := range b.lines {
			var err error
			if r := b.rejects[i]; r != nil {
				err = each(nil, r)
			} else {
				err = each(&b.lines[i], nil)
			}
			if err != nil {
				return err
			}
		}
		g.report()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return readErr
}

// split sends the batches to the workers and, in the same order, to the
// collector.
func split(ctx context.Context, in io.Reader, done int64, work, order chan<- *parsed) error {
	s := pgn.NewSplitter(in)
	for {
		batch, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for len(batch.Games) > 0 && batch.Games[0].Number <= done {
			batch.Games = batch.Games[1:]
		}
		b := &parsed{batch: batch, ready: make(chan struct{})}
		select {
		case order <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
		work <- b // the workers take whatever is in order
	}
}

func (b *parsed) parse(p *pgn.Parser) {
	n := len(b.batch.Games)
	b.lines, b.rejects = make([]dataset.Line, n), make([]*dataset.Reject, n)
	for i, game := range b.batch.Games {
		b.lines[i], b.rejects[i] = p.Parse(game)
	}
	b.batch.Release()
	close(b.ready)
}
