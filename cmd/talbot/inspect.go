package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/inspect/samples"
)

type inspectOptions struct {
	label  string
	dir    string
	sample int64
	all    bool
	source string
	split  string
	json   bool
	encodingOptions
}

func newInspect() *cobra.Command {
	var o inspectOptions
	cmd := &cobra.Command{
		Use:   "inspect DIR (--sample N | --all)",
		Short: "Show samples as the network sees them",
		Long: `Inspect shows one sample of a dataset, or all of them: the board with the last move in
brackets, the source, the label, and the input and targets that the recipe makes from
them.

Samples are numbered from 0. The label shown is the one that counts in training: the
last one from an engine, or that of --label. With --json each sample is one JSON object
on a line of its own, with the input planes and the index of every legal move:

  planes   of talbotbot: 68 strings of 16 hex digits; bit i is square i (a1 = 0,
           h8 = 63)
  legal    every legal move with its index in the policy
  policy   the move to learn, or null; if there are several, they are in
           policies with their weights
  value    the value to learn, from the view of the side to move
  label    the engine's answer, or null if it was not asked because the game
           is over by mate, stalemate or insufficient material; the value
           then follows from the rules

Planes and indices are seen from the side to move: for Black the ranks are mirrored and
the colours swapped. With --recipe the JSON also has what that recipe's network reads
and learns:

  input    shape and data: the numbers of the input, row by row; planes are
           [plane][rank][file] from a1
  target   what the network learns, or null; see ` + "`talbot recipes`" + `

Recipes without planes of bits have no planes, and recipes that do not number the moves
have the index -1.`,
		Example: `  talbot synth-endgames --count 100 --pieces 3-5 --seed 1 --out endgames
  talbot inspect endgames --sample 17
  talbot inspect endgames --sample 17 --json
  talbot inspect endgames --all --split test --json > test.jsonl`,
		SuggestFor:        []string{"show", "cat", "dump"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.dir = args[0]
			return runInspect(cmd, &o)
		},
	}
	f := cmd.Flags()
	f.Int64Var(&o.sample, "sample", 0, "number of the sample to show, from 0")
	f.BoolVar(&o.all, "all", false, "show all samples")
	f.StringVar(&o.source, "source", "", "only samples of this source (with --all): "+
		listed(dataset.SourceNames(), "or"))
	f.StringVar(&o.split, "split", "", "only samples in train, val or test (with --all)")
	f.StringVar(&o.label, "label", "", "fingerprint of the labels to show (default: those that count in training)")
	o.addEncoding(cmd)
	f.BoolVar(&o.json, "json", false, "print JSON, one object for each sample")
	section(f, "Samples", "sample", "all", "source", "split")
	section(f, "Display", append(append([]string{"label"}, encodingFlags...), "json")...)
	values(cmd, "source", dataset.SourceNames()...)
	values(cmd, "split", "train", "val", "test")
	return cmd
}

// read checks the flags: how samples are shown, and which with --all.
func (o *inspectOptions) read(cmd *cobra.Command) (in samples.Options, f samples.Filter, err error) {
	in.Label = o.label
	one := cmd.Flags().Changed("sample")
	const which = "`talbot inspect DIR --sample 0` shows the first sample, --all shows them all"
	switch {
	case one && o.all:
		return in, f, usage(errors.New("--sample and --all cannot be used together"), which)
	case !one && !o.all:
		return in, f, usage(errors.New("--sample or --all is missing"), which)
	case o.sample < 0:
		return in, f, usage(fmt.Errorf("--sample must not be negative: %d", o.sample), which)
	case one && (o.source != "" || o.split != ""):
		return in, f, usage(errors.New("--source and --split work only with --all"), which)
	}
	if f.Source, err = optional(o.source, dataset.ParseSource); err != nil {
		return in, f, err
	}
	if f.Split, err = optional(o.split, dataset.ParseSplit); err != nil {
		return in, f, err
	}
	in.Encoded = cmd.Flags().Changed("recipe") || len(o.set) > 0
	in.Encoder, in.Targets, err = o.encoding(cmd)
	return in, f, err
}

// optional parses the value of a flag; nil for none.
func optional[T any](text string, parse func(string) (T, error)) (*T, error) {
	if text == "" {
		return nil, nil
	}
	x, err := parse(text)
	if err != nil {
		return nil, usage(err, "")
	}
	return &x, nil
}

func runInspect(cmd *cobra.Command, o *inspectOptions) error {
	options, filter, err := o.read(cmd)
	if err != nil {
		return err
	}
	d, err := samples.Open(o.dir, options)
	if err != nil {
		return err
	}
	defer d.Close()
	out := bufio.NewWriter(stdout)
	if o.json {
		out = bufio.NewWriter(stdout.exact())
	}
	if o.all {
		err = o.show(out, d.All(cmd.Context(), filter))
	} else if s, failed := d.Sample(o.sample); errors.Is(failed, samples.ErrNoSample) {
		err = usage(failed, "`talbot stats "+o.dir+"` counts the samples")
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
