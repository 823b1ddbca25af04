package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/pipeline/export"
)

type exportDataOptions struct {
	existingOptions
	out, format, label string
	splits, sources    []string
	encodingOptions
	workers     int
	json, force bool
}

func newExportData() *cobra.Command {
	var o exportDataOptions
	cmd := &cobra.Command{
		Use:   "export-data DIR --format FORMAT --out FILE",
		Short: "Export samples for other programs",
		Long: `Export-data writes the samples of a dataset into one file of another program's format:

` + formatList() + `
Before it begins, it says what the format cannot hold; at the end it says how many
samples had that. Samples without what the format needs are left out and counted. An
unknown result is never written as a draw.

With --format parquet each sample is a row with the columns fen, start, history, played,
best, cp, mate, wdl, depth, nodes, result, source, file, game, ply and split. Scores and
chances are from White's view, as in Lichess's tables; what is not known is null.

With --format npy each sample is a record of --recipe: its planes as one byte for each
rank, bit 0 = file a (or input, as float32, if it is not planes of bits), its targets
(NaN = none) and policy, the index of the move to learn (-1 = none).

The file appears whole or not at all. docs/19-other-formats.md has examples that read it.`,
		Example: `  talbot export-data labelled --format parquet --out samples.parquet
  talbot export-data labelled --format npy --split train --out train.npy`,
		SuggestFor:        []string{"convert", "dump"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return runExportData(cmd, &o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "", "file format: "+listed(export.FormatNames(), "or")+" (required)")
	f.StringVarP(&o.out, "out", "o", "", "write to this `FILE` (required)")
	addForce(f, &o.force)
	o.add(f)
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	f.StringSliceVar(&o.splits, "split", nil, "only samples in these `SPLITS`, separated by commas: train, val, test")
	f.StringSliceVar(&o.sources, "source", nil, "only samples of these `SOURCES`, separated by commas: "+
		strings.Join(dataset.SourceNames(), ", "))
	f.StringVar(&o.label, "label", "", "fingerprint of the labels (default: those that count in training)")
	f.IntVarP(&o.workers, "workers", "w", 0, "number of goroutines that read (default: one for each core)")
	o.addEncoding(cmd)
	section(f, "Output", "format", "out", "skip-done", "replace", "force", "json")
	section(f, "Samples", "split", "source", "label", "workers")
	section(f, "Encoding, for npy", encodingFlags...)
	values(cmd, "format", export.FormatNames()...)
	values(cmd, "split", "train", "val", "test")
	values(cmd, "source", dataset.SourceNames()...)
	return cmd
}

// formatList is the list of formats in help.
func formatList() string {
	var b strings.Builder
	for _, f := range export.Formats() {
		fmt.Fprintf(&b, "  %-8s %s\n", f.Name, f.About)
	}
	return b.String()
}

// request checks the flags.
func (o *exportDataOptions) request(cmd *cobra.Command, dir string) (r export.Request, err error) {
	if missing := missingFlag("format", o.format, "out", o.out); missing != nil {
		return r, usage(missing, "for example `talbot export-data labelled --format parquet --out samples.parquet`")
	}
	r = export.Request{Dir: dir, Label: o.label, Workers: o.workers}
	if r.Format, err = export.ParseFormat(o.format); err != nil {
		return r, usage(err, "for example --format parquet")
	}
	if r.Splits, err = parseEach(o.splits, dataset.ParseSplit); err != nil {
		return r, usage(err, "for example --split train,val; without it all samples are written")
	}
	if r.Sources, err = parseEach(o.sources, dataset.ParseSource); err != nil {
		return r, usage(err, "for example --source game,puzzle")
	}
	if !r.Format.Encoded {
		if i := slices.IndexFunc(encodingFlags, cmd.Flags().Changed); i >= 0 {
			return r, usage(fmt.Errorf("--%s: the format %s does not encode samples", encodingFlags[i], r.Format.Name),
				"leave it out, or use --format npy")
		}
	} else if r.Encoder, r.Targets, err = o.encoding(cmd); err != nil {
		return r, err
	}
	if r.Out.Path, err = o.outputFile(o.out, o.force).check(); err != nil {
		return r, err
	}
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		return r, err // before what the format lacks is listed
	}
	r.Out = o.file(cmd, r.Out.Path, o.force,
		output.Fact{Name: "dataset", Value: fmt.Sprintf("manifest %.16s", m.Hash())})
	return r, nil
}

// parseEach parses the values of a flag.
func parseEach[T any](texts []string, parse func(string) (T, error)) (all []T, err error) {
	for _, text := range texts {
		x, err := parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

func runExportData(cmd *cobra.Command, o *exportDataOptions, dir string) error {
	r, err := o.request(cmd, dir)
	if err != nil {
		return err
	}
	tell("talbot: the format %s %s\n", r.Format.Name, lacks(r.Format))
	ctx, stop := stops(cmd.Context())
	defer stop()
	show, end := showProgress()
	r.Progress = show
	sum, err := r.Run(ctx)
	end()
	if errors.Is(err, export.ErrNothing) {
		return hint(err, "`talbot stats "+dir+"` counts samples by split and source")
	}
	if err != nil {
		return repeatable(err)
	}
	if o.json {
		return printJSON(sum)
	}
	n := humanize.Thousands
	summarise("%s: %s of %s, %s, %.1f s\n", sum.Out, humanize.Count(sum.Samples, "sample"),
		humanize.Count(sum.Lines, "line"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	for _, reason := range sortedReasons(sum.LeftOut) {
		summarise("  samples left out as %s: %s\n", reason, n(sum.LeftOut[reason]))
	}
	for _, f := range r.Format.Lacks {
		if lost := sum.Lost[dataset.Reason(f.Name)]; lost > 0 {
			summarise("  samples written without %s: %s\n", f.About, n(lost))
		}
	}
	return nil
}

// lacks says what a format cannot hold and what it needs.
func lacks(f *export.Format) string {
	names := func(facts []export.Fact) string {
		var all []string
		for _, fact := range facts {
			all = append(all, fact.About)
		}
		return strings.Join(all, "; ")
	}
	text := "cannot hold: " + names(f.Lacks)
	if len(f.Needs) > 0 {
		text += ". It leaves out samples without: " + names(f.Needs)
	}
	return text
}
