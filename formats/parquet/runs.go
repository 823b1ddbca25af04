package parquet

import (
	"encoding/binary"
	"errors"
	"math"
)

var errShort = errors.New("fewer values than the page claims")

// runs reads numbers of one width, at most 32 bits, in Parquet's mix of runs and groups of packed bits. The zero value,
// of width 0, has nothing but zeros.
type runs struct {
	data  []byte
	width int
	left  int    // numbers of the run or of the groups
	word  uint64 // the next ones, the first one lowest; all that a run has
	have  int    // bits of groups in word

	packed []byte // bits of the groups that are not in word; nil in a run
	step   int    // bits of a number in word: the width, or 0 in a run
	mask   uint32
}

func (r *runs) next() (uint32, error) {
	if r.left == 0 || r.have < r.step {
		if err := r.more(); err != nil {
			return 0, err
		}
	}
	v := uint32(r.word) & r.mask
	r.word >>= r.step & 63
	r.have -= r.step
	r.left--
	return v, nil
}

// more brings the next numbers into word.
func (r *runs) more() error {
	if r.width == 0 {
		r.left = math.MaxInt
		return nil
	}
	for r.left == 0 {
		if err := r.begin(); err != nil {
			return err
		}
	}
	if len(r.packed) >= 8 && r.have < r.step {
		r.word |= binary.LittleEndian.Uint64(r.packed) << r.have
		got := (63 - r.have) / 8 // whole bytes; the bits of the next one, which are there too, come again
		r.packed = r.packed[got:]
		r.have += 8 * got
	}
	for ; r.have < r.step && len(r.packed) > 0; r.have += 8 {
		r.word |= uint64(r.packed[0]) << r.have
		r.packed = r.packed[1:]
	}
	return nil
}

// begin begins the next run or groups.
func (r *runs) begin() error {
	head, n := binary.Uvarint(r.data)
	if n <= 0 || head>>1 > 1<<31 {
		return errShort
	}
	r.data = r.data[n:]
	r.word, r.have, r.packed, r.step, r.mask = 0, 0, nil, 0, 1<<r.width-1
	if head&1 == 0 {
		size := (r.width + 7) / 8
		if len(r.data) < size {
			return errShort
		}
		var raw [4]byte
		copy(raw[:], r.data[:size])
		r.word, r.left = uint64(binary.LittleEndian.Uint32(raw[:])), int(head>>1)
		r.data = r.data[size:]
		return nil
	}
	groups := int(head >> 1)
	size := min(groups*r.width, len(r.data)) // the last groups may be cut where nothing is in them
	r.packed, r.step, r.left = r.data[:size], r.width, min(8*groups, 8*size/r.width)
	r.data = r.data[size:]
	return nil
}

// bitsAt returns the number of that width, at most 64, that begins at a bit, the lowest of a byte first. Bits behind
// the end are 0.
func bitsAt(data []byte, bit, width int) uint64 {
	at, shift := bit/8, bit%8
	if at+9 <= len(data) {
		v := binary.LittleEndian.Uint64(data[at:]) >> shift
		if shift > 0 {
			v |= uint64(data[at+8]) << (64 - shift)
		}
		return v & (1<<width - 1)
	}
	var raw [16]byte
	copy(raw[:], data[min(at, len(data)):])
	v := binary.LittleEndian.Uint64(raw[:]) >> shift
	if shift > 0 {
		v |= uint64(raw[8]) << (64 - shift)
	}
	return v & (1<<width - 1)
}

// deltas reads numbers as differences in blocks (DELTA_BINARY_PACKED).
type deltas struct {
	data   []byte
	total  uint64 // numbers that are still to come
	value  int64  // the last one
	first  bool
	perSet int // numbers of a miniblock
	sets   int // miniblocks of a block
	least  int64
	widths []byte // of the miniblocks of this block that are to come
	packed []byte
	bit    int
	width  int
	inSet  int // numbers left in this miniblock
}

func newDeltas(data []byte) (*deltas, error) {
	var head [3]uint64
	for i := range head {
		v, n := binary.Uvarint(data)
		if n <= 0 {
			return nil, errShort
		}
		head[i], data = v, data[n:]
	}
	first, n := binary.Varint(data)
	size, sets := head[0], head[1]
	if n <= 0 || sets == 0 || sets > 1<<16 || size > 1<<24 || size%sets != 0 || size/sets%32 != 0 || size == 0 {
		return nil, errStructure
	}
	return &deltas{data: data[n:], total: head[2], value: first, first: true, perSet: int(size / sets),
		sets: int(sets)}, nil
}

func (d *deltas) next() (int64, error) {
	if d.total == 0 {
		return 0, errShort
	}
	d.total--
	if d.first {
		d.first = false
		return d.value, nil
	}
	if d.inSet == 0 {
		if err := d.begin(); err != nil {
			return 0, err
		}
	}
	d.inSet--
	d.value += d.least + int64(bitsAt(d.packed, d.bit, d.width))
	d.bit += d.width
	return d.value, nil
}

// begin begins the next miniblock.
func (d *deltas) begin() error {
	if len(d.widths) == 0 {
		least, n := binary.Varint(d.data)
		if n <= 0 || len(d.data)-n < d.sets {
			return errShort
		}
		d.least, d.widths, d.data = least, d.data[n:n+d.sets], d.data[n+d.sets:]
	}
	d.width, d.widths, d.bit, d.inSet = int(d.widths[0]), d.widths[1:], 0, d.perSet
	size := d.perSet / 8 * d.width
	if d.width > 64 || size > len(d.data) {
		return errShort
	}
	d.packed, d.data = d.data[:size], d.data[size:]
	return nil
}

// rest returns what stands behind the numbers, all of which were read: the miniblocks of the last block that hold none
// have no bytes.
func (d *deltas) rest() []byte { return d.data }
