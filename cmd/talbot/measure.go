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
	data                           []loader.Spec
	split, label, backend, weights string
	value                          *encode.ValueTarget // nil: that of the run

	samples        int64
	batch, workers int
	newest         bool
}

// addSamples adds the flags that choose samples; whose explains the default of --value-target.
func (o *measureOptions) addSamples(f *flags.Set, whose string) {
	o.split = "test"
	f.Section("Samples")
	flags.Parse(f, &o.data, "data", "", "games,puzzles", parseUnweighted, "datasets, separated by commas (required)")
	f.Required("data")
	completeFolders(f.Command(), "data", isDataset)
	flags.Parse(f, &o.split, "split", o.split, "test", checked(job.ParseSplits),
		"split to measure: test, val, train or all")
	f.Words("split", "test", "val", "train", "all")
	flags.AtLeast(f, &o.samples, "samples", 0, "number of samples, spread over the data (0 = all)")
	addLabel(f, &o.label)
	flags.Parse(f, &o.value, "value-target", "", "wdl", pointer(encode.ParseValueTarget),
		"target to compare the values with: recipe, tanh, wdl, winprob or result:Q (default: that of "+whose+")")
	f.Words("value-target", valueTargets...)
}

// addNetwork adds the flags that choose weights and how they are evaluated.
func (o *measureOptions) addNetwork(f *flags.Set) {
	o.batch = 256
	f.Bool(&o.newest, "newest", "use the newest checkpoint of a run, not the best")
	flags.Choice(f, &o.weights, "weights", "for a run with --ema: raw or average weights (default: average)",
		"raw", "average")
	addBackend(f, &o.backend, answering)
	flags.Within(f, &o.batch, "batch", 1, 1<<14, "number of positions to evaluate at a time")
	addWorkers(f, &o.workers, "number of goroutines that read and encode (default: one for each core)")
}

// choice returns the checkpoint to take of a run.
func (o *measureOptions) choice() (best run.Choice) {
	if o.newest {
		return run.NewestCheckpoint
	}
	return best
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
		(*show)(progress.Progress{Verb: what, Done: done, Total: of, Count: done, Rate: done, Unit: unit})
	}
}
