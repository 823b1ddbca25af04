package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/internal/cache"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/pipeline/ingest"
)

// shownRejects is how many rejected games are described one by one.
const shownRejects = 5

type ingestOptions struct {
	datasetOptions
	filterOptions
	seed           uint64
	split          string
	keepDuplicates bool
	skipBadFiles   bool
	importEvals    bool
	resultConflict string
	moveConflict   string
	evalView       string
	evalUnit       string
	origin         string
	unit           string
	rejects        string
	force          bool
	history        int
}

func newIngest() *cobra.Command {
	var o ingestOptions
	cmd := &cobra.Command{
		Use:   "ingest FILE... --out DIR",
		Short: "Read games, puzzles and evaluations into a dataset",
		Long: "Ingest reads " + inputKinds() + `. It
writes them as a dataset of lines: a start position and the legal moves played from it.

Files may be compressed as ` + packedSuffixes() + `; their content decides, not their name.
A folder stands for all files in it and below it that are named ` + inputSuffixes() + `,
a quoted pattern ("*.pgn") for the files that match, and "-" for standard input.

Every move is checked. A game that cannot be read is left out and counted by reason. A
copy of another game (same start and moves) is left out as a duplicate, and a game that
is the beginning of a longer one as a prefix. Anything that might hide a piece letter
makes a game unreadable: an unknown character, a sign or a separate letter in front of a
pawn move ("N f3" is not f3). If the Result tag disagrees with the result after the
moves or with the board, --result-conflict decides.

A game whose text contradicts its moves is left out as move_conflict: a move number that
is not the board's (numbers begin at 1 or at the FEN's), a capture mark where nothing is
taken, moves after "*" or a tag that continue the game, or letters that fit another
language better than English. --move-conflict keep keeps and counts such games.

Nothing else is left out unless you turn on a filter. Each filter counts what it leaves
out under its own reason. --rejects lists everything that was left out, with file,
number, byte offset and reason; prefixes come last.

--import-evals turns the evaluations in comments into labels with their own fingerprint.
It reads those of Lichess ([%eval], for the position after the move) and of TCEC (wv=)
and cutechess (+0.31/12), both for the position before it. TCEC's book moves (depth 1
without nodes, or 0.00 before any search) and placeholders (99.99, 777.77) are counted
but not imported.

Evaluations in tables are read from White's view, except those of the Strategic Test
Suite (epd,move,eval,depth,pv,engine), which are from the mover's; --eval-view changes
this. The name of the column gives the unit: cp, centipawns or pawns. For other names
(Evaluation, eval, score) the first rows decide: whole numbers of 50 or more are
centipawns, decimals are pawns. If they do not decide or contradict each other, use
--eval-unit. A later row in another unit ends the command. Ingest prints the unit, view
and median.

Ingest opens all files before it begins, and reports everything wrong with them at once
(empty, no games, UTF-16, an archive). It opens pipes and standard input when their turn
comes. Damage found later ends the command; with --skip-bad-files the file is left out
as a whole and counted. The command fails if nothing is kept.

A chain of binpack is a game, or a part of one, whose scores become labels. --origin
names them. --unit says what they are: leela (Leela's evaluation as Stockfish's
trainer has it), internal (208 are a pawn) or centipawns; Leela's are found by
their marks, others must be stated. Positions with no score (32002) are no samples, and
a score of 0 is not a label where the move captures or the mover is in check, in files
where all such are 0. What contradicts the results or the unit is refused.

Text of "FEN | score | result" has the result from White's view and scores in
centipawns (or --eval-unit) from the view that --eval-view must state. The signs of the
first 10,000 are compared with results and material, and a wrong view is refused.

Viriformat is games with a score for each move, White's unless --eval-view says
otherwise. Parquet is evaluations (fen, and cp or mate), games (movetext) or puzzles
(PuzzleId, FEN, Moves), by the names of its columns. Rows that follow one another with
the same fen are one position. If it is compressed or comes from a pipe, it is first
copied into the output folder.

A chunk of lc0 (versions 3 to 6) is one game, by itself or in a tar archive; name archives
by a pattern ("run/*.tar"). The visits of all moves are what the policy learns, and the
value becomes win, draw and loss. It was never tried on a real file.

--history 4 adds a past of four plies to puzzles, EPD and positions of tables, which
have none: legal moves, found backwards, that lead to the position and agree with its
counters; a move number that is too small for them is raised, and a position without
counters gets those of its past. They are marked as reconstructed. They change neither
the split nor what counts as a copy. The opponent's move at the start of a puzzle is
kept.

Repeat an interrupted command to continue it. A finished folder never changes.`,
		Example: `  talbot ingest games.pgn.zst puzzles.csv --out lines
  talbot ingest collection/ --out gm --preset gm --rejects gm-rejects.tsv
  talbot ingest "lichess/*.pgn.zst" --out elite --preset lichess-elite --no-bots
  talbot ingest puzzles.csv mates.epd --out tactics --history 4 --seed 1
  talbot ingest games.pgn.zst --out evals --import-evals --sample-rate 0.2
  talbot ingest games.pgn.zst puzzles.csv --out lines --skip-done
  zcat games.pgn.gz | talbot ingest - --out piped --json`,
		SuggestFor: []string{"import", "read", "pgn"},
		Args:       operands(1, many, "one or more files or folders"),
		RunE:       func(cmd *cobra.Command, args []string) error { return runIngest(cmd, o, args) },
	}
	o.datasetOptions.add(cmd, "number of parsers (default: all cores)")
	cmd.Flags().Uint64Var(&o.seed, "seed", 0, "seed for --history, --sample-rate and --max-samples-per-game")
	cmd.Flags().StringVar(&o.split, "split", dataset.DefaultSplits.String(),
		"percentages of games in train, val and test")
	cmd.Flags().BoolVar(&o.keepDuplicates, "keep-duplicates", false,
		"keep copies of games, and games that are the beginning of another")
	cmd.Flags().BoolVar(&o.skipBadFiles, "skip-bad-files", false,
		"leave out files that cannot be read or are damaged, and count them")
	cmd.Flags().BoolVar(&o.importEvals, "import-evals", false, "import the evaluations in comments as labels")
	cmd.Flags().StringVar(&o.resultConflict, "result-conflict", "tag",
		"result to use if tag, movetext and board disagree: tag, movetext, board (mate or stalemate), or drop to "+
			"leave out the game")
	cmd.Flags().StringVar(&o.moveConflict, "move-conflict", "drop",
		"games whose move numbers or capture marks contradict their moves: drop, or keep to count them only")
	cmd.Flags().StringVar(&o.evalView, "eval-view", "auto",
		"view of the evaluations in tables, text, viriformat and Parquet: auto, white or mover")
	cmd.Flags().StringVar(&o.evalUnit, "eval-unit", "auto",
		"unit of the evaluations in tables: auto, centipawns or pawns")
	cmd.Flags().StringVar(&o.origin, "origin", "",
		"who made the scores in binpack, text, Parquet or lc0, such as \"T80\"; names their labels")
	cmd.Flags().StringVar(&o.unit, "unit", "auto", "unit of the scores in binpack: auto, leela, internal or centipawns")
	cmd.Flags().IntVar(&o.history, "history", 0, "plies of history to reconstruct for puzzles, EPD and tables")
	cmd.Flags().StringVar(&o.rejects, "rejects", "",
		"write a list of everything that was left out to this file (tab-separated)")
	addForce(cmd.Flags(), &o.force)
	o.filterOptions.add(cmd.Flags())
	o.arrange(cmd)
	return cmd
}

