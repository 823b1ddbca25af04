package shards

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"talbot/board"
	"talbot/dataset"
)

// column is the raw bytes of one column of a block.
type column struct {
	name string
	raw  []byte
}

// block collects lines as columns. Its buffers are reused after reset.
type block struct {
	lines, positions, samples int
	bytes                     int // upper bound of the columns' size

	source, input, number, offset, result, whiteElo, blackElo []byte
	plies, moves, reconstructed, kinds, bitmaps               []byte
	start                                                     textColumn
	lastNumber, lastOffset                                    int64

	tags   []*tagColumn // of this block's names, and of others whose buffers are kept
	names  int          // of this block's tags
	serial int          // of the line being added; no line has 0
	places []int        // in tags, of the tags of the line being added
	clocks clockColumns
	policy policyColumns
	labels map[int]*labelColumns
	nets   map[int]*networkColumns

	packed []byte // the columns as they are written
}

// textColumn is one optional text for each line of a block.
type textColumn struct {
	entries int
	lengths []byte // uvarint each: 0 = no text, else its length + 1
	text    []byte
}

// tagColumn is the column of the tags of one name.
type tagColumn struct {
	name string
	bad  bool // the name is no text, or empty
	last int  // serial of the last line that has the tag
	textColumn
}

// put appends the text of the line with that number in its block.
func (c *textColumn) put(line int, text string) {
	c.pad(line)
	c.lengths = binary.AppendUvarint(c.lengths, uint64(len(text))+1)
	c.text = append(c.text, text...)
	c.entries++
}

// pad fills up to that line with missing texts.
func (c *textColumn) pad(line int) {
	for ; c.entries < line; c.entries++ {
		c.lengths = append(c.lengths, 0)
	}
}

// raw returns the column for that many lines.
func (c *textColumn) raw(lines int) []byte {
	c.pad(lines)
	return append(c.lengths, c.text...)
}

func newBlock() *block {
	return &block{labels: make(map[int]*labelColumns), nets: make(map[int]*networkColumns)}
}

// startPosition is not written in the start column.
var startPosition = board.StartPosition()

// add appends a line. It keeps nothing of it. After an error the block is unchanged.
func (b *block) add(l *dataset.Line) error {
	n := l.SampleCount()
	if err := checkLine(l); err != nil {
		return err
	}
	if err := b.checkTags(l.Tags); err != nil {
		return err
	}
	size := lineSize(l)
	if len(l.Moves) > lineMoves || size > lineBytes || len(l.Tags)+len(l.Labels)+len(l.Predictions) > blockNames {
		return fmt.Errorf("%d moves, %d bytes, %d tags, %d label columns and %d of predictions are above the limits "+
			"of a line", len(l.Moves), size, len(l.Tags), len(l.Labels), len(l.Predictions))
	}
	b.bytes += size
	b.source = append(b.source, byte(l.Source))
	b.input = binary.AppendUvarint(b.input, uint64(l.Input))
	b.number = binary.AppendVarint(b.number, l.Number-b.lastNumber)
	b.offset = binary.AppendVarint(b.offset, l.Offset-b.lastOffset)
	b.lastNumber, b.lastOffset = l.Number, l.Offset
	b.result = append(b.result, byte(l.Result))
	b.whiteElo = binary.LittleEndian.AppendUint16(b.whiteElo, uint16(l.WhiteElo))
	b.blackElo = binary.LittleEndian.AppendUint16(b.blackElo, uint16(l.BlackElo))
	b.plies = binary.AppendUvarint(b.plies, uint64(len(l.Moves)))
	b.moves = appendMoves(b.moves, l.Moves)
	b.reconstructed = binary.AppendUvarint(b.reconstructed, uint64(l.Reconstructed))
	if l.Start != startPosition {
		b.start.put(b.lines, l.Start.FEN())
	}
	b.addSamples(l)
	b.clocks.add(l)
	for i, t := range l.Tags {
		c := b.tags[b.places[i]]
		if c.entries == 0 {
			b.names++
		}
		c.put(b.lines, t.Value)
	}
	b.policy.add(b.lines, b.samples, l.Policies)
	for _, c := range l.Labels {
		if !labelled(c.Labels) {
			continue
		}
		entry(b.labels, c.Fingerprint).add(b.samples, c.Labels)
	}
	for _, c := range l.Predictions {
		if !predicted(c.Predictions) {
			continue
		}
		entry(b.nets, c.Network).add(b.samples, c.Predictions)
	}
	b.lines++
	b.positions += len(l.Moves) + 1
	b.samples += n
	return nil
}

// tagColumn returns the index of the column of that name, made if need be. Tags come in much the same order from line
// to line, so it is looked for from the index of the tag before.
func (b *block) tagColumn(name string, from int) int {
	for i := from; i < len(b.tags); i++ {
		if b.tags[i].name == name {
			return i
		}
	}
	for i, c := range b.tags[:from] {
		if c.name == name {
			return i
		}
	}
	b.tags = append(b.tags, &tagColumn{name: name, bad: name == "" || !utf8.ValidString(name)})
	return len(b.tags) - 1
}

// checkTags returns an error for tags that could not be read back as they are, and notes in places the column of each.
func (b *block) checkTags(tags []dataset.Tag) error {
	b.serial++
	b.places = b.places[:0]
	at := 0
	for i := range tags {
		t := &tags[i]
		if at = b.tagColumn(t.Name, at); b.tags[at].bad {
			return fmt.Errorf("tag name %q is empty or not valid UTF-8", t.Name)
		}
		if !utf8.ValidString(t.Value) {
			return fmt.Errorf("tag %q %q is not valid UTF-8", t.Name, t.Value)
		}
		if b.tags[at].last == b.serial {
			return fmt.Errorf("two tags %q", t.Name)
		}
		b.tags[at].last = b.serial
		b.places = append(b.places, at)
	}
	return nil
}

