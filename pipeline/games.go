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

// games reads PGN text on the workers and hands out the games behind number done, in order, in this goroutine.
func (g *ingester) games(ctx context.Context, in io.Reader, done int64, each func(*found) error) error {
	ctx, cancel := context.WithCancel(ctx)
	order := make(chan *parsed, 8*g.Workers) // enough to read on while a shard is made durable
	from := &batches{splitter: pgn.NewSplitter(in), done: done, order: order, free: make(chan *parsed, cap(order))}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for range g.Workers {
		wg.Go(func() {
			p := g.parser()
			for b := from.next(ctx); b != nil; b = from.next(ctx) {
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
		case from.free <- b:
		default:
		}
		g.report()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return from.err
}

// batches hands the batches of a splitter to workers. Each splits for itself, one at a time, so that it parses text
// that its own core has just read.
type batches struct {
	mu       sync.Mutex
	splitter *pgn.Splitter
	done     int64        // games up to this number are left out
	order    chan *parsed // gets the batches in order; closed behind the last
	free     chan *parsed // to be used again
	ended    bool
	err      error // valid when order is closed
}

// next returns the next batch, nil behind the last one.
func (s *batches) next(ctx context.Context) *parsed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil
	}
	batch, err := s.splitter.Next()
	if err == nil {
		for len(batch.Games) > 0 && batch.Games[0].Number <= s.done {
			batch.Games = batch.Games[1:]
		}
		b := &parsed{ready: make(chan struct{}, 1)}
		select {
		case b = <-s.free:
		default:
		}
		b.batch = batch
		select {
		case s.order <- b:
			return b
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if s.ended = true; err != io.EOF {
		s.err = err
	}
	close(s.order)
	return nil
}

// parser returns a parser that reads no more than the ingest needs.
func (g *ingester) parser() *pgn.Parser {
	p := &pgn.Parser{ReadEvals: g.ImportEvals, ReadClocks: g.Filters.MinClock > 0, Results: g.Results}
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
		b.lines[i], r.reject = p.Parse(game)
		if r.conflict = p.Conflict(); r.reject != nil {
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
