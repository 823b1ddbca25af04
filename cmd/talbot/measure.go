package main

import (
	"errors"

	"talbot/encode"
	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/progress"
	"talbot/network/run"
	"talbot/train/job"
	"talbot/train/loader"
)

// measureOptions are the flags of commands that run networks on the samples of a split.
type measureOptions struct {
	job.Measure
	newest bool
}

// addSamples adds the flags that choose samples; whose explains the default of --value-target.
func (o *measureOptions) addSamples(f *flags.Set, whose string) {
	o.Split = "test"
	f.Section("Samples")
	flags.Parse(f, &o.Data, "data", "", "games,puzzles", parseUnweighted, "datasets, separated by commas (required)")
	f.Required("data")
	completeFolders(f.Command(), "data", isDataset)
	flags.Parse(f, &o.Split, "split", o.Split, "test", checked(job.ParseSplits),
		"split to measure: test, val, train or all")
	f.Words("split", "test", "val", "train", "all")
	flags.AtLeast(f, &o.Samples, "samples", 0, "number of samples, spread over the data (0 = all)")
	flags.AtLeast(f, &o.SkipPlies, "skip-plies", 0, "leave out the first plies of games")
	addMinClock(f, &o.MinClock)
	addLabel(f, &o.Label)
	flags.Parse(f, &o.Value, "value-target", "", "wdl", pointer(encode.ParseValueTarget),
		"target to compare the values with: recipe, tanh, wdl, winprob or result:Q (default: that of "+whose+")")
	f.Words("value-target", valueTargets...)
}

// addNetwork adds the flags that choose weights and how they are evaluated.
func (o *measureOptions) addNetwork(f *flags.Set) {
	o.Batch = 256
	f.Bool(&o.newest, "newest", "use the newest checkpoint of a run, not the best")
	flags.Choice(f, &o.Weights, "weights", "for a run with --ema: raw or average weights (default: average)",
		"raw", "average")
	addBackend(f, &o.Backend, answering)
	flags.Within(f, &o.Batch, "batch", 1, 1<<14, "number of positions to evaluate at a time")
	addWorkers(f, &o.Workers, "number of goroutines that read and encode (default: one for each core)")
}

// measure returns what is to be measured, with its warnings shown.
func (o *measureOptions) measure() job.Measure {
	m := o.Measure
	if o.newest {
		m.Choice = run.NewestCheckpoint
	}
	m.Warn, m.Begun = cli.Warn, sayBackend
	return m
}

// parseUnweighted reads datasets of which every sample is taken once.
func parseUnweighted(text string) ([]loader.Spec, error) {
	specs, err := loader.ParseSpecs(text)
	if err == nil && specs[0].Weight > 0 {
		err = errors.New("weights are for training only; here every sample is taken once")
	}
	return specs, err
}

// sayBackend names the backend that a network is measured on.
func sayBackend(backend string) { cli.Note("backend: %s\n", backend) }

// measureProgress shows how far a measurement is.
func measureProgress(show *func(progress.Progress)) func(what string, done, of int64) {
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
		progress.Report(*show, what, unit, done, of)
	}
}
