package shards

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// Columns says which parts of a line are read. Start, moves, reconstructed plies, samples, source and result always
// are; the others stay zero.
type Columns uint16

// The columns.
const (
	Moves Columns = 0 // no more than what is always read

	Origin      Columns = 1 << iota // Input, Number, Offset
	Ratings                         // WhiteElo, BlackElo
	Tags                            // Tags
	Clocks                          // Clocks
	Policies                        // Policies
	Scores                          // Labels: Status, and of each line the Score
	Best                            // Labels: Best
	WDL                             // Labels: WDL of each line
	Effort                          // Labels: Depth and Nodes of each line
	Variations                      // Labels: PV of each line
	Predictions                     // Predictions

	AllLabels  = Scores | Best | WDL | Effort | Variations
	AllColumns = Origin | Ratings | Tags | Clocks | Policies | AllLabels | Predictions
)

// partOf says which Columns a part of a label belongs to.
var partOf = map[string]Columns{
	labelStatus: AllLabels, labelLines: AllLabels, labelScore: Scores, labelBest: Best, labelWDL: WDL,
	labelDepth: Effort, labelNodes: Effort, labelPVPlies: Variations | Best, labelPV: Variations | Best,
}

// wanted reports whether the column of that name is read at all.
func (c Columns) wanted(name string) bool {
	switch name {
	case colSource, colResult, colStart, colPlies, colMoves, colInvented, colSamples, colBitmap:
		return true
	case colInput, colNumber, colOffset:
		return c&Origin != 0
	case colWhiteElo, colBlackElo:
		return c&Ratings != 0
	case colClockUnit, colClockLeft:
		return c&Clocks != 0
	case colPolicyCount, colPolicyMove, colPolicyWeight:
		return c&Policies != 0
	}
	if strings.HasPrefix(name, tagPrefix) {
		return c&Tags != 0
	}
	if _, part, ok := labelColumn(name); ok {
		return c&partOf[part] != 0
	}
	if _, part, ok := networkColumn(name); ok {
		return c&Predictions != 0 && networkParts[part]
	}
	return false
}

// rawBlock is the decompressed columns of a block. It must be closed.
type rawBlock struct {
	*blockIndex
	raw   map[string][]byte // of the wanted columns
	print []int             // fingerprints with a wanted column, sorted
	nets  []int             // networks with a wanted column, sorted
	tags  []string          // names of the wanted tag columns, sorted
	arena *[]byte
	want  Columns

	decoded uint64 // bytes taken so far by what is made of them
	err     error  // what is wrong with the columns
}

// arenas are buffers for the decompressed columns of a block.
var arenas = sync.Pool{New: func() any { return new([]byte) }}

// keepArena is the largest buffer that is kept.
const keepArena = 32 << 20

func (b *rawBlock) close() {
	if cap(*b.arena) <= keepArena {
		arenas.Put(b.arena)
	}
}

// decoder decompresses into a buffer that is already there, never beyond it.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true),
		zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderMaxWindow(maxRaw))
})

// rawBlock reads the wanted columns of block i.
func (r *Reader) rawBlock(i int, want Columns) (*rawBlock, error) {
	zd, err := decoder()
	if err != nil {
		return nil, err
	}
	ix := &r.index.Blocks[i]
	raw, largest := int64(0), int64(0)
	for _, c := range ix.Columns {
		if want.wanted(c.Name) {
			raw, largest = raw+c.Raw, max(largest, c.Size)
		}
	}
	in, done, err := r.file.open()
	if err != nil {
		return nil, fmt.Errorf("%q: block %d: %w", r.path, i, err)
	}
	defer done()
	arena, _ := arenas.Get().(*[]byte)
	if arena == nil {
		arena = new([]byte)
	}
	b := &rawBlock{blockIndex: ix, raw: make(map[string][]byte, len(ix.Columns)), arena: arena, want: want}
	*arena = slices.Grow((*arena)[:0], int(raw+largest))
	free := (*arena)[:raw]
	frame := (*arena)[raw : raw+largest]
	for k := range ix.Columns {
		c := &ix.Columns[k]
		if !want.wanted(c.Name) {
			continue
		}
		if err := readColumn(in, zd, c, free[:0:c.Raw], frame[:c.Size]); err != nil {
			b.close()
			return nil, fmt.Errorf("%q: block %d, column %q: %w", r.path, i, c.Name, err)
		}
		b.raw[c.Name], free = free[:c.Raw:c.Raw], free[c.Raw:]
		if name, ok := strings.CutPrefix(c.Name, tagPrefix); ok {
			b.tags = append(b.tags, name)
		}
		if f, _, ok := labelColumn(c.Name); ok && !slices.Contains(b.print, f) {
			b.print = append(b.print, f)
		}
		if n, _, ok := networkColumn(c.Name); ok && !slices.Contains(b.nets, n) {
			b.nets = append(b.nets, n)
		}
	}
	slices.Sort(b.tags)
	slices.Sort(b.print)
	slices.Sort(b.nets)
	return b, nil
}

// readColumn reads one column into dst, whose capacity is its decompressed size, by way of frame.
func readColumn(in io.ReaderAt, zd *zstd.Decoder, c *columnIndex, dst, frame []byte) error {
	if err := readAt(in, frame, c.Offset); err != nil {
		return err
	}
	if xxhash.Sum64(frame) != uint64(c.Hash) {
		return &damage{at: c.Offset, fault: "frame does not match its checksum"}
	}
	out, err := zd.DecodeAll(frame, dst)
	if err != nil {
		return &damage{at: c.Offset, fault: "frame", err: err}
	}
	if len(out) != cap(dst) {
		return &damage{at: c.Offset, fault: fmt.Sprintf("frame of %d bytes decompressed, not %d", len(out), cap(dst))}
	}
	return nil
}

// fail notes that the content of a column is wrong. The first fault of a block counts.
func (b *rawBlock) fail(name, format string, args ...any) {
	if b.err != nil {
		return
	}
	first, what := int64(headerSize), "is missing:  "
	for i, c := range b.Columns {
		if c.Name == name {
			first, what = c.Offset, ""
			break
		}
		if i == 0 || c.Offset < first {
			first = c.Offset
		}
	}
	b.err = &damage{at: first, fault: fmt.Sprintf("column %q: ", name) + what + fmt.Sprintf(format, args...)}
}

// fixed returns a column of n entries of that width; nil if it is left out, or of another size.
func (b *rawBlock) fixed(name string, n, width int) []byte {
	raw := b.raw[name]
	if raw != nil && len(raw) != n*width {
		b.fail(name, "%d bytes for %d entries of %d", len(raw), n, width)
		return nil
	}
	return raw
}

// varints returns the numbers of a column.
func (b *rawBlock) varints(name string) varints { return newVarints(b.raw[name]) }

// number16 returns the i-th number of 16 bits of a column; 0 if it is left out.
func number16(raw []byte, i int) uint16 {
	if raw == nil {
		return 0
	}
	return binary.LittleEndian.Uint16(raw[2*i:])
}
