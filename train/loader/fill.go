package loader

import (
	"sync"

	"talbot/dataset"
	"talbot/encode"
	"talbot/train"
)

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

// filling makes a batch of samples of any blocks. It keeps nothing of their records, which hold on to a whole block.
type filling struct {
	data  *Data
	group group
	n     int // samples that were added
	replay
}

// newFilling begins a batch of n samples.
func (d *Data) newFilling(n, longest int) *filling {
	f := &filling{data: d}
	f.group.resize(n, 1, shape{d.layout, longest})
	return f
}

// add encodes the next sample.
func (f *filling) add(r *records, sample int) error {
	defer func() { f.replay = replay{} }()
	if err := f.at(r, &r.samples[sample]); err != nil {
		return err
	}
	f.group.put(f.data.encoder, f.n, 0, &f.view, &f.target)
	f.n++
	return nil
}

// batch writes the samples to b, whose slices are reused.
func (f *filling) batch(b *train.Batch) {
	g, layout := &f.group, &f.data.layout
	b.Resize(g.n, g.shape.longest, layout)
	var l lists
	for i := range g.n {
		g.input(b, i, i)
		g.rest(b, &l, i, i)
	}
	if layout.Moves != encode.NoMoves && !g.shape.inside() {
		l.pad(b, &g.shape)
	}
}
