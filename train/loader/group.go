package loader

import (
	"math"
	"slices"
	"unsafe"

	"talbot/board"
	"talbot/encode"
	"talbot/train"
)

// group is n samples in memory, in the order of the data. Each is a run of words: its packed input; for each move of
// the longest policy target the index below and the bits of the weight above; the bits of the value, NaN for none. A
// run begins with a line of the processor's cache and takes whole ones, for that is what drawing a sample costs.
type group struct {
	n, input, choices int
	words             []uint64
	order             []int32 // in which they are drawn
	last              bool    // of its epoch
}

// lineWords is how many words a line of the cache has.
const lineWords = 8

// resize makes room for n samples; the memory is used again, and what it holds is to be overwritten.
func (g *group) resize(n, input, choices int) {
	g.n, g.input, g.choices = n, input, choices
	size := n * g.stride()
	g.words = slices.Grow(g.words[:0], size)[:size]
}

func (g *group) stride() int {
	return (g.input + g.choices + 1 + lineWords - 1) / lineWords * lineWords
}

// SampleBytes is what a sample takes in memory while it waits to be drawn: 196 bytes for talbotbot with one move. A
// [Loader] holds up to two groups of such samples for each dataset.
func SampleBytes(e encode.Encoder, choices int) int64 {
	g := group{input: e.Words(), choices: choices}
	return int64(g.stride())*int64(unsafe.Sizeof(g.words[0])) + int64(unsafe.Sizeof(g.order[0]))
}

// put encodes the present position of a game as sample i. A value of NaN is none.
func (g *group) put(e encode.Encoder, i int, game *board.Game, policy []encode.Target, value float32) {
	stride := g.stride()
	words := g.words[i*stride:][:stride]
	e.Pack(words[:g.input], game)
	targets := words[g.input:]
	for k := range g.choices {
		targets[k] = 0
		if k < len(policy) {
			targets[k] = uint64(policy[k].Index) | uint64(math.Float32bits(policy[k].Weight))<<32
		}
	}
	targets[g.choices] = uint64(math.Float32bits(value))
}

// copy copies sample k to place i of a batch.
func (g *group) copy(b *train.Batch, i, k int) {
	stride := g.stride()
	words := g.words[k*stride:][:stride]
	copy(b.Packed[i*g.input:][:g.input], words)
	targets := words[g.input:]
	for j := range g.choices {
		b.PolicyIndex[i*g.choices+j] = int32(uint32(targets[j]))
		b.PolicyWeight[i*g.choices+j] = math.Float32frombits(uint32(targets[j] >> 32))
	}
	value, weight := math.Float32frombits(uint32(targets[g.choices])), float32(1)
	if value != value {
		value, weight = 0, 0
	}
	b.Value[i], b.ValueWeight[i] = value, weight
}

// size makes room for n samples in a batch; the memory is used again, and what it holds is to be overwritten.
func size(b *train.Batch, n, words, choices int) {
	b.N = n
	b.Packed = slices.Grow(b.Packed[:0], n*words)[:n*words]
	b.PolicyIndex = slices.Grow(b.PolicyIndex[:0], n*choices)[:n*choices]
	b.PolicyWeight = slices.Grow(b.PolicyWeight[:0], n*choices)[:n*choices]
	b.Value = slices.Grow(b.Value[:0], n)[:n]
	b.ValueWeight = slices.Grow(b.ValueWeight[:0], n)[:n]
}
