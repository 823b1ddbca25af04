package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/shards"
)

// Games that are a prefix of another are found when all inputs have been read, because the longer game may come last:
//
//  1. Until then the shards are drafts, which are quick to write. The keys of all their lines are in memory, for
//     finding copies.
//  2. Every draft is read, only starts and moves, and the key behind each move but the last is looked up: what is found
//     is a whole line that this game begins with. The blocks are read in parallel.
//  3. Every draft is written again, as a shard, without such games. Where shards are cut is not changed.
//
// The result depends on the set of games alone. The longest games are never dropped, so the last two steps can be
// repeated after an interruption: what is left of the short ones is found again. A draft is removed once progress.json
// knows its shard.

// finishDrafts makes shards of the drafts, without the games that others begin with.
func (g *ingester) finishDrafts(ctx context.Context) error {
	if err := g.out.endShard(); err != nil {
		return err
	}
	prefixes, err := g.findPrefixes(ctx)
	if err != nil {
		return err
	}
	g.seen = nil
	first := g.out.progress.Final
	drafts := slices.Clone(g.out.progress.Drafts[first:])
	ctx, cancel := context.WithCancel(ctx)
	results := make([]chan finished, len(drafts))
	for i := range results {
		results[i] = make(chan finished, 1)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(next)
		for i := range drafts {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range g.Workers {
		wg.Go(func() {
			for i := range next {
				results[i] <- g.out.finishDraft(drafts[i].File, first+i, prefixes)
			}
		})
	}
	for i, result := range results {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := g.replaceDraft(drafts[i].File, <-result); err != nil {
			return err
		}
	}
	return nil
}

// findPrefixes returns the keys of the lines that a longer game begins with.
func (g *ingester) findPrefixes(ctx context.Context) (map[dataset.GameKey]bool, error) {
	var mu sync.Mutex
	found := map[dataset.GameKey]bool{}
	sieve := g.seen.Sieve()
	err := g.out.blocks(ctx, g.Workers, func(lines []dataset.Line) {
		for i := range lines {
			l := &lines[i]
			if !prunable(l) {
				continue
			}
			k := l.StartKey()
			for _, m := range l.Moves[:len(l.Moves)-1] {
				if k = k.Play(m); sieve.May(k) && g.seen.Has(k) {
					mu.Lock()
					found[k] = true
					mu.Unlock()
				}
			}
		}
	})
	return found, err
}

// prunable reports whether a line may be a prefix: positions of tables and tactics are none, nor are games without
// moves, with which every game from their position begins.
func prunable(l *dataset.Line) bool { return l.Source == dataset.SourceGame && len(l.Moves) > 0 }

// finished is a draft that was written again.
type finished struct {
	shard   dataset.ShardInfo // without lines there is no shard
	dropped []dataset.Line
	err     error
}

// finishDraft writes a draft as the shard of that number, without the games of those keys.
func (o *output) finishDraft(draft string, number int, prefixes map[dataset.GameKey]bool) (f finished) {
	r, err := shards.Open(filepath.Join(o.dir, draft))
	if err != nil {
		return finished{err: err}
	}
	defer r.Close()
	w, err := shards.Create(o.dir, number)
	if err != nil {
		return finished{err: err}
	}
	defer w.Abort()
	var lines []dataset.Line
	for i := range r.Blocks() {
		if lines, err = r.ReadBlock(i, lines[:0]); err != nil {
			return finished{err: err}
		}
		for k := range lines {
			l := &lines[k]
			if len(prefixes) > 0 && prunable(l) && prefixes[l.GameKey()] {
				f.dropped = append(f.dropped, *l)
			} else if err := w.Write(l); err != nil {
				return finished{err: err}
			}
		}
	}
	if w.Lines() > 0 {
		f.shard, f.err = w.Commit()
	}
	return f
}

// replaceDraft puts the shard in the place of its draft and counts what was dropped.
func (g *ingester) replaceDraft(draft string, f finished) error {
	if f.err != nil {
		return f.err
	}
	o := g.out
	var dropped dataset.Counts
	for i := range f.dropped {
		g.drop(&f.dropped[i], &dropped)
	}
	o.subtract(&dropped)
	if f.shard.Lines > 0 {
		o.progress.Manifest.Shards = append(o.progress.Manifest.Shards, f.shard)
	}
	o.progress.Final++
	if err := o.mark(); err != nil {
		return err
	}
	if err := durable.Remove(filepath.Join(o.dir, draft)); err != nil {
		return fmt.Errorf("removing a draft whose shard is written: %w", err)
	}
	return nil
}

// drop reports a line that another begins with, and counts it.
func (g *ingester) drop(l *dataset.Line, dropped *dataset.Counts) {
	addLine(dropped, l)
	dropped.SamplesDropped = dropped.SamplesDropped.Add(g.Filters.dropped(l))
	reject := &dataset.Reject{Reason: Prefix, Number: l.Number, Offset: l.Offset}
	if g.out.rejects != nil {
		g.out.rejects.add(g.Inputs[l.Input], reject)
	}
	if g.Rejected != nil {
		g.Rejected(g.Inputs[l.Input], reject)
	}
}

// subtract takes the dropped lines, which were counted as kept, out of the counts.
func (o *output) subtract(d *dataset.Counts) {
	c := &o.progress.Manifest.Counts
	c.GamesKept -= d.GamesKept
	c.Positions -= d.Positions
	c.Samples -= d.Samples
	c.Labelled -= d.Labelled
	c.Terminal -= d.Terminal
	c.Failed -= d.Failed
	if d.GamesKept > 0 {
		c.Rejects[Prefix] += d.GamesKept
	}
	o.progress.Evals.Imported -= d.Labelled // all labels are imported ones
	o.progress.Evals.Duplicate += d.Labelled
	c.SamplesDropped = withoutDrops(c.SamplesDropped, d.SamplesDropped)
}
