package loader

import (
	"fmt"

	"talbot/dataset"
	"talbot/shards"
)

// checked are the columns that [dataset.Line.Check] looks at and a network can learn from, and what names a line.
const checked = shards.Origin | shards.Policies | shards.Scores | shards.Best | shards.WDL | shards.Variations

// checking returns d as a reader of all that can be wrong in a line: every line of the blocks that it reads is checked.
// It is closed with d.
func (d *Data) checking() *Data {
	other := *d
	other.checks = true
	other.Sets = make([]*Set, len(d.Sets))
	for i, s := range d.Sets {
		set, files := *s, *s.shards
		files.Shards = make([]*shards.Reader, len(s.shards.Shards))
		for k, r := range s.shards.Shards {
			files.Shards[k] = r.With(d.Options.columns() | checked)
		}
		set.shards = &files
		other.Sets[i] = &set
	}
	return &other
}

// check returns [dataset.ErrDamaged] for the first line of a block that holds what cannot be: an illegal move or
// variation, or a number out of its range. Checksums do not see what was wrong when it was written.
func (s *Set) check(at blockRef, lines []dataset.Line) error {
	for i := range lines {
		l := &lines[i]
		if err := l.Check(); err != nil {
			return fmt.Errorf("%q: block %d, line %d (input %d, number %d): %w: %w",
				s.shards.Shards[at.shard].Path(), at.block, i, l.Input, l.Number, dataset.ErrDamaged, err)
		}
	}
	return nil
}
