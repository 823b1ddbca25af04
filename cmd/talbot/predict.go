package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/humanize"
	"talbot/network/predict"
	"talbot/network/run"
	pipelinepredict "talbot/pipeline/predict"
	"talbot/play/engine"
)

type predictOptions struct {
	existingOptions
	out     string
	run     string
	backend string
	batch   int
	rating  int
	top     int
	share   string
	json    bool
}

func newPredict() *cobra.Command {
	var o predictOptions
	cmd := &cobra.Command{
		Use:   "predict DIR --run RUN --out DIR",
		Short: "Store a network's predictions for all samples",
		Long: `Predict reads a dataset and writes the same lines with a trained network's predictions
for every sample: the probability of each legal move, if the network has a policy, and the
value for the side to move, if it has one. Labels stay as they are, and so do the
predictions of other networks. Checkmates and stalemates are skipped.

Probabilities and values are stored in 16 bits, with a relative error of at most 0.025 %
for probabilities above 1e-13 and an error of at most 0.000016 for values. --top K keeps
the K most probable moves of a sample.

A network that takes ratings as input gets those of the players, which for aggregated
positions are the centres of their bands. --rating gives both players the same rating
instead.

--fraction predicts a share of the samples: those that "talbot label" takes with the same
--fraction.

The manifest names the network by the checksum of its checkpoint, the backend, the batch
size and these flags. With the same network, backend, batch size and flags the bytes are
the same. Predictions are written to a journal as they are made. Repeat an interrupted
command to continue it.`,
		Example: `  talbot predict labelled --run run1 --out predicted
  talbot predict positions --run prior --out candidates --top 20
  talbot predict labelled --run prior --rating 1500 --out as-1500
  talbot predict lines --run net: --fraction 0.01 --out some-predicted`,
		SuggestFor:        []string{"evaluate", "distill", "infer"},
		Args:              operands(1, 1, "one dataset"),
		ValidArgsFunction: completeDatasets(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return o.predict(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "folder of the dataset to write (required)")
	f.StringVar(&o.run, "run", "",
		"run, checkpoint or exported network, or net:, the one that comes with talbot (required)")
	f.StringVar(&o.backend, "backend", "auto", answeringFlag)
	f.IntVar(&o.batch, "batch", 0, "positions to evaluate at once (default: what suits the backend)")
	f.IntVar(&o.rating, "rating", 0, "rating of both players (default: their own)")
	f.IntVar(&o.top, "top", 0, "number of most probable moves to keep (default: all legal moves)")
	f.StringVar(&o.share, "fraction", "1", "share of the samples to predict, spread over all games")
	f.BoolVar(&o.json, "json", false, "print the result as one JSON object")
	o.existingOptions.add(f)
	section(f, "Output", "out", "skip-done", "replace", "json")
	section(f, "Network", "run", "backend", "batch", "rating", "top")
	section(f, "Samples to predict", "fraction")
	values(cmd, "backend", answering...)
	completeFolder(cmd, "out")
	completeFolders(cmd, "run", run.IsRun)
	return cmd
}

func (o *predictOptions) predict(cmd *cobra.Command, in string) error {
	const example = "for example `talbot predict labelled --run run1 --out predicted`"
	if missing := missingFlag("run", o.run, "out", o.out); missing != nil {
		return usage(missing, example)
	}
	if o.rating < 0 || o.rating > math.MaxUint16 {
		return usage(fmt.Errorf("--rating must be from 0 to %d: %d", math.MaxUint16, o.rating),
			"for example --rating 1500")
	}
	if o.top < 0 {
		return usage(fmt.Errorf("--top must not be negative: %d", o.top), "for example --top 20")
	}
	if o.batch < 0 || o.batch > engine.MaxBatch {
		return usage(fmt.Errorf("--batch must be from 1 to %d: %d", engine.MaxBatch, o.batch), "for example --batch 64")
	}
	share, err := parseShare(o.share)
	if err != nil {
		return usage(err, "for example --fraction 0.01")
	}
	if err := checkBackend(o.backend, answering); err != nil {
		return err
	}
	if _, err := dataset.ReadManifest(in); err != nil {
		return err // before a network is loaded
	}
	n, err := engine.Open(engine.Config{Path: o.run, Backend: o.backend, Batch: o.batch, Bulk: true})
	if err != nil {
		return err
	}
	defer n.Close()
	for _, d := range n.Damaged {
		warn(fmt.Errorf("skipped a damaged checkpoint: %w", d))
	}
	net, err := o.network(n)
	if err != nil {
		return err
	}
	ctx, stop := interrupts(cmd.Context())
	defer stop()
	show, end := showProgress()
	sum, err := pipelinepredict.Request{In: in, Out: o.out, Existing: o.existing(), Network: net, Evaluator: networkEvaluator{n},
		Fraction: dataset.Fraction(share), ResumeCommand: invocation(), Progress: show, Warn: warn}.Run(ctx)
	end()
	if errors.Is(err, pipelinepredict.ErrPredicted) {
		return hint(err, "`talbot stats` shows them")
	}
	if err != nil {
		return resumable(err)
	}
	return o.print(sum)
}

// network describes what answers.
func (o *predictOptions) network(n *engine.Network) (dataset.Network, error) {
	knows := n.Capabilities()
	d := dataset.Network{Recipe: n.Config.Recipe, Checkpoint: n.Sum, Step: n.Step, Averaged: n.Averaged,
		Backend: n.Backend, Batch: n.Batch(), Rating: o.rating, Top: o.top, Prior: knows.Prior,
		Value: knows.Value || knows.WDL}
	switch {
	case o.top > 0 && !d.Prior:
		return d, usage(fmt.Errorf("--top: the network of %q has no policy", o.run), "leave it out")
	case o.rating > 0 && !n.Encoder().Layout().Ratings:
		return d, usage(fmt.Errorf("--rating: the network of %q does not use ratings", o.run), "leave it out")
	}
	return d, nil
}

func (o *predictOptions) print(sum pipelinepredict.Summary) error {
	if o.json {
		return printJSON(sum)
	}
	n := humanize.Thousands
	summarise("%s: %s of %s predicted by %s, step %d, on %s (network %s), %s game over, %s, %s more per "+
		"sample, %.1f s\n",
		o.out, n(sum.Predicted), humanize.Count(sum.Samples, "sample"), sum.Network.Recipe, sum.Network.Step,
		sum.Network.Backend, sum.ID, n(sum.GameOver), humanize.Rate(sum.PositionsPerSecond),
		humanize.Size(float64(sum.AddedBytes)/float64(max(1, sum.Samples))), sum.Seconds)
	if sum.Unrated > 0 {
		sayKind("warning", "the network uses ratings, and %s had none; --rating gives them one",
			humanize.Count(sum.Unrated, "sample"))
	}
	return nil
}

// networkEvaluator lets a pipeline ask a network.
type networkEvaluator struct{ *engine.Network }

// Encoder returns the recipe's.
func (e networkEvaluator) Encoder() encode.Encoder { return e.Network.Encoder() }

// Evaluate runs the network.
func (e networkEvaluator) Evaluate(ctx context.Context, questions []pipelinepredict.EncodedPosition,
	answers []pipelinepredict.Output) error {
	asked, said := make([]predict.Input, len(questions)), make([]predict.Output, len(questions))
	for i, q := range questions {
		asked[i] = predict.Input(q)
	}
	if err := e.Network.Predict(ctx, asked, said); err != nil {
		return err
	}
	knows := e.Capabilities()
	for i := range said {
		answers[i] = pipelinepredict.Output{Prior: said[i].Prior, Value: said[i].Value}
		if !knows.Value && knows.WDL {
			answers[i].Value = encode.ChancesValue(said[i].WDL)
		}
	}
	return nil
}
