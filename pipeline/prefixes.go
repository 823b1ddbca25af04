package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"talbot/dataset"
	"talbot/shards"
)

// Games that are a prefix of another are found when all inputs have been read, because the longer game may come last:
//
//  1. The keys of all kept lines are in memory, for finding copies. Every shard is read once more, only starts and
//     moves, and the key behind each move but the last is looked up: what is found is a whole line that this game
//     begins with. The blocks are read in parallel.
//  2. Every shard that holds such a game is written again without it. Where shards are cut is not changed.
//
// The result depends on the set of games alone. The longest games are never dropped, so the work can be repeated after
// an interruption: what is left of the short ones is found again. progress.json names the shard being written and what
// is dropped from it, so that the counts are right whether or not its new content got its name.

// pruning is a shard that is being written without some of its lines.
type pruning struct {
	Shard   int            `json:"shard"`
	Dropped dataset.Counts `json:"dropped"`
	Rejects int64          `json:"rejects,omitempty"` // bytes of the table of rejects before those of this shard
}

// dropPrefixes drops the games that others begin with.
func (g *ingester) dropPrefixes(ctx context.Context) error {
	if err := g.out.endShard(); err != nil {
		return err
	}
	prefixes, err := g.findPrefixes(ctx)
	if err != nil || len(prefixes) == 0 {
		return err
	}
	for i := range g.out.manifest().Shards {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := g.prune(i, prefixes); err != nil {
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

// prune writes a shard again without the games of those keys, if it has any.
func (g *ingester) prune(i int, prefixes map[gameKey128]bool) error {
	o := g.out
	info := &o.progress.Manifest.Shards[i]
	r, err := shards.Open(filepath.Join(o.dir, info.File))
	if err != nil {
		return err
	}
	defer r.Close()
	var kept, dropped []*dataset.Line
	for l, err := range r.Lines() {
		switch {
		case err != nil:
			return err
		case prunable(l) && prefixes[lineKey(l)]:
			dropped = append(dropped, l)
		default:
			kept = append(kept, l)
		}
	}
	if len(dropped) == 0 {
		return nil
	}
	p := &pruning{Shard: i, Rejects: o.progress.Rejects}
	for _, l := range dropped {
		addLine(&p.Dropped, l)
		p.Dropped.SamplesDropped = p.Dropped.SamplesDropped.Add(g.Filters.dropped(l))
		reject := &dataset.Reject{Reason: Prefix, Number: l.Number, Offset: l.Offset}
		if o.rejects != nil {
			o.rejects.add(g.Inputs[l.Input], reject)
		}
		if g.Rejected != nil {
			g.Rejected(g.Inputs[l.Input], reject)
		}
	}
	o.progress.Pruning = p
	if err := o.mark(); err != nil {
		return err
	}
	w, err := shards.Create(o.dir, i, shards.WithWorkers(o.workers))
	if err != nil {
		return err
	}
	for _, l := range kept {
		if err := w.Write(l); err != nil {
			w.Abort()
			return err
		}
	}
	if *info, err = w.Commit(); err != nil {
		return err
	}
	o.pruned()
	return o.mark()
}

// pruned counts what is no longer in the shard that was being written.
func (o *output) pruned() {
	c, d := &o.progress.Manifest.Counts, &o.progress.Pruning.Dropped
	c.GamesKept -= d.GamesKept
	c.Positions -= d.Positions
	c.Samples -= d.Samples
	c.Labelled -= d.Labelled
	c.Terminal -= d.Terminal
	c.Failed -= d.Failed
	c.Rejects[Prefix] += d.GamesKept
	o.progress.Evals.Imported -= d.Labelled // all labels are imported ones
	o.progress.Evals.Duplicate += d.Labelled
	c.SamplesDropped = withoutDrops(c.SamplesDropped, d.SamplesDropped)
	o.progress.Pruning = nil
}

// recoverPruning finds out whether the shard that was being written when the command was interrupted has its new
// content.
func (o *output) recoverPruning() error {
	p := o.progress.Pruning
	if p == nil {
		return nil
	}
	if p.Shard < 0 || p.Shard >= len(o.progress.Manifest.Shards) {
		return fmt.Errorf("%s: no shard %d: %w", progressName, p.Shard, dataset.ErrDamaged)
	}
	info := &o.progress.Manifest.Shards[p.Shard]
	path := filepath.Join(o.dir, info.File)
	r, err := shards.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	now := r.Info()
	switch now.Lines {
	case info.Lines:
		o.progress.Pruning, o.progress.Rejects = nil, p.Rejects // its rejects are found again
		return o.mark()
	case info.Lines - p.Dropped.GamesKept:
	default:
		return fmt.Errorf("%q has %d lines, not %d: %w", path, now.Lines, info.Lines, dataset.ErrDamaged)
	}
	if now.SHA256, err = fileHash(path); err != nil {
		return err
	}
	*info = now
	o.pruned()
	return o.mark()
}
