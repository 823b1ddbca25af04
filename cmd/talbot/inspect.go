package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/inspect/samples"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/network/run"
)

type inspectOptions struct {
	samples.Query
	encodingOptions
	label     string
	sample    int64
	all, json bool
}

func newInspect() *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect DIR|NETWORK",
		Short: "Show samples as the network sees them, or a network",
		Long: `Inspect shows one sample of a dataset, or all of them: the board with the last move in
brackets, the source, the label, and the input and targets that the recipe makes from
them. Samples are numbered from 0.

With --json each sample is one JSON object on its own line, seen from the side to move;
docs/7-exported-network.md describes its members. With --recipe, "input" has the shape and
numbers that the recipe's network reads, and "target" what it learns (see
docs/10-recipes.md).

Of a NETWORK, which is a run, a file of weights or net:, it shows recipe, size, settings, inputs and
outputs, steps and licence.`,
		Example: `  talbot synth-endgames --count 100 --pieces 3-5 --seed 1 --out endgames
  talbot inspect endgames --sample 17
  talbot inspect endgames --sample 17 --json
  talbot inspect endgames --all --split test --json > test.jsonl
  talbot inspect net:`,
		SuggestFor:        []string{"show", "cat", "dump"},
		Args:              operands(1, 1, "one dataset or network"),
		ValidArgsFunction: completeDatasets(1),
	}
	f := flags.Of(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.inspect(cmd.Context(), f, args[0]) }
	f.Section("Samples")
	flags.AtLeast(f, &o.sample, "sample", 0, "number of the sample to show, from 0")
	f.Bool(&o.all, "all", "show all samples")
	flags.Parse(f, &o.Source, "source", "", "game", pointer(dataset.ParseSource),
		"only samples of this source, all of them: "+flags.Listed(dataset.SourceNames(), "or"))
	f.Words("source", dataset.SourceNames()...)
	flags.Parse(f, &o.Split, "split", "", "test", pointer(dataset.ParseSplit),
		"only samples in train, val or test, all of them")
	f.Words("split", "train", "val", "test")
	f.Excludes("sample", "all", "source", "split")
	f.Section("Display")
	f.String(&o.label, "label", "fingerprint of the labels to show (default: those that count in training)")
	o.addEncoding(f)
	f.Bool(&o.json, "json", "print JSON, one object for each sample")
	return cmd
}

func (o *inspectOptions) inspect(ctx context.Context, f *flags.Set, dir string) (err error) {
	given := f.Command().Flags()
	o.all = o.all || o.Source != nil || o.Split != nil
	if run.IsFile(dir) || run.IsRun(dir) {
		if given.Changed("sample") || o.all {
			return fault.Usage(fmt.Errorf("%q is a network, which has no samples", dir),
				"leave out --sample, --all, --source and --split")
		}
		return inspectNetwork(dir, o.json)
	}
	if isDataset(dir) && !given.Changed("sample") && !o.all {
		return fault.Usage(errors.New("a dataset needs --sample or --all"), "`talbot inspect "+dir+" --sample 0`")
	}
	options := samples.Options{Label: o.label, Encoded: given.Changed("recipe") || given.Changed("set")}
	if options.Encoder, options.Targets, err = o.encoding(f); err != nil {
		return err
	}
	d, err := samples.Open(dir, options)
	if err != nil {
		return err
	}
	defer d.Close()
	out := bufio.NewWriter(cli.Stdout)
	if o.json {
		out = bufio.NewWriter(cli.Stdout.Exact())
	}
	if o.all {
		err = o.show(out, d.All(ctx, o.Query))
	} else if s, failed := d.Sample(o.sample); errors.Is(failed, samples.ErrNoSample) {
		err = fault.Usage(failed, "`talbot stats "+dir+"` counts the samples")
	} else {
		err = o.show(out, func(yield func(*samples.Sample, error) bool) { yield(s, failed) })
	}
	if flushed := out.Flush(); err == nil {
		err = flushed
	}
	return err
}

// show writes samples.
func (o *inspectOptions) show(w io.Writer, samples iter.Seq2[*samples.Sample, error]) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	first := true
	for s, err := range samples {
		switch {
		case err != nil:
		case o.json:
			err = enc.Encode(s)
		default:
			if !first {
				fmt.Fprintln(w)
			}
			err = s.WriteText(w)
		}
		if err != nil {
			return err
		}
		first = false
	}
	return nil
}
