package loader

import (
	"math"
	"slices"
	"unsafe"

	"talbot/board"
	"talbot/encode"
	"talbot/train"
)

// group is n samples in memory, in the order of the data. Each is a run of words: its packed input; its floats, two a
// word, NaN for those that are not known; and its moves, or where they stand. A run begins with a line of the
// processor's cache and takes whole ones, for that is what drawing a sample costs.
//
// Where no sample of the data has more moves than a few, they stand in the run: for each its words and its weight, half
// a word each. Else they stand in a list of their piece's, and the run says where.
type group struct {
	n      int
	shape  shape
	stride int // words of a sample
	words  []uint64
	blocks [][]uint64 // lists of moves
	order  []int32    // in which they are drawn
	last   bool       // of its epoch
}

// shape is how long the parts of a sample are.
type shape struct {
	layout  encode.Layout
	longest int // list of moves of the data
}

// lineWords is how many words a line of the cache has.
const lineWords = 8

// mostInside is how many moves stand in a sample's own run.
const mostInside = 4

// inside reports whether moves stand in the samples' own runs.
func (s *shape) inside() bool { return s.longest <= mostInside }

// moveWords is how many words a move takes.
func (s *shape) moveWords() int { return (s.layout.Codes + 2) / 2 }

// floatWords is how many words the floats take.
func (s *shape) floatWords() int { return (len(s.layout.Floats) + 1) / 2 }

// moves is how many words of a run the moves take.
func (s *shape) moves() int {
	switch {
	case s.layout.Moves == encode.NoMoves:
		return 0
	case s.inside():
		return s.longest * s.moveWords()
	}
	return 1
}

func (s *shape) stride() int {
	words := s.layout.Words + s.floatWords() + s.moves()
	return (words + lineWords - 1) / lineWords * lineWords
}

// resize makes room for n samples of a number of blocks; the memory is used again, and what it holds is to be
// overwritten.
func (g *group) resize(n, blocks int, s shape) {
	g.n, g.shape, g.stride = n, s, s.stride()
	size := n * g.stride
	g.words = slices.Grow(g.words[:0], size)[:size]
	g.blocks = slices.Grow(g.blocks[:0], blocks)[:blocks]
	for i := range g.blocks {
		g.blocks[i] = g.blocks[i][:0]
	}
}

// SampleBytes is what a sample that lists so many moves takes in memory while it waits to be drawn: 196 bytes for
// talbotbot with one move, and for tahl 24 more for each legal move. A [Loader] holds up to two groups of such samples
// for each dataset.
func SampleBytes(l encode.Layout, moves int) int64 {
	s, g := shape{l, moves}, group{}
	words := s.stride()
	if l.Moves != encode.NoMoves && !s.inside() {
		words += moves * s.moveWords()
	}
	return int64(words)*int64(unsafe.Sizeof(g.words[0])) + int64(unsafe.Sizeof(g.order[0]))
}

// put encodes a view and its target as sample i, of a block by its number in the group.
func (g *group) put(e encode.Encoder, i, block int, v *encode.View, t *encode.Target) {
	s := &g.shape
	words := g.words[i*g.stride:][:g.stride]
	e.Pack(words[:s.layout.Words], v)
	words = words[s.layout.Words:]
	for k := range s.floatWords() {
		words[k] = 0
	}
	for k, x := range t.Floats {
		words[k/2] |= uint64(math.Float32bits(x)) << (k % 2 * 32)
	}
	words = words[s.floatWords():]
	switch {
	case s.layout.Moves == encode.NoMoves:
	case s.inside():
		for k := range s.longest {
			at := words[k*s.moveWords():][:s.moveWords()]
			if k < len(t.Moves) {
				s.putMove(at, e, v, t.Moves[k].Weight, t.Moves[k].Move)
			} else {
				at[0] = noMove
			}
		}
	default:
		list := g.blocks[block]
		words[0] = listed(block, len(t.Moves), len(list))
		for _, m := range t.Moves {
			n := len(list)
			list = slices.Grow(list, s.moveWords())[:n+s.moveWords()]
			s.putMove(list[n:], e, v, m.Weight, m.Move)
		}
		g.blocks[block] = list
	}
}

// noMove is the first word of no move: a code of −1 and a weight of 0.
const noMove = uint64(math.MaxUint32)

// putMove writes the words of a move, and then its weight, as halves of 64-bit words.
func (s *shape) putMove(dst []uint64, e encode.Encoder, v *encode.View, weight float32, m board.Move) {
	clear(dst)
	codes := v.EncodeMove(e, s.layout.Codes, m)
	for k, code := range codes {
		dst[k/2] |= uint64(uint32(code)) << (k % 2 * 32)
	}
	k := len(codes)
	dst[k/2] |= uint64(math.Float32bits(weight)) << (k % 2 * 32)
}

