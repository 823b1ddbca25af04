package train

import (
	"fmt"
	"math/bits"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/internal/splitmix"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/run"
)

// Names of the tensors that training keeps beside the network's are these and the name of a parameter.
const (
	firstMomentPrefix  = "optimizer.m."
	secondMomentPrefix = "optimizer.v."
	averagePrefix      = run.AveragePrefix
	gradientPrefix     = "gradient." // sums of the micro-batches of a step, zero between steps
)

// forTraining adds what training needs beside the network.
func (e *engine) forTraining() error {
	for _, p := range trainable(e.store) {
		names := optimizerTensors(e.config, p)
		if e.config.Accumulate > 1 {
			names = append(names, gradientPrefix+p.Name)
		}
		for _, name := range names {
			if err := e.store.AddZeros(name, p); err != nil {
				return err
			}
		}
	}
	if e.config.EMA > 0 {
		return e.store.AddCopies(averagePrefix)
	}
	return nil
}

// dropoutKey is a function of seed and micro-batch (SplitMix64), so there is no generator state to save.
func dropoutKey(seed, batch int64) []uint32 {
	z := splitmix.Finalise(bits.RotateLeft64(uint64(seed), 32) ^ splitmix.Gamma*uint64(batch+1))
	return []uint32{uint32(z), uint32(z >> 32)}
}

// stepResult is what a step found. The loss may be NaN or infinite, and so may the norm, which is that of the gradient
// before clipping.
type stepResult struct {
	run.Means
	norm float64
}

// step trains on a batch; step counts from 0.
func (e *engine) step(b *Batch, step int64, lr float64) (run.Means, float64, error) {
	s := stack{room: e.room()}
	e.add(&s, b)
	e.upload(&s)
	defer s.clear()
	list, err := e.steps(&s, step, []float64{lr})
	if err != nil {
		return run.Means{}, 0, err
	}
	return list[0].Means, list[0].norm, nil
}

// stepAlone trains on the batch of a stack in a separate execution.
//
// A batch may be trained in several micro-batches, which take the memory of one: the sums of their losses are divided
// by the counts of the whole batch, so that their gradients add up to that of the batch. Only normalisation sees the
// difference: its statistics are those of a micro-batch. Several devices compute the same as one (devices.go).
func (e *engine) stepAlone(b *stack, step int64, lr float64) (s stepResult, err error) {
	over, totals := b.over[0], b.totals
	numbers := hyper(e.config, step, lr)
	parts := e.config.Accumulate
	sums := make([]float64, len(e.terms)+2) // loss, those of the terms, norm
	for i := range parts {
		part := b.part(i, parts)
		out, err := e.runOnAll(&e.train, "training", func(device, devices int) (whole, shared []any) {
			share := part.part(device, devices)
			return []any{
				tensors.FromFlatDataAndDimensions(dropoutKey(e.config.Seed, step*int64(parts)+int64(i)), 2),
				tensors.FromFlatDataAndDimensions(totals, len(totals)),
				tensors.FromFlatDataAndDimensions(numbers, len(numbers)),
			}, e.inputs(&share)
		}, e.trainGraph)
		if err != nil {
			return s, err
		}
		for j := range sums[:len(sums)-1] {
			sums[j] += float64(out[0][j])
		}
		s.norm = float64(out[0][len(sums)-1])
	}
	if parts > 1 {
		out, err := e.runOnAll(&e.update, "update", func(int, int) (whole, shared []any) {
			return []any{tensors.FromFlatDataAndDimensions(numbers, len(numbers))}, nil
		}, e.updateGraph)
		if err != nil {
			return s, err
		}
		s.norm = float64(out[0][0])
	}
	for i, term := range e.terms {
		if term.Over == model.Once { // each part has all of it
			over[i] = float64(parts)
		}
	}
	s.Means = e.means(sums[0], sums[1:], over)
	return s, nil
}

// totals returns what the sum of each term over a batch is divided by, and that of the terms of the loss, 1 instead of
// 0.
func (e *engine) totals(b *Batch) (over []float64, totals []float32) {
	for _, term := range e.terms {
		n := b.over(term.Over, e.layout.Scores)
		over = append(over, n)
		switch {
		case term.Figure:
		case n > 0:
			totals = append(totals, float32(n))
		default:
			totals = append(totals, 1)
		}
	}
	return over, totals
}

