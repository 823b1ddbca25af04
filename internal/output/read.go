package output

import (
	"context"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
)

// Lines reads those columns of the finished shards, and what every line has.
func (f *Folder) Lines(columns shards.Columns, each func(*dataset.Line) error) error {
	for _, s := range f.shards() {
		r, err := shards.Open(f.Path(s.File), shards.WithColumns(columns))
		if err != nil {
			return err
		}
		for l, err := range r.Lines() {
			if err == nil {
				err = each(l)
			}
			if err != nil {
				r.Close()
				return err
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
	}
	return nil
}

// Blocks reads those columns of the finished shards, and what every line has, and calls use with their blocks on that
// many workers at a time. use must not keep the lines.
func (f *Folder) Blocks(ctx context.Context, workers int, columns shards.Columns,
	use func(worker int, lines []dataset.Line) error) error {
	d := shards.Dataset{Dir: f.dir}
	defer d.Close()
	for _, s := range f.shards() {
		r, err := shards.Open(f.Path(s.File), shards.WithColumns(columns))
		if err != nil {
			return err
		}
		d.Shards = append(d.Shards, r)
	}
	blocks := d.Blocks()
	lines := make([][]dataset.Line, max(workers, 1))
	return ordered.All(ctx, len(blocks), workers, func(worker, i int) (err error) {
		r := d.Shards[blocks[i].Shard]
		if lines[worker], err = r.ReadBlock(blocks[i].Block, lines[worker][:0]); err != nil {
			return err
		}
		return use(worker, lines[worker])
	})
}
