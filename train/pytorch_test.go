package train

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"talbot/train/backend"
	"talbot/train/model"
)

// TestPyTorch trains five steps and compares each with PyTorch 2 (CPU): the same initial weights loaded into a module
// built from nn.Conv2d, nn.BatchNorm2d and nn.Linear, the same batches, clip_grad_norm_(0.7), and torch.optim.AdamW
// with decay 0.1 on convolutions and matrices. A row holds the training losses and the gradient norm before the step,
// and the losses in evaluation mode after it.
func TestPyTorch(t *testing.T) {
	want := [][5]float64{
		{8.52656555, 0.081050247, 10.9294519, 8.44394398, 0.0548446327},
		{8.55490017, 0.0728707835, 11.1671124, 8.41827393, 0.0537144765},
		{8.41013718, 0.0691028759, 8.97309971, 8.41109085, 0.0679895505},
		{8.51867104, 0.15699257, 13.8372383, 8.42131996, 0.138266847},
		{8.60511875, 0.0533163659, 7.71429777, 8.4189539, 0.0774579421},
	}
	eachBackend(t, func(t *testing.T, b *backend.Opened) {
		c := tiny()
		c.Config = model.Config{Blocks: 2, Filters: 8}
		c.Clip, c.WeightDecay, c.Decay, c.ValueWeight = 0.7, 0.1, DecayWeights, 5
		e, err := newEngine(b, c)
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		e.network = unpacked{e.network}
		if err := e.forTraining(); err != nil {
			t.Fatal(err)
		}
		for step, want := range want {
			batch := arbitrary(c.Batch, 2, int64(step))
			l, norm, err := e.step(&batch, int64(step), 0.003)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.validate([]Batch{batch})
			if err != nil {
				t.Fatal(err)
			}
			for i, got := range []float64{*l.PolicyCE, *l.ValueMSE, norm, *v.PolicyCE, *v.ValueMSE} {
				if math.Abs(got-want[i]) > 2e-5*want[i] {
					t.Errorf("step %d, figure %d: got %.9g, PyTorch has %.9g", step, i, got, want[i])
				}
			}
		}
	})
}

// unpacked takes planes as its inputs.
type unpacked struct{ model.Network }

func (unpacked) Unpack(planes *graph.Node) *graph.Node { return planes }

// arbitrary is a batch of planes that no position need have, with k moves a sample.
func arbitrary(n, k int, at int64) Batch {
	rng := rand.New(rand.NewPCG(7, uint64(at)))
	b := Batch{N: n, Packed: make([]uint64, n*model.Planes), PolicyIndex: make([]int32, n*k),
		PolicyWeight: make([]float32, n*k), Value: make([]float32, n), ValueWeight: make([]float32, n)}
	for i := range n {
		p := b.Packed[i*model.Planes:][:model.Planes]
		for j := range p {
			p[j] = rng.Uint64() & rng.Uint64() & rng.Uint64()
		}
		king := rng.IntN(64)
		p[5] = 1 << king
		queen := rng.IntN(64)
		p[4] = 1 << queen
		for j := range k {
			b.PolicyIndex[i*k+j] = int32(king*73 + (queen+j)%64)
			b.PolicyWeight[i*k+j] = 1 / float32(k)
		}
		b.Value[i] = float32(bits.OnesCount64(p[0])-8) / 8
		b.Value[i] = max(-1, min(1, b.Value[i]))
		b.ValueWeight[i] = 1
		if rng.IntN(8) == 0 {
			b.ValueWeight[i] = 0
		}
	}
	return b
}
