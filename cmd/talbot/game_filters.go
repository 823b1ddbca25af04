package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
)

// gameFilterOptions are the flags that leave out games.
type gameFilterOptions struct {
	preset       string
	minElo       int
	maxElo       int
	eloOf        string
	unknownElo   string
	noBots       bool
	timeControl  []string
	minBaseTime  time.Duration
	result       []string
	termination  []string
	minPlies     int
	since, until string
}

// add adds the flags; presets says which there are.
func (o *gameFilterOptions) add(f *pflag.FlagSet, presets string) {
	f.StringVar(&o.preset, "preset", "", "set of filters: "+presets+"; other flags take precedence")
	f.IntVar(&o.minElo, "min-elo", 0, "minimum rating")
	f.IntVar(&o.maxElo, "max-elo", 0, "maximum rating")
	f.StringVar(&o.eloOf, "elo-of", "both", "players whose rating must be within the limits: both or either")
	f.StringVar(&o.unknownElo, "unknown-elo", "",
		"keep or drop games with an unknown rating (default: drop with --min-elo or --max-elo, otherwise keep)")
	f.BoolVar(&o.noBots, "no-bots", false, "leave out games with a player titled BOT")
	f.StringSliceVar(&o.timeControl, "time-control", nil,
		"time controls to keep, separated by commas: ultrabullet, bullet, blitz, rapid, classical, or the text of "+
			"the tag (180+2)")
	f.DurationVar(&o.minBaseTime, "min-base-time", 0, "minimum time on the clock at the start, such as 3m")
	f.StringSliceVar(&o.result, "result", nil, "results to keep, separated by commas: 1-0, 0-1, 1/2-1/2, *")
	f.StringSliceVar(&o.termination, "termination", nil,
		"terminations to keep, as in the tag (Normal, \"Time forfeit\"), separated by commas")
	f.IntVar(&o.minPlies, "min-plies", 0, "minimum length of a game in plies (60 plies are 30 moves)")
	f.StringVar(&o.since, "since", "", "earliest date, such as 2012-05-31, 2012-05 or 2012")
	f.StringVar(&o.until, "until", "", "latest date")
}

// complete says which words the flags take.
func (o *gameFilterOptions) complete(cmd *cobra.Command, presets []string) {
	values(cmd, "preset", presets...)
	values(cmd, "elo-of", "both", "either")
	values(cmd, "unknown-elo", "keep", "drop")
	values(cmd, "time-control", dataset.TimeControlClasses...)
	values(cmd, "result", "1-0", "0-1", "1/2-1/2", "*")
}

// presetOf finds the preset that was asked for; nil if none was.
func presetOf[F any](o *gameFilterOptions, presets map[string]F) (preset F, err error) {
	if o.preset == "" {
		return preset, nil
	}
	preset, ok := presets[o.preset]
	if !ok {
		return preset, usage(fmt.Errorf("unknown --preset %q", o.preset),
			"use one of "+strings.Join(slices.Sorted(maps.Keys(presets)), ", "))
	}
	return preset, nil
}

// filter adds what the flags say to a filter, which is that of a preset.
func (o *gameFilterOptions) filter(cmd *cobra.Command, f *dataset.Filter) error {
	changed := cmd.Flags().Changed
	set := func(name string, dst *int, value int) {
		if changed(name) {
			*dst = value
		}
	}
	set("min-elo", &f.MinElo, o.minElo)
	set("max-elo", &f.MaxElo, o.maxElo)
	set("min-plies", &f.MinPlies, o.minPlies)
	set("min-base-time", &f.MinBaseTime, int(o.minBaseTime/time.Second))
	f.NoBots = o.noBots
	f.TimeControls, f.Terminations = lower(o.timeControl), lower(o.termination)
	return o.words(f)
}

// words reads the flags whose values are words and dates.
func (o *gameFilterOptions) words(f *dataset.Filter) error {
	switch o.eloOf {
	case "both":
	case "either":
		f.EitherElo = true
	default:
		return usage(fmt.Errorf("unknown --elo-of %q", o.eloOf), "use both or either")
	}
	switch o.unknownElo {
	case "":
	case "keep":
		f.KeepUnknownElo, f.DropUnknownElo = true, false
	case "drop":
		f.KeepUnknownElo, f.DropUnknownElo = false, true
	default:
		return usage(fmt.Errorf("unknown value %q for --unknown-elo", o.unknownElo), "use keep or drop")
	}
	for i, control := range f.TimeControls {
		if !dataset.KnownTimeControl(control) {
			return usage(fmt.Errorf("unknown --time-control %q", o.timeControl[i]),
				"use "+strings.Join(dataset.TimeControlClasses, ", ")+", or the text of the tag, such as 180+2 or -")
		}
	}
	for _, text := range o.result {
		r, err := dataset.ParseResult(text)
		if err != nil {
			return usage(err, "for example --result 1-0,0-1")
		}
		f.Results = append(f.Results, r)
	}
	for _, d := range []struct {
		text string
		dst  *dataset.Date
		end  bool
	}{{o.since, &f.Since, false}, {o.until, &f.Until, true}} {
		if d.text == "" {
			continue
		}
		date, err := dataset.ParseDate(d.text, d.end)
		if err != nil {
			return usage(err, "for example --since 1960-03-15, --since 1960-03 or --since 1960")
		}
		*d.dst = date
	}
	return nil
}

func lower(values []string) (all []string) {
	for _, v := range values {
		all = append(all, strings.ToLower(strings.TrimSpace(v)))
	}
	return all
}
