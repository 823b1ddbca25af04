package loader

import (
	"context"
	"slices"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
)

// markTrained marks the positions that occur among the train samples of datasets.
func (d *Data) markTrained(ctx context.Context, positions map[uint64]bool, specs []Spec, done func(int, int)) error {
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
			if err := ds.CheckFiles(ctx, d.Options.Workers, nil); err != nil {
				return err
			}
		}
		for _, at := range ds.Blocks() {
			blocks = append(blocks, work{ds, at})
		}
	}
	hits, n := map[uint64]bool{}, 0 // workers read positions until they are done
	for found, err := range ordered.N(ctx, len(blocks), d.Options.Workers, func(_, i int) ([]uint64, error) {
		return trainedIn(positions, blocks[i].set, blocks[i].place)
	}) {
		if err != nil {
			return err
		}
		for _, key := range found {
			hits[key] = true
		}
		n++
		done(n, len(blocks))
	}
	for key := range hits {
		positions[key] = true
	}
	return nil
}

// trainedIn returns which of the positions occur among the train samples of a block.
func trainedIn(positions map[uint64]bool, ds *shards.Dataset, at shards.BlockRef) (found []uint64, err error) {
	lines, err := ds.Shards[at.Shard].ReadBlock(at.Block, nil)
	if err != nil {
		return nil, err
	}
	var w dataset.Walker
	for i := range lines {
		if ds.Manifest.Splits.Of(dataset.SplitKey(&lines[i])) != dataset.Train {
			continue
		}
		for w.Reset(&lines[i]); w.Next(); {
			key := w.Position().Key()
			if _, ok := positions[key]; ok {
				found = append(found, key)
			}
		}
	}
	return found, nil
}
