package loader

import (
	"sync"

	"talbot/dataset"
	"talbot/encode"
	"talbot/train"
)

// slot is one sample of a batch to be filled.
type slot struct {
	*records
	sample int
}

// replay is what replaying lines takes.
type replay struct {
	walker dataset.Walker
	view   encode.View
	target encode.Target
}

var replays = sync.Pool{New: func() any { return new(replay) }}

// at goes to a sample.
func (p *replay) at(r *records, s *record) error {
	err := p.walker.At(&r.lines[s.line], int(s.ply))
	p.view.Visit(&p.walker, dataset.Counted{Candidates: r.likely[s.likely:][:s.choice]})
	p.target.Moves, p.target.Floats = r.moves(s), r.floatsOf(s)
	return err
}

// fill encodes the samples into b, whose slices are reused.
func (d *Data) fill(b *train.Batch, slots []slot, longest int) error {
	var g group
	g.resize(len(slots), 1, shape{d.layout, longest})
	var p replay
	for i, slot := range slots {
		if err := p.at(slot.records, &slot.samples[slot.sample]); err != nil {
			return err
		}
		g.put(d.encoder, i, 0, &p.view, &p.target)
	}
	b.Resize(g.n, longest, &d.layout)
	var l lists
	for i := range slots {
		g.input(b, i, i)
		g.rest(b, &l, i, i)
	}
	if d.layout.Moves != encode.NoMoves && !g.shape.inside() {
		l.pad(b, &g.shape)
	}
	return nil
}
