package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/encode"
	"talbot/pipeline"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

type trainOptions struct {
	data, run, from, recipe, preset, label, backend, valueTarget, policyTarget string
	schedule, precision                                                        string

	// What the flags give; only those that were given count.
	blocks, filters, batch int
	steps, warmup, seed    int64
	evalEvery, saveEvery   int64
	lr, minLR, decay       float64
	valueWeight            float64
	accumulate, devices    int
	keep                   int
	ema, clip, smoothing   float64
	historyDropout         float64
	legalMask              bool
	deterministic          bool

	workers, maxCopies int
	resume, json       bool
}

func newTrain() *cobra.Command {
	var o trainOptions
	cmd := &cobra.Command{
		Use:   "train --data DIR[:weight],… --run RUN",
		Short: "Train a network on one or more datasets",
		Long: `Train trains a network on the train split of one or more datasets and keeps it in
the folder RUN: run.json (the settings), data.json (what it is trained on),
metrics.jsonl (every loss), tensorboard/ (the same for TensorBoard) and checkpoints/.

A :weight is the share of samples drawn from that dataset; without weights each
dataset's share is its number of samples. Before the first step all of the data is
checked against its checksums and counted; the counts are kept in survey.bin for when
the run goes on. Up to 2,048 samples of the val splits, of each dataset its share,
measure the network during training and decide which checkpoint is best.
Samples without engine label train the policy alone.

A train line is left out if it is a cut copy of a val or test line of any of the
datasets: both begin at the same position, and the moves of one, at least 20 plies, are
the first moves of the other. A game cut below 30 plies can be in another split than
the whole; 'talbot verify' names such lines. A run that an older version began goes on
with them.

--max-copies N lets a position be a train sample at most N times, over all datasets:
of its copies, N that are spread evenly over the data stay in. Nothing is deleted
from the datasets, and validation and evaluation are not capped.

--ema D keeps a running average of the weights and evaluates that; normalisations get
statistics of their own for it from 16 batches of train samples. --accumulate N trains
a batch in N parts one after the other, in the memory of one part; only normalisation
sees a difference. --devices N (experimental) spreads each of these parts over N GPUs of
this machine, which compute the same as one but for rounding (tried on XLA's virtual
processors alone); a run may be resumed on another number of them. On one GPU or
several, two runs differ in the last bits unless --deterministic is given; what that
costs was not measured. With --legal-mask the policy's cross-entropy is over the legal
moves, in training and validation, and what the network says of other moves means
nothing. --history-dropout P trains a share of the samples without history and
repetitions: pasts that were made up, as of endgames, can betray their source.
'talbot eval --no-history' shows what a network does without.

Without --steps a run draws as many samples as the data has (with --preset v1.5 twelve
times as many); with weights a small dataset comes round more often, which is said at the start.
The warm-up, --eval-every and --checkpoint-every shrink with short runs.

--from RUN begins a new run with the weights and normalisation statistics of another
one, those of its best checkpoint; --from FILE names a checkpoint. Of a run with --ema
they are the averaged ones. Nothing else is taken over: settings, schedule, optimizer
and the order of the data are new. The network has the size of those weights;
--preset, --blocks and --filters that say otherwise are refused.

The first Ctrl-C saves a checkpoint, the second aborts. A run is continued, to the
bit on the processor, by --resume; it needs no other flag, and refuses those that
contradict the run. --keep, --eval-every and --checkpoint-every may change, and stay
so. A run that diverged diverges there again: begin another one with --from and a
lower --lr.`,
		Example: `  talbot train --data labelled --run run1 --blocks 6 --filters 64 --steps 1000
  talbot train --data games:0.7,puzzles:0.3 --run run2 --preset v1.5
  talbot train --run run1 --resume
  talbot train --data more --run run4 --from run1 --lr 1e-3`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runTrain(cmd.Context(), cmd.Flags(), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "datasets, with or without the share of each: DIR[:weight],…")
	f.StringVar(&o.run, "run", "", "folder of the run")
	f.StringVar(&o.from, "from", "", "run or checkpoint whose weights the run begins with (default: drawn by the seed)")
	f.StringVar(&o.recipe, "recipe", "talbotbot", "encoding, network and targets")
	f.StringVar(&o.preset, "preset", "",
		"settings to begin with: v1.5 are the published ones of the reference; 10x64 and 20x256 are the default "+
			"ones with another size")
	f.IntVar(&o.blocks, "blocks", 20, "residual blocks")
	f.IntVar(&o.filters, "filters", 128, "channels")
	f.IntVar(&o.batch, "batch", 512, "samples of a step")
	f.IntVar(&o.accumulate, "accumulate", 1,
		"equal parts that a batch is trained in one after the other, to save memory")
	f.IntVar(&o.devices, "devices", 1, "GPUs of this machine that train together (experimental)")
	f.BoolVar(&o.deterministic, "deterministic", false,
		"the same bits each time on a GPU too, by slower kernels; on the processor it is so anyway")
	f.StringVar(&o.precision, "precision", "float32",
		"of training: float32, or on XLA bf16 for convolutions, matrix products and the activations between them")
	f.Int64Var(&o.steps, "steps", 0, "length of the run (0 = as many samples as the data has)")
	f.Float64Var(&o.lr, "lr", 0, "highest learning rate (default: the preset's)")
	f.Float64Var(&o.minLR, "min-lr", 0,
		"learning rate of the last step, with cosine and one-cycle (default: in the preset's ratio to --lr)")
	f.StringVar(&o.schedule, "schedule", "cosine", "course of the learning rate: "+train.ScheduleNames)
	f.Int64Var(&o.warmup, "warmup", 0,
		"steps of linear rise to the schedule (default: the preset's; 0 with one-cycle, which has a rise of its own)")
	f.Float64Var(&o.decay, "weight-decay", 0, "decoupled weight decay (default: the preset's)")
	f.Float64Var(&o.valueWeight, "value-weight", 0,
		"weight of the value's squared error beside the policy's cross-entropy (default: the preset's)")
	f.StringVar(&o.policyTarget, "policy-target", "played",
		"the moves to learn: played, or multipv:T, a softmax with temperature T over the values of the lines that "+
			"\"label --multipv\" found, such as multipv:0.1")
	f.StringVar(&o.valueTarget, "value-target", "recipe",
		"the value to learn: recipe (for talbotbot tanh), tanh (of centipawns), wdl (the engine's chances) or "+
			"winprob (Lichess's)")
	f.Float64Var(&o.clip, "clip", 0, "highest norm of the gradient over all weights, 0 = none (default: the preset's)")
	f.Float64Var(&o.smoothing, "label-smoothing", 0, "share of a policy target that is spread evenly over the moves")
	f.BoolVar(&o.legalMask, "legal-mask", false, "softmax over the legal moves alone, in training and validation")
	f.Float64Var(&o.historyDropout, "history-dropout", 0,
		"share of the samples that are trained without history and repetitions")
	f.Float64Var(&o.ema, "ema", 0,
		"decay of a running average of the weights, which is then what is evaluated, as 0.999; 0 = none (default: "+
			"the preset's)")
	f.Int64Var(&o.seed, "seed", 42, "of weights, dropout and order")
	f.StringVar(&o.backend, "backend", "auto", "auto, go, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so")
	f.StringVar(&o.label, "label", "",
		"fingerprint whose labels count (default: of each sample the last that has one, with the value of endgame "+
			"tables where they have it)")
	f.Int64Var(&o.evalEvery, "eval-every", 5000, "steps between validations, 0 = only at the end")
	f.Int64Var(&o.saveEvery, "checkpoint-every", 1000, "steps between checkpoints, 0 = only at the end")
	f.IntVar(&o.keep, "keep", 3, "newest checkpoints that stay, beside the best")
	f.IntVar(&o.maxCopies, "max-copies", 0,
		"most copies of a position among the train samples of all datasets (0 = no cap)")
	f.IntVar(&o.workers, "workers", 0, "goroutines that read and encode (default: one for each core)")
	f.BoolVar(&o.resume, "resume", false, "continue the run in RUN")
	f.BoolVar(&o.json, "json", false, "print one JSON object on standard output")
	o.arrange(cmd)
	return cmd
}

// arrange puts the flags under headings and says which words they take.
func (o *trainOptions) arrange(cmd *cobra.Command) {
	f := cmd.Flags()
	section(f, "Data and run", "data", "run", "resume", "from", "label", "max-copies", "json")
	section(f, "Network", "preset", "recipe", "blocks", "filters")
	section(f, "Length and batches", "steps", "batch", "accumulate", "seed")
	section(f, "Targets and loss", "policy-target", "value-target", "value-weight", "label-smoothing", "legal-mask",
		"history-dropout")
	section(f, "Learning rate and optimizer", "lr", "min-lr", "schedule", "warmup", "weight-decay", "clip", "ema")
	section(f, "Machine", "backend", "precision", "devices", "deterministic", "workers")
	section(f, "Validation and checkpoints", "eval-every", "checkpoint-every", "keep")
	values(cmd, "preset", presets...)
	values(cmd, "recipe", recipes...)
	values(cmd, "policy-target", policyTargets...)
	values(cmd, "value-target", valueTargets...)
	values(cmd, "schedule", "cosine", "constant", "one-cycle", "piecewise:")
	values(cmd, "backend", backends...)
	values(cmd, "precision", string(train.Float32), string(train.BFloat16))
	completeFolders(cmd, "data", isDataset)
	completeFolders(cmd, "from", train.IsRun)
	completeFolders(cmd, "run", train.IsRun)
}

// The words that flags of several commands take; some go on behind a colon.
var (
	presets       = []string{"v1.5", "10x64", "20x256"}
	recipes       = []string{"talbotbot"}
	policyTargets = []string{"played", "multipv:"}
	valueTargets  = []string{"recipe", "tanh", "wdl", "winprob"}
	backends      = []string{"auto", "go", "xla:cpu", "xla:cuda", "xla:/"}
)

// job turns the flags into a run; flags that were not given leave the preset or the run as it is.
func (o *trainOptions) job(flags *pflag.FlagSet) (job.Train, error) {
	t := job.Train{Dir: o.run, From: o.from, Label: o.label, Resume: o.resume, Steps: o.steps, Backend: o.backend,
		Workers: o.workers}
	if o.run == "" {
		return t, usage(errors.New("--run is missing"), "give the folder for the run, for example --run run1")
	}
	if o.data == "" && !o.resume {
		return t, usage(errors.New("--data is missing"), "give one or more datasets, for example --data labelled")
	}
	if o.from != "" && o.resume {
		return t, usage(errors.New("--from and --resume cannot be used together"), "leave one of them out")
	}
	if o.data != "" {
		var err error
		if t.Data, err = loader.ParseSpecs(o.data); err != nil {
			return t, usage(err, "for example --data games or --data games:0.7,puzzles:0.3")
		}
	}
	if o.maxCopies < 0 {
		return t, usage(fmt.Errorf("--max-copies must not be negative: %d", o.maxCopies), "leave it out for no limit")
	}
	t.MaxCopies = o.maxCopies
	if kind, _, _ := strings.Cut(o.schedule, ":"); flags.Changed("min-lr") && !o.resume &&
		(kind == "constant" || kind == "piecewise") {
		return t, usage(fmt.Errorf("--min-lr has no effect with --schedule %s", o.schedule),
			"leave it out, or use cosine or one-cycle")
	}
	if o.steps < 0 || flags.Changed("steps") && o.steps == 0 && o.resume {
		return t, usage(fmt.Errorf("--steps must be above 0: %d", o.steps),
			"leave it out to pass over the data once")
	}
	if err := checkBackend(o.backend); err != nil {
		return t, err
	}
	if _, err := encode.ParsePolicyTarget(o.policyTarget); err != nil {
		return t, usage(err, "for example --policy-target multipv:0.1")
	}
	if _, err := encode.ParseValueTarget(o.valueTarget); err != nil {
		return t, usage(err, "for example --value-target wdl")
	}
	if !flags.Changed("backend") {
		t.Backend = ""
	}
	if flags.Changed("preset") {
		t.Preset = &o.preset
	}
	if flags.Changed("recipe") {
		t.Recipe = o.recipe
	}
	t.Adjust = func(c *train.Config) { o.adjust(c, flags) }
	return t, nil
}

func (o *trainOptions) adjust(c *train.Config, flags *pflag.FlagSet) {
	set(flags, "blocks", &c.Blocks, o.blocks)
	set(flags, "filters", &c.Filters, o.filters)
	set(flags, "batch", &c.Batch, o.batch)
	set(flags, "accumulate", &c.Accumulate, o.accumulate)
	set(flags, "devices", &c.Devices, o.devices)
	set(flags, "deterministic", &c.Deterministic, o.deterministic)
	set(flags, "clip", &c.Clip, o.clip)
	set(flags, "ema", &c.EMA, o.ema)
	set(flags, "label-smoothing", &c.LabelSmoothing, o.smoothing)
	set(flags, "legal-mask", &c.LegalMask, o.legalMask)
	set(flags, "history-dropout", &c.HistoryDropout, o.historyDropout)
	set(flags, "precision", &c.Precision, train.Precision(o.precision))
	set(flags, "keep", &c.Keep, o.keep)
	set(flags, "seed", &c.Seed, o.seed)
	set(flags, "schedule", &c.Schedule, o.schedule)
	if flags.Changed("schedule") && o.schedule == "one-cycle" {
		c.Warmup = 0
	}
	set(flags, "warmup", &c.Warmup, o.warmup)
	set(flags, "weight-decay", &c.WeightDecay, o.decay)
	set(flags, "value-target", &c.ValueTarget, o.valueTarget)
	set(flags, "policy-target", &c.PolicyTarget, o.policyTarget)
	set(flags, "value-weight", &c.ValueWeight, o.valueWeight)
	set(flags, "eval-every", &c.EvalEvery, o.evalEvery)
	set(flags, "checkpoint-every", &c.CheckpointEvery, o.saveEvery)
	if flags.Changed("lr") {
		c.LR, c.MinLR = o.lr, c.MinLR*o.lr/c.LR
	}
	set(flags, "min-lr", &c.MinLR, o.minLR)
}

// checkBackend rejects what names no backend; whether a backend is there is found out later.
func checkBackend(spec string) error {
	if slices.Contains([]string{"auto", "go", "xla:cpu", "xla:cuda"}, spec) || strings.HasPrefix(spec, "xla:/") {
		return nil
	}
	return usage(fmt.Errorf("unknown backend %q", spec),
		"use auto, go, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so; `talbot doctor` lists the available ones")
}

// set takes over a flag that was given.
func set[T any](flags *pflag.FlagSet, name string, field *T, value T) {
	if flags.Changed(name) {
		*field = value
	}
}

func runTrain(ctx context.Context, flags *pflag.FlagSet, o *trainOptions) error {
	t, err := o.job(flags)
	if err != nil {
		return err
	}
	ctx, stop := interrupts(ctx, abortNow)
	defer stop()
	show, end := phases()
	t.Checked = func(bytes, of int64) {
		show(pipeline.Progress{Verb: "checking the data", Done: bytes, Total: of, Count: bytes, Rate: bytes,
			Unit: pipeline.Bytes})
	}
	t.Surveyed = func(blocks, of int) {
		show(pipeline.Progress{Verb: "counting the data", Done: int64(blocks), Total: int64(of), Count: int64(blocks),
			Rate: int64(blocks), Unit: "blocks"})
	}
	forecast := job.Forecast{Fixed: o.resume || o.from != ""}
	t.Begun = func(s job.Start) { end(); printStart(s); forecast.Start = s }
	t.Resumed = func(step int64, checkpoint string) {
		tell("resuming after step %s from %q\n", pipeline.Thousands(step), checkpoint)
	}
	t.Warn = warn
	progress, done := liveTrain()
	first := true
	t.Progress = func(p train.Progress) {
		if first {
			detail("compiling and the first step: %.1f s", p.Seconds)
		}
		first = false
		if prospect, ok := forecast.Add(p); ok {
			for _, line := range prospectLines(prospect) {
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
		}{result, forecast.Sets})
	}
	printResult(o, result)
	var data []string
	for _, set := range forecast.Sets {
		data = append(data, set.Dir)
	}
	next("eval", "--run", o.run, "--data", strings.Join(data, ","))
	return nil
}

// phases is [progress] for work of several parts: each new verb begins a display of its own.
func phases() (show func(pipeline.Progress), end func()) {
	verb, draw, stop := "", func(pipeline.Progress) {}, func() {}
	end = func() { stop(); verb, stop = "", func() {} }
	return func(p pipeline.Progress) {
		if p.Verb != verb {
			end()
			verb = p.Verb
			draw, stop = progress()
		}
		draw(p)
	}, end
}
