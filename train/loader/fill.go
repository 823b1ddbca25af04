package loader

import (
	"fmt"
	"slices"
	"sync"

	"talbot/encode"
	"talbot/train"
)

// slot is one sample of a batch to be filled.
type slot struct {
	*records
	sample int
}

var walkers = sync.Pool{New: func() any { return new(encode.Walker) }}

// fill encodes the samples into b, whose slices are reused, in parallel.
func (d *Data) fill(b *train.Batch, slots []slot, choices int) error {
	n, planes := len(slots), d.encoder.Planes()
	b.N = n
	b.Planes = slices.Grow(b.Planes[:0], n*planes)[:n*planes]
	b.PolicyIndex = slices.Grow(b.PolicyIndex[:0], n*choices)[:n*choices]
	b.PolicyWeight = slices.Grow(b.PolicyWeight[:0], n*choices)[:n*choices]
	b.Value = slices.Grow(b.Value[:0], n)[:n]
	b.ValueWeight = slices.Grow(b.ValueWeight[:0], n)[:n]
	clear(b.PolicyIndex)
	clear(b.PolicyWeight)
	return spread(n, d.Options.Workers, func(from, to int) error {
		w, _ := walkers.Get().(*encode.Walker)
		defer walkers.Put(w)
		for i := from; i < to; i++ {
			r := slots[i].records
			s := &r.samples[slots[i].sample]
			if err := w.At(&r.lines[s.line], int(s.ply)); err != nil {
				return err
			}
			d.encoder.Encode(b.Planes[i*planes:(i+1)*planes], w.Game())
			if int(s.choices) > choices {
				return fmt.Errorf("policy target of %d moves, at most %d were announced", s.choices, choices)
			}
			for k, t := range r.policy(s) {
				b.PolicyIndex[i*choices+k], b.PolicyWeight[i*choices+k] = int32(t.Index), t.Weight
			}
			b.Value[i], b.ValueWeight[i] = 0, 0
			if s.hasValue() {
				b.Value[i], b.ValueWeight[i] = s.value, 1
			}
		}
		return nil
	})
}
