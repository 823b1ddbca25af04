package aggregate

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
)

// A run is a file of the moves played in a few million plies, sorted and counted: the sections of partitions 0, 1, 2 …,
// each one zstd frame with a checksum, or nothing; then the size of each, 32 bits. A section is its records. All
// numbers are little-endian.

// partitions is how many parts the positions are in, by the highest bits of their keys.
const (
	partitions     = 1 << 10
	partitionShift = 64 - 10
)

const (
	runTail    = 4 * partitions // bytes
	runSuffix  = ".part"
	recordSize = 4*8 + 2 + 1 + 2 + 8 // bytes: planes, state, band, move, count
)

// runName returns the file name of a run.
func runName(number int) string { return fmt.Sprintf("run-%06d%s", number, runSuffix) }

// runNumber returns the number in the name of a run, −1 if the name is not a run's.
func runNumber(name string) int {
	var number int
	if _, err := fmt.Sscanf(name, "run-%d"+runSuffix, &number); err != nil || runName(number) != name {
		return -1
	}
	return number
}

// isOwnFile says whether a file is a run, whole or being written.
func isOwnFile(name string) bool { return runNumber(strings.TrimSuffix(name, durable.TempSuffix)) >= 0 }

// record is a move that was played in a position by a player of a band, and how often.
type record struct {
	position
	part  uint16 // partition
	move  board.Move
	band  uint8
	count uint64
}

// compare orders records by partition, position, band and move.
func (r *record) compare(o *record) int {
	if r.part != o.part {
		return cmp.Compare(r.part, o.part)
	}
	if c := r.position.compare(&o.position); c != 0 {
		return c
	}
	if r.band != o.band {
		return cmp.Compare(r.band, o.band)
	}
	return cmp.Compare(r.move, o.move)
}

func sortRecords(all []record) {
	slices.SortFunc(all, func(a, b record) int { return a.compare(&b) })
}

// mergeEqual adds up equal neighbours.
func mergeEqual(all []record) []record {
	kept := 0
	for i := range all {
		if kept > 0 && all[kept-1].compare(&all[i]) == 0 {
			all[kept-1].count += all[i].count
			continue
		}
		all[kept] = all[i]
		kept++
	}
	return all[:kept]
}

// append appends the record as bytes, without its partition.
func (r *record) append(b []byte) []byte {
	for _, plane := range r.planes {
		b = binary.LittleEndian.AppendUint64(b, plane)
	}
	b = binary.LittleEndian.AppendUint16(b, r.state)
	b = append(b, r.band)
	b = binary.LittleEndian.AppendUint16(b, uint16(r.move))
	return binary.LittleEndian.AppendUint64(b, r.count)
}

// readRecord reads what append wrote.
func readRecord(b []byte, part int) record {
	r := record{part: uint16(part)}
	for i := range r.planes {
		r.planes[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	r.state, r.band = binary.LittleEndian.Uint16(b[32:]), b[34]
	r.move, r.count = board.Move(binary.LittleEndian.Uint16(b[35:])), binary.LittleEndian.Uint64(b[37:])
	return r
}

// coder writes and reads runs. It is for one goroutine.
type coder struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	raw     []byte
	frame   []byte
}

func newCoder() (*coder, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSection),
		zstd.WithDecodeAllCapLimit(false))
	if err != nil {
		return nil, err
	}
	return &coder{encoder: e, decoder: d}, nil
}

// maxSection is the largest section that is read, in bytes: what all plies of a chunk would take.
const maxSection = 128 << 20

func (c *coder) close() {
	c.encoder.Close()
	c.decoder.Close()
}

// write writes sorted records, without equal ones, as a run. It returns the size of the file.
func (c *coder) write(path string, records []record) (size int64, err error) {
	f, err := durable.CreateAtomic(path)
	if err != nil {
		return 0, err
	}
	defer f.Abort()
	w := bufio.NewWriterSize(f, 1<<18)
	tail := make([]byte, 0, runTail)
	for part := range partitions {
		c.raw, c.frame = c.raw[:0], c.frame[:0]
		for len(records) > 0 && int(records[0].part) == part {
			c.raw, records = records[0].append(c.raw), records[1:]
		}
		if len(c.raw) > 0 {
			c.frame = c.encoder.EncodeAll(c.raw, c.frame)
			w.Write(c.frame) // Flush has its error
		}
		size += int64(len(c.frame))
		tail = binary.LittleEndian.AppendUint32(tail, uint32(len(c.frame)))
	}
	w.Write(tail)
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return size + runTail, f.Commit()
}

// run is a file that was written, with the places of its sections. It is safe for concurrent use.
type run struct {
	path   string
	starts [partitions + 1]int64
}

// openRun reads where the sections of a run are. Damage is [dataset.ErrDamaged].
func openRun(path string) (*run, error) {
	f, err := durable.OpenRegular(path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	r, at := &run{path: path}, info.Size()-runTail
	tail := make([]byte, runTail)
	if at >= 0 {
		if _, err := f.ReadAt(tail, at); err != nil {
			return nil, fmt.Errorf("reading %q: %w", path, err)
		}
	}
	for i := range partitions {
		r.starts[i+1] = r.starts[i] + int64(binary.LittleEndian.Uint32(tail[4*i:]))
	}
	if r.starts[partitions] != at {
		return nil, fmt.Errorf("%q is not what was written: %w", path, dataset.ErrDamaged)
	}
	return r, nil
}

// read appends the records of a partition to dst.
func (c *coder) read(dst []record, r *run, part int) ([]record, error) {
	n := int(r.starts[part+1] - r.starts[part])
	if n == 0 {
		return dst, nil
	}
	c.frame = slices.Grow(c.frame[:0], n)[:n]
	f, err := os.Open(r.path)
	if err != nil {
		return dst, err
	}
	_, err = f.ReadAt(c.frame, r.starts[part])
	f.Close()
	if err != nil {
		return dst, fmt.Errorf("reading %q: %w", r.path, err)
	}
	c.raw, err = c.decoder.DecodeAll(c.frame, c.raw[:0])
	if err == nil && len(c.raw)%recordSize != 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return dst, fmt.Errorf("%q: section %d: %w: %w", r.path, part, err, dataset.ErrDamaged)
	}
	for b := c.raw; len(b) > 0; b = b[recordSize:] {
		dst = append(dst, readRecord(b, part))
	}
	return dst, nil
}
