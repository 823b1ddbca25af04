package main

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/network/schedule"
	"talbot/train"
	"talbot/train/job"
)

type trainOptions struct {
	existingOptions
	data, run, from, after, recipe, preset, label, backend, valueTarget, policyTarget string
	schedule, optimizer, precision                                                    string

	// What the flags give; only those that were given count.
	blocks, filters, batch int
	steps, until           int64
	warmup, seed           int64
	evalEvery, saveEvery   int64
	lr, minLR, decay       float64
	valueWeight            float64
	accumulate, devices    int
	keep                   int
	ema, clip, smoothing   float64
	historyDropout, mirror float64
	set                    []string
	legalMask              bool
	deterministic          bool

	workers, maxCopies int
	resume, json, init bool
}

func newTrain() *cobra.Command { return new(trainOptions).command() }

func (o *trainOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train --data DIR[:weight],… --run RUN",
		Short: "Train a network on one or more datasets",
		Long: `Train trains a network on the train split of one or more datasets. It keeps everything
in the folder RUN: run.json (the settings), data.json (the datasets), metrics.jsonl (the
losses), tensorboard/ (the losses for TensorBoard) and checkpoints/.

In --data, :weight is the share of the samples that is drawn from a dataset; without
weights the share follows from the number of samples. Before the first step train checks
and counts all data; survey.bin keeps the counts for --resume, and a cache keeps those of
each dataset for the next run ($XDG_CACHE_HOME/talbot, by default ~/.cache/talbot). Up to
2,048 samples of the val splits measure the network during training and decide which
checkpoint is the best. Samples without a value to learn (for most recipes: without a
label) train only the policy.

--max-copies N limits how often a position is a train sample, over all datasets. The N
copies that stay are spread evenly. Datasets, validation and evaluation do not change.

--ema D evaluates a running average of the weights, with normalisation statistics from
16 batches of train samples.

--accumulate N trains a batch in N parts, in the memory of one; only normalisation sees
a difference. --devices N (experimental) spreads each part over N GPUs of this machine,
which compute the same as one, except for rounding. It has only been tested on XLA's
virtual devices. You may resume a run on another number of GPUs. On GPUs two runs differ
in the last bits unless you use --deterministic, whose cost has not been measured.

--legal-mask takes the softmax over the legal moves only; the network's probabilities of
illegal moves then mean nothing. --history-dropout P trains a share of the samples
without their past, because reconstructed pasts can give away their source.
` + "`talbot eval --no-history`" + ` measures the network without the past.

--recipe chooses the encoding and the network, --set NAME=VALUE changes a setting of the
network; ` + "`talbot recipes`" + ` lists both. --mirror P trains a share of the samples as the other
colour would see them.

--schedule plateau:3=0.5,stop=8 halves the learning rate when three validations in a row
were no better than the best one, and stops the run when eight were not.

Without --steps a run passes over the data as often as its preset says: once by default,
12 times with --preset v1.5, 4 with the recipe lynx, 20 with tahl and probability, up to 60
with napoleon, and 100 with prior. With a :weight in --data, small datasets are then
repeated more often, which is printed at the start. In short runs the warm-up,
--eval-every and --checkpoint-every become shorter.

--init makes a network with random weights, as the seed draws them, and trains nothing:
` + "`talbot selfplay`" + ` can begin with it. It needs no data.

--from RUN begins a new run with the weights and normalisation statistics of another
run's best checkpoint (averaged, if that run had --ema); --from FILE takes those of a
checkpoint, and --from net: those of the network that comes with talbot. The network has
the size and all settings of these weights (those of --set, such as dropout), and learns
what they were trained on (--value-target, --policy-target), unless flags say otherwise.
Flags and a --preset that would make another network of the same weights are refused.
Length, schedule, optimizer and the order of the data are new.

--after RUN continues the training of another run on other data: settings, optimizer,
average and schedule are those of that run, after its last step. So a long training can
be cut into pieces with fresh data, each of which needs no more than the checkpoint of the
one before: --steps 100000 --until 10000, then --after with --until 20000, and so on.

The first Ctrl-C saves a checkpoint, the second aborts. --resume continues a run; on the
processor the result is the same to the bit. It needs no other flag and refuses those
that contradict the run. You may change --until, --keep, --checkpoint-every, --devices,
--deterministic and, unless the schedule is a plateau, --eval-every. Another --backend
gives other last bits. A run that diverged would diverge again: begin another one with
--from and a lower --lr.`,
		Example: `  talbot train --data labelled --run run1 --blocks 6 --filters 64 --steps 1000
  talbot train --data games:0.7,puzzles:0.3 --run run2 --preset v1.5
  talbot train --run run1 --resume
  talbot train --data more --run run4 --from run1 --lr 1e-3
  talbot train --init --run zero --recipe lynx --blocks 2 --filters 16`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTrain(cmd.Context(), cmd.Flags(), o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "datasets, separated by commas, each with an optional weight (DIR:0.7)")
	f.StringVar(&o.run, "run", "", "folder of the run (required)")
	f.StringVar(&o.from, "from", "",
		"take the initial weights from this `RUN`, checkpoint or exported network, or from net: (default: random)")
	f.StringVar(&o.after, "after", "",
		"continue the training of this `RUN` or checkpoint on other data: same settings, optimizer and schedule")
	f.StringVar(&o.recipe, "recipe", "talbotbot", "recipe for encoding, network and targets (see \"talbot recipes\")")
	f.StringVar(&o.preset, "preset", "",
		"settings to start from (see \"talbot recipes\"), such as v1.5 (as published for the reference), 10x64 or "+
			"20x256 (the default settings with another size)")
	f.StringArrayVar(&o.set, "set", nil,
		"change a setting of the network, `NAME=VALUE`; repeatable (see \"talbot recipes\")")
	f.IntVar(&o.blocks, "blocks", 0, "number of residual blocks (default: the preset's)")
	f.IntVar(&o.filters, "filters", 0, "number of channels (default: the preset's)")
	f.IntVar(&o.batch, "batch", 0, "number of samples in a step (default: the preset's)")
	f.IntVar(&o.accumulate, "accumulate", 1, "split each batch into this many parts to save memory")
	f.IntVar(&o.devices, "devices", 1, "number of GPUs to train on (experimental)")
	f.BoolVar(&o.deterministic, "deterministic", false,
		"use slower kernels that give the same bits each time on a GPU (the processor always does)")
	f.StringVar(&o.precision, "precision", "float32",
		"precision of training: float32, or on XLA bf16 for convolutions, matrix products and the activations "+
			"between them")
	f.Int64Var(&o.steps, "steps", 0, "number of steps (0 = as many passes over the data as the preset has)")
	f.Int64Var(&o.until, "until", 0,
		"end at this `STEP` of the schedule, so that --after can continue (default: its last step)")
	f.Float64Var(&o.lr, "lr", 0, "maximum learning rate (default: the preset's)")
	f.Float64Var(&o.minLR, "min-lr", 0,
		"final learning rate of cosine and one-cycle (default: same ratio to --lr as in the preset)")
	f.StringVar(&o.schedule, "schedule", "", "learning rate schedule: "+schedule.Names+" (default: the preset's)")
	f.Int64Var(&o.warmup, "warmup", 0, "warm-up steps (default: the preset's; 0 with one-cycle)")
	f.StringVar(&o.optimizer, "optimizer", "",
		"adamw, muon, or sgd with momentum 0.9, which takes a higher --lr, such as 0.05 (default: the preset's)")
	f.Float64Var(&o.decay, "weight-decay", 0, "weight decay, decoupled unless with sgd (default: the preset's)")
	f.Float64Var(&o.valueWeight, "value-weight", 0,
		"weight of the value loss relative to the policy loss (default: the preset's)")
	f.StringVar(&o.policyTarget, "policy-target", "played",
		"policy target: played, or multipv:T for a softmax with temperature T over the moves of \"label "+
			"--multipv\", such as multipv:0.1")
	f.StringVar(&o.valueTarget, "value-target", "recipe",
		"value target: recipe (the recipe's own), tanh (of centipawns), wdl (the engine's chances), winprob "+
			"(Lichess's), or result:Q[:D] (results of games, with a share Q of the label, such as result:0.5, and a "+
			"discount D for each ply to the game's end, such as result:0.5:0.99)")
	f.Float64Var(&o.clip, "clip", 0, "maximum norm of the gradient, 0 = no limit (default: the preset's)")
	f.Float64Var(&o.smoothing, "label-smoothing", 0, "share of the policy target to spread evenly over the moves")
	f.BoolVar(&o.legalMask, "legal-mask", false, "take the softmax over the legal moves only")
	f.Float64Var(&o.historyDropout, "history-dropout", 0,
		"share of the samples to train without history and repetitions")
	f.Float64Var(&o.mirror, "mirror", 0, "share of the samples to train as the other colour would see them")
	f.Float64Var(&o.ema, "ema", 0,
		"evaluate a running average of the weights with this decay, such as 0.999; 0 = no average (default: the "+
			"preset's)")
	f.Int64Var(&o.seed, "seed", 42, "seed for the weights, dropout and order of the samples")
	f.StringVar(&o.backend, "backend", "auto",
		backendFlag)
	f.StringVar(&o.label, "label", "",
		"fingerprint of the labels to use (default: the last label of each sample, with the value from endgame "+
			"tables if there is one)")
	f.Int64Var(&o.evalEvery, "eval-every", 0, "steps between validations, 0 = only at the end (default: 5,000, or one "+
		"pass over the data if the preset says so)")
	f.Int64Var(&o.saveEvery, "checkpoint-every", 1000, "steps between checkpoints, 0 = only at the end")
	f.IntVar(&o.keep, "keep", 3, "number of recent checkpoints to keep besides the best")
	f.IntVar(&o.maxCopies, "max-copies", 0, "maximum copies of a position among all train samples (0 = no limit)")
	f.IntVar(&o.workers, "workers", 0, "number of goroutines that read and encode (default: one for each core)")
	f.BoolVar(&o.resume, "resume", false, "continue the run in RUN")
	o.add(f)
	f.BoolVar(&o.init, "init", false, "make a network with random weights and train nothing")
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	o.arrange(cmd)
	return cmd
}

