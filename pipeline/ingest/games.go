package ingest

import (
	"context"
	"slices"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/pgn"
)

// parsedBatch is a batch of games on its way through the workers, and back to be used again.
type parsedBatch struct {
	batch   *pgn.Batch
	lines   []dataset.Line
	entries []entry
}

// games parses games on the workers and hands out the games after number done, in order, in this goroutine. Each
// worker splits for itself, one at a time, so that it parses text that its own core has just read.
func (g *ingester) games(ctx context.Context, source batches, done int64, each func(*entry) error) error {
	ahead := 8 * g.Workers                     // enough to read on while a shard is made durable
	free := make(chan *parsedBatch, 2*ahead+2) // to be used again
	next := func() (*parsedBatch, error) {
		batch, err := source.Next()
		if err != nil {
			return nil, err
		}
		for len(batch.Games) > 0 && batch.Games[0].Number <= done {
			batch.Games = batch.Games[1:]
		}
		b := &parsedBatch{}
		select {
		case b = <-free:
		default:
		}
		b.batch = batch
		return b, nil
	}
	var waiting []*parsedBatch // for the view of their scores
	handOut := func() error {
		if err := g.settleView(); err != nil {
			return err
		}
		for _, b := range waiting {
			for i := range b.entries {
				if c := g.state.Comments; c != nil && c.View == dataset.WhiteView.String() {
					fromWhite(&b.entries[i])
				}
				if err := each(&b.entries[i]); err != nil {
					return err
				}
			}
			select {
			case free <- b:
			default:
			}
		}
		waiting = waiting[:0]
		return nil
	}
	parsers := make([]*pgn.Parser, g.Workers)
	for i := range parsers {
		parsers[i] = g.parser()
	}
	for b, err := range ordered.Each(ctx, g.Workers, ahead, next,
		func(worker int, b *parsedBatch) (*parsedBatch, error) {
			b.parse(parsers[worker], &g.Request)
			return b, nil
		}) {
		if err != nil {
			return err
		}
		waiting = append(waiting, b)
		wait := false
		for i := range b.entries {
			wait = g.state.Comments == nil && g.comments.add(&b.entries[i])
		}
		if !wait {
			if err := handOut(); err != nil {
				return err
			}
		}
		g.report()
	}
	return handOut()
}

// parser returns a parser that reads no more than the ingest needs.
func (g *ingester) parser() *pgn.Parser {
	p := &pgn.Parser{ReadEvals: g.ImportEvals, ReadClocks: true, Results: g.Results,
		KeepConflicts: g.KeepMoveConflicts}
	if g.filtering {
		p.Select = g.Filters.Head
	}
	return p
}

func (b *parsedBatch) parse(p *pgn.Parser, in *Request) {
	n := len(b.batch.Games)
	b.lines, b.entries = slices.Grow(b.lines[:0], n)[:n], slices.Grow(b.entries[:0], n)[:n]
	clear(b.entries)
	for i, game := range b.batch.Games {
		r := &b.entries[i]
		b.lines[i], r.reject = p.Parse(game)
		if r.conflict = p.Conflict(); r.reject != nil {
			continue
		}
		r.line = &b.lines[i]
		if in.LastPositions {
			r.line.Samples = dataset.PliesFrom(0, len(r.line.Moves)+1)
		}
		if p.Select != nil {
			if in.Filters.choose(r, true); r.reject != nil {
				continue
			}
		}
		if p.ReadEvals {
			r.imported, r.evals = importEvals(r.line, p.Notes())
			r.comments = commentsOf(p.Notes())
		}
	}
	b.batch.Release()
}
