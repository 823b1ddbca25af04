package predict

import (
	"fmt"

	"talbot/dataset"
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
	r.Evaluator, r.chances = n, knows.WDL && !knows.Value
	return nil
}