// arrange puts the flags under headings and says which words they take.
func (o *trainOptions) arrange(cmd *cobra.Command) {
	f := cmd.Flags()
	section(f, "Data and run", "data", "run", "resume", "skip-done", "replace", "init", "from", "after", "label",
		"max-copies", "json")
	section(f, "Network", "recipe", "preset", "blocks", "filters", "set")
	section(f, "Length and batches", "steps", "until", "batch", "accumulate", "seed")
	section(f, "Targets and loss", "policy-target", "value-target", "value-weight", "label-smoothing", "legal-mask",
		"history-dropout", "mirror")
	section(f, "Learning rate and optimizer", "lr", "min-lr", "schedule", "warmup", "optimizer", "weight-decay", "clip",
		"ema")
	section(f, "Machine", "backend", "precision", "devices", "deterministic", "workers")
	section(f, "Validation and checkpoints", "eval-every", "checkpoint-every", "keep")
	values(cmd, "preset", presets()...)
	values(cmd, "recipe", recipe.Names()...)
	values(cmd, "policy-target", policyTargets...)
	values(cmd, "value-target", valueTargets...)
	values(cmd, "schedule", "cosine", "constant", "one-cycle", "piecewise:", "plateau:")
	values(cmd, "optimizer", "adamw", "muon", "sgd")
	values(cmd, "backend", backends...)
	values(cmd, "precision", string(run.Float32), string(run.BFloat16))
	completeFolders(cmd, "data", isDataset)
	complete(cmd, "from", networks)
	completeFolders(cmd, "after", run.IsRun)
	completeFolders(cmd, "run", run.IsRun)
}

