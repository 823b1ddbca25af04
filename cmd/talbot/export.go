package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/internal/plain"
	"talbot/network/onnx"
	"talbot/network/run"
	"talbot/train/job"
)

type exportOptions struct {
	existingOptions
	job.Export
	newest, json, force bool
}

func newExport() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export --run RUN --format onnx|safetensors|net|lc0 --out FILE",
		Short: "Export a network to ONNX, safetensors or lc0",
		Long: `Export writes the best checkpoint of a run to one file. --run can also be a
checkpoint, a file exported as safetensors, or a network of lc0's.

  onnx         a model (operator set 17) with a free batch dimension
  safetensors  weights and normalisation statistics under PyTorch's names and
               shapes, for load_state_dict and for talbot train --from
  net          a safetensors file for sharing: weights in half precision, with a
               card that says how the network was trained; placed in
               network/builtin of talbot's sources, it is built into talbot
  lc0          a network file of lc0's (.pb.gz), of networks of the recipe leela

See docs/7-exported-network.md for inputs and outputs, and docs/12-play.md.`,
		Example: `  talbot export --run run1 --format onnx --out network.onnx
  talbot export --run run1 --format safetensors --out network.safetensors
  talbot export --run run1 --format net --out network/builtin/net.safetensors`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runExport(cmd, &o) },
	}
	f := flags.Of(cmd)
	f.String(&o.Dir, "run", "folder of the run, a checkpoint or exported file, or net: (required)")
	complete(cmd, "run", networks)
	flags.Choice(f, &o.Format, "format", "file format: onnx, safetensors, net or lc0 (required)", job.Formats...)
	f.String(&o.Out.Path, "out", "write to this `FILE` (required)")
	f.Required("run", "format", "out")
	f.String(&o.Licence, "licence", "licence of the weights, for --format net and lc0 (default: Apache-2.0, or that "+
		"of the network of lc0's that it was trained from)")
	addForce(f, &o.force)
	o.add(f)
	f.Bool(&o.newest, "newest", "use the newest checkpoint, not the best")
	addJSON(f, &o.json)
	return cmd
}

func runExport(cmd *cobra.Command, o *exportOptions) error {
	if run.IsFile(o.Dir) && o.newest {
		return fault.Usage(fmt.Errorf("--newest needs the folder of a run; %q is a file", o.Dir), "leave out --newest")
	}
	if run.IsFile(o.Dir) && o.Format == "net" {
		return fault.Usage(fmt.Errorf("--format net needs the folder of a run, for the card; %q is a file", o.Dir),
			"give the run, or use --format safetensors")
	}
	e := o.Export
	file := o.outputFile(e.Out.Path, o.force)
	file.inputs = []string{o.Dir}
	out, err := file.check()
	if err != nil {
		return err
	}
	if o.newest {
		e.Choice = run.NewestCheckpoint
	}
	e.Warn = cli.Warn
	var facts output.Facts
	if o.asked() {
		if facts, err = e.Facts(); err != nil {
			return err
		}
	}
	e.Out = o.file(cmd, out, o.force, facts...)
	x, err := e.Run()
	if errors.Is(err, onnx.ErrTooLarge) {
		return fault.Hint(err, "export it with --format safetensors")
	}
	if err != nil {
		return err
	}
	return summarise(o.json, x, plain.Sprintf("%s: %s, step %s, %s weights, %s, %s\n", x.Out, x.Checkpoint,
		humanize.Thousands(x.Step), x.Weights, humanize.Count(int64(x.Parameters), "parameter"),
		humanize.Size(float64(x.Bytes))))
}
