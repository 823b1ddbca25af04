package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"talbot/dataset"
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
	for g.out.progress.Final < len(g.out.progress.Drafts) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.finishDraft(prefixes); err != nil {
			return err
		}
	}
	return nil
}

// findPrefixes returns the keys of the lines that a longer game begins with.
func (g *ingester) findPrefixes(ctx context.Context) (map[gameKey128]bool, error) {
	var mu sync.Mutex
	found := map[gameKey128]bool{}
	sieve := g.seen.sieve()
	err := g.out.blocks(ctx, g.Workers, func(lines []dataset.Line) {
		for i := range lines {
			l := &lines[i]
			if !prunable(l) {
				continue
			}
			k := startKey(l)
			for _, m := range l.Moves[:len(l.Moves)-1] {
				if k = k.play(m); sieve.may(k) && g.seen.has(k) {
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

// finishDraft writes the next draft as a shard, without the games of those keys.
func (g *ingester) finishDraft(prefixes map[gameKey128]bool) error {
	o := g.out
	p := &o.progress
	draft := filepath.Join(o.dir, p.Drafts[p.Final].File)
	r, err := shards.Open(draft)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := shards.Create(o.dir, len(p.Manifest.Shards), shards.WithWorkers(o.workers))
	if err != nil {
		return err
	}
	defer w.Abort()
	var dropped dataset.Counts
	var lines []dataset.Line
	for i := range r.Blocks() {
		if lines, err = r.ReadBlock(i, lines[:0]); err != nil {
			return err
		}
		for k := range lines {
			l := &lines[k]
			if len(prefixes) > 0 && prunable(l) && prefixes[lineKey(l)] {
				g.drop(l, &dropped)
			} else if err := w.Write(l); err != nil {
				return err
			}
		}
	}
	if w.Lines() > 0 {
		info, err := w.Commit()
		if err != nil {
			return err
		}
		p.Manifest.Shards = append(p.Manifest.Shards, info)
	}
	o.subtract(&dropped)
	p.Final++
	if err := o.mark(); err != nil {
		return err
	}
	if err := os.Remove(draft); err != nil {
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
