package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/board"
	"talbot/dataset"
	"talbot/pipeline"
	"talbot/pipeline/selfplay"
	"talbot/play/engine"
	"talbot/play/game"
	"talbot/play/match"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/synth"
)

type selfPlayOptions struct {
	datasetOptions
	run, backend, start, split string
	games                      int64
	batch                      int
	style                      selfplay.Style
	temperature                float64
	temperaturePlies           int
	set                        []string
	seed                       uint64
}

func newSelfPlay() *cobra.Command {
	o := selfPlayOptions{style: selfplay.DefaultStyle()}
	cmd := &cobra.Command{
		Use:   "selfplay --run RUN --games N --out DIR",
		Short: "Have a network play itself and keep what its searches find",
		Long: `Selfplay has a network play games with itself. Each position that it searches is a
sample: the policy of the search, its value as a label, the game's result, and what the
network alone had said. ` + "`talbot train`" + ` learns from the dataset as from any other.

--searcher gumbel draws the moves that it considers from the network's policy and learns
from few nodes; puct mixes noise into its priors, and plays with --temperature 1 in the
first --temperature-plies plies. A search of N nodes asks about the position and visits
its moves N-1 times. --set changes an option of the searcher, as "talbot uci" has it.

Games begin with talbot's book, the start position (--start start), openings of a file,
or random endgames: --start endgames:KQvK,KRvK. They end by the rules, as a draw after
--max-plies, or with --resign V when one side's searches say -V at two moves in a row;
one game of ten is played on, and the wrong resignations among them are counted.

--fast-share 0.75 --fast-nodes 16 searches three of four moves with few nodes and no
noise; these samples have a value and no policy to learn.

Game n depends only on the network, backend, batch, settings, seed and n: neither the
number of games at once (--workers) nor an interruption changes a byte. Repeat an
interrupted command to continue it.`,
		Example: `  talbot selfplay --run net: --games 20 --nodes 8 --max-plies 20 --out games
  talbot selfplay --run net: --games 40 --nodes 16 --start endgames:KQvK,KRvK --out kqk`,
		SuggestFor: []string{"self-play", "reinforce"},
		Args:       noArgs,
		RunE:       func(cmd *cobra.Command, _ []string) error { return o.play(cmd) },
	}
	o.add(cmd, "number of games at once (default: four times the batch)")
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "network to play: a run, a checkpoint or net: (required)")
	f.Int64VarP(&o.games, "games", "n", 0, "number of games (required)")
	f.StringVar(&o.style.Searcher, "searcher", o.style.Searcher, "search: gumbel or puct")
	f.Int64Var(&o.style.Nodes, "nodes", o.style.Nodes, "nodes of each search")
	f.Float64Var(&o.style.FastShare, "fast-share", 0, "share of the moves that are searched with --fast-nodes")
	f.Int64Var(&o.style.FastNodes, "fast-nodes", 16, "nodes of fast searches")
	f.Float64Var(&o.temperature, "temperature", 0, "temperature of the moves played (default: 1 with puct, else 0)")
	f.IntVar(&o.temperaturePlies, "temperature-plies", 30, "plies in which --temperature is used")
	f.StringArrayVar(&o.set, "set", nil, "option of the searcher, NAME=VALUE; may be repeated")
	f.Float64Var(&o.style.Resign, "resign", 0, "value from 0 to 1 at which games are given up (0: never)")
	f.IntVar(&o.style.MostPlies, "max-plies", o.style.MostPlies, "longest game, in plies that are searched")
	f.IntVar(&o.style.Raw, "raw", o.style.Raw, "moves of the network's own policy to keep with each sample")
	f.StringVar(&o.start, "start", "book", "where games begin: book, start, FILE or endgames:MATERIAL,...")
	f.StringVar(&o.backend, "backend", "auto", answeringFlag)
	f.IntVar(&o.batch, "batch", 32, "positions that the network computes at once")
	f.Uint64Var(&o.seed, "seed", 0, "random seed")
	f.StringVar(&o.split, "split", dataset.DefaultSplits.String(), "percentages of games in train, val and test")
	section(f, "Output", "out", "games", "split", "seed", "json", "strict")
	section(f, "Network", "run", "backend", "batch", "workers")
	section(f, "Search", "searcher", "nodes", "fast-share", "fast-nodes", "temperature", "temperature-plies", "set", "raw")
	section(f, "Games", "start", "resign", "max-plies")
	values(cmd, "searcher", "gumbel", "puct")
	values(cmd, "start", "book", "start", "endgames:")
	values(cmd, "backend", answering...)
	completeFolder(cmd, "out")
	complete(cmd, "run", networks)
	return cmd
}

