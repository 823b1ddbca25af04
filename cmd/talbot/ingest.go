package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/internal/cache"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/pipeline/ingest"
)

// shownRejects is how many rejected games are described one by one.
const shownRejects = 5

type ingestOptions struct {
	makeOptions
	ingest.Request
	games        gameFilterOptions
	side         string
	moveConflict string
	unit         string
	force        bool
}

func newIngest() *cobra.Command {
	o := ingestOptions{side: "both", moveConflict: "drop", unit: "auto"}
	cmd := &cobra.Command{
		Use:   "ingest FILE... --out DIR",
		Short: "Read games, puzzles and evaluations into a dataset",
		Long: `Ingest reads ` + inputKinds() + `. It writes a dataset of lines: start positions
with the legal moves played from them.

Files may be compressed as ` + packedSuffixes() + `; talbot goes by their content, not
their names. A folder stands for all files in it and below that are named
` + inputSuffixes() + `,
a quoted pattern ("*.pgn") for the files that match, and "-" for standard input.

Games that cannot be read or contradict themselves, copies, and games that are the
beginning of a longer one are left out and counted by reason; --rejects lists them.
Nothing else is left out unless you turn on a filter. Evaluations in tables become labels;
with --import-evals, so do those in comments. Repeat an interrupted command to continue
it. See docs/2-inputs.md, and docs/19-other-formats.md for other programs' data.`,
		Example: `  talbot ingest games.pgn.zst puzzles.csv --out lines
  talbot ingest collection/ --out gm --preset gm --rejects gm-rejects.tsv
  talbot ingest "lichess/*.pgn.zst" --out elite --preset lichess-elite --no-bots
  talbot ingest puzzles.csv mates.epd --out tactics --history 4 --seed 1
  talbot ingest games.pgn.zst --out evals --import-evals --sample-rate 0.2
  talbot ingest games.pgn.zst puzzles.csv --out lines --skip-done
  zcat games.pgn.gz | talbot ingest - --out piped --json`,
		SuggestFor: []string{"import", "read", "pgn"},
		Args:       operands(1, many, "one or more files or folders"),
		RunE:       func(cmd *cobra.Command, args []string) error { return o.ingest(cmd, args) },
	}
	f := flags.Of(cmd)
	o.makeOptions.add(f, &o.Job)
	addSplits(f, &o.Splits, "games")
	addSeed(f, &o.Seed, "seed for --history, --sample-rate and --max-samples-per-game")
	f.String(&o.Rejects, "rejects", "write a list of everything that was left out to this file (tab-separated)")
	addForce(f, &o.force)
	o.addStrict(f)
	o.addReading(f)
	o.addEvaluations(f)
	o.addFilters(f)
	return cmd
}

func (o *ingestOptions) addReading(f *flags.Set) {
	f.Section("Reading")
	addWorkers(f, &o.Workers, "number of parsers (default: all cores)")
	f.Bool(&o.SkipBadFiles, "skip-bad-files", "leave out files that cannot be read or are damaged, and count them")
	f.Bool(&o.LastPositions, "last-positions", "make the position after a game's last move a sample too")
	f.Bool(&o.KeepDuplicates, "keep-duplicates", "keep copies of games, and games that are the beginning of another")
	flags.Parse(f, &o.Results, "result-conflict", "tag", "movetext", dataset.ParseResultRule,
		"result to use if tag, movetext and board disagree: tag, movetext or board (mate or stalemate), or drop to "+
			"leave out the game")
	f.Words("result-conflict", "tag", "movetext", "board", "drop")
	flags.Choice(f, &o.moveConflict, "move-conflict",
		"what to do with games whose text contradicts their moves: drop, or keep and only count them",
		"drop", "keep")
	flags.Within(f, &o.History, "history", 0, ingest.MaxHistory,
		"plies of history to reconstruct for lines that are no games")
}

func (o *ingestOptions) addEvaluations(f *flags.Set) {
	f.Section("Evaluations")
	f.Bool(&o.ImportEvals, "import-evals", "import the evaluations in comments as labels")
	addStated(f, &o.Stated.View, "eval-view",
		"view of the evaluations in tables, text, viriformat, Parquet and comments such as {0.31/12}: auto, white or "+
			"mover",
		dataset.WhiteView, dataset.MoverView)
	addStated(f, &o.Stated.Unit, "eval-unit", "unit of the evaluations in tables: auto, centipawns or pawns",
		dataset.CentipawnUnit, dataset.PawnUnit)
	f.String(&o.Stated.Origin, "origin",
		"who made the scores in binpack, text, Parquet or lc0, such as \"T80\"; names their labels")
	flags.Choice(f, &o.unit, "unit", "unit of the scores in binpack: auto, "+flags.Listed(binpack.Units, "or"),
		append([]string{"auto"}, binpack.Units...)...)
}

// addStated adds a flag for one of some choices; "auto" is nil.
func addStated[T fmt.Stringer](f *flags.Set, to **T, name, usage string, choices ...T) {
	words := []string{"auto"}
	for _, c := range choices {
		words = append(words, c.String())
	}
	flags.Parse(f, to, name, "auto", words[1], func(text string) (*T, error) {
		switch i := slices.Index(words, text); i {
		case -1:
			return nil, fmt.Errorf("%q is not %s", text, flags.Listed(words, "or"))
		case 0:
			return nil, nil
		default:
			return &choices[i-1], nil
		}
	}, usage)
	f.Words(name, words...)
}