// entry is the value of a key, a new one if there is none.
func entry[V any](m map[int]*V, key int) *V {
	v := m[key]
	if v == nil {
		v = new(V)
		m[key] = v
	}
	return v
}

// addSamples appends the rule of the line's samples. A bitmap has one bit for each position.
func (b *block) addSamples(l *dataset.Line) {
	kind, bitmap := l.Samples.Kind()
	b.kinds = append(b.kinds, byte(kind))
	if kind != dataset.KindSomePlies {
		return
	}
	size := len(l.Moves)/8 + 1
	bitmap = bitmap[:min(len(bitmap), size)]
	b.bitmaps = append(b.bitmaps, bitmap...)
	b.bitmaps = append(b.bitmaps, make([]byte, size-len(bitmap))...)
	if used := (len(l.Moves) + 1) % 8; used != 0 {
		b.bitmaps[len(b.bitmaps)-1] &= 1<<used - 1
	}
}

var errNoStart = errors.New("no start position")

// checkLine returns an error for a line that could not be read back as it is.
func checkLine(l *dataset.Line) error {
	if err := l.CheckForm(); err != nil {
		return err
	}
	if kind, _ := l.Samples.Kind(); l.Input > math.MaxInt32 || kind > dataset.KindSomePlies {
		return fmt.Errorf("input %d is too large, or kind of samples %d is unknown", l.Input, kind)
	}
	if l.Start == (board.Position{}) {
		return errNoStart
	}
	return nil
}

// lineSize returns an upper bound of the column bytes a line needs.
func lineSize(l *dataset.Line) int {
	size := 256 + 3*len(l.Moves) + 5*len(l.Clocks)
	for _, t := range l.Tags {
		size += len(t.Value) + 10
	}
	for _, p := range l.Policies {
		size += 10 + 6*len(p)
	}
	for _, c := range l.Labels {
		for i := range c.Labels {
			size += 4
			for j := range c.Labels[i].Lines {
				size += 22 + 2*len(c.Labels[i].Lines[j].PV)
			}
		}
	}
	for _, c := range l.Predictions {
		for i := range c.Predictions {
			size += 6 + 5*len(c.Predictions[i].Moves)
		}
	}
	return size
}

// full reports whether the block ends here. The rule is part of the format only in so far as limits are kept.
func (b *block) full() bool {
	return b.lines >= blockLines || b.positions >= blockPositions || b.bytes >= blockBytes ||
		b.names+len(b.labels)+len(b.nets) >= blockNames
}

// reset empties the block and keeps its buffers.
func (b *block) reset() {
	for _, buf := range []*[]byte{
		&b.source, &b.input, &b.number, &b.offset, &b.result, &b.whiteElo, &b.blackElo, &b.plies, &b.moves,
		&b.reconstructed,
		&b.kinds, &b.bitmaps, &b.clocks.units, &b.clocks.left, &b.policy.counts, &b.policy.moves, &b.policy.weights,
		&b.policy.untargeted, &b.start.lengths, &b.start.text,
	} {
		*buf = (*buf)[:0]
	}
	b.lines, b.positions, b.samples, b.bytes, b.lastNumber, b.lastOffset = 0, 0, 0, 0, 0, 0
	b.start.entries, b.policy.samples, b.policy.varied, b.policy.last, b.names = 0, 0, false, 0, 0
	b.tags = slices.DeleteFunc(b.tags, func(c *tagColumn) bool { return len(c.text) == 0 })
	for _, c := range b.tags {
		c.textColumn = textColumn{lengths: c.lengths[:0], text: c.text[:0]}
	}
	clear(b.labels)
	clear(b.nets)
}

// columns returns the columns of the block in the order they are written: fixed names first, then tags, labels and
// predictions, sorted. A column of zeros is left out, except for weights, which would be read as ones. They are valid
// until reset.
func (b *block) columns() []column {
	cols := []column{
		{colSource, b.source}, {colInput, b.input}, {colNumber, b.number}, {colOffset, b.offset}, {colResult, b.result},
		{colWhiteElo, b.whiteElo}, {colBlackElo, b.blackElo}, {colStart, b.start.raw(b.lines)}, {colPlies, b.plies},
		{colMoves, b.moves}, {colInvented, b.reconstructed}, {colSamples, b.kinds}, {colBitmap, b.bitmaps},
		{colClockUnit, b.clocks.units}, {colClockLeft, b.clocks.left},
	}
	cols = b.policy.columns(cols, b.samples)
	slices.SortFunc(b.tags, func(c, d *tagColumn) int { return strings.Compare(c.name, d.name) })
	for _, c := range b.tags {
		cols = append(cols, column{tagPrefix + c.name, c.raw(b.lines)})
	}
	for _, f := range slices.Sorted(maps.Keys(b.labels)) {
		cols = b.labels[f].columns(cols, f, b.samples)
	}
	for _, n := range slices.Sorted(maps.Keys(b.nets)) {
		cols = b.nets[n].columns(cols, n, b.samples)
	}
	return slices.DeleteFunc(cols, func(c column) bool {
		return zeros(c.raw) && (c.name != colPolicyWeight || len(c.raw) == 0)
	})
}

// zeros reports whether all bytes are zero.
func zeros(b []byte) bool { return bytes.Count(b, []byte{0}) == len(b) }

func appendMoves(dst []byte, moves []board.Move) []byte {
	n := len(dst)
	dst = slices.Grow(dst, 2*len(moves))[:n+2*len(moves)]
	for i, m := range moves {
		binary.LittleEndian.PutUint16(dst[n+2*i:], uint16(m))
	}
	return dst
}
