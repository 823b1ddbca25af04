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

// batch writes all samples to a batch, whose slices are reused.
func (g *group) batch(b *train.Batch) {
	b.Resize(g.n, g.shape.longest, &g.shape.layout)
	var l lists
	for i := range g.n {
		g.input(b, i, i)
		g.rest(b, &l, i, i)
	}
	if g.shape.layout.Moves != encode.NoMoves && !g.shape.inside() {
		l.pad(b, &g.shape)
	}
}
