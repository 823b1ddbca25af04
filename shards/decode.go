package shards

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"talbot/board"
	"talbot/dataset"
)

// decode appends the lines of a block to dst. Their slices lie in a few arrays of the block's own.
func (b *rawBlock) decode(dst []dataset.Line) ([]dataset.Line, error) {
	n := int(b.Lines)
	first := len(dst)
	dst = slices.Grow(dst, n)[:first+n]
	lines := dst[first:]
	clear(lines)
	for _, step := range []func([]dataset.Line) error{
		b.bytes, b.moves, b.ratings, b.origin, b.start, b.samples, b.clocks, b.policies, b.tagsOf, b.labels,
		b.predictions,
	} {
		if err := step(lines); err != nil {
			return dst[:first], err
		}
	}
	return dst, nil
}

// chargeMemory counts the memory of n values against the limit of a block.
func chargeMemory[T any](b *rawBlock, n int) error {
	var v T
	if size := uint64(unsafe.Sizeof(v)); uint64(n) > (maxDecoded-b.decoded)/size {
		return &damage{at: b.Columns[0].Offset, fault: "the lines of the block would take too much memory"}
	} else {
		b.decoded += uint64(n) * size
	}
	return nil
}

// bytes reads the columns of one byte for each line.
func (b *rawBlock) bytes(lines []dataset.Line) error {
	source, err := b.fixed(colSource, len(lines), 1)
	if err != nil {
		return err
	}
	result, err := b.fixed(colResult, len(lines), 1)
	if err != nil {
		return err
	}
	for i, v := range source {
		if lines[i].Source = dataset.Source(v); !lines[i].Source.Known() {
			return b.fail(colSource, "line %d: %d", i, v)
		}
	}
	for i, v := range result {
		if lines[i].Result = dataset.Result(v); lines[i].Result > dataset.BlackWins {
			return b.fail(colResult, "line %d: %d", i, v)
		}
	}
	return nil
}

