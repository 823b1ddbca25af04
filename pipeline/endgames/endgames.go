// Package endgames draws random endgames into a dataset.
//
// [Request] says what to draw. Run writes the dataset's folder and returns a [Summary]; its workers end before it does.
package endgames

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/ordered"
	"talbot/internal/output"
	"talbot/internal/progress"
	"talbot/synth"
)

// Request draws endgames into a dataset.
type Request struct {
	output.Job
	Count   int64
	Config  synth.Config
	Splits  dataset.Splits
	Workers int // 0 = all cores
}

// Summary is what synth-endgames reports.
type Summary struct {
	output.Summary
	// Exhausted are the materials that ran out of positions, so that others were drawn instead.
	Exhausted []string `json:"exhausted,omitempty"`
}

// drawBatch is how many draws a worker makes at a time.
const drawBatch = 1024

// state is what progress.json keeps of a drawing.
type state struct {
	Number    int64    `json:"number"`              // draws up to this number are done
	Exhausted []string `json:"exhausted,omitempty"` // materials that have run out, sorted
}

// collection is a drawing of endgames under way.
type collection struct {
	Request
	out          *output.Folder
	state        state
	drawers      []*synth.Drawer // of the workers
	redrawer     *synth.Drawer   // of the goroutine that takes their draws
	remaining    *synth.Remaining
	seen         dataset.GameSet // keys of the sampled positions, 26 bytes each
	allExhausted bool            // nothing is left to draw
}

func (d *collection) done() bool {
	return d.allExhausted || d.out.Manifest().Counts.GamesKept == d.Count
}

// Run draws endgames 1, 2, 3, … until there are Count different ones; colour mirrors count as the same. Where a draw
// repeats a position, another of the same material is drawn; when a class of material has run out of them, its share is
// spread over the others (see [synth.Remaining]); when all have, there are fewer than Count. The result depends on the
// seed, not on the workers. Everything that was drawn counts as read. Memory is 26 bytes an endgame and some 60 MB
// besides.
func (s Request) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	if s.Count <= 0 {
		return Summary{}, fmt.Errorf("count must be at least 1: %d", s.Count)
	}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	first, err := synth.NewDrawer(s.Config)
	if err != nil {
		return Summary{}, err
	}
	d := &collection{Request: s, redrawer: first, remaining: first.Remaining()}
	for len(d.drawers) < s.Workers {
		d.drawers = append(d.drawers, first.Clone())
	}
	m := dataset.Manifest{Verb: "synth-endgames", Seed: s.Config.Seed, Splits: s.Splits, Flags: s.flags(),
		Inputs: []dataset.Input{{Name: "draws"}}}
	if d.out, err = output.Open(m, nil, output.Options{Job: s.Job, Workers: s.Workers, State: &d.state}); err != nil {
		return Summary{}, err
	}
	defer d.out.Close()
	if err := d.restore(ctx); err != nil {
		return Summary{}, err
	}
	if err := d.draw(ctx); err != nil {
		return Summary{}, err
	}
	d.out.Manifest().Inputs[0].Games = d.out.Manifest().Counts.GamesRead
	if err := d.out.Finish(nil); err != nil {
		return Summary{}, err
	}
	return Summary{d.out.Summary(start), d.state.Exhausted}, nil
}

// flags returns what decides the content, as the manifest has it.
func (s *Request) flags() dataset.Flags {
	c := &s.Config
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	flags := dataset.Flags{
		{Name: "count", Value: strconv.FormatInt(s.Count, 10)},
		{Name: "capture-weight", Value: number(c.Past.Captures)},
		{Name: "promotion-weight", Value: number(c.Past.Promotions)},
		{Name: "history-max-pieces", Value: strconv.Itoa(c.Past.MostPieces)},
	}
	flags.Add(c.Pieces != synth.PieceWeights{}, "pieces", c.Pieces.String())
	flags.Add(c.Balance >= 0, "balance", strconv.Itoa(c.Balance))
	switch {
	case len(c.Materials) == 0:
		flags.Add(true, "piece-weights", c.Types.String())
	case slices.Equal(c.Materials, synth.AllMaterials(c.Pieces)):
		flags.Add(true, "material", "all")
	default:
		for _, w := range c.Materials {
			flags.Add(true, "material", w.Material.String()+":"+number(w.Weight))
		}
	}
	return flags
}

