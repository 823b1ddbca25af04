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
	for _, step := range []func([]dataset.Line){
		b.bytes, b.moves, b.ratings, b.origin, b.start, b.samples, b.clocks, b.policies, b.tagsOf, b.labels,
		b.predictions,
	} {
		if step(lines); b.err != nil {
			return dst[:first], b.err
		}
	}
	return dst, nil
}

// room counts the memory of n values against the limit of a block. It reports false if they would take too much.
func room[T any](b *rawBlock, n int) bool {
	var v T
	size := uint64(unsafe.Sizeof(v))
	if uint64(n) > (maxDecoded-b.decoded)/size {
		if b.err == nil {
			b.err = &damage{at: b.Columns[0].Offset, fault: "the lines of the block would take too much memory"}
		}
		return false
	}
	b.decoded += uint64(n) * size
	return true
}

// bytes reads the columns of one byte for each line.
func (b *rawBlock) bytes(lines []dataset.Line) {
	for i, v := range b.fixed(colSource, len(lines), 1) {
		if lines[i].Source = dataset.Source(v); !lines[i].Source.Known() {
			b.fail(colSource, "line %d: %d", i, v)
		}
	}
	for i, v := range b.fixed(colResult, len(lines), 1) {
		if lines[i].Result = dataset.Result(v); lines[i].Result > dataset.BlackWins {
			b.fail(colResult, "line %d: %d", i, v)
		}
	}
}

// readMoves returns the moves of a column.
func readMoves(raw []byte) []board.Move {
	moves := make([]board.Move, len(raw)/2)
	for i := range moves {
		moves[i] = board.Move(binary.LittleEndian.Uint16(raw[2*i:]))
	}
	return moves
}

func (b *rawBlock) moves(lines []dataset.Line) {
	raw := b.raw[colMoves]
	if len(raw) != 2*int(b.Positions-b.Lines) {
		b.fail(colMoves, "%d bytes for %d moves", len(raw), b.Positions-b.Lines)
		return
	}
	moves := readMoves(raw)
	plies, invented := b.varints(colPlies), b.varints(colInvented)
	for i := range lines {
		n := plies.upTo(len(moves))
		lines[i].Moves, moves = moves[:n:n], moves[n:]
		lines[i].Reconstructed = invented.upTo(n)
	}
	if !plies.end() || len(moves) > 0 {
		b.fail(colPlies, "not the number of moves of each line")
	}
	if !invented.end() {
		b.fail(colInvented, "not a number of plies for each line")
	}
}

func (b *rawBlock) ratings(lines []dataset.Line) {
	white, black := b.fixed(colWhiteElo, len(lines), 2), b.fixed(colBlackElo, len(lines), 2)
	for i := range lines {
		lines[i].WhiteElo, lines[i].BlackElo = int(number16(white, i)), int(number16(black, i))
	}
}

func (b *rawBlock) origin(lines []dataset.Line) {
	input, number, offset := b.varints(colInput), b.varints(colNumber), b.varints(colOffset)
	var lastNumber, lastOffset int64
	for i := range lines {
		lines[i].Input = input.upTo(math.MaxInt32)
		lastNumber += number.int()
		lastOffset += offset.int()
		lines[i].Number, lines[i].Offset = lastNumber, lastOffset
		number.bad = number.bad || lastNumber < 0
		offset.bad = offset.bad || lastOffset < 0
	}
	if !input.end() {
		b.fail(colInput, "not an index for each line")
	}
	if !number.end() {
		b.fail(colNumber, "not a number for each line")
	}
	if !offset.end() {
		b.fail(colOffset, "not an offset for each line")
	}
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

func (b *rawBlock) start(lines []dataset.Line) {
	for i := range lines {
		lines[i].Start = startPosition
	}
	raw := b.raw[colStart]
	if raw == nil {
		return
	}
	ok := texts(raw, len(lines), func(i int, fen string) bool {
		var err error
		if lines[i].Start, err = board.ParseFEN(fen); err != nil {
			b.fail(colStart, "%v", err)
		}
		return err == nil
	})
	if !ok {
		b.fail(colStart, "not a text for each line")
	}
}

func (b *rawBlock) samples(lines []dataset.Line) {
	kinds := b.fixed(colSamples, len(lines), 1)
	bitmaps := slices.Clone(b.raw[colBitmap])
	total := 0
	for i := range lines {
		l, kind := &lines[i], dataset.KindAllMoves
		if kinds != nil {
			kind = dataset.SamplesKind(kinds[i])
		}
		switch kind {
		case dataset.KindAllMoves:
		case dataset.KindOddPlies:
			l.Samples = dataset.OddPlies()
		case dataset.KindLastPosition:
			l.Samples = dataset.LastPosition()
		case dataset.KindSomePlies:
			size := len(l.Moves)/8 + 1
			if size > len(bitmaps) {
				if b.raw[colBitmap] != nil {
					b.fail(colBitmap, "too short for line %d", i)
					return
				}
				bitmaps = make([]byte, size) // left out: no samples
			}
			if used := (len(l.Moves) + 1) % 8; used != 0 && bitmaps[size-1]>>used != 0 {
				b.fail(colBitmap, "line %d: bits after its last ply", i)
			}
			l.Samples, bitmaps = dataset.SomePlies(bitmaps[:size:size]), bitmaps[size:]
		default:
			b.fail(colSamples, "line %d: %d", i, kind)
		}
		total += l.SampleCount()
	}
	if b.raw[colBitmap] != nil && len(bitmaps) > 0 {
		b.fail(colBitmap, "%d bytes too long", len(bitmaps))
	}
	if int64(total) != b.Samples {
		b.fail(colSamples, "%d samples, the footer says %d", total, b.Samples)
	}
}

// tagsOf reads the tags. Those of a line come sorted by name.
func (b *rawBlock) tagsOf(lines []dataset.Line) {
	total := 0
	counts := make([]int, len(lines))
	count := func(i int, _ string) bool { counts[i]++; total++; return true }
	for _, name := range b.tags {
		if !texts(b.raw[tagPrefix+name], len(lines), count) {
			b.fail(tagPrefix+name, "not a text for each line")
			return
		}
	}
	if !room[dataset.Tag](b, total) {
		return
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
}

func (b *rawBlock) policies(lines []dataset.Line) {
	moves := b.raw[colPolicyMove]
	weights := b.fixed(colPolicyWeight, len(moves)/2, 4)
	if b.raw[colPolicyCount] == nil {
		return
	}
	arena := make([]dataset.WeightedMove, len(moves)/2)
	for i := range arena {
		arena[i] = dataset.WeightedMove{Move: board.Move(binary.LittleEndian.Uint16(moves[2*i:])), Weight: 1}
		if weights != nil {
			arena[i].Weight = math.Float32frombits(binary.LittleEndian.Uint32(weights[4*i:]))
		}
	}
	lists := make([][]dataset.WeightedMove, b.Samples)
	counts := b.varints(colPolicyCount)
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
			b.fail(colPolicyCount, "line %d cannot be without any policy target", at-1)
			return
		}
		lines[at-1].Policies = make([][]dataset.WeightedMove, lines[at-1].SampleCount())
	}
	if !counts.end() || len(arena) > 0 || len(moves)%2 != 0 {
		b.fail(colPolicyCount, "not the number of moves of each sample")
	}
}
