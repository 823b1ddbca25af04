package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/pipeline/ingest"
	"talbot/rows"
)

// filterOptions are the flags of ingest that leave out games or samples.
type filterOptions struct {
	preset       string
	minElo       int
	maxElo       int
	eloOf        string
	unknownElo   string
	noBots       bool
	timeControl  []string
	minBaseTime  time.Duration
	variant      string
	result       []string
	termination  []string
	minPlies     int
	player       string
	side         string
	since, until string
	skipPlies    int
	minClock     time.Duration
	maxSamples   int
	rate         float64
}

func (o *filterOptions) add(f *pflag.FlagSet) {
	f.StringVar(&o.preset, "preset", "",
		"set of filters: gm (60+ plies), lichess-elite (both ≥ 2600, 60+ plies) or tactics (only puzzles and EPD); "+
			"other flags take precedence")
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
	f.StringVar(&o.variant, "variant", "standard", "variant to read; only standard is supported")
	f.StringSliceVar(&o.result, "result", nil, "results to keep, separated by commas: 1-0, 0-1, 1/2-1/2, *")
	f.StringSliceVar(&o.termination, "termination", nil,
		"terminations to keep, as in the tag (Normal, \"Time forfeit\"), separated by commas")
	f.IntVar(&o.minPlies, "min-plies", 0, "minimum length of a game in plies (60 plies are 30 moves)")
	f.StringVar(&o.player, "player", "",
		"only games of this player; every word must occur in the name, a single letter as an initial")
	f.StringVar(&o.side, "side", "both",
		"side whose moves become samples: both, player or winner (with --player: only games that the player won)")
	f.StringVar(&o.since, "since", "", "earliest date, such as 2012-05-31, 2012-05 or 2012")
	f.StringVar(&o.until, "until", "", "latest date")
	f.IntVar(&o.skipPlies, "skip-plies", 0, "take no samples from the first plies of a game")
	f.DurationVar(&o.minClock, "min-clock", 0,
		"sample only moves with at least this time left ([%clk]), such as 30s; moves without a clock are kept")
	f.IntVar(&o.maxSamples, "max-samples-per-game", 0, "maximum number of samples from a game, drawn at random")
	f.Float64Var(&o.rate, "sample-rate", 1, "probability of keeping a sample")
}

// filters turns the flags into filters.
func (o *filterOptions) filters(cmd *cobra.Command) (f ingest.Filters, err error) {
	if o.preset != "" {
		preset, ok := ingest.Presets[o.preset]
		if !ok {
			return f, usage(fmt.Errorf("unknown --preset %q", o.preset),
				"use one of "+strings.Join(slices.Sorted(maps.Keys(ingest.Presets)), ", "))
		}
		preset(&f)
	}
	if o.variant != "standard" {
		return f, usage(fmt.Errorf("unknown --variant %q", o.variant),
			"only standard chess is supported; leave out --variant")
	}
	changed := cmd.Flags().Changed
	set := func(name string, dst *int, value int) {
		if changed(name) {
			*dst = value
		}
	}
	set("min-elo", &f.MinElo, o.minElo)
	set("max-elo", &f.MaxElo, o.maxElo)
	set("min-plies", &f.MinPlies, o.minPlies)
	set("skip-plies", &f.SkipPlies, o.skipPlies)
	set("max-samples-per-game", &f.MaxPerGame, o.maxSamples)
	f.NoBots, f.Player = o.noBots, strings.TrimSpace(o.player)
	f.MinBaseTime, f.MinClock = int(o.minBaseTime/time.Second), int(o.minClock/time.Second)
	f.TimeControls, f.Terminations = lower(o.timeControl), lower(o.termination)
	if f.Rate = o.rate; f.Rate == 0 {
		return f, usage(errors.New("--sample-rate 0 would keep no sample"),
			"use a number above 0 and up to 1, for example --sample-rate 0.1")
	} else if f.Rate == 1 {
		f.Rate = 0
	}
	if err := o.words(&f); err != nil {
		return f, err
	}
	if err := f.Check(); err != nil {
		return f, usage(err, "see `talbot ingest --help`")
	}
	return f, nil
}

// words reads the flags whose values are words and dates.
func (o *filterOptions) words(f *ingest.Filters) error {
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
		f.KeepUnknownElo = true
	case "drop":
		f.DropUnknownElo = true
	default:
		return usage(fmt.Errorf("unknown value %q for --unknown-elo", o.unknownElo), "use keep or drop")
	}
	switch o.side {
	case "both":
	case "player":
		f.Side = dataset.PlayerSide
	case "winner":
		f.Side, f.WonOnly = dataset.WinnerSide, true
	default:
		return usage(fmt.Errorf("unknown --side %q", o.side), "use both, player or winner")
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

// tableForm returns what is stated of how tables write their evaluations.
func (o *ingestOptions) tableForm() (form rows.TableForm, err error) {
	view, unit := dataset.WhiteView, dataset.CentipawnUnit
	switch o.evalView {
	case "auto":
	case "mover":
		view = dataset.MoverView
		fallthrough
	case "white":
		form.View = &view
	default:
		return form, usage(fmt.Errorf("unknown --eval-view %q", o.evalView), "use white, mover or auto")
	}
	switch o.evalUnit {
	case "auto":
	case "pawns":
		unit = dataset.PawnUnit
		fallthrough
	case "centipawns":
		form.Unit = &unit
	default:
		return form, usage(fmt.Errorf("unknown --eval-unit %q", o.evalUnit), "use centipawns, pawns or auto")
	}
	return form, nil
}
