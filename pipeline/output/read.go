package output

import (
	"context"
	"errors"
	"io"

	"talbot/dataset"
	"talbot/internal/ordered"
	"talbot/shards"
)

// Lines reads the finished shards, only what every line has, for whoever must know what they hold.
func (f *Folder) Lines(each func(*dataset.Line) error) error {
	for _, s := range f.shards() {
		r, err := shards.Open(f.Path(s.File), shards.WithColumns(0))
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

// Blocks reads the finished shards, only what every line has and where it came from, and calls use with their blocks on
// that many workers at a time. use must not keep the lines. One shard is open at a time for each worker, and one more.
func (f *Folder) Blocks(ctx context.Context, workers int, use func(worker int, lines []dataset.Line) error) error {
	type block struct {
		shard *openShard
		block int
	}
	rest := f.shards()
	var now *openShard
	next := 0
	take := func() (block, error) {
		for now == nil || next == now.reader.Blocks() {
			if now != nil {
				if err := now.release(); err != nil {
					return block{}, err
				}
				now = nil
			}
			if len(rest) == 0 {
				return block{}, io.EOF
			}
			r, err := shards.Open(f.Path(rest[0].File), shards.WithColumns(shards.Origin))
			if err != nil {
				return block{}, err
			}
			now, next, rest = newOpenShard(r), 0, rest[1:]
		}
		now.hold()
		next++
		return block{now, next - 1}, nil
	}
	lines := make([][]dataset.Line, max(workers, 1))
	var err error
	for _, err = range ordered.Each(ctx, workers, 0, take, func(worker int, b block) (struct{}, error) {
		var err error
		if lines[worker], err = b.shard.reader.ReadBlock(b.block, lines[worker][:0]); err == nil {
			err = use(worker, lines[worker])
		}
		return struct{}{}, errors.Join(err, b.shard.release())
	}) {
		if err != nil {
			break
		}
	}
	if now != nil {
		err = errors.Join(err, now.release())
	}
	return err
}
