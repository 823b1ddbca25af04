package main

import (
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/plain"
	"talbot/pipeline"
	"talbot/pipeline/ingest"
	"talbot/pipeline/output"
)

// shownRejects is how many rejected games are described one by one.
const shownRejects = 5

// datasetOptions are the flags of every verb that makes a dataset.
type datasetOptions struct {
	out     string
	workers int
	json    bool
	strict  bool
}

func (o *datasetOptions) add(cmd *cobra.Command, workers string) {
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "folder of the dataset to make (required)")
	f.IntVarP(&o.workers, "workers", "w", 0, workers)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	f.BoolVar(&o.strict, "strict", false, "exit with 3 if anything was left out")
}

func (o *datasetOptions) check() error {
	if o.out == "" {
		return usage(fmt.Errorf("--out is missing"), "give the folder to create, for example --out data/lines")
	}
	return nil
}

type ingestOptions struct {
	datasetOptions
	filterOptions
	seed           uint64
	split          string
	keepDuplicates bool
	skipBadFiles   bool
	importEvals    bool
	resultConflict string
	evalView       string
	evalUnit       string
	rejects        string
	force          bool
	history        int
}

func newIngest() *cobra.Command {
	var o ingestOptions
	cmd := &cobra.Command{
		Use:   "ingest FILE... --out DIR",
		Short: "Read games, puzzles and evaluations into a dataset of lines",
		Long: `Ingest reads PGN games, Lichess puzzle CSVs, EPD with best moves or moves to avoid,
and tables of positions with evaluations, plain or compressed (.zst, .gz, .bz2;
found by content, not by name), and writes them as lines: a start position and the
legal moves played from it. "-" reads standard input; of a folder all .pgn, .csv,
.tsv, .epd and .fen files in and below it are read; a quoted pattern ("*.pgn") is
expanded here.

Every move is checked. A game that cannot be used costs that game only and is
counted by reason. A copy of a game that was read before (same start and moves)
is left out as a duplicate; a game that another game begins with, wherever that
one was read, is left out as a prefix. What may hide a piece letter (an unknown character,
a sign or a lone letter before a pawn's move) costs the game: "N f3" is not f3. Games
whose Result tag disagrees with the result behind the moves, or with mate or stalemate
on the board, are counted; --result-conflict says whose result they get. Nothing else is filtered unless a filter
is switched on; what a filter leaves out is counted by its own reason, and
samples that sampling leaves out are counted as well. --rejects lists what was
left out, with file, number, byte offset and reason; prefixes come last.

--import-evals makes labels of evaluations in comments: Lichess's [%eval] (of the
position after the move, White's view), and those of TCEC (wv=, White's view) and
cutechess (+0.31/12, the mover's view), which are the mover's search of the
position before the move. They have a fingerprint of their own. What TCEC writes
of book moves (depth 1 without nodes, or 0.00 before any search) and numbers that
mean "no evaluation" (99.99, 777.77) are counted, but make no labels. Tables are read
from White's view, but those of the Strategic Test Suite (epd,move,eval,depth,pv,
engine) from the mover's; --eval-view says otherwise. Their unit is what the name of
the column says (cp or centipawns, pawns); of another name (Evaluation, eval, score)
it is centipawns where whole numbers of 50 or more are among the first rows, pawns
where there are decimals; where these do not decide, or contradict one another,
--eval-unit is asked for. A later row that contradicts the unit ends the run. Unit,
view and median are printed.

All inputs are opened before any work, and what that shows (empty, no games, UTF-16,
an archive) is said of all of them; pipes and standard input are opened once, in
turn. Damage further down ends the run; with --skip-bad-files the file is left out
whole, and counted, as are those that cannot be opened. A run that keeps nothing
fails.

--history 4 gives puzzles, EPD and positions of tables, which come without a past,
four plies of one: legal moves, found backwards, that lead to the position and
agree with its counters. They are marked as reconstructed, and change neither the split
nor what counts as a copy. What the source has, as the opponent's move of a puzzle,
stays as it is.

An interrupted command continues when it is repeated; a finished folder is never
changed.`,
		Example: `  talbot ingest games.pgn.zst puzzles.csv --out lines
  talbot ingest collection/ --out gm --preset gm --rejects gm-rejects.tsv
  talbot ingest "lichess/*.pgn.zst" --out elite --preset lichess-elite --no-bots
  talbot ingest puzzles.csv mates.epd --out tactics --history 4 --seed 1
  talbot ingest games.pgn.zst --out evals --import-evals --sample-rate 0.2
  zcat games.pgn.gz | talbot ingest - --out lines --json`,
		SuggestFor: []string{"import", "read", "pgn"},
		Args:       operands(1, many, "one or more files or folders"),
		RunE:       func(cmd *cobra.Command, args []string) error { return runIngest(cmd, o, args) },
	}
	o.datasetOptions.add(cmd, "parsing workers (default: all cores)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0,
		"seed of --history, --sample-rate and --max-samples-per-game, recorded in the manifest")
	cmd.Flags().StringVar(&o.split, "split", dataset.DefaultSplits.String(),
		"percentages of games for train, val and test")
	cmd.Flags().BoolVar(&o.keepDuplicates, "keep-duplicates", false,
		"keep every copy of a game, and games that another begins with")
	cmd.Flags().BoolVar(&o.skipBadFiles, "skip-bad-files", false,
		"leave out whole, counted, files that cannot be read or turn out to be damaged")
	cmd.Flags().BoolVar(&o.importEvals, "import-evals", false,
		"make labels of the evaluations in the comments of games")
	cmd.Flags().StringVar(&o.resultConflict, "result-conflict", "tag",
		"whose result a game gets where they disagree: tag, movetext, board (mate or stalemate), or drop to leave "+
			"it out")
	cmd.Flags().StringVar(&o.evalView, "eval-view", "auto",
		"whose view the evaluations of tables are from: white or mover")
	cmd.Flags().StringVar(&o.evalUnit, "eval-unit", "auto", "unit of the evaluations of tables: centipawns or pawns")
	cmd.Flags().IntVar(&o.history, "history", 0,
		"plies of legal history to reconstruct in front of puzzles, EPD and tables of evaluations, drawn by --seed")
	cmd.Flags().StringVar(&o.rejects, "rejects", "", "file to list everything that was left out in, tab separated")
	addForce(cmd.Flags(), &o.force)
	o.filterOptions.add(cmd.Flags())
	o.arrange(cmd)
	return cmd
}

