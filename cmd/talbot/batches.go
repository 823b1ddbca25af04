package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/progress"
	"talbot/network/run"
	"talbot/train/loader"
)

// ofTrain are flags for the batches of the train split alone.
var ofTrain = []string{"steps", "epochs", "seed"}

type batchesOptions struct {
	trainOptions
	split  string
	epochs int64
}

func newBatches() *cobra.Command {
	o := batchesOptions{split: "train"}
	cmd := &cobra.Command{
		Use:   "batches DIR[:weight],…",
		Short: "Write the batches of a training for other programs",
		Long: `Batches writes on standard output what "talbot train" would train on with the same
datasets, recipe, batch, seed and targets: the same samples in the same order, as packed
inputs, moves with their weights, and values. The first line is JSON and describes the
arrays that follow; the Python package in python/talbot reads them as NumPy arrays.

With --split val, it writes the samples that the training is validated on, once.
See docs/26-python.md.`,
		Example: `  talbot batches labelled --batch 128 --steps 10 > batches.bin
  talbot batches lines:0.7,labelled:0.3 --recipe lynx --epochs 2 > batches.bin
  talbot batches labelled --split val > val.bin`,
		SuggestFor:        []string{"stream", "loader", "dataloader"},
		Args:              operands(1, 1, "datasets, separated by commas, each with an optional weight (DIR:0.7)"),
		ValidArgsFunction: completeDatasets(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if o.Data, err = loader.ParseSpecs(args[0]); err != nil {
				return fault.Usage(err, "games or games:0.7,puzzles:0.3")
			}
			if err := o.check(cmd.Flags()); err != nil {
				return err
			}
			if i := slices.IndexFunc(ofTrain, cmd.Flags().Changed); i >= 0 && o.split != "train" {
				return fault.Usage(fmt.Errorf("--%s has no effect with --split %s", ofTrain[i], o.split),
					"these samples come once: leave out --"+ofTrain[i])
			}
			return o.batches(cmd.Context())
		},
	}
	f, s := flags.Of(cmd), &o.settings
	f.Section("Samples")
	flags.Choice(f, &o.split, "split", "train, or val for the samples that a training is validated on", "train", "val")
	o.addSelection(f)
	f.Section("Batches")
	s.addBatch(f)
	flags.AtLeast(f, &o.Steps, "steps", 1, "number of batches (default: as many epochs as the preset has)")
	flags.AtLeast(f, &o.epochs, "epochs", 1, "number of epochs")
	f.AtMostOne("steps", "epochs")
	flags.Number(f, set(s, "seed", func(c *run.Config) *int64 { return &c.Seed }, 42), "seed",
		"seed for the order of the samples")
	addWorkers(f, &o.Workers, "number of goroutines that read and encode (default: one for each core)")
	f.Section("Encoding")
	o.addPreset(f)
	s.addSet(f, "change a setting of the recipe, `NAME=VALUE`, such as legal_mask=true of talbotbot")
	s.addTargets(f)
	return cmd
}

func (o *batchesOptions) batches(ctx context.Context) error {
	if cli.Stdout.IsTerminal() {
		return fault.Usage(errors.New("batches are not for a terminal"),
			"send standard output to a file or a program, such as `talbot batches labelled > batches.bin`")
	}
	t := o.Train
	show, end := cli.ShowProgress()
	defer end()
	t.Checked = showBytes(show, "checking the data")
	t.Surveyed = func(blocks, of int) {
		progress.Report(show, "counting the data", "blocks", int64(blocks), int64(of))
	}
	t.Warn = cli.Warn
	split, err := dataset.ParseSplit(o.split)
	if err != nil {
		return err
	}
	return t.Batches(ctx, cli.Stdout.Exact(), split, o.epochs)
}
