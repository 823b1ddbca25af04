package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/cpu"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/network/run"
	"talbot/pipeline/selfplay"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/synth"
)

type selfPlayOptions struct {
	datasetOptions
	run, backend, start, split, part string
	syzygy, engine                   string
	checkTables                      bool
	games                            int64
	batch                            int
	style                            selfplay.Style
	temperature                      float64
	temperaturePlies                 int
	set                              []string
	seed                             uint64
}

func newSelfPlay() *cobra.Command { return new(selfPlayOptions).command() }

func (o *selfPlayOptions) command() *cobra.Command {
	o.style = selfplay.DefaultStyle()
	cmd := &cobra.Command{
		Use:   "selfplay --run RUN --games N --out DIR",
		Short: "Have a network play itself and keep what its searches find",
		Long: `Selfplay has a network play games with itself. Each position that it searches is a
sample: the search's policy, its value as a label, the game's result, and what the network
said before the search. ` + "`talbot train`" + ` learns from the dataset as from any other, and
with --value-target result:0.5 from results and searches alike.

--searcher gumbel draws the moves that it considers from the network's policy, and learns
from few nodes. puct mixes noise into the priors of the first move, and draws the moves
of the first --temperature-plies plies by their visits. --set changes other options of
the searcher (see docs/12-play.md). policy does not search, for networks such as those of
the recipe nosearch: it plays what the network finds most probable. An illegal choice is
taken back, and its sample teaches which moves are legal.

--fast-share 0.75 --fast-nodes 16 searches three of four moves with few nodes and without
noise. These samples have a value and no policy.

Games begin with talbot's book, the start position (--start start), the positions or
games of a file, or random endgames (--start endgames:KQvK,KRvK). They end by the rules,
as a draw after --max-plies, or with --resign V when the searches of one side say -V or
less at two of its moves in a row. One game of ten is played on nevertheless, which shows
how often that was wrong. With --syzygy DIR a game also ends once endgame
tables know its result; searches do not see them.

Game n depends only on the network, backend, --batch, kind of processor, settings, seed
and n: neither the number of games at once (--workers) nor interruptions change a byte.
Repeat an interrupted command to continue it. --part 2/3 plays the second of three parts,
and ` + "`talbot join`" + ` puts them together.

A network of 1,000 evaluations a second plays about 10 games a minute of 100 plies with
--nodes 64. Keep at least twice as many games at once as a batch has places.`,
		Example: `  talbot selfplay --run net: --games 400 --nodes 60 --max-plies 300 --out own
  talbot selfplay --run net: -n 8 --max-plies 40 --start endgames:KQvK --out kqk`,
		SuggestFor: []string{"self-play", "reinforce", "rl"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.play(cmd) },
	}
	o.add(cmd, "number of games at once (default: four times the batch)")
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "network that plays: a run, a checkpoint or net: (required)")
	f.Int64VarP(&o.games, "games", "n", 0, "number of games (required)")
	f.StringVar(&o.part, "part", "", "play only one part of the games, such as 1/4 (see talbot join)")
	f.StringVar(&o.style.Searcher, "searcher", o.style.Searcher, "search: gumbel, puct, or policy to play without one")
	f.Int64Var(&o.style.Nodes, "nodes", o.style.Nodes, "nodes of each search")
	f.Float64Var(&o.style.FastShare, "fast-share", 0, "share of the moves that are searched with --fast-nodes")
	f.Int64Var(&o.style.FastNodes, "fast-nodes", o.style.FastNodes, "nodes of fast searches")
	f.Float64Var(&o.temperature, "temperature", 0,
		"temperature of the moves played (default: 0 with gumbel, else 1)")
	f.IntVar(&o.temperaturePlies, "temperature-plies", 30,
		"plies from the game's first move that --temperature is for; 0: none")
	f.StringArrayVar(&o.set, "set", nil, "set an option of the searcher, `NAME=VALUE`; repeatable")
	f.Float64Var(&o.style.Resign, "resign", 0, "value from 0 to 1 at which games are given up (0: never)")
	f.IntVar(&o.style.MostPlies, "max-plies", o.style.MostPlies, "longest game, in plies that are searched")
	f.BoolVar(&o.style.Truncate, "truncate", false,
		"games of --max-plies have no result: the value of their last search counts instead of a draw")
	f.BoolVar(&o.style.BestValue, "best-value", false,
		"keep the value of a search's best move, not the mean of all its nodes")
	f.IntVar(&o.style.Raw, "raw", o.style.Raw, "moves of the network's own policy that are kept with each sample")
	f.StringVar(&o.start, "start", "book",
		"first position of games: book, start, a file of positions or games, or endgames:KQvK,KRvK and the like")
	f.StringVar(&o.syzygy, "syzygy", "",
		"end games that the Syzygy tables in these folders decide, separated as in PATH")
	addCheckTables(f, &o.checkTables)
	f.StringVar(&o.engine, "engine", "stockfish", "engine for --syzygy, which must be Stockfish: a path, or a name "+
		"to look up")
	f.StringVar(&o.backend, "backend", "auto", answeringFlag)
	f.IntVar(&o.batch, "batch", 0, "positions that the network computes at once (default: 32, on a GPU 256; less "+
		"for few games)")
	f.Uint64Var(&o.seed, "seed", 0, "random seed")
	f.StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of games in train, val and test")
	section(f, "Output", "out", "skip-done", "replace", "games", "part", "split", "seed", "json", "strict")
	section(f, "Network", "run", "backend", "batch", "workers")
	section(f, "Search", "searcher", "nodes", "fast-share", "fast-nodes", "temperature", "temperature-plies", "set",
		"best-value", "raw")
	section(f, "Games", "start", "resign", "max-plies", "truncate", "syzygy", "check-tables", "engine")
	values(cmd, "searcher", selfplay.Searchers...)
	values(cmd, "start", "book", "start", "endgames:")
	values(cmd, "backend", answering...)
	completeFolder(cmd, "out", "syzygy")
	completeFolders(cmd, "run", run.IsRun)
	return cmd
}

