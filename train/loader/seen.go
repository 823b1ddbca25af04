package loader

import (
	"context"
	"slices"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
)

// occurrences is what of the evaluated samples occurs among the train lines.
type occurrences struct {
	positions map[uint64]bool // of the evaluated samples; true if one is a train sample
	lines     dataset.CutSet  // evaluated lines, and then train lines that are cut copies of them
}

// markTrained marks the positions that occur among the train samples of datasets, and leaves of the lines those that
// are cut copies of the evaluated ones.
func (d *Data) markTrained(ctx context.Context, all *occurrences, specs []Spec, done func(int, int)) error {
	type work struct {
		set   *shards.Dataset
		place shards.BlockRef
	}
	var blocks []work
	for _, spec := range specs {
		ds, err := shards.OpenDataset(spec.Dir, shards.WithColumns(0))
		if err != nil {
			return err
		}
		defer ds.Close()
		// not checked yet
		if !slices.ContainsFunc(d.Sets, func(s *Set) bool { return s.absolute() == spec.absolute() }) {
			if err := d.Options.checkFiles(ctx, ds, spec.absolute(), nil); err != nil {
				return err
			}
		}
		for _, at := range ds.Blocks() {
			blocks = append(blocks, work{ds, at})
		}
	}
	hits, n := occurrences{positions: map[uint64]bool{}}, 0 // workers read all until they are done
	for found, err := range ordered.N(ctx, len(blocks), d.Options.Workers, func(_, i int) (*occurrences, error) {
		return all.in(blocks[i].set, blocks[i].place)
	}) {
		if err != nil {
			return err
		}
		for key := range found.positions {
			hits.positions[key] = true
		}
		hits.lines.Merge(&found.lines)
		n++
		done(n, len(blocks))
	}
	for key := range hits.positions {
		all.positions[key] = true
	}
	all.lines = hits.lines
	all.lines.Sort()
	return nil
}

// in returns which of the positions occur among the train samples of a block, and what its train lines have in common
// with the lines.
func (all *occurrences) in(ds *shards.Dataset, at shards.BlockRef) (*occurrences, error) {
	lines, err := ds.Shards[at.Shard].ReadBlock(at.Block, nil)
	if err != nil {
		return nil, err
	}
	var w dataset.Walker
	found := &occurrences{positions: map[uint64]bool{}}
	for i := range lines {
		if ds.Manifest.Splits.Of(dataset.SplitKey(&lines[i])) != dataset.Train {
			continue
		}
		all.lines.Common(&lines[i], &found.lines)
		for w.Reset(&lines[i]); w.Next(); {
			key := w.Position().Key()
			if _, ok := all.positions[key]; ok {
				found.positions[key] = true
			}
		}
	}
	return found, nil
}