func (o *ingestOptions) addFilters(f *flags.Set) {
	f.Section("Game filters")
	o.games.addPreset(f,
		"gm (60+ plies), lichess-elite (both ≥ 2600, 60+ plies) or tactics (only lines of source puzzle)",
		slices.Sorted(maps.Keys(ingest.Presets)))
	o.games.add(f)
	variant := "standard"
	flags.Choice(f, &variant, "variant", "variant to read; only standard is supported", "standard")
	f.String(&o.games.given.Player, "player",
		"only games of this player; every word must occur in the name (a single letter: as an initial)")
	f.Section("Sample filters")
	s := &o.Filters.Sampling
	flags.Choice(f, &o.side, "side",
		"side whose moves become samples: both, player or winner (with --player: only games that the player won)",
		"both", "player", "winner")
	flags.AtLeast(f, &s.SkipPlies, "skip-plies", 0, "take no samples from the first plies of a game")
	addMinClock(f, &s.MinClock)
	flags.AtLeast(f, &s.MaxPerGame, "max-samples-per-game", 0, "maximum number of samples from a game, drawn at random")
	flags.Parse(f, &s.Rate, "sample-rate", "1", "0.1", parseShare[float64], "probability of keeping a sample")
}

// request completes what is asked for.
func (o *ingestOptions) request(f *pflag.FlagSet) error {
	filters := &o.Filters
	o.games.merge(f, &filters.Filter, func(g *dataset.Filter) {
		if preset := ingest.Presets[o.games.preset]; preset != nil {
			p := ingest.Filters{Filter: *g}
			preset(&p)
			*g = p.Filter
		}
	})
	filters.Player = strings.TrimSpace(filters.Player)
	if filters.Rate == 1 {
		filters.Rate = 0
	}
	switch o.side {
	case "player":
		filters.Side = dataset.PlayerSide
	case "winner":
		filters.Side, filters.WonOnly = dataset.WinnerSide, true
	}
	if err := filters.Check(); err != nil {
		return fault.Usage(err, "see `talbot ingest --help`")
	}
	if o.unit != "auto" {
		o.Stated.ScoreUnit = o.unit
	}
	o.KeepMoveConflicts = o.moveConflict == "keep"
	return nil
}

func (o *ingestOptions) ingest(cmd *cobra.Command, paths []string) (err error) {
	limitHeap(ingest.GCPercent)
	if err := o.request(cmd.Flags()); err != nil {
		return err
	}
	var ignored []string
	o.Inputs, err = ingest.ExpandInputs(paths, func(path string) { ignored = append(ignored, path) })
	sayIgnored(ignored)
	if err != nil {
		return err
	}
	if o.Rejects != "" {
		out := outputFile{flag: "--rejects", path: o.Rejects, force: o.force, inputs: o.Inputs,
			folders: []string{o.Out}, own: ingest.OwnsRejects(o.Rejects, o.Out)}
		if o.Rejects, err = out.check(); err != nil {
			return err
		}
	}
	o.Cache = cache.User()
	return o.makeOptions.run(cmd.Context(), func(ctx context.Context) (made, error) {
		shown := 0
		o.Rejected = func(file string, reject *dataset.Reject) { sayRejected(file, reject, &shown) }
		sum, err := o.Request.Run(ctx)
		if shown > shownRejects && !cli.Mode.Verbose {
			cli.Note("talbot: left out: %s more; %s\n", humanize.Thousands(int64(shown-shownRejects)), o.whereRejects())
		}
		return made{&sum, sum.GamesRead - sum.GamesKept + int64(len(sum.BadFiles)), func() { nextIngested(o.Out) }},
			hintDamaged(err)
	})
}

// hintDamaged adds a remedy to the error of an input that is damaged.
func hintDamaged(err error) error {
	if errors.Is(err, rows.ErrPacked) || errors.Is(err, parquet.ErrDamaged) {
		return fault.Hint(err, "download the file again, or use `talbot ingest --skip-bad-files` to leave it out")
	}
	return err
}

// sayRejected names a game that was left out for a fault of its own, if not too many were shown before.
func sayRejected(file string, reject *dataset.Reject, shown *int) {
	if reject.Reason == ingest.BadFile {
		cli.Say("talbot: skipped the file %s: %v\n", file, reject.Err)
		return
	}
	if reject.Reason == dataset.Duplicate || reject.Reason == ingest.Prefix ||
		slices.Contains(dataset.FilterReasons[:], reject.Reason) {
		return
	}
	if *shown++; *shown <= shownRejects || cli.Mode.Verbose {
		cli.Note("talbot: left out: %s: %v\n", file, reject)
	}
}

// sayIgnored names the first files of the folders that are not read, and counts the others.
func sayIgnored(paths []string) {
	shown := paths[:min(len(paths), shownRejects)]
	if cli.Mode.Verbose {
		shown = paths
	}
	for _, path := range shown {
		cli.Note("talbot: skipped: %s\n", path)
	}
	if n := len(paths) - len(shown); n > 0 {
		cli.Note("talbot: skipped: %s whose names do not end in %s\n", humanize.Count(int64(n), "more file"),
			inputSuffixes())
	}
}

// inputKinds names all kinds of inputs.
func inputKinds() string { names, _ := ingest.Kinds(); return flags.Listed(names, "and") }

// inputSuffixes lists the ends of the names of inputs.
func inputSuffixes() string { _, suffixes := ingest.Kinds(); return flags.Listed(suffixes, "or") }

// packedSuffixes lists those of compressions.
func packedSuffixes() string { _, suffixes := rows.Packers(); return flags.Listed(suffixes, "or") }

// whereRejects names the list of all that was left out.
func (o *ingestOptions) whereRejects() string {
	if o.Rejects == "" {
		return "--rejects FILE lists them all"
	}
	return plain.Sprintf("%s lists them all", o.Rejects)
}
