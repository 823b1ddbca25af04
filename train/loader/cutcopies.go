package loader

import (
	"context"

	"talbot/dataset"
)

// A train line that is a cut copy of a val or test line ([dataset.CutSet]) is masked whole: it is the same game with
// another end, which gave it another split key. Finding them costs one more pass over the data, in which only starts
// and moves are read, and up to 80 bytes for each val and test line during the survey.

// cutFacts say what the lines of a dataset can mean for cut copies.
type cutFacts struct {
	Holds bool // val or test lines that others may be cut copies of
	May   bool // train lines that may be cut copies
}

// heldOut returns the val and test lines of all datasets, and what it saw in each; with [Options.CutCopies] nothing.
func (d *Data) heldOut(ctx context.Context, done func(blocks, of int)) (*dataset.CutSet, []cutFacts, error) {
	type inBlock struct {
		set   int
		lines *dataset.CutSet
		cutFacts
	}
	all, facts := &dataset.CutSet{}, make([]cutFacts, len(d.Sets))
	if d.Options.CutCopies {
		return all, facts, nil
	}
	for found, err := range overBlocks(ctx, d, done, func(set, block int) (inBlock, error) {
		s := d.Sets[set]
		at, found := s.blocks[block], inBlock{set: set, lines: &dataset.CutSet{}}
		lines, err := s.shards.Shards[at.Shard].ReadMoves(at.Block, nil)
		for i := range lines {
			if lines[i].Cuttable() {
				if s.Manifest.Splits.Of(dataset.SplitKey(&lines[i])) != dataset.Train {
					found.Holds = true
					found.lines.Add(&lines[i])
				} else {
					found.May = true
				}
			}
		}
		return found, err
	}) {
		if err != nil {
			return nil, nil, err
		}
		all.Merge(found.lines)
		f := &facts[found.set]
		f.Holds, f.May = f.Holds || found.Holds, f.May || found.May
	}
	all.Sort()
	return all, facts, nil
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
