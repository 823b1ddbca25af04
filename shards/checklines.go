package shards

import (
	"fmt"

	"talbot/dataset"
)

// CheckLines returns [dataset.ErrDamaged], with shard, block and line, for the first of a block's lines that is invalid
// ([dataset.Line.Check]): checksums do not show what was wrong when it was written.
func (r *Reader) CheckLines(block int, lines []dataset.Line) error {
	for i := range lines {
		if err := lines[i].Check(); err != nil {
			return r.LineError(block, i, &lines[i], err)
		}
	}
	return nil
}

// LineError is what is wrong with a line of a block, as [dataset.ErrDamaged] with its place.
func (r *Reader) LineError(block, line int, l *dataset.Line, err error) error {
	return fmt.Errorf("%q: block %d, line %d (input %d, number %d): %w: %w",
		r.path, block, line, l.Input, l.Number, dataset.ErrDamaged, err)
}
