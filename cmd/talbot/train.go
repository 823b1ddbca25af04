package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/network/backend"
	"talbot/network/builtin"
	"talbot/network/run"
	"talbot/train/job"
	"talbot/train/loader"
)

type trainOptions struct {
	existingOptions
	job.Train
	preset       string
	backend      string
	settings     settings
	gpuMemory    float64
	json, random bool
}

func newTrain() *cobra.Command { return new(trainOptions).command() }

func (o *trainOptions) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "train --data DIR[:weight],… --run RUN",
		Short: "Train a network on one or more datasets",
		Long: `Train trains a network on the train split of one or more datasets, and keeps
everything in the folder RUN: settings, losses (also for TensorBoard) and checkpoints. In
--data, :weight is the share of samples drawn from a dataset. Samples of the val splits
measure the network during training and decide which checkpoint is best.

--recipe chooses the encoding and the network, --set NAME=VALUE changes a setting of the
network; ` + "`talbot recipes`" + ` lists both. --from begins a new run with another
network's weights, even a smaller one's, --after continues another run's training on other
data, and --init makes a run that is not trained, for ` + "`talbot selfplay`" + ` to start from.

The first Ctrl-C saves a checkpoint, the second aborts. --resume continues a run and needs
only --run. See docs/5-training.md.`,
		Example: `  talbot train --data labelled --run run1 --blocks 6 --filters 64 --steps 1000
  talbot train --data games:0.7,puzzles:0.3 --run run2 --preset v1.5
  talbot train --run run1 --resume
  talbot train --data more --run run4 --from run1 --lr 1e-3
  talbot train --init --run zero --recipe lynx --blocks 2 --filters 16`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			if o.random {
				return initRun(o)
			}
			backend.SetGPUMemory(o.gpuMemory)
			return runTrain(cmd.Context(), o)
		},
	}
	f := flags.Of(cmd)
	o.addRun(f)
	o.addNetwork(f)
	o.addLength(f)
	o.addTargets(f)
	o.addOptimizer(f)
	o.addMachine(f)
	o.addCheckpoints(f)
	f.Excludes("init", "data", "resume", "after", "steps", "until", "label", "max-copies", "min-clock", "ema")
	f.Excludes("resume", "skip-done", "replace", "from", "after")
	f.Excludes("after", "from")
	return cmd
}

func (o *trainOptions) addRun(f *flags.Set) {
	cmd := f.Command()
	f.Section("Data and run")
	flags.Parse(f, &o.Data, "data", "", "games or --data games:0.7,puzzles:0.3", loader.ParseSpecs,
		"datasets, separated by commas, each with an optional weight (DIR:0.7)")
	f.Required("data")
	f.Unless("data", "resume", "init")
	completeFolders(cmd, "data", isDataset)
	f.String(&o.Dir, "run", "folder of the run (required)")
	f.Required("run")
	completeFolders(cmd, "run", run.IsRun)
	f.Bool(&o.Resume, "resume", "continue the run in RUN")
	o.existingOptions.add(f)
	f.Bool(&o.random, "init", "make the run, with random weights or those of --from, and train nothing")
	f.String(&o.From, "from",
		"take the initial weights from this `RUN`, checkpoint or exported network, or from net: (default: random)")
	complete(cmd, "from", networks)
	f.String(&o.After, "after",
		"continue the training of this `RUN` or checkpoint on other data: same settings, optimizer and schedule")
	completeFolders(cmd, "after", run.IsRun)
	o.addSelection(f)
	addJSON(f, &o.json)
}

// addSelection adds the flags of which samples and labels count.
func (o *trainOptions) addSelection(f *flags.Set) {
	addLabel(f, &o.Label)
	flags.AtLeast(f, &o.MaxCopies, "max-copies", 0,
		"maximum copies of a position among all train samples, spread evenly (0 = no limit)")
	addMinClock(f, &o.MinClock)
}

// check completes the job; flags that were not given leave the preset or the run as it is.
func (o *trainOptions) check(f *pflag.FlagSet) error {
	if o.Dir == builtin.Name {
		return fault.Usage(errors.New("--run net: is the network that comes with talbot, not a folder"),
			"to begin with its weights: --from net: --run run1")
	}
	if f.Changed("backend") {
		o.Backend = o.backend
	}
	if f.Changed("preset") {
		o.Preset = &o.preset
	}
	if !f.Changed("recipe") {
		o.Recipe = ""
	}
	o.Existing = o.existing()
	o.Adjust = func(c *run.Config) error {
		if err := o.settings.apply(c, f); err != nil || o.Resume || o.After != "" {
			return err // what contradicts the run is refused for that
		}
		return effective(c, f)
	}
	return nil
}
