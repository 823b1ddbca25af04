package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/rows"
	"talbot/pipeline/ingest"
)

// filterOptions are the flags of ingest that leave out games or samples.
type filterOptions struct {
	gameFilterOptions
	variant    string
	player     string
	side       string
	skipPlies  int
	minClock   time.Duration
	maxSamples int
	rate       float64
}

func (o *filterOptions) add(f *pflag.FlagSet) {
	o.gameFilterOptions.add(f,
		"gm (60+ plies), lichess-elite (both ≥ 2600, 60+ plies) or tactics (only puzzles and EPD)")
	f.StringVar(&o.variant, "variant", "standard", "variant to read; only standard is supported")
	f.StringVar(&o.player, "player", "",
		"only games of this player; every word must occur in the name, a single letter as an initial")
	f.StringVar(&o.side, "side", "both",
		"side whose moves become samples: both, player or winner (with --player: only games that the player won)")
	f.IntVar(&o.skipPlies, "skip-plies", 0, "take no samples from the first plies of a game")
	f.DurationVar(&o.minClock, "min-clock", 0,
		"sample only moves with at least this time left ([%clk]), such as 30s; moves without a clock are kept")
	f.IntVar(&o.maxSamples, "max-samples-per-game", 0, "maximum number of samples from a game, drawn at random")
	f.Float64Var(&o.rate, "sample-rate", 1, "probability of keeping a sample")
}

// filters turns the flags into filters.
func (o *filterOptions) filters(cmd *cobra.Command) (f ingest.Filters, err error) {
	preset, err := presetOf(&o.gameFilterOptions, ingest.Presets)
	if err != nil {
		return f, err
	}
	if preset != nil {
		preset(&f)
	}
	if o.variant != "standard" {
		return f, usage(fmt.Errorf("unknown --variant %q", o.variant),
			"only standard chess is supported; leave out --variant")
	}
	if f.Rate = o.rate; f.Rate == 0 {
		return f, usage(errors.New("--sample-rate 0 would keep no sample"),
			"use a number above 0 and up to 1, for example --sample-rate 0.1")
	} else if f.Rate == 1 {
		f.Rate = 0
	}
	if err := o.filter(cmd, &f.Filter); err != nil {
		return f, err
	}
	f.SkipPlies, f.MaxPerGame, f.MinClock = o.skipPlies, o.maxSamples, int(o.minClock/time.Second)
	f.Player = strings.TrimSpace(o.player)
	switch o.side {
	case "both":
	case "player":
		f.Side = dataset.PlayerSide
	case "winner":
		f.Side, f.WonOnly = dataset.WinnerSide, true
	default:
		return f, usage(fmt.Errorf("unknown --side %q", o.side), "use both, player or winner")
	}
	if err := f.Check(); err != nil {
		return f, usage(err, "see `talbot ingest --help`")
	}
	return f, nil
}

// stated returns the choice of that name, nil for "auto"; false for any other name.
func stated[T fmt.Stringer](name string, choices ...T) (*T, bool) {
	for _, c := range choices {
		if c.String() == name {
			return &c, true
		}
	}
	return nil, name == "auto"
}

// tableForm returns what is stated of how tables write their evaluations.
func (o *ingestOptions) tableForm() (form rows.TableForm, err error) {
	var ok bool
	if form.View, ok = stated(o.evalView, dataset.WhiteView, dataset.MoverView); !ok {
		return form, usage(fmt.Errorf("unknown --eval-view %q", o.evalView), "use white, mover or auto")
	}
	if form.Unit, ok = stated(o.evalUnit, dataset.CentipawnUnit, dataset.PawnUnit); !ok {
		return form, usage(fmt.Errorf("unknown --eval-unit %q", o.evalUnit), "use centipawns, pawns or auto")
	}
	if o.unit != "auto" && !slices.Contains(binpack.Units, o.unit) {
		return form, usage(fmt.Errorf("unknown --unit %q", o.unit), "use "+listed(binpack.Units, "or")+", or auto")
	}
	if form.Origin = o.origin; o.unit != "auto" {
		form.ScoreUnit = o.unit
	}
	return form, nil
}
