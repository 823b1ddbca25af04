package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/output"
	"talbot/pipeline/export"
)

type exportDataOptions struct {
	existingOptions
	encodingOptions
	export.Request
	json, force bool
}

func newExportData() *cobra.Command {
	var o exportDataOptions
	cmd := &cobra.Command{
		Use:   "export-data DIR --format FORMAT --out FILE",
		Short: "Export samples for other programs",
		Long: `Export-data writes the samples of a dataset into one file of another program's format:

` + formatList() + `
It first prints what the format cannot hold, and at the end how many samples had that.
Samples that lack what the format needs are left out and counted. An unknown result is
never written as a draw. The file appears whole or not at all.

docs/19-other-formats.md describes the formats and has examples that read them.`,
		Example: `  talbot export-data labelled --format parquet --out samples.parquet
  talbot export-data labelled --format npy --split train --out train.npy`,
		SuggestFor:        []string{"convert", "dump"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
	}
	f := flags.Of(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return o.export(f, args[0]) }
	f.Section("Output")
	flags.Parse(f, &o.Format, "format", "", "parquet", export.ParseFormat,
		"file format: "+flags.Listed(export.FormatNames(), "or")+" (required)")
	f.Words("format", export.FormatNames()...)
	f.String(&o.Out.Path, "out,o", "write to this `FILE` (required)")
	f.Required("format", "out")
	o.existingOptions.add(f)
	addForce(f, &o.force)
	addJSON(f, &o.json)
	f.Section("Samples")
	addSplitFilter(f, &o.Splits, "only samples in these `SPLITS`, separated by commas: train, val, test")
	flags.List(f, &o.Sources, "source", "game,puzzle", dataset.ParseSource,
		"only samples of these `SOURCES`, separated by commas: "+strings.Join(dataset.SourceNames(), ", "))
	f.Words("source", dataset.SourceNames()...)
	f.String(&o.Label, "label", "fingerprint of the labels (default: those that count in training)")
	addWorkers(f, &o.Workers, "number of goroutines that read (default: one for each core)")
	f.Section("Encoding, for npy")
	o.addEncoding(f)
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

func (o *exportDataOptions) export(f *flags.Set, dir string) error {
	cmd := f.Command()
	r := o.Request
	var err error
	if r.Dir = dir; r.Format.Encoded {
		r.Encoder, r.Targets, err = o.encoding(f)
	} else if i := slices.IndexFunc(encodingFlags, cmd.Flags().Changed); i >= 0 {
		err = fault.Usage(fmt.Errorf("--%s: the format %s does not encode samples", encodingFlags[i], r.Format.Name),
			"leave it out, or use --format npy")
	}
	if err != nil {
		return err
	}
	if r.Out.Path, err = o.outputFile(o.Out.Path, o.force).check(); err != nil {
		return err
	}
	m, err := dataset.ReadManifest(dir)
	if err != nil {
		return err // before what the format lacks is listed
	}
	r.Out = o.file(cmd, r.Out.Path, o.force,
		output.Fact{Name: "dataset", Value: fmt.Sprintf("manifest %.16s", m.Hash())})
	cli.Note("talbot: the format %s %s\n", r.Format.Name, r.Format.Limits())
	sum, err := watched(cmd.Context(), &r, &r.Progress)
	if errors.Is(err, export.ErrNothing) {
		return fault.Hint(err, "`talbot stats "+r.Dir+"` counts samples by split and source")
	}
	if err != nil {
		return err
	}
	return summarise(o.json, sum, sum.Text(r.Format))
}