// arrange puts the flags under headings and says which words they take.
func (o *ingestOptions) arrange(cmd *cobra.Command) {
	f := cmd.Flags()
	section(f, "Output", "out", "skip-done", "replace", "split", "seed", "rejects", "force", "json", "strict")
	section(f, "Reading", "workers", "skip-bad-files", "keep-duplicates", "result-conflict", "move-conflict", "history")
	section(f, "Evaluations", "import-evals", "eval-view", "eval-unit", "origin", "unit")
	section(f, "Game filters", "preset", "min-elo", "max-elo", "elo-of", "unknown-elo", "no-bots", "time-control",
		"min-base-time", "variant", "result", "termination", "min-plies", "player", "since", "until")
	section(f, "Sample filters", "side", "skip-plies", "min-clock", "max-samples-per-game", "sample-rate")
	o.complete(cmd, slices.Sorted(maps.Keys(ingest.Presets)))
	values(cmd, "variant", "standard")
	values(cmd, "side", "both", "player", "winner")
	values(cmd, "result-conflict", "tag", "movetext", "board", "drop")
	values(cmd, "move-conflict", "drop", "keep")
	values(cmd, "eval-view", "auto", "white", "mover")
	values(cmd, "eval-unit", "auto", "centipawns", "pawns")
	values(cmd, "unit", append([]string{"auto"}, binpack.Units...)...)
	completeFolder(cmd, "out")
}

