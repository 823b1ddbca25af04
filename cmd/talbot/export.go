package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"talbot/internal/humanize"
	"talbot/internal/output"
	"talbot/network/onnx"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/train/job"
)

type exportOptions struct {
	existingOptions
	run, out, format, licence string

	newest, json bool
	force        bool
}

func newExport() *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export --run RUN --format onnx|safetensors|net --out FILE",
		Short: "Export a network to ONNX or safetensors",
		Long: `Export writes the best checkpoint of a run to one file. --run can also be a checkpoint, or
a file that was exported as safetensors.

With --format onnx the file is an ONNX model (operator set 17) with a free batch
dimension N, for ONNX Runtime, TensorRT and others. Networks of the recipe talbotbot
have:

  planes  float32 N×68×8×8  input planes of 0 and 1, as [plane, rank, file]
                            seen from the side to move: bit i of a plane is
                            [i/8][i%8]
  logits  float32 N×4672    one for each move, legal or not, at
                            from-square × 73 + move plane
  value   float32 N         from −1 to 1; 1 means that the side to move wins

Networks of the recipe napoleon have planes, N×34×8×8, and value; those of tahl have
planes, N×28×8×8, after, N×12×8×8, and value; those of nosearch have tokens, N×78, and
logits, N×1968; those of prior have planes, N×18×8×8, and logits, N×1968; those of
probability have numbers, N×101, and logits, N×20. To see the input of a recipe:
` + "`talbot inspect DIR --sample 0 --recipe napoleon --json`" + `.

With --format safetensors the file holds weights and normalisation statistics under
PyTorch's names and shapes, for load_state_dict. It names recipe and settings too, so
that talbot train --from can begin with it.

With --format net it is a safetensors file to give away: weights in half precision, and
a card that says how the network was trained, on what data and for how many hours, taken
from the files of the run. --run must be a folder. Written to network/builtin in talbot's
sources, it becomes the network that comes with the next build (docs/12-play.md).`,
		Example: `  talbot export --run run1 --format onnx --out network.onnx
  talbot export --run run1 --format safetensors --out network.safetensors
  talbot export --run run1 --format net --out network/builtin/net.safetensors`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runExport(cmd, &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.run, "run", "", "folder of the run, a checkpoint or exported file, or net: (required)")
	f.StringVar(&o.format, "format", "", "file format: onnx, safetensors or net (required)")
	f.StringVar(&o.out, "out", "", "write to this `FILE` (required)")
	f.StringVar(&o.licence, "licence", "Apache-2.0", "licence of the weights, for the card of --format net")
	addForce(f, &o.force)
	o.add(f)
	f.BoolVar(&o.newest, "newest", false, "use the newest checkpoint, not the best")
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	values(cmd, "format", job.Formats...)
	complete(cmd, "run", networks)
	return cmd
}

func runExport(cmd *cobra.Command, o *exportOptions) error {
	if missing := missingFlag("run", o.run, "out", o.out); missing != nil {
		return usage(missing, "for example `talbot export --run run1 --format onnx --out network.onnx`")
	}
	if !slices.Contains(job.Formats, o.format) {
		return usage(fmt.Errorf("format must be one of %s: %q", strings.Join(job.Formats, ", "), o.format),
			"for example --format onnx")
	}
	if run.IsFile(o.run) && o.newest {
		return usage(fmt.Errorf("--newest needs the folder of a run; %q is a file", o.run), "leave out --newest")
	}
	if run.IsFile(o.run) && o.format == "net" {
		return usage(fmt.Errorf("--format net needs the folder of a run, for the card; %q is a file", o.run),
			"give the run, or use --format safetensors")
	}
	out, err := o.outputFile(o.out, o.force).check()
	if err != nil {
		return err
	}
	e := job.Export{Dir: o.run, Format: o.format, Licence: o.licence}
	if o.newest {
		e.Choice = run.NewestCheckpoint
	}
	e.Warn = warn
	var facts []output.Fact
	if o.asked() {
		if facts, err = e.Facts(); err != nil {
			return err
		}
	}
	e.Out = o.file(cmd, out, o.force, facts...)
	x, err := e.Run()
	switch {
	case errors.Is(err, onnx.ErrTooLarge), errors.Is(err, predict.ErrNoONNX):
		return hint(err, "export it with --format safetensors")
	case err != nil:
		return err
	}
	if o.json {
		return printJSON(x)
	}
	summarise("%s: %s, step %s, %s weights, %s, %s\n", x.Out, x.Checkpoint, humanize.Thousands(x.Step), x.Weights,
		humanize.Count(int64(x.Parameters), "parameter"), humanize.Size(float64(x.Bytes)))
	return nil
}
