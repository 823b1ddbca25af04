package shards

import (
	"fmt"
	"iter"
	"path/filepath"

	"talbot/dataset"
)

// Reader reads one shard. It is safe for concurrent use. Over all readers 64 files stay open; others are opened for
// each block.
type Reader struct {
	path    string
	file    *file
	close   func() error // nil: another reader closes the file
	columns Columns
	index   *index
	info    dataset.ShardInfo
}

// Open opens a shard and checks its ends. A shard that is not there, not whole or not a regular file gives
// [dataset.ErrDamaged], at once: callers have its name from a manifest. An unknown version gives [dataset.ErrVersion].
// If columns are given, these are read, and what every line has; else all are. The caller closes the Reader.
func Open(path string, columns ...Columns) (*Reader, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	r, err := newReader(f, f.info.Size(), path, columns...)
	if err != nil {
		f.Close()
		return nil, err
	}
	r.close = f.Close
	return r, nil
}

func newReader(f *file, size int64, path string, columns ...Columns) (*Reader, error) {
	r := &Reader{path: path, file: f, columns: AllColumns}
	if len(columns) > 0 {
		r.columns = columns[0]
	}
	in, done, err := f.open()
	if err != nil {
		return nil, err
	}
	defer done()
	if r.index, err = readIndex(in, size); err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	r.info = dataset.ShardInfo{File: filepath.Base(path), Bytes: size}
	for _, b := range r.index.Blocks {
		r.info.Lines += b.Lines
		r.info.Positions += b.Positions
		r.info.Samples += b.Samples
	}
	return r, nil
}

// With returns a reader of other columns of the same file, which is open as long as r is.
func (r *Reader) With(c Columns) *Reader {
	other := *r
	other.columns, other.close = c, nil
	return &other
}

// Path returns the path that the shard was opened by.
func (r *Reader) Path() string { return r.path }

// Close closes the file.
func (r *Reader) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// Info returns what the shard holds, without the SHA-256.
func (r *Reader) Info() dataset.ShardInfo { return r.info }

// Blocks returns the number of blocks.
func (r *Reader) Blocks() int { return len(r.index.Blocks) }

// Block is how much a block holds.
type Block struct{ Lines, Positions, Samples int }

// Block returns how much block i holds, from the footer alone.
func (r *Reader) Block(i int) Block {
	b := &r.index.Blocks[i]
	return Block{Lines: int(b.Lines), Positions: int(b.Positions), Samples: int(b.Samples)}
}

// ReadBlock appends the lines of block i to dst. The lines' slices are of new memory, which the lines of the block
// share: they stay valid, and must not be appended to. Tags come sorted by name; a label column whose labels are all
// missing comes back as none. Errors are [dataset.ErrDamaged] or the file system's, and name file, block, column and
// byte.
func (r *Reader) ReadBlock(i int, dst []dataset.Line) ([]dataset.Line, error) {
	if i < 0 || i >= len(r.index.Blocks) {
		return dst, fmt.Errorf("%q: no block %d among %d", r.path, i, len(r.index.Blocks))
	}
	b, err := r.rawBlock(i, r.columns)
	if err != nil {
		return dst, err
	}
	defer b.close()
	dst, err = b.decode(dst)
	if err != nil {
		return dst, fmt.Errorf("%q: block %d: %w", r.path, i, err)
	}
	return dst, nil
}

// Lines returns all lines in order. The lines stay valid. An error ends the sequence.
func (r *Reader) Lines() iter.Seq2[*dataset.Line, error] {
	return func(yield func(*dataset.Line, error) bool) {
		for i := range r.index.Blocks {
			lines, err := r.ReadBlock(i, nil)
			if err != nil {
				yield(nil, err)
				return
			}
			for k := range lines {
				if !yield(&lines[k], nil) {
					return
				}
			}
		}
	}
}
