package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/internal/progress"
	"talbot/network/run"
	"talbot/train/job"
	"talbot/train/loader"
)

// measureOptions are the flags of commands that run networks on the samples of a split.
type measureOptions struct {
	data, split, label, backend, valueTarget, weights string

	samples        int64
	batch, workers int
	newest         bool
}

// addFlags adds the flags that all these commands describe alike, and completes the values of all. The command has
// added --value-target, --weights and --newest.
func (o *measureOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.data, "data", "", "datasets, separated by commas (required)")
	f.StringVar(&o.split, "split", "test", "split to measure: test, val, train or all")
	f.Int64Var(&o.samples, "samples", 0, "number of samples, spread over the data (0 = all)")
	f.StringVar(&o.label, "label", "",
		"fingerprint of the labels to use (default: the last label of each sample, with the value from endgame "+
			"tables if there is one)")
	f.IntVar(&o.batch, "batch", 256, "number of positions to evaluate at a time")
	f.StringVar(&o.backend, "backend", "auto", answeringFlag)
	f.IntVar(&o.workers, "workers", 0, "number of goroutines that read and encode (default: one for each core)")
	values(cmd, "split", "test", "val", "train", "all")
	values(cmd, "weights", "raw", "average")
	values(cmd, "value-target", valueTargets...)
	values(cmd, "backend", answering...)
	completeFolders(cmd, "data", isDataset)
}

// check checks the flags but for --data, and returns the target of the values, nil for that of the run, and the
// checkpoint to choose.
func (o *measureOptions) check() (value *encode.ValueTarget, choice run.Choice, err error) {
	if _, err := job.ParseSplits(o.split); err != nil {
		return nil, 0, usage(err, "for example --split test")
	}
	const largest = 1 << 14
	switch {
	case o.samples < 0:
		return nil, 0, usage(fmt.Errorf("--samples must not be negative: %d", o.samples), "use 0 for all samples")
	case o.batch < 1 || o.batch > largest:
		return nil, 0, usage(fmt.Errorf("--batch must be from 1 to %d: %d", largest, o.batch),
			"a larger batch only needs more memory")
	case o.weights != "" && o.weights != "raw" && o.weights != "average":
		return nil, 0, usage(fmt.Errorf("--weights must be raw or average: %q", o.weights), "")
	}
	if err := checkBackend(o.backend, answering); err != nil {
		return nil, 0, err
	}
	if o.valueTarget != "" {
		target, err := encode.ParseValueTarget(o.valueTarget)
		if err != nil {
			return nil, 0, usage(err, "for example --value-target wdl")
		}
		value = &target
	}
	if o.newest {
		choice = run.NewestCheckpoint
	}
	return value, choice, nil
}

// specs reads --data for a command.
func (o *measureOptions) specs(command string) ([]loader.Spec, error) {
	specs, err := loader.ParseSpecs(o.data)
	if err == nil && specs[0].Weight > 0 {
		err = fmt.Errorf("data %q: weights are for training only; %s takes every sample once", o.data, command)
	}
	if err != nil {
		return nil, usage(err, "for example --data games,puzzles")
	}
	return specs, nil
}

// measureProgress shows how far a measurement is.
func measureProgress(show func(progress.Progress)) func(what string, done, of int64) {
	return func(what string, done, of int64) {
		unit := "blocks"
		switch what {
		case "evaluating", "comparing":
			unit = "positions"
		case "checking the data":
			unit = progress.Bytes
		case "solving puzzles":
			unit = "puzzles"
		}
		show(progress.Progress{Verb: what, Done: done, Total: of, Count: done, Rate: done, Unit: unit})
	}
}
