package train

import (
	"talbot/network/run"
)

// Init makes a run of a network as it is before the first step, with the weights that the configuration's seed draws
// or that it is to begin with: a checkpoint of step 0. No data are needed. Nothing is averaged yet, so the
// configuration's EMA does not count. Of the options only Dir, Claim, Backend, Weights and Warn do; the errors are
// those of [Run].
func Init(c run.Config, o Options) (Result, error) {
	c.EMA = 0
	r, err := begin(c, Options{Dir: o.Dir, Claim: o.Claim, Backend: o.Backend, Weights: o.Weights, Warn: o.Warn})
	if err != nil {
		return Result{}, err
	}
	defer r.end()
	if err := r.save(false); err != nil {
		return Result{}, err
	}
	return Result{Checkpoint: r.saved}, nil
}
