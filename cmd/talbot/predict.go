package main

import (
	"context"
	"errors"
	"math"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/run"
	"talbot/pipeline/predict"
	"talbot/play/engine"
)

type predictOptions struct {
	makeOptions
	predict.Request
	run, backend string
	batch        int
}

func newPredict() *cobra.Command {
	var o predictOptions
	cmd := &cobra.Command{
		Use:   "predict DIR --run RUN --out DIR",
		Short: "Store a network's predictions for all samples",
		Long: `Predict reads a dataset and writes the same lines with a trained network's predictions
for every sample: the probability of each legal move, if the network has a policy, and the
value for the side to move, if it has one. Labels and the predictions of other networks
stay as they are.

A network that takes ratings as input gets those of the players, or --rating for both. The
same network, backend, batch size and flags give the same bytes. Repeat an interrupted
command to continue it. See docs/3-datasets.md, section 6.`,
		Example: `  talbot predict labelled --run run1 --out predicted
  talbot predict positions --run prior --out candidates --top 20
  talbot predict labelled --run prior --rating 1500 --out as-1500
  talbot predict lines --run net: --fraction 0.01 --out some-predicted`,
		SuggestFor:        []string{"evaluate", "distill", "infer"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.predict(cmd.Context(), args[0]) },
	}
	f := flags.Of(cmd)
	o.add(f, &o.Job)
	f.Section("Network")
	f.String(&o.run, "run", "run, checkpoint or exported network, or net:, the one that comes with talbot (required)")
	f.Required("run")
	completeFolders(cmd, "run", run.IsRun)
	addBackend(f, &o.backend, answering)
	flags.Within(f, &o.batch, "batch", 1, engine.MaxBatch,
		"number of positions to evaluate at a time (default: what suits the backend)")
	flags.Within(f, &o.Network.Rating, "rating", 0, math.MaxUint16, "rating of both players (default: their own)")
	flags.AtLeast(f, &o.Network.Top, "top", 0, "number of most probable moves to keep (default: all legal moves)")
	f.Section("Samples to predict")
	addFraction(f, &o.Fraction, "predict")
	return cmd
}

func (o *predictOptions) predict(ctx context.Context, in string) error {
	if _, err := dataset.ReadManifest(in); err != nil {
		return err // before a network is loaded
	}
	n, err := engine.Open(engine.Config{Path: o.run, Backend: o.backend, Batch: o.batch, Bulk: true})
	if err != nil {
		return err
	}
	defer n.Close()
	warnDamaged(n)
	if err := o.Ask(n, o.run); err != nil {
		return fault.Usage(err, "leave it out")
	}
	o.In = in
	return o.makeOptions.run(ctx, func(ctx context.Context) (made, error) {
		sum, err := o.Request.Run(ctx)
		if errors.Is(err, predict.ErrPredicted) {
			err = fault.Hint(err, "`talbot stats` shows them")
		}
		if err == nil && sum.Unrated > 0 {
			cli.Warnf("the network uses ratings, and %s had none; --rating gives them one",
				humanize.Count(sum.Unrated, "sample"))
		}
		return made{summary: &sum}, err
	})
}
