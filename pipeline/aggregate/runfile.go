package aggregate

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/durable"
)

// A run is a file of the moves played in a few million plies, sorted and counted:
//
//	offset   bytes
//	0        …      the sections of partitions 0, 1, 2 …, each one zstd frame, or nothing
//	F        8 · P  for each partition 32 bits of the frame's size and 32 bits of its CRC-32C
//	F + 8P   4      CRC-32C of these bytes
//	         8      "talbotAG"
//
// All numbers are little-endian. A section is a list of positions, ascending: occupied squares (64 bits), four bits for
// each of them, from a1 on (bits 0–2 the type of piece, bit 3 Black's), the state (16 bits), and a varint of how many
// moves follow: band (a byte), move (16 bits), and a varint of how often it was played.

// partitions is how many parts the positions are in, by the highest bits of their keys.
const (
	partitions     = 1 << 10
	partitionShift = 64 - 10
)

const (
	runMagic  = "talbotAG"
	runTail   = 8*partitions + 4 + len(runMagic)
	runSuffix = ".part"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

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
	count uint32
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

// coder writes and reads runs. It is for one goroutine.
type coder struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	raw     []byte
	frame   []byte
}

func newCoder() (*coder, error) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithLowerEncoderMem(true))
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
		n := 0
		for n < len(records) && int(records[n].part) == part {
			n++
		}
		c.frame = c.frame[:0]
		if n > 0 {
			c.raw = encodeSection(c.raw[:0], records[:n])
			c.frame = c.encoder.EncodeAll(c.raw, c.frame)
			w.Write(c.frame) // Flush has its error
		}
		records = records[n:]
		size += int64(len(c.frame))
		tail = binary.LittleEndian.AppendUint32(tail, uint32(len(c.frame)))
		tail = binary.LittleEndian.AppendUint32(tail, crc32.Checksum(c.frame, castagnoli))
	}
	tail = binary.LittleEndian.AppendUint32(tail, crc32.Checksum(tail, castagnoli))
	tail = append(tail, runMagic...)
	w.Write(tail)
	if err := w.Flush(); err != nil {
		return 0, err
	}
	return size + int64(len(tail)), f.Commit()
}

// encodeSection appends the records of a partition.
func encodeSection(b []byte, records []record) []byte {
	for len(records) > 0 {
		n := 1
		for n < len(records) && records[n].position == records[0].position {
			n++
		}
		b = records[0].append(b)
		b = binary.AppendUvarint(b, uint64(n))
		for i := range records[:n] {
			r := &records[i]
			b = append(b, r.band)
			b = binary.LittleEndian.AppendUint16(b, uint16(r.move))
			b = binary.AppendUvarint(b, uint64(r.count))
		}
		records = records[n:]
	}
	return b
}

var errSection = errors.New("a section that cannot be read")

// decodeSection appends the records of a partition to dst.
func decodeSection(dst []record, b []byte, part, bands int) ([]record, error) {
	for len(b) > 0 {
		var r record
		r.part = uint16(part)
		var ok bool
		if b, ok = r.decode(b); !ok {
			return dst, errSection
		}
		n, size := binary.Uvarint(b)
		if size <= 0 || n == 0 {
			return dst, errSection
		}
		b = b[size:]
		for ; n > 0; n-- {
			if len(b) < 4 {
				return dst, errSection
			}
			r.band, r.move = b[0], board.Move(binary.LittleEndian.Uint16(b[1:]))
			count, size := binary.Uvarint(b[3:])
			if size <= 0 || count == 0 || count > math.MaxUint32 || int(r.band) >= bands {
				return dst, errSection
			}
			r.count = uint32(count)
			b = b[3+size:]
			dst = append(dst, r)
		}
	}
	return dst, nil
}

// run is a file that was written, with the places of its sections. It is safe for concurrent use.
type run struct {
	path   string
	starts [partitions + 1]int64
	sums   [partitions]uint32
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
	damaged := fmt.Errorf("%q is not what was written: %w", path, dataset.ErrDamaged)
	at := info.Size() - int64(runTail)
	if at < 0 {
		return nil, damaged
	}
	tail := make([]byte, runTail)
	if _, err := f.ReadAt(tail, at); err != nil {
		return nil, fmt.Errorf("reading %q: %w", path, err)
	}
	index := tail[:8*partitions]
	if string(tail[len(index)+4:]) != runMagic ||
		binary.LittleEndian.Uint32(tail[len(index):]) != crc32.Checksum(index, castagnoli) {
		return nil, damaged
	}
	r := &run{path: path}
	for i := range partitions {
		r.starts[i+1] = r.starts[i] + int64(binary.LittleEndian.Uint32(index[8*i:]))
		r.sums[i] = binary.LittleEndian.Uint32(index[8*i+4:])
	}
	if r.starts[partitions] != at {
		return nil, damaged
	}
	return r, nil
}

// read appends the records of a partition to dst.
func (c *coder) read(dst []record, r *run, part, bands int) ([]record, error) {
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
	err = errSection
	if crc32.Checksum(c.frame, castagnoli) == r.sums[part] {
		if c.raw, err = c.decoder.DecodeAll(c.frame, c.raw[:0]); err == nil {
			dst, err = decodeSection(dst, c.raw, part, bands)
		}
	}
	if err != nil {
		return dst, fmt.Errorf("%q: section %d: %w: %w", r.path, part, err, dataset.ErrDamaged)
	}
	return dst, nil
}
