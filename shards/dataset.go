package shards

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"

	"talbot/dataset"
	"talbot/internal/ordered"
)

// Dataset is a folder of shards with its manifest, open for reading. It is safe for concurrent use. However many shards
// it has, few files are open at a time (see [Reader]).
type Dataset struct {
	Dir      string
	Manifest *dataset.Manifest
	Shards   []*Reader // in the order of the manifest
}

// OpenDataset reads the manifest of a folder and opens its shards. It checks that their sizes and totals are those of
// the manifest, and that it has the fingerprints of their labels and the networks of their predictions, not their
// content: see [Verify]. Files the manifest does not name are ignored. The errors are those of [dataset.ReadManifest]
// and [Open], as are the columns. The caller closes it.
func OpenDataset(dir string, columns ...Columns) (*Dataset, error) {
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	d := &Dataset{Dir: dir, Manifest: m}
	for _, want := range m.Shards {
		r, err := openShard(dir, m, want, columns...)
		if err != nil {
			d.Close()
			return nil, err
		}
		d.Shards = append(d.Shards, r)
	}
	return d, nil
}

// openShard opens a shard that a manifest names, and checks what its footer says.
func openShard(dir string, m *dataset.Manifest, want dataset.ShardInfo, columns ...Columns) (*Reader, error) {
	r, err := Open(filepath.Join(dir, want.File), columns...)
	if err != nil {
		return nil, err
	}
	got := r.Info()
	got.SHA256, got.Untargeted = want.SHA256, want.Untargeted
	if got != want {
		r.Close()
		return nil, fmt.Errorf("%q: %d bytes, %d lines, %d positions, %d samples; the manifest says %d, %d, %d, %d: %w",
			r.path,
			got.Bytes, got.Lines, got.Positions, got.Samples, want.Bytes, want.Lines, want.Positions, want.Samples,
			dataset.ErrDamaged)
	}
	if err := r.index.checkColumns(len(m.Fingerprints), len(m.Networks)); err != nil {
		r.Close()
		return nil, fmt.Errorf("%q: %w: %w", r.path, dataset.ErrDamaged, err)
	}
	return r, nil
}

// Close closes the shards.
func (d *Dataset) Close() error {
	var all []error
	for _, r := range d.Shards {
		all = append(all, r.Close())
	}
	return errors.Join(all...)
}

// Lines returns all lines in order. The lines stay valid. An error ends the sequence.
func (d *Dataset) Lines() iter.Seq2[*dataset.Line, error] {
	return func(yield func(*dataset.Line, error) bool) {
		for _, r := range d.Shards {
			for line, err := range r.Lines() {
				if !yield(line, err) || err != nil {
					return
				}
			}
		}
	}
}

// EachLine calls use with each line, valid until use returns, on that many workers at a time, numbered from 0; and
// read, if not nil, with how much was read so far, one call at a time. It ends with the first error in the order of the
// lines: one of [Reader.ReadBlock], what use says is wrong with a line, which is [dataset.ErrDamaged] with its shard,
// block and line, or the context's.
func (d *Dataset) EachLine(ctx context.Context, workers int, read func(Block),
	use func(worker int, l *dataset.Line) error) error {
	blocks, lines, sum := d.Blocks(), make([][]dataset.Line, max(workers, 1)), Block{}
	for b, err := range ordered.N(ctx, len(blocks), workers, func(worker, i int) (b Block, err error) {
		r, block := d.Shards[blocks[i].Shard], blocks[i].Block
		if lines[worker], err = r.ReadBlock(block, lines[worker][:0]); err != nil {
			return b, err
		}
		for k := range lines[worker] {
			l := &lines[worker][k]
			if err := use(worker, l); err != nil {
				return b, r.LineError(block, k, l, err)
			}
		}
		return r.Block(block), nil
	}) {
		if err != nil {
			return err
		}
		if sum = (Block{sum.Lines + b.Lines, sum.Positions + b.Positions, sum.Samples + b.Samples}); read != nil {
			read(sum)
		}
	}
	return nil
}

// BlockRef names a block of a dataset.
type BlockRef struct {
	Shard int // index in [Dataset.Shards]
	Block int // number in the shard
}

// Blocks lists the blocks of the dataset in order.
func (d *Dataset) Blocks() []BlockRef {
	var refs []BlockRef
	for i, r := range d.Shards {
		for k := range r.Blocks() {
			refs = append(refs, BlockRef{i, k})
		}
	}
	return refs
}
