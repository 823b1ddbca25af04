package loader

import "math/bits"

// Lines that follow each other in a dataset are alike: games of one player or event, or even the same game again and
// again. A block of talbot's has a thousand of them, and a group of a million samples few blocks. So where blocks are
// few they are drawn in parts, each a share of the block's lines.

// blockParts is in how many parts a block is counted, and drawn at most.
const blockParts = 16

// fewPieces is about how many pieces a group is to have; those of datasets with a small share have fewer.
const fewPieces = 32

// piece is some of the parts of a block: those from one to before another.
type piece struct{ block, from, to int }

// parts is how many usable train samples each part of a block has, including those that a mask leaves out.
type parts [blockParts]int32

// usable returns the samples of some parts.
func (p *parts) usable(from, to int) (n int) {
	for _, k := range p[from:to] {
		n += int(k)
	}
	return n
}

// kept returns how many samples of some parts stay in.
func (p *parts) kept(b *bitmap, from, to int) int64 {
	first := p.usable(0, from)
	end := first + p.usable(from, to)
	if b.bits == nil {
		return int64(end - first)
	}
	return int64(b.count(end) - b.count(first))
}

// count returns how many of the first n samples stay in.
func (b *bitmap) count(n int) (all int) {
	n = min(n, b.n)
	for _, w := range b.bits[:n/64] {
		all += bits.OnesCount64(w)
	}
	if n%64 > 0 {
		all += bits.OnesCount64(b.bits[n/64] & (1<<(n%64) - 1))
	}
	return all
}

// samples returns how many train samples of a piece stay in.
func (s *Survey) samples(set int, u piece) int64 {
	return s.parts[set][u.block].kept(&s.mask[set][u.block], u.from, u.to)
}

// pieces returns what a dataset is drawn in, with many pieces a block.
func (s *Survey) pieces(set, many int) (all []piece) {
	step := blockParts / many
	for b := range s.parts[set] {
		for from := 0; from < blockParts; from += step {
			all = append(all, piece{b, from, from + step})
		}
	}
	return all
}

// partsOf returns in how many parts blocks with these numbers of samples are drawn, so that a group of up to limit
// samples has about [fewPieces]; 1 if one group has the whole dataset. Small blocks beside large ones hardly count: the
// number of blocks is that of alike ones, (Σn)²/Σn².
func partsOf(blocks []int64, limit int64) int {
	total, largest, squares := int64(0), int64(0), 0.0
	for _, n := range blocks {
		total, largest, squares = total+n, max(largest, n), squares+float64(n)*float64(n)
	}
	if total+largest <= limit {
		return 1
	}
	many := 1
	for many < blockParts && float64(limit)*float64(total)*float64(many) < fewPieces*squares {
		many *= 2
	}
	return many
}
