package ingest

import (
	"context"
	"sync"

	"talbot/dataset"
)

// Prefix counts games that another game begins with: the same start, and all their moves are the other's first ones.
// The longer game is kept, wherever it was read, so the order of the inputs does not matter.
const Prefix dataset.Reason = "prefix"

// Games that are a prefix of another are found when all inputs have been read, because the longer game may come last:
//
//  1. Until then the shards are drafts, which are quick to write. The keys of all their lines are in memory, for
//     finding copies.
//  2. Every draft is read, only starts and moves, and the key after each move but the last is looked up: what is found
//     is a whole line that this game begins with. The blocks are read in parallel.
//  3. Every draft is written again, as a shard, without such games. Where shards are cut is not changed.
//
// The result depends on the set of games alone. The longest games are never dropped, so the last two steps can be
// repeated after an interruption: what is left of the short ones is found again. A draft is removed once progress.json
// knows its shard.

// finishDrafts makes shards of the drafts, without the games that others begin with.
func (g *ingester) finishDrafts(ctx context.Context) error {
	if err := g.out.EndShard(); err != nil {
		return err
	}
	var prefixes map[dataset.GameKey]bool
	if !g.KeepDuplicates {
		var err error
		if prefixes, err = g.findPrefixes(ctx); err != nil {
			return err
		}
	}
	g.seen = nil
	return g.out.FinishDrafts(ctx, g.Workers, func(l *dataset.Line) bool {
		return !g.isLeftOut(l) && (len(prefixes) == 0 || !prunable(l) || !prefixes[l.GameKey()])
	}, g.dropPrefixes)
}

// findPrefixes returns the keys of the lines that a longer game begins with.
func (g *ingester) findPrefixes(ctx context.Context) (map[dataset.GameKey]bool, error) {
	var mu sync.Mutex
	found := map[dataset.GameKey]bool{}
	sieve := g.seen.Sieve()
	err := g.out.EachLine(ctx, g.Workers, 0, func(_ int, l *dataset.Line) error {
		if !prunable(l) || g.isLeftOut(l) {
			return nil
		}
		k := l.StartKey()
		for _, m := range l.Moves[:len(l.Moves)-1] {
			if k = k.Play(m); sieve.MayHave(k) && g.seen.Has(k) {
				mu.Lock()
				found[k] = true
				mu.Unlock()
			}
		}
		return nil
	})
	return found, err
}

// prunable reports whether a line may be a prefix: positions of tables and tactics never are, nor games without moves,
// with which every game from their position begins.
func prunable(l *dataset.Line) bool { return l.Source == dataset.SourceGame && len(l.Moves) > 0 }

// dropPrefixes reports lines that others begin with, and takes them out of the counts. Those of inputs that are left
// out are in no count.
func (g *ingester) dropPrefixes(lines []dataset.Line) {
	var dropped dataset.Counts
	for i := range lines {
		l := &lines[i]
		if g.isLeftOut(l) {
			continue
		}
		dropped.AddLine(l)
		dropped.SamplesDropped = dropped.SamplesDropped.Add(g.Filters.dropped(l))
		reject := &dataset.Reject{Reason: Prefix, Number: l.Number, Offset: l.Offset}
		g.rejects.addCopy(g.Inputs[l.Input], reject, l.GameKey())
		if g.Rejected != nil {
			g.Rejected(g.Inputs[l.Input], reject)
		}
	}
	c := &g.out.Manifest().Counts
	c.Subtract(&dropped, Prefix)
	c.SamplesDropped = withoutDrops(c.SamplesDropped, dropped.SamplesDropped)
	g.state.Evals.Imported -= dropped.Labelled // all labels are imported ones
	g.state.Evals.Duplicate += dropped.Labelled
}