// listed says where a list of moves begins: the block's number above, the length below it, then the word.
func listed(block, moves, word int) uint64 {
	return uint64(block)<<listBlock | uint64(moves)<<listMoves | uint64(word)
}

const (
	mostListed = 1<<(listBlock-listMoves) - 1 // moves in a list

	listMoves = 28 // bits of a word's number in the list of a block
	listBlock = listMoves + 10
)

// input copies the input of sample k to place i of a batch. It is a separate step because it waits for memory: the
// processor begins with the next samples meanwhile, as far as there is not much else to do in between.
func (g *group) input(b *train.Batch, i, k int) {
	words := g.shape.layout.Words
	copy(b.Packed[i*words:][:words], g.words[k*g.stride:])
}

// rest copies the floats and moves of sample k to place i of a batch, whose lists of moves are as long as it has room
// for, or to lists.
func (g *group) rest(b *train.Batch, lists *lists, i, k int) {
	s := &g.shape
	words := g.words[k*g.stride:][:g.stride]
	words = words[s.layout.Words:]
	floats := len(s.layout.Floats)
	for j := range floats {
		x, known := math.Float32frombits(uint32(words[j/2]>>(j%2*32))), float32(1)
		if x != x {
			x, known = 0, 0
		}
		b.Floats[i*floats+j], b.Known[i*floats+j] = x, known
	}
	words = words[s.floatWords():]
	switch {
	case s.layout.Moves == encode.NoMoves:
	case s.inside():
		for j := range s.longest {
			s.move(b.Codes[(i*s.longest+j)*s.layout.Codes:], &b.Weights[i*s.longest+j], words[j*s.moveWords():])
		}
	default:
		at := words[0]
		block, n, word := at>>listBlock, int(at>>listMoves&(1<<(listBlock-listMoves)-1)), at&(1<<listMoves-1)
		lists.add(s, g.blocks[block][word:], n)
	}
}

// batch writes n samples from one on to a batch, whose slices are reused.
func (g *group) batch(b *train.Batch, from, n int) {
	b.Resize(n, g.shape.longest, &g.shape.layout)
	var l lists
	for i := range n {
		g.input(b, i, from+i)
		g.rest(b, &l, i, from+i)
	}
	if g.shape.layout.Moves != encode.NoMoves && !g.shape.inside() {
		l.pad(b, &g.shape)
	}
}

// move takes a move apart.
func (s *shape) move(codes []int32, weight *float32, words []uint64) {
	for k := range s.layout.Codes {
		codes[k] = int32(uint32(words[k/2] >> (k % 2 * 32)))
	}
	k := s.layout.Codes
	*weight = math.Float32frombits(uint32(words[k/2] >> (k % 2 * 32)))
	if codes[0] < 0 {
		*weight = 0
		for k := range s.layout.Codes {
			codes[k] = -1
		}
	}
}

// lists are the moves of the samples of a batch that is being filled, one after the other.
type lists struct {
	counts  []int
	codes   []int32
	weights []float32
}

func (l *lists) reset() { l.counts, l.codes, l.weights = l.counts[:0], l.codes[:0], l.weights[:0] }

// add appends the list of a sample.
func (l *lists) add(s *shape, words []uint64, moves int) {
	l.counts = append(l.counts, moves)
	for j := range moves {
		from := len(l.codes)
		l.codes = slices.Grow(l.codes, s.layout.Codes)[:from+s.layout.Codes]
		l.weights = append(l.weights, 0)
		s.move(l.codes[from:], &l.weights[len(l.weights)-1], words[j*s.moveWords():])
	}
}

// pad gives the batch the lists, all of the length of the longest of the data: so there is one kind of batch, which the
// backend compiles once, and any steps can be computed in one execution.
func (l *lists) pad(b *train.Batch, s *shape) {
	k, codes := s.longest, s.layout.Codes
	from := 0
	for i, n := range l.counts {
		copy(b.Codes[i*k*codes:], l.codes[from*codes:(from+n)*codes])
		copy(b.Weights[i*k:], l.weights[from:from+n])
		for j := i*k + n; j < (i+1)*k; j++ {
			b.Weights[j] = 0
		}
		for j := (i*k + n) * codes; j < (i+1)*k*codes; j++ {
			b.Codes[j] = -1
		}
		from += n
	}
}
