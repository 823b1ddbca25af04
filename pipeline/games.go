package pipeline

import (
	"context"
	"io"
	"slices"
	"sync"

	"talbot/dataset"
	"talbot/pgn"
)

// parsed is a batch of games on its way through the workers, and back to be used again.
type parsed struct {
	batch *pgn.Batch
	lines []dataset.Line
	found []found
	ready chan struct{} // gets one value when the batch is parsed
}

// games splits PGN text, parses the games behind number done on the workers,
// and hands them out in order in this goroutine.
func (g *ingester) games(ctx context.Context, in io.Reader, done int64, each func(*found) error) error {
	ctx, cancel := context.WithCancel(ctx)
	work := make(chan *parsed, 8*g.Workers)
	order := make(chan *parsed, 8*g.Workers) // enough to parse on while a shard is made durable
	free := make(chan *parsed, cap(order))
	var readErr error
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(work)
		defer close(order)
		readErr = split(ctx, in, done, work, order, free)
	})
	for range g.Workers {
		wg.Go(func() {
			p := g.parser()
			for b := range work {
				b.parse(p, &g.Ingest)
			}
		})
	}
	for b := range order {
		<-b.ready
		for i := range b.found {
			if err := each(&b.found[i]); err != nil {
				return err
			}
		}
		select {
		case free <- b:
		default:
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
func split(ctx context.Context, in io.Reader, done int64, work, order chan<- *parsed, free <-chan *parsed) error {
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
		b := &parsed{ready: make(chan struct{}, 1)}
		select {
		case b = <-free:
		default:
		}
		b.batch = batch
		select {
		case order <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
		work <- b // the workers take whatever is in order
	}
}

// parser returns a parser that reads no more than the ingest needs.
func (g *ingester) parser() *pgn.Parser {
	p := &pgn.Parser{ReadEvals: g.ImportEvals, ReadClocks: g.Filters.MinClock > 0}
	if g.Filters.active() {
		p.Select = g.Filters.Head
	}
	return p
}

func (b *parsed) parse(p *pgn.Parser, in *Ingest) {
	n := len(b.batch.Games)
	b.lines, b.found = slices.Grow(b.lines[:0], n)[:n], slices.Grow(b.found[:0], n)[:n]
	clear(b.found)
	for i, game := range b.batch.Games {
		r := &b.found[i]
		if b.lines[i], r.reject = p.Parse(game); r.reject != nil {
			continue
		}
		r.line = &b.lines[i]
		if p.Select != nil {
			if reason := in.Filters.Whole(r.line); reason != "" {
				r.reject = &dataset.Reject{Reason: reason, Number: game.Number, Offset: game.Offset}
				continue
			}
			if r.drops, r.reject = in.Filters.sample(r.line, p.Notes().Clocks); r.reject != nil {
				continue
			}
		}
		if p.ReadEvals {
			r.imported, r.evals = importEvals(r.line, p.Notes())
		}
	}
	b.batch.Release()
	b.ready <- struct{}{}
}
