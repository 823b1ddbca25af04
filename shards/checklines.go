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
			return r.lineError(block, i, &lines[i], err)
		}
	}
	return nil
}

// lineError adds to err the place of its line.
func (r *Reader) lineError(block, line int, l *dataset.Line, err error) error {
	return fmt.Errorf("%q: block %d, line %d (input %d, number %d): %w: %w",
		r.path, block, line, l.Input, l.Number, dataset.ErrDamaged, err)
}