// restore restores the state of an interrupted run.
func (d *collection) restore(ctx context.Context) error {
	for _, name := range d.state.Exhausted {
		class, err := board.ParseMaterial(name)
		if err != nil {
			return fmt.Errorf("%s: %w: %w", d.out.Path("progress.json"), dataset.ErrDamaged, err)
		}
		d.remaining.Exhaust(class)
	}
	return d.out.EachLine(ctx, 1, 0, func(_ int, l *dataset.Line) error {
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
func (d *collection) draw(ctx context.Context) error {
	counts := &d.out.Manifest().Counts
	before := counts.GamesKept
	if d.done() {
		return nil
	}
	number := d.state.Number + 1 // of the next draw
	next := func() (int64, error) {
		number += drawBatch
		return number - drawBatch, nil
	}
	free := make(chan []synth.Draw, 4*d.Workers) // to be used again
	for batch, err := range ordered.Each(ctx, d.Workers, d.Workers, next,
		func(worker int, first int64) ([]synth.Draw, error) {
			var batch []synth.Draw
			select {
			case batch = <-free:
			default:
				batch = make([]synth.Draw, drawBatch)
			}
			for i := range batch {
				batch[i] = d.drawers[worker].Draw(first + int64(i))
			}
			return batch, nil
		}) {
		if err != nil {
			return err
		}
		for i := range batch {
			if err := d.add(&batch[i]); err != nil {
				return err
			}
			if d.done() {
				return nil
			}
		}
		select {
		case free <- batch:
		default:
		}
		d.report(before)
	}
	return nil
}

func (d *collection) report(before int64) {
	kept := d.out.Manifest().Counts.GamesKept
	p := progress.Progress{
		Verb: "synth-endgames", Unit: "endgames", Count: kept, Rate: kept - before, First: before, Done: kept,
		Total: d.Count,
	}
	if n := len(d.state.Exhausted); n > 0 {
		p.Note = fmt.Sprintf("%d materials have run out of positions", n)
	}
	d.Report(p)
}

// add stores a draw, or another in its place if it is not new.
func (d *collection) add(x *synth.Draw) error {
	known := func(key uint64) bool { return d.seen.Has(dataset.GameKey{A: key}) }
	for {
		switch {
		case d.remaining.Exhausted(x.Class):
			if !d.redrawer.DrawOtherClass(x, d.remaining) {
				d.state.Number, d.allExhausted = x.Line.Number, true
				return nil
			}
			continue
		case !x.OK:
			d.exhaust(x.Class)
			continue
		case !d.seen.Add(dataset.GameKey{A: x.Key}):
			x.Rejects[synth.Duplicate]++
			d.redrawer.Redraw(x, known)
			continue
		}
		break
	}
	counts := &d.out.Manifest().Counts
	for i, n := range x.Rejects {
		if n > 0 {
			counts.Rejects[synth.Reasons[i]] += n
			counts.GamesRead += n
		}
	}
	d.state.Number = x.Line.Number
	if err := d.out.Write(&x.Line); err != nil {
		return err
	}
	if d.out.Full() {
		return d.out.EndShard()
	}
	return nil
}

// exhaust gives a class up.
func (d *collection) exhaust(class board.Material) {
	d.remaining.Exhaust(class)
	d.state.Exhausted = append(d.state.Exhausted, class.String())
	slices.Sort(d.state.Exhausted)
}

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s, %s, %s, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "endgame"),
		humanize.Count(sum.Positions, "position"), humanize.Count(sum.Samples, "sample"),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	humanize.Counts(&t, "redrawn because of", sum.Rejects)
	return t.String()
}
