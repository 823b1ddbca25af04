package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/internal/flags"
)

// gameFilterOptions are the flags that leave out games.
type gameFilterOptions struct {
	preset         string
	given          dataset.Filter // what the flags set
	eloOf, unknown string
}

// addPreset adds --preset; about describes the presets.
func (o *gameFilterOptions) addPreset(f *flags.Set, about string, names []string) {
	flags.Choice(f, &o.preset, "preset", "set of filters: "+about+"; other flags take precedence", names...)
}

// add adds the other flags.
func (o *gameFilterOptions) add(f *flags.Set) {
	g := &o.given
	o.eloOf = "both"
	flags.AtLeast(f, &g.MinElo, "min-elo", 0, "minimum rating")
	flags.AtLeast(f, &g.MaxElo, "max-elo", 0, "maximum rating")
	flags.Choice(f, &o.eloOf, "elo-of", "players whose rating must be within the limits: both or either",
		"both", "either")
	flags.Choice(f, &o.unknown, "unknown-elo", "keep or drop games with an unknown rating (default: drop with "+
		"--min-elo or --max-elo, otherwise keep)", "keep", "drop")
	f.Bool(&g.NoBots, "no-bots", "leave out games with a player titled BOT")
	flags.List(f, &g.TimeControls, "time-control", "blitz,180+2", parseTimeControl,
		"time controls to keep, separated by commas: "+strings.Join(dataset.TimeControlClasses, ", ")+
			", or the text of the tag (180+2, 60+0.6)")
	f.Words("time-control", dataset.TimeControlClasses...)
	flags.Parse(f, &g.MinBaseTime, "min-base-time", "", "3m", parseTime,
		"minimum time on the clock at the start, such as 3m")
	flags.List(f, &g.Results, "result", "1-0,0-1", dataset.ParseResult,
		"results to keep, separated by commas: 1-0, 0-1, 1/2-1/2, *")
	f.Words("result", "1-0", "0-1", "1/2-1/2", "*")
	flags.List(f, &g.Terminations, "termination", "Normal",
		func(s string) (string, error) { return strings.ToLower(s), nil },
		"terminations to keep, as in the tag (Normal, \"Time forfeit\"), separated by commas")
	flags.AtLeast(f, &g.MinPlies, "min-plies", 0, "minimum length of a game in plies (60 plies are 30 moves)")
	addDate(f, &g.Since, "since", false, "earliest date, such as 2012-05-31, 2012-05 or 2012")
	addDate(f, &g.Until, "until", true, "latest date")
}

// addDate adds a date, of which month and day may be left out; end has it be the last such day.
func addDate(f *flags.Set, to *dataset.Date, name string, end bool, usage string) {
	flags.Parse(f, to, name, "", "1960-03-15, --"+name+" 1960-03 or --"+name+" 1960",
		func(text string) (dataset.Date, error) { return dataset.ParseDate(text, end) }, usage)
}

func parseTimeControl(text string) (string, error) {
	control := strings.ToLower(text)
	if !dataset.KnownTimeControl(control) {
		return "", fmt.Errorf("unknown time control %q: use %s, or the text of the tag, such as 180+2 or -", text,
			strings.Join(dataset.TimeControlClasses, ", "))
	}
	return control, nil
}

// addMinClock adds --min-clock.
func addMinClock(f *flags.Set, to *time.Duration) {
	flags.Parse(f, to, "min-clock", "", "30s", parseTime,
		"leave out samples in which the mover had less time left, such as 30s; samples without a clock stay")
}

// parseTime reads a time.
func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a time with a unit, such as 30s or 3m", text)
	}
	return d, nil
}

// merge sets a filter to the given flags and, for those not given, to a preset.
func (o *gameFilterOptions) merge(f *pflag.FlagSet, to *dataset.Filter, preset func(*dataset.Filter)) {
	var p dataset.Filter
	if preset != nil {
		preset(&p)
	}
	*to = o.given
	unless := func(flag string, to *int, value int) {
		if !f.Changed(flag) {
			*to = value
		}
	}
	unless("min-elo", &to.MinElo, p.MinElo)
	unless("max-elo", &to.MaxElo, p.MaxElo)
	unless("min-plies", &to.MinPlies, p.MinPlies)
	if !f.Changed("min-base-time") {
		to.MinBaseTime = p.MinBaseTime
	}
	to.EitherElo, to.Tactics = o.eloOf == "either", p.Tactics
	to.KeepUnknownElo = o.unknown == "keep"
	to.DropUnknownElo = o.unknown == "drop" || o.unknown == "" && p.DropUnknownElo
}
