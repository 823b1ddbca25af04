package pipeline

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/synth"
)

// SynthEndgames is the request to draw endgames into a dataset.
type SynthEndgames struct {
	Count    int64
	Config   synth.Config
	Out      string
	Splits   dataset.Splits
	Workers  int // 0 = all cores
	Progress func(Progress)
}

// drawBatch is how many draws a worker makes at a time.
const drawBatch = 1024

// drawing is a drawing of endgames under way.
type drawing struct {
	SynthEndgames
	out     *output
	drawers []*synth.Drawer // of the workers
	redraw  *synth.Drawer   // of the goroutine that takes their draws
	left    *synth.Left
	seen    dataset.GameSet // keys of the sampled positions, 26 bytes each
	nothing bool            // nothing is left to draw
}

func (d *drawing) done() bool { return d.nothing || d.out.manifest().Counts.GamesKept == d.Count }

// Run draws endgames 1, 2, 3, … until there are Count different ones; colour mirrors count as the same. Where a draw
// repeats a position, another of the same material is drawn; where a class of material has run out of them, what would
// be of it is spread over the others (see [synth.Left]); where all have, there are fewer than Count. The result depends
// on the seed, not on the workers. Everything that was drawn counts as read. Memory is 26 bytes an endgame and some
// 60 MB besides.
func (s SynthEndgames) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	if s.Count <= 0 {
		return Summary{}, fmt.Errorf("count %d: want at least 1", s.Count)
	}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	first, err := synth.NewDrawer(s.Config)
	if err != nil {
		return Summary{}, err
	}
	d := &drawing{SynthEndgames: s, redraw: first, left: first.Left()}
	for len(d.drawers) < s.Workers {
		d.drawers = append(d.drawers, first.Clone())
	}
	m := dataset.Manifest{Verb: "synth-endgames", Seed: s.Config.Seed, Splits: s.Splits, Flags: s.flags(),
		Inputs: []dataset.Input{{Name: "draws"}}}
	if d.out, err = openOutput(s.Out, m, nil, s.Workers); err != nil {
		return Summary{}, err
	}
	defer d.out.close()
	if err := d.restore(); err != nil {
		return Summary{}, err
	}
	if err := d.draw(ctx); err != nil {
		return Summary{}, err
	}
	d.out.manifest().Inputs[0].Games = d.out.manifest().Counts.GamesRead
	if err := d.out.finish(); err != nil {
		return Summary{}, err
	}
	return d.out.summary(start), nil
}

// flags returns what decides the content, as the manifest has it.
func (s *SynthEndgames) flags() []dataset.Tag {
	c := &s.Config
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	flags := []dataset.Tag{
		{Name: "count", Value: strconv.FormatInt(s.Count, 10)},
		{Name: "capture-weight", Value: number(c.Past.Captures)},
		{Name: "promotion-weight", Value: number(c.Past.Promotions)},
		{Name: "history-max-pieces", Value: strconv.Itoa(c.Past.MostPieces)},
	}
	if c.Pieces != (synth.PieceWeights{}) {
		flags = append(flags, dataset.Tag{Name: "pieces", Value: c.Pieces.String()})
	}
	if c.Balance >= 0 {
		flags = append(flags, dataset.Tag{Name: "balance", Value: strconv.Itoa(c.Balance)})
	}
	switch {
	case len(c.Materials) == 0:
		flags = append(flags, dataset.Tag{Name: "piece-weights", Value: c.Types.String()})
	case slices.Equal(c.Materials, synth.AllMaterials(c.Pieces)):
		flags = append(flags, dataset.Tag{Name: "material", Value: "all"})
	default:
		for _, w := range c.Materials {
			flags = append(flags, dataset.Tag{Name: "material", Value: w.Material.String() + ":" + number(w.Weight)})
		}
	}
	sortFlags(flags)
	return flags
}

// restore brings back what an interrupted run knew.
func (d *drawing) restore() error {
	for _, name := range d.out.progress.Exhausted {
		class, err := board.ParseMaterial(name)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", progressName, dataset.ErrDamaged, err)
		}
		d.left.Exhaust(class)
	}
	return d.out.lines(func(l *dataset.Line) error {
		d.seen.Add(endgameKey(l))
		return nil
	})
}

// endgameKey is the key of a line's last position.
func endgameKey(l *dataset.Line) dataset.GameKey {
	p := l.Start
	for _, m := range l.Moves {
		p.Play(m)
	}
	return dataset.GameKey{A: synth.Key(&p)}
}

// draw takes the draws in the order of their numbers while the workers make the next ones.
func (d *drawing) draw(ctx context.Context) error {
	counts := &d.out.manifest().Counts
	before := counts.GamesKept
	next := d.out.progress.Number + 1
	drawn, coming := d.batch(next), d.batch(next)
	coming.start(d.drawers)
	for !d.done() {
		coming.wait()
		drawn, coming = coming, drawn
		next += int64(len(drawn.draws))
		coming.first = next
		coming.start(d.drawers)
		for i := range drawn.draws {
			if d.done() {
				break
			}
			if err := d.take(&drawn.draws[i]); err != nil {
				coming.wait()
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			coming.wait()
			return err
		}
		if d.Progress != nil {
			p := Progress{
				Verb: "synth-endgames", Unit: "endgames", Count: counts.GamesKept, Rate: counts.GamesKept - before,
				First: before, Done: counts.GamesKept, Total: d.Count,
			}
			if n := len(d.out.progress.Exhausted); n > 0 {
				p.Note = fmt.Sprintf("%d materials have run out of positions", n)
			}
			d.Progress(p)
		}
	}
	coming.wait()
	return nil
}

// batch is a run of draws that the workers make together.
type batch struct {
	first int64 // number of the first draw
	draws []synth.Drawn
	wait  func()
}

func (d *drawing) batch(first int64) *batch {
	return &batch{first: first, draws: make([]synth.Drawn, d.Workers*drawBatch)}
}

// start has each drawer make its part.
func (b *batch) start(drawers []*synth.Drawer) {
	var wg sync.WaitGroup
	for w, drawer := range drawers {
		wg.Go(func() {
			for i := w * drawBatch; i < (w+1)*drawBatch; i++ {
				b.draws[i] = drawer.Draw(b.first + int64(i))
			}
		})
	}
	b.wait = wg.Wait
}

// take stores a draw, or another in its place if it is not new.
func (d *drawing) take(x *synth.Drawn) error {
	known := func(key uint64) bool { return d.seen.Has(dataset.GameKey{A: key}) }
	for {
		switch {
		case d.left.Exhausted(x.Class):
			if !d.redraw.Elsewhere(x, d.left) {
				d.out.progress.Number, d.nothing = x.Line.Number, true
				return nil
			}
			continue
		case !x.OK:
			d.exhaust(x.Class)
			continue
		case !d.seen.Add(dataset.GameKey{A: x.Key}):
			x.Rejects.Add(synth.Duplicate)
			d.redraw.Again(x, known)
			continue
		}
		break
	}
	counts := &d.out.manifest().Counts
	for i, n := range x.Rejects {
		if n > 0 {
			counts.Rejects[synth.Reasons[i]] += n
			counts.GamesRead += n
		}
	}
	d.out.progress.Number = x.Line.Number
	if err := d.out.write(&x.Line); err != nil {
		return err
	}
	if d.out.full() {
		return d.out.endShard()
	}
	return nil
}

// exhaust gives a class up.
func (d *drawing) exhaust(class board.Material) {
	d.left.Exhaust(class)
	d.out.progress.Exhausted = append(d.out.progress.Exhausted, class.String())
	slices.Sort(d.out.progress.Exhausted)
}
