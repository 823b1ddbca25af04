package output

import (
	"context"

	"talbot/dataset"
	"talbot/shards"
)

// EachLine reads those columns of the finished shards, and what every line has, and calls use with each line, as
// [shards.Dataset.EachLine] does.
func (f *Folder) EachLine(ctx context.Context, workers int, columns shards.Columns,
	use func(worker int, l *dataset.Line) error) error {
	d := shards.Dataset{Dir: f.dir}
	defer d.Close()
	for _, s := range f.shards() {
		r, err := shards.Open(f.Path(s.File), columns)
		if err != nil {
			return err
		}
		d.Shards = append(d.Shards, r)
	}
	return d.EachLine(ctx, workers, nil, use)
}