// arrange puts the flags under headings and says which words they take.
func (o *ingestOptions) arrange(cmd *cobra.Command) {
	f := cmd.Flags()
	section(f, "Output", "out", "split", "seed", "rejects", "force", "json", "strict")
	section(f, "Reading", "workers", "skip-bad-files", "keep-duplicates", "result-conflict", "history")
	section(f, "Evaluations", "import-evals", "eval-view", "eval-unit")
	section(f, "Filters of games", "preset", "min-elo", "max-elo", "elo-of", "unknown-elo", "no-bots", "time-control",
		"min-base-time", "variant", "result", "termination", "min-plies", "player", "since", "until")
	section(f, "Filters of samples", "side", "skip-plies", "min-clock", "max-samples-per-game", "sample-rate")
	values(cmd, "preset", slices.Sorted(maps.Keys(ingest.Presets))...)
	values(cmd, "elo-of", "both", "either")
	values(cmd, "unknown-elo", "keep", "drop")
	values(cmd, "time-control", dataset.TimeControlClasses...)
	values(cmd, "variant", "standard")
	values(cmd, "result", "1-0", "0-1", "1/2-1/2", "*")
	values(cmd, "side", "both", "player", "winner")
	values(cmd, "result-conflict", "tag", "movetext", "board", "drop")
	values(cmd, "eval-view", "auto", "white", "mover")
	values(cmd, "eval-unit", "auto", "centipawns", "pawns")
	completeFolder(cmd, "out")
}

func runIngest(cmd *cobra.Command, o ingestOptions, paths []string) error {
	// the heap is small and made of short-lived lines: fewer collections, about 50 MiB more
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
	if err := o.check(); err != nil {
		return err
	}
	if o.history < 0 || o.history > ingest.MaxHistory {
		return usage(fmt.Errorf("--history %d", o.history),
			fmt.Sprintf("use 0 to %d plies, for example --history 4", ingest.MaxHistory))
	}
	filters, err := o.filters(cmd)
	if err != nil {
		return err
	}
	tables, err := o.tableForm()
	if err != nil {
		return err
	}
	results, err := dataset.ParseResultRule(o.resultConflict)
	if err != nil {
		return usage(fmt.Errorf("--result-conflict: %w", err), "use tag, movetext, board or drop")
	}
	splits, err := dataset.ParseSplits(o.split)
	if err != nil {
		return usage(err, "give three percentages that sum to 100, for example --split 90,5,5")
	}
	var ignored []string
	files, err := ingest.ExpandInputs(paths, func(path string) { ignored = append(ignored, path) })
	sayIgnored(ignored)
	if err != nil {
		return err
	}
	if o.rejects != "" {
		out := outputFile{flag: "--rejects", path: o.rejects, force: o.force, inputs: files, folders: []string{o.out},
			own: ingest.MadeRejects(o.rejects, o.out)}
		if o.rejects, err = out.check(); err != nil {
			return err
		}
	}
	ctx, stop := interrupts(cmd.Context(), abortNow)
	defer stop()
	show, end := progress()
	shown := 0
	sum, err := ingest.Request{
		Inputs: files, Out: o.out, Seed: o.seed, Splits: splits, Workers: o.workers,
		KeepDuplicates: o.keepDuplicates, SkipBadFiles: o.skipBadFiles, Progress: show, Filters: filters,
		ImportEvals: o.importEvals, Results: results, Tables: tables, Rejects: o.rejects, History: o.history,
		Warn: warn, Again: again(),
		Rejected: func(file string, reject *dataset.Reject) {
			if reject.Reason == ingest.BadFile {
				say("talbot: skipped the file %s: %v\n", file, reject.Err)
				return
			}
			if reject.Reason == ingest.Duplicate || reject.Reason == ingest.Prefix ||
				slices.Contains(dataset.FilterReasons[:], reject.Reason) {
				return // no fault of the game
			}
			if shown++; shown <= shownRejects || voice.verbose {
				tell("talbot: left out: %s: %v\n", file, reject)
			}
		},
	}.Run(ctx)
	end()
	if shown > shownRejects && !voice.verbose {
		tell("talbot: left out: %s more; %s\n", pipeline.Thousands(int64(shown-shownRejects)), o.whereRejects())
	}
	if err != nil {
		return resumable(err)
	}
	if err := printIngest(o.datasetOptions, sum); err != nil {
		return err
	}
	nextLabel(o.out)
	return nil
}