// tables opens the tables that end games.
func (o *selfPlayOptions) tables(ctx context.Context) (*selfplay.Tables, func() error, error) {
	path, err := stockfish.Find(o.engine)
	if err != nil {
		return nil, nil, err
	}
	set, err := findTables(ctx, o.syzygy, o.checkTables)
	if err != nil {
		return nil, nil, err
	}
	t, err := stockfish.OpenTables(ctx, stockfish.Config{Path: path}, set)
	if err != nil {
		return nil, nil, errors.Join(err, set.Close())
	}
	return &selfplay.Tables{Identity: set.Identity(), Pieces: t.Pieces(), Probe: t.Probe},
		func() error { return errors.Join(t.Close(), set.Close()) }, nil
}

// request turns the flags into what is played; the network is missing.
func (o *selfPlayOptions) request(f *pflag.FlagSet) (r selfplay.Request, err error) {
	const example = "for example `talbot selfplay --run net: --games 100 --out games`"
	switch missing := missingFlag("run", o.run, "out", o.out); {
	case missing != nil:
		return r, usage(missing, example)
	case o.games < 1:
		return r, usage(fmt.Errorf("--games must be above 0: %d", o.games), example)
	case o.batch < 0 || o.batch > engine.MaxBatch:
		return r, usage(fmt.Errorf("--batch must be from 1 to %d: %d", engine.MaxBatch, o.batch),
			"for example --batch 64")
	case o.syzygy == "" && (o.checkTables || f.Changed("engine")):
		return r, usage(errors.New("--check-tables and --engine need --syzygy"), "for example --syzygy /data/syzygy")
	case o.workers < 0:
		return r, usage(fmt.Errorf("--workers must not be negative: %d", o.workers), "for example --workers 128")
	}
	if err := checkBackend(o.backend, answering); err != nil {
		return r, err
	}
	if err := o.search(f); err != nil {
		return r, err
	}
	r = selfplay.Request{Games: o.games, AtOnce: o.workers, Seed: o.seed, Style: o.style, Start: o.start, Out: o.out,
		Existing:      o.existing(),
		ResumeCommand: invocation(), Warn: warn}
	if r.Splits, err = dataset.ParseSplits(o.split); err != nil {
		return r, usage(err, "give three percentages that sum to 100, for example --split 90,5,5")
	}
	if r.Part, err = partOf(o.part); err != nil {
		return r, err
	}
	if o.games < int64(r.Part.I) {
		return r, usage(fmt.Errorf("%s have no part %s", humanize.Count(o.games, "game"), r.Part), "take fewer parts")
	}
	return r, o.begin(&r)
}