// trainGraph is forward and backward pass of a micro-batch, and the update if that is all of the batch.
func (e *engine) trainGraph(in []*Node) *Node {
	key, totals, numbers, b := in[0], in[1], in[2], e.batch(in[3:])
	e.store.SetTraining(key.Graph(), true)
	p := &model.Pass{Store: e.store, Conv: e.conv, Train: true, Losses: true, Key: key,
		OnesSums: e.backend.Kind == "xla:cpu", Turn: e.backend.Kind == "go",
		OneReading: !backend.OnProcessor(e.backend.Kind),
		BFloat16:   e.config.Precision == run.BFloat16}
	shown := p.TransformInput(b.Packed, e.layout.NoHistory, e.config.HistoryDropout)
	shown = p.TransformInput(shown, e.layout.OtherColour, e.config.Mirror)
	sums := e.network.Loss(e.network.Forward(p, e.network.Unpack(p.Conv, shown)), b)
	loss := e.lossOf(sums, totals)
	grads := gradients(e.store, loss)
	norm := ScalarZero(key.Graph(), loss.DType())
	if e.config.Accumulate == 1 {
		norm = update(e.config, e.store, grads, numbers)
	} else {
		for i, p := range trainable(e.store) {
			sum := e.store.GetVariable("/" + gradientPrefix + p.Name)
			sum.SetNodeValue(Add(sum.NodeValue(key.Graph()), grads[i]))
		}
	}
	out := []*Node{loss}
	for _, s := range sums {
		out = append(out, s.Shown)
	}
	return Stack(append(out, norm), 0)
}

// lossOf is the weighted sum of the terms, each divided by what it is over in the whole batch.
func (e *engine) lossOf(sums []model.Sum, totals *Node) (loss *Node) {
	k := 0
	for i, term := range e.terms {
		if term.Figure {
			continue
		}
		x := sums[i].Loss
		if x == nil {
			x = sums[i].Shown
		}
		x = Div(x, at(totals, k))
		if k++; term.Over == model.Once { // each part of a batch adds its share
			x = MulScalar(x, 1/float64(e.config.Accumulate))
		}
		if loss != nil || term.Weight != 1 {
			x = MulScalar(x, term.Weight)
		}
		if loss == nil {
			loss = x
		} else {
			loss = Add(loss, x)
		}
	}
	return loss
}

// updateGraph updates with the sums of the micro-batches and sets them back to zero.
func (e *engine) updateGraph(in []*Node) *Node {
	g := in[0].Graph()
	e.store.SetTraining(g, true)
	var grads []*Node
	for _, p := range trainable(e.store) {
		sum := e.store.GetVariable("/" + gradientPrefix + p.Name)
		grads = append(grads, sum.NodeValue(g))
		sum.SetNodeValue(ZerosLike(sum.NodeValue(g)))
	}
	return InsertAxes(update(e.config, e.store, grads, in[0]), 0)
}

// calibrate gives the averaged weights their own running statistics: the means of the batches' statistics over all
// of the batches, each batch normalised by its own (PyTorch's torch.optim.swa_utils.update_bn). Running statistics
// belong to the weights they were measured with: neither those of the trained weights nor an average of them fits
// averaged weights. It depends on the averaged weights and the batches alone, so it may be done at any time, and
// changes nothing else.
func (e *engine) calibrate(batches []Batch) error {
	for i, b := range batches {
		_, err := e.run(&e.calibration, "calibration", []any{
			tensors.FromScalar(float32(1 / float64(i+1))),
			packedInput(&b),
		}, func(in []*Node) *Node {
			e.store.SetTraining(in[0].Graph(), true)
			p := &model.Pass{Store: e.store, Conv: e.conv, Train: true, Prefix: averagePrefix, Momentum: in[0]}
			var heads []*Node
			for _, head := range e.network.Forward(p, e.network.Unpack(p.Conv, in[1])) {
				heads = append(heads, ReduceAllSum(head))
			}
			return Stack(heads, 0)
		})
		if err != nil {
			return fmt.Errorf("statistics of the averaged weights, batch %d: %w", i, err)
		}
	}
	return nil
}

// compile builds a graph at its first use.
func (e *engine) compile(x **gomlx.Exec, what string, build func(in []*Node) *Node) (err error) {
	if *x == nil {
		*x, err = gomlx.NewExec(e.backend.Backend, e.store.Store,
			func(_ *gomlx.Scope, in []*Node) *Node { return build(in) })
	}
	if err != nil {
		return fmt.Errorf("building the %s graph: %w", what, err)
	}
	return nil
}
