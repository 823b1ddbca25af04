package loader

import (
	"context"
	"maps"
	"slices"

	"talbot/dataset"
	"talbot/shards"
)

// markTrained marks the positions that occur among the train samples of datasets.
func (d *Data) markTrained(ctx context.Context, positions map[uint64]bool, specs []Spec, done func(int, int)) error {
	trained := &Data{Options: d.Options}
	defer trained.Close()
	for _, spec := range specs {
		ds, err := shards.OpenDataset(spec.Dir, shards.Moves)
		if err != nil {
			return err
		}
		trained.Sets = append(trained.Sets, &Set{Spec: spec, Manifest: ds.Manifest, shards: ds, blocks: ds.Blocks()})
		// not checked yet
		if !slices.ContainsFunc(d.Sets, func(s *Set) bool { return s.absolute() == spec.absolute() }) {
			if err := ds.CheckFiles(ctx, d.Options.Workers, nil); err != nil {
				return err
			}
		}
	}
	hits := map[uint64]bool{} // workers read positions until they are done
	for found, err := range overBlocks(ctx, trained, done, func(set, block int) ([]uint64, error) {
		return trained.Sets[set].trainedIn(block, positions)
	}) {
		if err != nil {
			return err
		}
		for _, key := range found {
			hits[key] = true
		}
	}
	maps.Copy(positions, hits)
	return nil
}

// trainedIn returns which of the positions occur among the train samples of a block.
func (s *Set) trainedIn(block int, positions map[uint64]bool) (found []uint64, err error) {
	at := s.blocks[block]
	lines, err := s.shards.Shards[at.Shard].ReadBlock(at.Block, nil)
	if err != nil {
		return nil, err
	}
	var w dataset.Walker
	for i := range lines {
		if s.Manifest.Splits.Of(dataset.SplitKey(&lines[i])) != dataset.Train {
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