// search turns the flags of the search into options.
func (o *selfPlayOptions) search(f *pflag.FlagSet) error {
	if err := needs(f, "fast-share", "fast-nodes"); err != nil {
		return err
	}
	if !f.Changed("temperature") && o.style.Searcher != "gumbel" {
		o.temperature = 1
	}
	if !(o.temperature >= 0 && o.temperature <= 100) || o.temperaturePlies < 0 {
		return usage(fmt.Errorf("--temperature %v for %d plies: neither may be negative, nor the first above 100",
			o.temperature, o.temperaturePlies), "for example --temperature 1 --temperature-plies 30")
	}
	options := &o.style.Options
	options.Temperature, options.TempCutoffPly = o.temperature, o.temperaturePlies
	if o.temperaturePlies == 0 { // which is all plies to a searcher
		options.Temperature = 0
	}
	for _, text := range o.set {
		name, value, _ := strings.Cut(text, "=")
		s, ok := mcts.SettingByName(name)
		if !ok || !o.style.Sets(s) {
			var known []string
			for i := range mcts.Settings {
				if x := &mcts.Settings[i]; o.style.Sets(x) {
					known = append(known, x.Key)
				}
			}
			return usage(fmt.Errorf("--set: self-play with %s has no option %q", o.style.Searcher, name),
				"it has "+strings.Join(known, ", "))
		}
		if err := s.Set(options, value); err != nil {
			return usage(fmt.Errorf("--set: %s %w", s.Key, err),
				fmt.Sprintf("for example --set %s=%s", s.Key, s.Default))
		}
	}
	if err := o.style.Check(); err != nil {
		return usage(err, "see talbot selfplay --help")
	}
	return nil
}

// begin finds out where games begin.
func (o *selfPlayOptions) begin(r *selfplay.Request) (err error) {
	if list, ok := strings.CutPrefix(o.start, "endgames:"); ok {
		c := synth.DefaultConfig()
		c.Seed, c.Pieces = o.seed, synth.PieceWeights{}
		if c.Materials, err = synth.ParseMaterials(list); err != nil {
			return usage(fmt.Errorf("--start: %w", err), "for example --start endgames:KQvK,KRvK")
		}
		r.Endgames, err = synth.NewDrawer(c)
		return err
	}
	var all *match.Openings
	switch o.start {
	case "start":
		r.Openings = []match.Opening{{Start: board.StartPosition()}}
		return nil
	case "book":
		all, err = match.Book()
	default:
		if all, err = readOpenings(o.start, 0); err == nil {
			r.Start, err = stockfish.HashFile(o.start)
		}
	}
	if err == nil {
		r.Openings = all.List
	}
	return err
}

