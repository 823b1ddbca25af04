package predict

import (
	"context"
	"fmt"

	"talbot/dataset"
	"talbot/encode"
	"talbot/network/predict"
	"talbot/play/engine"
)

// Ask has a network predict, with the ratings and the number of moves that the request's network names.
func (r *Request) Ask(n *engine.Network, path string) error {
	knows := n.Capabilities()
	r.Network = dataset.Network{Recipe: n.Config.Recipe, Checkpoint: n.Sum, Step: n.Step, Averaged: n.Averaged,
		Backend: n.Backend, Batch: n.Batch(), Rating: r.Network.Rating, Top: r.Network.Top, Prior: knows.Prior,
		Value: knows.Value || knows.WDL}
	switch {
	case r.Network.Top > 0 && !knows.Prior:
		return fmt.Errorf("--top: the network of %q has no policy", path)
	case r.Network.Rating > 0 && !n.Encoder().Layout().Ratings:
		return fmt.Errorf("--rating: the network of %q does not use ratings", path)
	}
	r.Evaluator = networkEvaluator{n}
	return nil
}

// networkEvaluator evaluates with a network that is open.
type networkEvaluator struct{ *engine.Network }

// Encoder returns the recipe's.
func (e networkEvaluator) Encoder() encode.Encoder { return e.Network.Encoder() }

// Evaluate runs the network.
func (e networkEvaluator) Evaluate(ctx context.Context, positions []EncodedPosition, outputs []Output) error {
	in, out := make([]predict.Input, len(positions)), make([]predict.Output, len(positions))
	for i, p := range positions {
		in[i] = predict.Input(p)
	}
	if err := e.Predict(ctx, in, out); err != nil {
		return err
	}
	knows := e.Capabilities()
	for i := range out {
		outputs[i] = Output{Prior: out[i].Prior, Value: out[i].Value}
		if !knows.Value && knows.WDL {
			outputs[i].Value = encode.ChancesValue(out[i].WDL)
		}
	}
	return nil
}
