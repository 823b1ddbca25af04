package ingest

import (
	"fmt"
	"strconv"

	"talbot/dataset"
	"talbot/pgn"
)

// Filters says what ingest leaves out. The zero value leaves out nothing.
type Filters struct {
	dataset.Filter
	dataset.Sampling // Seed is that of the ingest
}

// active reports whether lines or samples may be left out.
func (f *Filters) active() bool { return len(f.flags()) > 0 }

// GCPercent is a setting of the garbage collector (GOGC). What lives is about 50 MiB, most of it the shard under way:
// the process takes 200 with this, for 4 % more time than with a heap that grows to four times of that.
const GCPercent = 150

// Presets are named sets of filters for well-known data.
var Presets = map[string]func(*Filters){
	"gm":            func(f *Filters) { f.MinPlies = 60 },
	"lichess-elite": func(f *Filters) { f.MinElo, f.MinPlies = 2600, 60 },
	"tactics":       func(f *Filters) { f.Tactics = true },
}

// Check returns an error if the filters contradict themselves.
func (f *Filters) Check() error {
	if err := f.Filter.Check(); err != nil {
		return err
	}
	switch {
	case min(f.SkipPlies, f.MaxPerGame) < 0 || f.MinClock < 0:
		return fmt.Errorf("the number of a filter must not be negative")
	case !(f.Rate >= 0 && f.Rate <= 1):
		return fmt.Errorf("sampling rate must be above 0 and at most 1: %v", f.Rate)
	case f.Side == dataset.PlayerSide && f.Player == "":
		return fmt.Errorf("--side player needs --player")
	}
	return nil
}

// flags returns the filters that are on, as the manifest has them.
func (f *Filters) flags() dataset.Flags {
	flags := f.Filter.Flags()
	flags.Add(f.Side == dataset.PlayerSide, "side", "player")
	flags.Add(f.Side == dataset.WinnerSide, "side", "winner")
	flags.Add(f.SkipPlies != 0, "skip-plies", strconv.Itoa(f.SkipPlies))
	flags.Add(f.MinClock != 0, "min-clock", f.MinClock.String())
	flags.Add(f.MaxPerGame != 0, "max-samples-per-game", strconv.Itoa(f.MaxPerGame))
	flags.Add(f.Rate > 0 && f.Rate < 1, "sample-rate", strconv.FormatFloat(f.Rate, 'g', -1, 64))
	return flags
}

// entry is one game or row of an input: a line or a reject, and what came with the line.
type entry struct {
	line     *dataset.Line
	reject   *dataset.Reject
	imported []dataset.Imported
	evals    Evals
	drops    dataset.Drops
	conflict pgn.Conflict
	scores   *chainScores
	comments *commentScores
}

// choose filters and samples a line; selected: it was not left out by its head already.
func (f *Filters) choose(r *entry, selected bool) {
	l := r.line
	reason := dataset.Reason("")
	if !selected {
		reason = f.Head(l)
	}
	if reason == "" {
		reason = f.Whole(l)
	}
	if reason == "" && f.Sampling.Active() {
		white, black := f.PlayerSides(l)
		before := l.SampleCount()
		if r.drops = f.Apply(l, white, black); before > 0 && l.SampleCount() == 0 {
			reason = dataset.NoSamples
		}
	}
	if reason != "" {
		r.reject = &dataset.Reject{Reason: reason, Number: l.Number, Offset: l.Offset}
	}
}

// dropped returns how many samples of a kept game sampling dropped, by reason.
func (f *Filters) dropped(l *dataset.Line) dataset.Drops {
	if !f.Sampling.Active() {
		return nil
	}
	whole := dataset.Line{Source: l.Source, Result: l.Result, Start: l.Start, Moves: l.Moves, Clocks: l.Clocks,
		Samples: dataset.AllMoves()}
	white, black := f.PlayerSides(l)
	return f.Apply(&whole, white, black)
}

// withoutDrops takes drops away.
func withoutDrops(d, other dataset.Drops) dataset.Drops {
	for reason, n := range other {
		if d[reason] -= n; d[reason] == 0 {
			delete(d, reason)
		}
	}
	return d
}