// request turns the flags into what is played; the network is missing.
func (o *selfPlayOptions) request(cmd *cobra.Command) (r selfplay.Request, err error) {
	if err := o.check(); err != nil {
		return r, err
	}
	switch {
	case o.run == "":
		return r, usage(errors.New("--run is missing"), "name a network, for example --run net:")
	case o.games < 1:
		return r, usage(fmt.Errorf("--games must be above 0: %d", o.games),
			"give the number of games, for example --games 1000")
	case o.batch < 1 || o.batch > engine.MaxBatch:
		return r, usage(fmt.Errorf("--batch must be from 1 to %d: %d", engine.MaxBatch, o.batch), "")
	}
	if err := checkBackend(o.backend, answering); err != nil {
		return r, err
	}
	if !cmd.Flags().Changed("temperature") && o.style.Searcher == "puct" {
		o.temperature = 1
	}
	o.style.Options.Temperature, o.style.Options.TempCutoffPly = o.temperature, o.temperaturePlies
	for _, text := range o.set {
		name, value, _ := strings.Cut(text, "=")
		s, ok := mcts.SettingByName(name)
		if !ok || !s.Heeds(o.style.Searcher) {
			return r, usage(fmt.Errorf("--set: the searcher %s has no option %q", o.style.Searcher, name),
				"docs/12-play.md lists them")
		}
		if err := s.Set(&o.style.Options, value); err != nil {
			return r, usage(fmt.Errorf("--set: %w", err), "")
		}
	}
	if err := o.style.Check(); err != nil {
		return r, usage(err, "see talbot selfplay --help")
	}
	r = selfplay.Request{Games: o.games, AtOnce: o.workers, Seed: o.seed, Style: o.style, Start: o.start, Out: o.out,
		ResumeCommand: invocation(), Warn: warn}
	if r.Splits, err = dataset.ParseSplits(o.split); err != nil {
		return r, usage(err, "give three percentages that sum to 100, for example --split 90,5,5")
	}
	return r, o.begin(&r)
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
		r.Openings = []game.Opening{{Start: board.StartPosition()}}
		return nil
	case "book":
		all, err = match.Book()
	default:
		if all, err = match.ReadOpenings(o.start, 0); err == nil {
			r.Start, err = stockfish.HashFile(o.start)
		}
	}
	if err == nil {
		r.Openings = all.List
	}
	return err
}

func (o *selfPlayOptions) play(cmd *cobra.Command) error {
	r, err := o.request(cmd)
	if err != nil {
		return err
	}
	ctx, stop := interrupts(cmd.Context())
	defer stop()
	n, err := engine.Open(engine.Config{Path: o.run, Backend: o.backend, Batch: o.batch, Bulk: true})
	if err != nil {
		return err
	}
	defer n.Close()
	r.Network = networkOf(n)
	show, end := progress()
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
	nextTrain(o.out)
	return nil
}

// networkOf describes a network that plays with itself.
func networkOf(n *engine.Network) selfplay.Network {
	k := n.Capabilities()
	return selfplay.Network{Network: dataset.Network{Recipe: n.Config.Recipe, Checkpoint: n.Sum, Step: n.Step,
		Averaged: n.Averaged, Backend: n.Backend, Batch: n.Batch(), Prior: k.Prior, Value: k.Value || k.WDL},
		Evaluator:  func() mcts.Evaluator { return n.Evaluator() },
		Centipawns: func(v float32) int { return n.Centipawns("gumbel", v) },
		Counts:     n.Counts}
}

func printSelfPlay(out string, sum selfplay.Summary) {
	summarise("%s: %s, %s, %s, %.1f s\n", out, pipeline.Count(sum.GamesKept, "game"),
		pipeline.Count(sum.Samples, "position"), pipeline.Size(float64(sum.Bytes)), sum.Seconds)
	for _, end := range slices.Sorted(maps.Keys(sum.Ends)) {
		summarise("  ended by %s: %s\n", end, pipeline.Thousands(sum.Ends[end]))
	}
	if sum.PlayedOn > 0 {
		summarise("  played on where a side would have resigned: %s, wrongly: %s\n", pipeline.Thousands(sum.PlayedOn),
			pipeline.Thousands(sum.FalseResigns))
	}
	summarise("  batches %.0f %% full, %.0f %% of the time in the network\n", 100*sum.BatchFill, 100*sum.NetworkShare)
}
