package loader

import (
	"context"

	"talbot/dataset"
)

// A train line that is a cut copy of a val or test line ([dataset.CutSet]) is masked whole: it is the same game with
// another end, which gave it another split key. Finding them costs one more pass over the data, in which only starts
// and moves are read, and up to 80 bytes for each val and test line during the survey.

// heldOut returns the val and test lines of all datasets; with [Options.CutCopies] none.
func (d *Data) heldOut(ctx context.Context, done func(blocks, of int)) (*dataset.CutSet, error) {
	all := &dataset.CutSet{}
	if d.Options.CutCopies {
		return all, nil
	}
	for found, err := range overBlocks(ctx, d, done, func(set, block int) (*dataset.CutSet, error) {
		s := d.Sets[set]
		at, found := s.blocks[block], &dataset.CutSet{}
		lines, err := s.shards.Shards[at.Shard].ReadMoves(at.Block, nil)
		for i := range lines {
			if s.Manifest.Splits.Of(dataset.SplitKey(&lines[i])) != dataset.Train {
				found.Add(&lines[i])
			}
		}
		return found, err
	}) {
		if err != nil {
			return nil, err
		}
		all.Merge(found)
	}
	all.Sort()
	return all, nil
}

// cutCopies says of the samples of lines whether the line is a cut copy of one that is held out. Each line is looked
// up once, if its samples come in a row.
type cutCopies struct {
	held  *dataset.CutSet
	line  *dataset.Line // the last one
	cut   bool          // it is one
	lines int64         // that are
}

// has reports whether the line is one.
func (c *cutCopies) has(l *dataset.Line) bool {
	if l != c.line {
		if c.line, c.cut = l, c.held.Has(l); c.cut {
			c.lines++
		}
	}
	return c.cut
}
