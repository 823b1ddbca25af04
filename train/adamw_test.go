package train

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
)

func near(t *testing.T, got float32, want float64) {
	t.Helper()
	if math.Abs(float64(got)-want) > 1e-5*max(1, math.Abs(want)) {
		t.Errorf("got %g, want %g", got, want)
	}
}

// TestMaskedAndSmoothedLoss compares with hand-worked numbers: three of the moves are legal, with logits ln 2, ln 1 and
// ln 1, and the others have logits that must not count.
func TestMaskedAndSmoothedLoss(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		const n = 2 // the second sample has no legal moves and no target
		logits := make([]float32, n*encode.TalbotBotMoves)
		for i := range logits {
			logits[i] = 5
		}
		const words = encode.TalbotBotWords + encode.LegalWords
		packed := make([]uint64, n*words)
		legal := packed[encode.TalbotBotWords:]
		packed[2] = 1<<0 | 1<<1 | 1<<63 // a1, b1, h8
		// One step north-east to b2, a knight's first step to c3, seven steps west to a8.
		legal[1], legal[8], legal[6] = 1<<9, 1<<18, 1<<56
		for i, index := range []int{7, 73*1 + 56, 73*63 + 6*7 + 6} {
			logits[index] = []float32{math.Ln2, 0, 0}[i]
		}
		exec, err := graph.NewExec(b.Backend, func(in []*graph.Node) []*graph.Node {
			batch := model.Batch{Packed: in[2], Codes: in[3], Weights: in[4], Floats: in[5:6], Known: in[6:7]}
			s := model.TalbotBot{LabelSmoothing: 0.3, LegalMask: true}.Loss(in[:2], batch)[0]
			plain := model.TalbotBot{LabelSmoothing: 0.3}.Loss(in[:2], batch)[0]
			return []*graph.Node{s.Shown, s.Loss, plain.Shown, plain.Loss,
				graph.ReduceAllSum(graph.Gradient(s.Loss, in[0])[0])}
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(
			tensors.FromFlatDataAndDimensions(logits, n, encode.TalbotBotMoves),
			tensors.FromFlatDataAndDimensions(make([]float32, n), n),
			tensors.FromFlatDataAndDimensions(packed, n, words),
			tensors.FromFlatDataAndDimensions([]int32{7, -1}, n, 1, 1),
			tensors.FromFlatDataAndDimensions([]float32{1, 0}, n, 1),
			tensors.FromFlatDataAndDimensions(make([]float32, n), n),
			tensors.FromFlatDataAndDimensions(make([]float32, n), n))
		if err != nil {
			t.Fatal(err)
		}
		all := math.Log(4669*math.Exp(5) + 4) // the sum of the exponentials, then the mean of the logits
		even := all - (4669*5+math.Ln2)/4672
		want := []float64{math.Ln2, 0.7*math.Ln2 + 0.3*(2*math.Ln2-math.Ln2/3), all - math.Ln2,
			0.7*(all-math.Ln2) + 0.3*even, 0}
		for i := range want {
			near(t, tensors.ToScalar[float32](out[i]), want[i])
		}
	})
}

// TestAverageRamp: a step's share in the average is 1 − (1+t)/(10+t) as long as that is more than 1 − EMA, so that a
// run of a thousand steps hardly averages over more than its last hundred.
func TestAverageRamp(t *testing.T) {
	c := tiny()
	c.EMA = 0.999
	for step, want := range map[int64]float64{0: 9. / 11, 1: 9. / 12, 999: 9. / 1010, 8980: 9. / 8991, 8990: 0.001,
		1e6: 0.001} {
		if got := hyper(c, step, 1)[3]; math.Abs(float64(got)-want) > 1e-7 {
			t.Errorf("step %d: %g, want %g", step, got, want)
		}
	}
}
