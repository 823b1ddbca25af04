package shards

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"

	"talbot/dataset"
	"talbot/internal/durable"
)

// nameSuffix ends the file name of every shard.
const nameSuffix = ".talbot.zst"

// Name returns the file name of a shard: shard-00000.talbot.zst and so on.
func Name(number int) string { return fmt.Sprintf("shard-%05d%s", number, nameSuffix) }

// Writer writes one shard. The caller ends it with [Writer.Commit] or [Writer.Abort]. It is not safe for
// concurrent use; the bytes it writes depend only on the lines.
type Writer struct {
	name    string
	out     output
	hash    hash.Hash
	size    int64
	index   index
	info    dataset.ShardInfo
	block   *block
	blocks  []*block        // free ones
	pending []*pendingBlock // blocks being compressed, in order
	workers int
	draft   bool
	err     error
}

// output is where the bytes of a shard go: a file that appears whole or not at all.
type output interface {
	io.Writer
	Commit() error
	Abort()
}

// Create begins the shard of that number in the folder, under a temporary name. It compresses that many blocks at a
// time, each in its own goroutine; 1 compresses in [Writer.Write]. The bytes are the same.
func Create(dir string, number, workers int) (*Writer, error) {
	return create(dir, Name(number), max(workers, 1))
}

// CreateDraft begins a shard whose lines will be written again: nothing in it is compressed, which takes a tenth of the
// time and about twice the space, and its SHA-256 is not computed. It is read as any shard.
func CreateDraft(dir string, number int) (*Writer, error) {
	w, err := create(dir, fmt.Sprintf("draft-%05d%s", number, nameSuffix), 1)
	if err == nil {
		w.draft = true
	}
	return w, err
}

func create(dir, name string, workers int) (*Writer, error) {
	f, err := durable.CreateAtomic(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	return newWriter(f, name, workers), nil
}

func newWriter(out output, name string, workers int) *Writer {
	w := &Writer{name: name, out: out, hash: sha256.New(), block: newBlock(), workers: workers}
	w.info.File = name
	w.index = index{Format: dataset.FormatVersion, Blocks: []blockIndex{}}
	w.write(appendHeader(nil))
	return w
}

// Write appends a line; it keeps nothing of it. A line that could not be read back as it is gives an error and is
// not written: negative numbers, ratings above 65535, tags twice or not UTF-8, policies or labels that are not one
// for each sample, labels that contradict their status. Such an error is of that line only; any other is final.
func (w *Writer) Write(l *dataset.Line) error {
	if w.err != nil {
		return w.err
	}
	if err := w.block.add(l); err != nil {
		return fmt.Errorf("%s: input %d, number %d: %w", w.name, l.Input, l.Number, err)
	}
	w.info.Lines++
	w.info.Positions += int64(len(l.Moves) + 1)
	w.info.Samples += int64(l.SampleCount())
	if dataset.HasNoTarget(l.Policies) {
		w.info.Untargeted++
	}
	if w.block.full() {
		w.flush()
	}
	return w.err
}

// Lines returns how many lines were written so far.
func (w *Writer) Lines() int64 { return w.info.Lines }

// Positions returns how many positions (plies + 1 of each line) were written so far.
func (w *Writer) Positions() int64 { return w.info.Positions }

// Commit ends the shard, makes it durable and gives it its name. After an error there is no shard.
func (w *Writer) Commit() (dataset.ShardInfo, error) {
	if w.err == nil && w.block.lines > 0 {
		w.flush()
	}
	w.drain(0)
	if w.err == nil {
		footer, err := appendFooter(nil, &w.index)
		if err != nil {
			w.fail(fmt.Errorf("%s: %w", w.name, err))
		} else {
			w.write(footer)
		}
	}
	if w.err != nil {
		err := w.err
		w.Abort()
		return dataset.ShardInfo{}, err
	}
	w.err = errEnded
	if err := w.out.Commit(); err != nil {
		return dataset.ShardInfo{}, err
	}
	w.info.Bytes = w.size
	if !w.draft {
		w.info.SHA256 = hex.EncodeToString(w.hash.Sum(nil))
	}
	return w.info, nil
}

var errEnded = errors.New("the shard is committed or aborted")

// Abort ends the writer and removes what it wrote. After Commit it does nothing.
func (w *Writer) Abort() {
	if w.err == errEnded {
		return
	}
	w.fail(errEnded)
	w.drain(0)
	w.err = errEnded
	w.out.Abort()
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *Writer) write(p []byte) {
	if w.err != nil {
		return
	}
	if _, err := w.out.Write(p); err != nil {
		w.fail(fmt.Errorf("%s: byte %d: %w", w.name, w.size, err))
		return
	}
	if !w.draft {
		w.hash.Write(p)
	}
	w.size += int64(len(p))
}

// pendingBlock is a block on its way into the file.
type pendingBlock struct {
	block *block
	index blockIndex
	err   error
	done  chan struct{}
}

// flush sends the block to be compressed and takes an empty one.
func (w *Writer) flush() {
	c := &pendingBlock{block: w.block, done: make(chan struct{})}
	w.pending = append(w.pending, c)
	if w.workers == 1 {
		c.run(w.draft)
		w.drain(0)
	} else {
		go c.run(w.draft)
		w.drain(w.workers - 1)
	}
	w.block = newBlock()
	if n := len(w.blocks); n > 0 {
		w.block, w.blocks = w.blocks[n-1], w.blocks[:n-1]
	}
}

// drain writes the first blocks until at most that many are pending. After an error it only waits for them.
func (w *Writer) drain(keep int) {
	for len(w.pending) > keep {
		c := w.pending[0]
		w.pending = w.pending[1:]
		<-c.done
		if c.err != nil {
			w.fail(fmt.Errorf("%s: %w", w.name, c.err))
		}
		for i := range c.index.Columns {
			c.index.Columns[i].Offset += w.size
		}
		w.index.Blocks = append(w.index.Blocks, c.index)
		w.write(c.block.packed)
		c.block.reset()
		w.blocks = append(w.blocks, c.block)
	}
}

// encoders compress one column at a time each, at zstd's default level. What they write depends on the column alone.
var encoders = sync.Pool{New: func() any {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true),
		zstd.WithSingleSegment(true))
	if err != nil {
		return nil // the options are constant
	}
	return e
}}

// run compresses the block, or only packs it if it is one of a draft.
func (c *pendingBlock) run(draft bool) {
	defer close(c.done)
	b := c.block
	c.index = blockIndex{Lines: int64(b.lines), Positions: int64(b.positions), Samples: int64(b.samples)}
	pack := appendStored
	if !draft {
		e, ok := encoders.Get().(*zstd.Encoder)
		if !ok {
			c.err = errors.New("zstd: no encoder")
			return
		}
		defer encoders.Put(e)
		pack = func(dst, raw []byte) []byte { return e.EncodeAll(raw, dst) }
	}
	b.packed = b.packed[:0]
	for _, col := range b.columns() {
		from := len(b.packed)
		b.packed = pack(b.packed, col.raw)
		frame := b.packed[from:]
		c.index.Columns = append(c.index.Columns, columnIndex{
			Name: col.name, Offset: int64(from), Size: int64(len(frame)), Raw: int64(len(col.raw)),
			Hash: checksum(xxhash.Sum64(frame)),
		})
	}
}
