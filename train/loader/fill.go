package loader

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"talbot/board"
	"talbot/encode"
	"talbot/train"
)

// group is a group of samples in memory, in the order of the data, as they go to the device: a packed
// input, 8 bytes for each move of the longest policy target, 8 for the value. That is 184 bytes a sample of talbotbot.
type group struct {
	train.Batch
	order []int32 // in which they are drawn
	last  bool    // of its epoch
}

// size makes room for n samples; the memory is used again, and what it holds is to be overwritten.
func size(b *train.Batch, n, words, choices int) {
	b.N = n
	b.Packed = slices.Grow(b.Packed[:0], n*words)[:n*words]
	b.PolicyIndex = slices.Grow(b.PolicyIndex[:0], n*choices)[:n*choices]
	b.PolicyWeight = slices.Grow(b.PolicyWeight[:0], n*choices)[:n*choices]
	b.Value = slices.Grow(b.Value[:0], n)[:n]
	b.ValueWeight = slices.Grow(b.ValueWeight[:0], n)[:n]
}

// copy copies sample k to place i of a batch.
func (g *group) copy(b *train.Batch, i, k int) {
	words, choices := len(g.Packed)/g.N, len(g.PolicyIndex)/g.N
	copy(b.Packed[i*words:(i+1)*words], g.Packed[k*words:])
	copy(b.PolicyIndex[i*choices:(i+1)*choices], g.PolicyIndex[k*choices:])
	copy(b.PolicyWeight[i*choices:(i+1)*choices], g.PolicyWeight[k*choices:])
	b.Value[i], b.ValueWeight[i] = g.Value[k], g.ValueWeight[k]
}

// put encodes the present position of a game into place i of a batch. A value of NaN is none.
func (d *Data) put(b *train.Batch, i int, game *board.Game, policy []encode.Target, value float32) {
	words, choices := len(b.Packed)/b.N, len(b.PolicyIndex)/b.N
	d.encoder.Pack(b.Packed[i*words:(i+1)*words], game)
	for k := range choices {
		b.PolicyIndex[i*choices+k], b.PolicyWeight[i*choices+k] = 0, 0
		if k < len(policy) {
			b.PolicyIndex[i*choices+k], b.PolicyWeight[i*choices+k] = int32(policy[k].Index), policy[k].Weight
		}
	}
	b.Value[i], b.ValueWeight[i] = 0, 0
	if !math.IsNaN(float64(value)) {
		b.Value[i], b.ValueWeight[i] = value, 1
	}
}

// slot is one sample of a batch to be filled.
type slot struct {
	*records
	sample int
}

var walkers = sync.Pool{New: func() any { return new(encode.Walker) }}

// fill encodes the samples into b, whose slices are reused, in parallel.
func (d *Data) fill(b *train.Batch, slots []slot, choices int) error {
	size(b, len(slots), d.encoder.Words(), choices)
	return spread(len(slots), d.Options.Workers, func(from, to int) error {
		w, _ := walkers.Get().(*encode.Walker)
		defer walkers.Put(w)
		for i := from; i < to; i++ {
			r := slots[i].records
			s := &r.samples[slots[i].sample]
			if err := w.At(&r.lines[s.line], int(s.ply)); err != nil {
				return err
			}
			if int(s.choices) > choices {
				return fmt.Errorf("policy target of %d moves, at most %d were announced", s.choices, choices)
			}
			d.put(b, i, w.Game(), r.policy(s), s.value)
		}
		return nil
	})
}