func runIngest(cmd *cobra.Command, o ingestOptions, paths []string) error {
	// What lives is about 50 MiB, most of it the shard under way; so the process takes 200, for 4 % more time than with
	// a heap that grows to four times of that.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(150)
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
	if o.moveConflict != "drop" && o.moveConflict != "keep" {
		return usage(fmt.Errorf("unknown --move-conflict %q", o.moveConflict), "use drop or keep")
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
			own: ingest.OwnsRejects(o.rejects, o.out)}
		if o.rejects, err = out.check(); err != nil {
			return err
		}
	}
	ctx, stop := interrupts(cmd.Context())
	defer stop()
	show, end := showProgress()
	shown := 0
	sum, err := ingest.Request{
		Inputs: files, Out: o.out, Seed: o.seed, Splits: splits, Workers: o.workers,
		KeepDuplicates: o.keepDuplicates, SkipBadFiles: o.skipBadFiles, Progress: show, Filters: filters,
		ImportEvals: o.importEvals, Results: results, KeepMoveConflicts: o.moveConflict == "keep", Tables: tables,
		Rejects: o.rejects, History: o.history, Existing: o.existing(), Cache: cache.User(),
		Warn: warn, ResumeCommand: invocation(),
		Rejected: func(file string, reject *dataset.Reject) {
			if reject.Reason == ingest.BadFile {
				say("talbot: skipped the file %s: %v\n", file, reject.Err)
				return
			}
			if reject.Reason == dataset.Duplicate || reject.Reason == ingest.Prefix ||
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
		tell("talbot: left out: %s more; %s\n", humanize.Thousands(int64(shown-shownRejects)), o.whereRejects())
	}
	if errors.Is(err, rows.ErrPacked) || errors.Is(err, parquet.ErrDamaged) {
		err = hint(err, downloadAgain+", or use --skip-bad-files to leave it out")
	}
	if err != nil {
		return resumable(err)
	}
	if err := printIngest(o.datasetOptions, sum); err != nil {
		return err
	}
	nextIngested(o.out)
	return nil
}

// notImported says which evaluations were not, and why.
func notImported(e *ingest.Evals) string {
	var why []string
	for _, of := range []struct {
		count int64
		what  string
	}{
		{e.NoSample, "without a sample"}, {e.Unread, "unreadable"}, {e.Duplicate, "in duplicates and prefixes"},
		{e.Book, "of book moves"}, {e.Sentinel, "placeholders"},
	} {
		if of.count > 0 {
			why = append(why, humanize.Thousands(of.count)+" "+of.what)
		}
	}
	if why == nil {
		return ""
	}
	return "; not imported: " + strings.Join(why, ", ")
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
		tell("talbot: skipped: %s whose names do not end in %s\n", humanize.Count(int64(n), "more file"),
			inputSuffixes())
	}
}

// inputKinds names all kinds of inputs.
func inputKinds() string { names, _ := ingest.Kinds(); return listed(names, "and") }

// inputSuffixes lists the ends of the names of inputs.
func inputSuffixes() string { _, suffixes := ingest.Kinds(); return listed(suffixes, "or") }

// packedSuffixes lists those of compressions.
func packedSuffixes() string { _, suffixes := rows.Packers(); return listed(suffixes, "or") }

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
		if s := sum.Scores; s != nil {
			summarise("  %s of %s, unit %s; without label: %s with no score (%s of them perhaps invented), %s "+
				"tactical with 0 in place of one\n", humanize.Count(s.Chains, "chain"), s.Origin, s.Unit,
				humanize.Thousands(s.Missing.None), humanize.Thousands(s.Missing.Invented),
				humanize.Thousands(s.Missing.TacticalZero))
		}
		if e := sum.Evals; e != (ingest.Evals{}) {
			summarise("  evaluations: %s imported%s\n", humanize.Thousands(e.Imported), notImported(&e))
		}
		if c := sum.ResultConflicts; c != (dataset.ResultConflicts{}) {
			summarise("  conflicting results: %s between tag and movetext, %s with mate or stalemate on the board; "+
				"--result-conflict says which counts, the tag if not given\n", humanize.Thousands(c.Movetext),
				humanize.Thousands(c.Board))
		}
		if sum.MoveConflicts > 0 {
			summarise("  move numbers or capture marks that contradict the moves, in games that were kept: %s\n",
				humanize.Thousands(sum.MoveConflicts))
		}
		if sum.NoHistory > 0 {
			summarise("  without history, because no legal moves lead there: %s\n", humanize.Thousands(sum.NoHistory))
		}
		if sum.GluedDashes > 0 {
			summarise("  EPD lines with the dash joined to the clock: %s\n", humanize.Thousands(sum.GluedDashes))
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
