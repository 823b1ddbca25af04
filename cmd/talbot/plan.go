package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/dataset"
	"talbot/encode"
	"talbot/formats/rows"
	"talbot/inspect/plan"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/pipeline/ingest"
	"talbot/train/job"
	"talbot/train/loader"
)

type planOptions struct {
	plan.Request
	splits    dataset.Splits
	trainRate float64
	disk      string
	json      bool

	recipe, preset, backend string
	settings                settings
}

func newPlan() *cobra.Command {
	o := planOptions{disk: "."}
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Estimate the size and time of a pipeline",
		Long: `Plan reads the beginning of each file, in any format that ingest accepts, and
estimates the whole pipeline: positions, disk space, memory, and the hours of labelling
and of training. It writes nothing, and prints every assumption.

Plan measures for a few seconds how fast this machine trains a network of that size;
--train-rate gives the speed of another machine. It fails if there is not enough space for
the datasets. See docs/1-pipeline.md.`,
		Example: `  talbot plan games.pgn.zst puzzles.csv
  talbot plan games.pgn.zst --preset 10x64 --steps 20000
  talbot plan games.pgn.zst --workers 32 --movetime 50ms --train-rate 12000`,
		Args: operands(1, many, "one or more files or folders"),
		RunE: func(cmd *cobra.Command, files []string) error { return runPlan(cmd, &o, files) },
	}
	o.Workers, o.Movetime = runtime.GOMAXPROCS(0), defaultMoveTime
	f := flags.Of(cmd)
	f.Section("Labelling")
	addWorkers(f, &o.Workers, "number of engines")
	flags.Above(f, &o.Movetime, "movetime", 0, "time for each position")
	f.Section("Training")
	addRecipe(f, &o.recipe, "recipe of the network (see \"talbot recipes\")")
	flags.Choice(f, &o.preset, "preset", "training preset, such as v1.5, 10x64 or 20x256", presets()...)
	o.settings.addSize(f)
	flags.Number(f, set(&o.settings, "batch", func(c *run.Config) *int { return &c.Batch }, 0), "batch",
		"number of samples in a step (default: the preset's)")
	flags.AtLeast(f, &o.Steps, "steps", 1, "number of training steps (default: from --epochs)")
	flags.Above(f, &o.Epochs, "epochs", 0, "epochs of training (default: the preset's)")
	addBackend(f, &o.backend, backends)
	flags.Above(f, &o.trainRate, "train-rate", 0, "training speed in positions a second (default: measured)")
	f.Section("Other")
	addSplits(f, &o.splits, "games")
	f.String(&o.disk, "disk", "folder for the datasets; `FOLDER` must have enough space")
	addJSON(f, &o.json)
	return cmd
}

// legalMoves is about how many legal moves a position of a game has.
const legalMoves = 31

// measuringTime is how long the speed of training is measured after the first step.
const measuringTime = 3 * time.Second

// request completes the request.
func (o *planOptions) request(f *pflag.FlagSet) (r plan.Request, c run.Config, err error) {
	r = o.Request
	if _, err := os.Stat(o.disk); err != nil {
		return r, c, fault.Usage(fmt.Errorf("--disk: %w", err), "name a folder that exists")
	}
	if c, err = run.New(o.recipe, o.preset); err != nil {
		return r, c, fault.Usage(err, "`talbot recipes` lists them")
	}
	if err := o.settings.apply(&c, f); err != nil {
		return r, c, err
	}
	if err := c.Validate(); err != nil {
		return r, c, fault.Usage(err, "see `talbot train --help`")
	}
	known, err := recipe.ByName(o.recipe)
	if err != nil {
		return r, c, err
	}
	preset, err := known.Preset(o.preset)
	if err != nil {
		return r, c, err
	}
	if r.Epochs == 0 {
		r.Epochs = float64(preset.Epochs)
	}
	built, err := c.Build()
	if err != nil {
		return r, c, err
	}
	moves := 1
	if built.Encoder.Layout().Moves == encode.LegalMoves {
		moves = legalMoves
	}
	r.Batch, r.TrainShare, r.IngestCores = c.Batch, float64(o.splits.Train)/100, runtime.GOMAXPROCS(0)
	r.Loader = plan.Loader{GroupSamples: loader.GroupSamples,
		SampleBytes: loader.SampleBytes(built.Encoder.Layout(), moves)}
	const trainedBytes = 12 // of a parameter in a checkpoint: the weight and two of AdamW's
	r.Checkpoints = int64(c.Keep+1) * trainedBytes * int64(model.CountTrainable(built.Network.Params()))
	r.ReadFirst = func(ctx context.Context, dir string) error { return job.ReadFirst(ctx, c, dir) }
	return r, c, nil
}

