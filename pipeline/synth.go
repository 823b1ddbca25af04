package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"time"

	"talbot/dataset"
	"talbot/synth"
)

// SynthEndgames is the request to draw endgames into a dataset.
type SynthEndgames struct {
	Count              int64
	Fewest, MostPieces int
	Seed               uint64
	Out                string
	Splits             dataset.Splits
	Workers            int // 0 = all cores
	Progress           func(Progress)
}

// ErrExhausted: hardly any endgame of these piece counts is left that was not
// drawn before.
var ErrExhausted = errors.New("these piece counts have too few different endgames")

const (
	drawBatch = 1024
	// maxRepeats is how many draws in a row may be duplicates.
	maxRepeats = 10_000
)

// drawn is a batch of draws.
type drawn struct {
	lines   []dataset.Line
	keys    []uint64
	rejects []map[dataset.Reason]int64
}

// Run draws endgames 1, 2, 3, … until Count different ones are kept; colour
// mirrors count as the same. The result depends on the seed, not on the
// workers. Every attempt counts as read.
func (s SynthEndgames) Run(ctx context.Context) (Summary, error) {
	start := time.Now()
	if s.Count <= 0 {
		return Summary{}, fmt.Errorf("count %d: want at least 1", s.Count)
	}
	if s.Workers <= 0 {
		s.Workers = runtime.GOMAXPROCS(0)
	}
	m := dataset.Manifest{
		Verb: "synth-endgames", Seed: s.Seed, Splits: s.Splits,
		Flags: []dataset.Tag{
			{Name: "count", Value: strconv.FormatInt(s.Count, 10)},
			{Name: "pieces", Value: fmt.Sprintf("%d-%d", s.Fewest, s.MostPieces)},
		},
		Inputs: []dataset.Input{{Name: "draws"}},
	}
	out, err := openOutput(s.Out, m, nil, s.Workers)
	if err != nil {
		return Summary{}, err
	}
	defer out.close()
	seen := map[uint64]struct{}{}
	if err := out.lines(func(l *dataset.Line) error {
		seen[endgameKey(l)] = struct{}{}
		return nil
	}); err != nil {
		return Summary{}, err
	}
	if err := s.draw(ctx, out, seen); err != nil {
		return Summary{}, err
	}
	c := out.manifest().Counts
	out.manifest().Inputs[0].Games = c.GamesRead
	if err := out.finish(); err != nil {
		return Summary{}, err
	}
	return out.summary(start), nil
}

// endgameKey is the same for a sampled position and its colour mirror.
func endgameKey(l *dataset.Line) uint64 {
	p := l.Start
	for _, m := range l.Moves {
		p.Play(m)
	}
	q := p.Mirror()
	return min(p.Key(), q.Key())
}

func (s SynthEndgames) draw(ctx context.Context, out *output, seen map[uint64]struct{}) error {
	config := synth.Config{Seed: s.Seed, Fewest: s.Fewest, MostPieces: s.MostPieces}
	counts := &out.manifest().Counts
	before, repeats := counts.GamesKept, 0
	for {
		batches := make([]drawn, s.Workers)
		var wg sync.WaitGroup
		for w := range batches {
			first := out.progress.Number + 1 + int64(w*drawBatch)
			wg.Go(func() { batches[w] = drawMany(config, first) })
		}
		wg.Wait()
		for _, b := range batches {
			for i := range b.lines {
				if counts.GamesKept == s.Count {
					return nil
				}
				for reason, n := range b.rejects[i] {
					counts.Rejects[reason] += n
					counts.GamesRead += n
				}
				out.progress.Number = b.lines[i].Number
				if _, ok := seen[b.keys[i]]; ok {
					counts.Rejects[synth.Duplicate]++
					counts.GamesRead++
					if repeats++; repeats == maxRepeats {
						return fmt.Errorf("%d of %d drawn: %w", counts.GamesKept, s.Count, ErrExhausted)
					}
					continue
				}
				repeats = 0
				seen[b.keys[i]] = struct{}{}
				if err := out.write(&b.lines[i]); err != nil {
					return err
				}
				if out.full() {
					if err := out.endShard(); err != nil {
						return err
					}
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if s.Progress != nil {
			s.Progress(Progress{
				Verb: "synth-endgames", Unit: "endgames", Count: counts.GamesKept, Rate: counts.GamesKept - before,
				First: before, Done: counts.GamesKept, Total: s.Count,
			})
		}
	}
}

// drawMany makes the draws from number first on.
func drawMany(config synth.Config, first int64) drawn {
	d := drawn{lines: make([]dataset.Line, drawBatch), keys: make([]uint64, drawBatch), rejects: make([]map[dataset.Reason]int64, drawBatch)}
	for i := range d.lines {
		d.rejects[i] = map[dataset.Reason]int64{}
		d.lines[i] = config.Draw(first+int64(i), d.rejects[i])
		d.keys[i] = endgameKey(&d.lines[i])
	}
	return d
}
