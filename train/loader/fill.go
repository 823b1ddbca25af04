package loader

import (
	"fmt"
	"sync"

	"talbot/dataset"
	"talbot/train"
)

// slot is one sample of a batch to be filled.
type slot struct {
	*records
	sample int
}

var walkers = sync.Pool{New: func() any { return new(dataset.Walker) }}

// fill encodes the samples into b, whose slices are reused, in parallel.
func (d *Data) fill(b *train.Batch, slots []slot, choices int) error {
	var g group
	g.resize(len(slots), d.encoder.Words(), choices)
	if err := spread(len(slots), d.Options.Workers, func(from, to int) error {
		w, _ := walkers.Get().(*dataset.Walker)
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
			g.put(d.encoder, i, w.Game(), r.policy(s), s.value)
		}
		return nil
	}); err != nil {
		return err
	}
	size(b, g.n, g.input, choices)
	for i := range slots {
		g.copy(b, i, i)
	}
	return nil
}