// readMoves returns the moves of a column.
func readMoves(raw []byte) []board.Move {
	moves := make([]board.Move, len(raw)/2)
	for i := range moves {
		moves[i] = board.Move(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return moves
}

func (b *rawBlock) moves(lines []dataset.Line) error {
	raw := b.raw[colMoves]
	if len(raw) != 2*int(b.Positions-b.Lines) {
		return b.fail(colMoves, "%d bytes for %d moves", len(raw), b.Positions-b.Lines)
	}
	moves := readMoves(raw)
	plies, invented := newVarints(b.raw[colPlies]), newVarints(b.raw[colInvented])
	for i := range lines {
		n := plies.upTo(len(moves))
		lines[i].Moves, moves = moves[:n:n], moves[n:]
		lines[i].Reconstructed = invented.upTo(n)
	}
	if !plies.end() || len(moves) > 0 {
		return b.fail(colPlies, "not the number of moves of each line")
	}
	if !invented.end() {
		return b.fail(colInvented, "not a number of plies for each line")
	}
	return nil
}

func (b *rawBlock) ratings(lines []dataset.Line) error {
	white, err := b.fixed(colWhiteElo, len(lines), 2)
	if err != nil {
		return err
	}
	black, err := b.fixed(colBlackElo, len(lines), 2)
	if err != nil {
		return err
	}
	for i := range lines {
		if white != nil {
			lines[i].WhiteElo = int(binary.LittleEndian.Uint16(white[2*i:]))
		}
		if black != nil {
			lines[i].BlackElo = int(binary.LittleEndian.Uint16(black[2*i:]))
		}
	}
	return nil
}

func (b *rawBlock) origin(lines []dataset.Line) error {
	input, number, offset := newVarints(b.raw[colInput]), newVarints(b.raw[colNumber]), newVarints(b.raw[colOffset])
	var lastNumber, lastOffset int64
	for i := range lines {
		lines[i].Input = input.upTo(math.MaxInt32)
		lastNumber += number.int()
		lastOffset += offset.int()
		lines[i].Number, lines[i].Offset = lastNumber, lastOffset
		number.bad = number.bad || lastNumber < 0
		offset.bad = offset.bad || lastOffset < 0
	}
	switch {
	case !input.end():
		return b.fail(colInput, "not an index for each line")
	case !number.end():
		return b.fail(colNumber, "not a number for each line")
	case !offset.end():
		return b.fail(colOffset, "not an offset for each line")
	}
	return nil
}

// texts calls put with each text of a text column. It returns false if the column's content is wrong.
func texts(raw []byte, lines int, put func(line int, text string) bool) bool {
	lengths := newVarints(raw)
	for range lines {
		lengths.uint()
	}
	if lengths.bad {
		return false
	}
	text := string(lengths.b)
	lengths = newVarints(raw)
	for i := range lines {
		n := lengths.upTo(len(text) + 1)
		if n == 0 {
			continue
		}
		if !put(i, text[:n-1]) {
			return false
		}
		text = text[n-1:]
	}
	return !lengths.bad && text == ""
}

func (b *rawBlock) start(lines []dataset.Line) error {
	for i := range lines {
		lines[i].Start = startPosition
	}
	raw := b.raw[colStart]
	if raw == nil {
		return nil
	}
	var fault error
	ok := texts(raw, len(lines), func(i int, fen string) bool {
		lines[i].Start, fault = board.ParseFEN(fen)
		return fault == nil
	})
	if fault != nil {
		return b.fail(colStart, "%v", fault)
	}
	if !ok {
		return b.fail(colStart, "not a text for each line")
	}
	return nil
}

func (b *rawBlock) samples(lines []dataset.Line) error {
	kinds, err := b.fixed(colSamples, len(lines), 1)
	if err != nil {
		return err
	}
	bitmaps := slices.Clone(b.raw[colBitmap])
	total := 0
	for i := range lines {
		l := &lines[i]
		if kinds != nil {
			switch dataset.SamplesKind(kinds[i]) {
			case dataset.KindAllMoves:
			case dataset.KindOddPlies:
				l.Samples = dataset.OddPlies()
			case dataset.KindLastPosition:
				l.Samples = dataset.LastPosition()
			case dataset.KindSomePlies:
				size := len(l.Moves)/8 + 1
				if size > len(bitmaps) {
					if b.raw[colBitmap] != nil {
						return b.fail(colBitmap, "too short for line %d", i)
					}
					bitmaps = make([]byte, size) // left out: no samples
				}
				if used := (len(l.Moves) + 1) % 8; used != 0 && bitmaps[size-1]>>used != 0 {
					return b.fail(colBitmap, "line %d: bits after its last ply", i)
				}
				l.Samples = dataset.SomePlies(bitmaps[:size:size])
				bitmaps = bitmaps[size:]
			default:
				return b.fail(colSamples, "line %d: %d", i, kinds[i])
			}
		}
		total += l.SampleCount()
	}
	if b.raw[colBitmap] != nil && len(bitmaps) > 0 {
		return b.fail(colBitmap, "%d bytes too long", len(bitmaps))
	}
	if int64(total) != b.Samples {
		return b.fail(colSamples, "%d samples, the footer says %d", total, b.Samples)
	}
	return nil
}

// tagsOf reads the tags. Those of a line come sorted by name.
func (b *rawBlock) tagsOf(lines []dataset.Line) error {
	if len(b.tags) == 0 {
		return nil
	}
	total := 0
	counts := make([]int, len(lines))
	count := func(i int, _ string) bool { counts[i]++; total++; return true }
	for _, name := range b.tags {
		if !texts(b.raw[tagPrefix+name], len(lines), count) {
			return b.fail(tagPrefix+name, "not a text for each line")
		}
	}
	if err := chargeMemory[dataset.Tag](b, total); err != nil {
		return err
	}
	arena := make([]dataset.Tag, total)
	for i, n := range counts {
		if n > 0 {
			lines[i].Tags, arena = arena[:0:n], arena[n:]
		}
	}
	for _, name := range b.tags {
		texts(b.raw[tagPrefix+name], len(lines), func(i int, value string) bool {
			lines[i].Tags = append(lines[i].Tags, dataset.Tag{Name: name, Value: value})
			return true
		})
	}
	return nil
}

func (b *rawBlock) policies(lines []dataset.Line) error {
	raw := b.raw[colPolicyCount]
	moves := b.raw[colPolicyMove]
	targets := len(moves) / 2
	weights, err := b.fixed(colPolicyWeight, targets, 4)
	if raw == nil || err != nil {
		return err
	}
	arena := make([]dataset.WeightedMove, targets)
	for i := range arena {
		arena[i] = dataset.WeightedMove{Move: board.Move(binary.LittleEndian.Uint16(moves[2*i:])), Weight: 1}
		if weights != nil {
			arena[i].Weight = math.Float32frombits(binary.LittleEndian.Uint32(weights[4*i:]))
		}
	}
	lists := make([][]dataset.WeightedMove, b.Samples)
	counts := newVarints(raw)
	for i := range lines {
		n := lines[i].SampleCount()
		some := false
		for k := range n {
			if c := counts.upTo(len(arena)); c > 0 {
				lists[k], arena = arena[:c:c], arena[c:]
				some = true
			}
		}
		if some {
			lines[i].Policies = lists[:n:n]
		}
		lists = lists[n:]
	}
	for at := 0; !counts.bad && len(counts.b) > 0; {
		step := counts.upTo(len(lines) - at)
		if at += step; step == 0 || lines[at-1].Policies != nil || lines[at-1].SampleCount() == 0 {
			return b.fail(colPolicyCount, "line %d cannot be without any policy target", at-1)
		}
		lines[at-1].Policies = make([][]dataset.WeightedMove, lines[at-1].SampleCount())
	}
	if !counts.end() || len(arena) > 0 || len(moves)%2 != 0 {
		return b.fail(colPolicyCount, "not the number of moves of each sample")
	}
	return nil
}