func runTrain(ctx context.Context, flags *pflag.FlagSet, o *trainOptions) error {
	t, err := o.job(flags)
	if err != nil {
		return err
	}
	if o.init {
		return initRun(&t, o)
	}
	var trained atomic.Bool // there is something to save
	ctx, stop := interruption{says: "saving", holds: trained.Load, words: o.untrained}.watch(ctx)
	defer stop()
	show, end := phases()
	t.Checked = showBytes(show, "checking the data")
	t.Surveyed = func(blocks, of int) {
		show(progress.Progress{Verb: "counting the data", Done: int64(blocks), Total: int64(of), Count: int64(blocks),
			Rate: int64(blocks), Unit: "blocks"})
	}
	var start job.Start
	line := trainLine{pace: progress.Pace{Even: true}}
	t.Begun = func(s job.Start) {
		end()
		printStart(s)
		start, line.validations = s, validationsOf(s)
	}
	t.Resumed = func(step int64, checkpoint string) {
		tell("resuming after step %s from %q\n", humanize.Thousands(step), checkpoint)
	}
	t.Warn = warn
	progress, done := liveTrain(&line)
	first := true
	t.Progress = func(p train.Progress) {
		if first {
			detail("compiling and the first step: %.1f s", p.Seconds)
		}
		first = false
		trained.Store(true)
		line.add(p)
		if step, left, ok := line.prospect(); ok {
			fixed := o.resume || o.from != "" || o.after != ""
			for _, line := range prospectLines(start.Prospect(p, step, left, fixed)) {
				tell("%s\n", line)
			}
		}
		progress(p)
	}
	result, err := t.Run(ctx)
	end()
	done()
	if err != nil {
		return trainError(err, o, result)
	}
	if o.json {
		return printJSON(struct {
			train.Result
			Data []job.Set `json:"data"`
		}{result, start.Sets})
	}
	printResult(o, result)
	var data []string
	for _, set := range start.Sets {
		data = append(data, set.Dir)
	}
	next("eval", "--run", o.run, "--data", strings.Join(data, ","))
	return nil
}

// initRun makes a run of a network with random weights.
func initRun(t *job.Train, o *trainOptions) error {
	t.Warn = warn
	start, result, err := t.Init()
	if err != nil {
		return trainError(err, o, result)
	}
	if o.json {
		return printJSON(result)
	}
	c := start.Config
	summarise("%s: %s, %s, %s with random weights of seed %d\n", o.run, c.Recipe, start.Network,
		humanize.Count(int64(start.Parameters), "parameter"), c.Seed)
	next("selfplay", "--run", o.run, "--games", "1000", "--out", "games")
	return nil
}

// phases is [progress] for work of several parts: each new verb begins a display of its own.
func phases() (show func(progress.Progress), end func()) {
	verb, draw, stop := "", func(progress.Progress) {}, func() {}
	end = func() { stop(); verb, stop = "", func() {} }
	return func(p progress.Progress) {
		if p.Verb != verb {
			end()
			verb = p.Verb
			draw, stop = showProgress()
		}
		draw(p)
	}, end
}