func (o *selfPlayOptions) play(cmd *cobra.Command) error {
	r, err := o.request(cmd.Flags())
	if err != nil {
		return err
	}
	ctx, stop := interrupts(cmd.Context())
	defer stop()
	if o.syzygy != "" {
		tables, closeTables, err := o.tables(ctx)
		if err != nil {
			return err
		}
		defer closeTables()
		r.Tables = tables
	}
	n, err := o.open()
	if err != nil {
		return err
	}
	defer n.Close()
	for _, d := range n.Damaged {
		warn(fmt.Errorf("skipped a damaged checkpoint: %w", d))
	}
	if _, err := mcts.New(o.style.Searcher, n.Evaluator(), o.style.Options); err != nil {
		return usage(fmt.Errorf("%q: %w", o.run, err),
			"take a network with priors and values, for example --run net:, or --searcher policy")
	}
	if err := n.Compile(ctx); err != nil {
		return err
	}
	r.Network, r.Processor = playerOf(n), processor(n.Backend)
	show, end := showProgress()
	r.Progress = show
	sum, err := r.Run(ctx)
	end()
	if err != nil {
		return resumable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	printSelfPlay(o.out, sum)
	if r.Part.N < 2 {
		nextGeneration(o.out, o.run)
	}
	return nil
}

// open opens the network. Without --batch it is the largest batch that is good on a processor, 32, or on a GPU 256; but
// few games do not fill that.
func (o *selfPlayOptions) open() (*engine.Network, error) {
	c := engine.Config{Path: o.run, Backend: o.backend, Batch: o.batch, Bulk: true}
	if c.Batch > 0 {
		return engine.Open(c)
	}
	c.Batch = filled(32, o.games)
	n, err := engine.Open(c)
	if err != nil || c.Batch < 32 || slices.Contains([]string{"go", "onnx", "onnx:int8", "xla:cpu"}, n.Backend) {
		return n, err
	}
	n.Close()
	c.Batch = filled(256, o.games)
	return engine.Open(c)
}

// filled is the largest batch, a power of two and at most that large, that games fill twice.
func filled(batch int, games int64) int {
	for batch > 1 && int64(2*batch) > games {
		batch /= 2
	}
	return batch
}

// playerOf describes a network that plays with itself.
func playerOf(n *engine.Network) selfplay.Network {
	k := n.Capabilities()
	return selfplay.Network{Network: dataset.Network{Recipe: n.Config.Recipe, Checkpoint: n.Sum, Step: n.Step,
		Averaged: n.Averaged, Backend: n.Backend, Batch: n.Batch(), Prior: k.Prior, Value: k.Value || k.WDL},
		Evaluator:  func() mcts.Evaluator { return n.Evaluator() },
		Centipawns: func(v float32) int { return n.Centipawns("gumbel", v) },
		Counts:     func() selfplay.Counts { return selfplay.Counts(n.Counts()) }}
}

// processor is what the last digits of a computation depend on beside program, backend and batch.
func processor(kind string) string {
	words := []string{runtime.GOARCH}
	if cpu.X86.HasAVX2 {
		words = append(words, "avx2")
	}
	if cpu.X86.HasAVX512F {
		words = append(words, "avx512")
	}
	if kind == "onnx:int8" && backend.VNNI() {
		words = append(words, "vnni")
	}
	if backend.SIMD {
		words = append(words, "simd")
	}
	return strings.Join(words, " ")
}

func printSelfPlay(out string, sum selfplay.Summary) {
	summarise("%s: %s, %s, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "game"),
		humanize.Count(sum.Samples, "sample"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	for _, end := range slices.Sorted(maps.Keys(sum.Ends)) {
		summarise("  ended by %s: %s\n", end, humanize.Thousands(sum.Ends[end]))
	}
	if sum.PlayedOn > 0 {
		summarise("  played on where a side would have resigned: %s, which was wrong in %s\n",
			humanize.Thousands(sum.PlayedOn), humanize.Thousands(sum.FalseResigns))
	}
	if sum.Retracted > 0 {
		summarise("  illegal choices, taken back: %s of %s\n", humanize.Thousands(sum.Retracted),
			humanize.Thousands(sum.Samples))
	}
	if sum.Evaluations > 0 {
		summarise("  %s/s, batches %.0f %% full, %.0f %% of the time in the network\n",
			humanize.Count(int64(float64(sum.Evaluations)/sum.Seconds), "evaluation"), 100*sum.BatchFill,
			100*sum.NetworkShare)
	}
}