func runPlan(cmd *cobra.Command, o *planOptions, files []string) error {
	r, c, err := o.request(cmd.Flags())
	if err != nil {
		return err
	}
	if r.Inputs, err = ingest.ExpandInputs(files, nil); err != nil {
		return err
	}
	ctx, stop := cli.Stops(cmd.Context())
	defer stop()
	measured := job.Measured{Config: c}
	r.TrainRate = func(ctx context.Context) (float64, string, error) {
		if o.trainRate > 0 {
			return o.trainRate, "--train-rate", nil
		}
		cli.Note("measuring for a few seconds how fast this machine trains the network\n")
		measured, err = job.Measurement{Config: c, Backend: o.backend, For: measuringTime}.Run(ctx)
		return measured.PositionsPerSecond, fmt.Sprintf("measured here: %s on %s", measured.Network, measured.Kind), err
	}
	e, err := r.Run(ctx)
	if err != nil {
		return cli.Repeatable(err)
	}
	_, asked := ingest.Survey(r.Inputs, rows.Stated{}, false)
	if o.json {
		asks := ""
		if asked != nil {
			asks = cli.MessageOf(asked)
		}
		if err := cli.PrintJSON(struct {
			*plan.Estimate
			Recipe   string          `json:"recipe"`
			Settings recipe.Settings `json:"settings"`
			Backend  string          `json:"backend,omitempty"`     // that was measured
			Asks     string          `json:"ingest_asks,omitempty"` // what ingest needs stated about the inputs
		}{e, c.Recipe, c.Settings, measured.Kind, asks}); err != nil {
			return err
		}
		return o.room(e)
	}
	io.WriteString(cli.Stdout, e.Text(shorter(e, measured))) // which remembers its error
	if err := o.room(e); err != nil {
		return err
	}
	if asked != nil {
		_, remedy := fault.Of(asked)
		cli.Warn(fmt.Errorf("ingest asks more of these inputs: %w", asked))
		cli.PrintHint(remedy)
		return nil
	}
	next(append(append([]string{"ingest"}, files...), "--out", newName("lines", ""))...)
	return nil
}

// shorter names what takes less than a long training on a processor: a smaller network, fewer steps, a GPU.
func shorter(e *plan.Estimate, m job.Measured) (lines []string) {
	whole := e.TrainTime()
	if whole <= job.Hour || !backend.OnProcessor(m.Kind) {
		return nil
	}
	const night = 12 * job.Hour
	for _, limit := range []time.Duration{job.Hour, night, 14 * night} {
		if s, ok := job.Within(m.Config, whole, limit); ok {
			lines = append(lines, plan.Shorter(s.Time, s.Flags))
			break
		}
	}
	if whole > night {
		steps := int64(float64(e.TrainSteps) * night.Hours() / e.TrainHours)
		lines = append(lines, plan.Shorter(night, fmt.Sprintf("--steps %d, of the same network", max(1, steps))),
			fmt.Sprintf("%27s on a GPU: --train-rate with what `talbot doctor --gpu` measures there", "less"))
	}
	return lines
}

// room reports where there is less space than is needed. Where the system does not tell, nothing is reported.
func (o *planOptions) room(e *plan.Estimate) error {
	for _, x := range []struct {
		dir, what, remedy string
		bytes             int64
	}{
		{o.disk, "datasets and checkpoints need", "make room, or name a folder on another disk with --disk",
			e.DiskBytes},
		{os.TempDir(), "temporary files need", "make room, or set TMPDIR to a folder on another disk", e.TempBytes},
	} {
		if d := diskSpace(x.dir); d.Total > 0 && d.Free < x.bytes {
			return fault.Hint(fmt.Errorf("%s %s, and %q has %s free", x.what, humanize.Size(float64(x.bytes)), x.dir,
				humanize.Size(float64(d.Free))), x.remedy)
		}
	}
	return nil
}