// sayIgnored names the first files of the folders that are not read, and counts the others.
func sayIgnored(paths []string) {
	shown := paths[:min(len(paths), shownRejects)]
	if voice.verbose {
		shown = paths
	}
	for _, path := range shown {
		tell("talbot: skipped: %s\n", path)
	}
	if n := len(paths) - len(shown); n > 0 {
		tell("talbot: skipped: %s whose names do not end in .pgn, .csv, .tsv, .epd or .fen\n",
			pipeline.Count(int64(n), "more file"))
	}
}

// whereRejects says where all that was left out is listed.
func (o *ingestOptions) whereRejects() string {
	if o.rejects == "" {
		return "--rejects FILE lists them all"
	}
	return plain.Sprintf("%s lists them all", o.rejects)
}

// printIngest prints what ingest reports.
func printIngest(o datasetOptions, sum ingest.Summary) error {
	if !o.json {
		printTotals(o.out, sum.Summary)
		for _, f := range sum.BadFiles {
			summarise("  skipped the file %s: %s\n", f.File, f.Error)
		}
		for _, t := range sum.Tables {
			if t.Unit == "" {
				summarise("  %s: only mates, no evaluations in numbers, from %s view\n", t.File, viewName(t.View))
			} else {
				summarise("  %s: evaluations in %s, from %s view; median |evaluation| %d centipawns\n", t.File, t.Unit,
					viewName(t.View), t.Median)
			}
		}
		if e := sum.Evals; e != (ingest.Evals{}) {
			n := pipeline.Thousands
			summarise("  evaluations: %s imported; not imported: %s without a sample, %s unreadable, %s in "+
				"duplicates and prefixes, %s of book moves, %s placeholders\n", n(e.Imported), n(e.NoSample),
				n(e.Unread), n(e.Duplicate),
				n(e.Book), n(e.Sentinel))
		}
		if c := sum.ResultConflicts; c != (dataset.ResultConflicts{}) {
			summarise("  conflicting results: %s between tag and movetext, %s with mate or stalemate on the board\n",
				pipeline.Thousands(c.Movetext), pipeline.Thousands(c.Board))
		}
		if sum.NoHistory > 0 {
			summarise("  without history, because no legal moves lead there: %s\n", pipeline.Thousands(sum.NoHistory))
		}
		if sum.GluedDashes > 0 {
			summarise("  EPD lines with the dash joined to the clock: %s\n", pipeline.Thousands(sum.GluedDashes))
		}
	} else if err := printJSON(sum); err != nil {
		return err
	}
	return skipped(o, sum.GamesRead-sum.GamesKept+int64(len(sum.BadFiles)))
}

func viewName(view string) string {
	if view == dataset.MoverView.String() {
		return "the mover's"
	}
	return "White's"
}

// printTotals prints what a dataset holds that was just made.
func printTotals(out string, sum output.Summary) {
	summarise("%s: %s of %s kept, %s, %s, %s (%.2f bytes a position), %.1f s\n", out,
		pipeline.Thousands(sum.GamesKept), pipeline.Count(sum.GamesRead, "line"),
		pipeline.Count(sum.Positions, "position"),
		pipeline.Count(sum.Samples, "sample"), pipeline.Size(float64(sum.Bytes)),
		float64(sum.Bytes)/float64(max(sum.Positions, 1)), sum.Seconds)
	for _, r := range sortedReasons(sum.Rejects) {
		summarise("  left out as %s: %s\n", r, pipeline.Thousands(sum.Rejects[r]))
	}
	for _, r := range sortedReasons(sum.SamplesDropped) {
		summarise("  samples left out by %s: %s\n", r, pipeline.Thousands(sum.SamplesDropped[r]))
	}
}

// skipped is the error of a strict command that left out so many games.
func skipped(o datasetOptions, games int64) error {
	if o.strict && games > 0 {
		return fmt.Errorf("%s left out: %w", pipeline.Thousands(games), errSkipped)
	}
	return nil
}
