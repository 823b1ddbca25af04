package train

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/recipe"
	"talbot/network/run"
)

// two is a network of one weight and one bias; its gradients are given.
type two struct{ model.Network }

func (two) Params() []model.Param {
	return []model.Param{
		{Name: "w", Shape: []int{2}, Kind: model.Weight, FanIn: 1},
		{Name: "b", Shape: []int{1}, Kind: model.Bias, FanIn: 1},
	}
}

// TestAdamW compares five steps with the published formula in float64. The gradients are 3·w and b + 1.
func TestAdamW(t *testing.T) {
	for _, c := range []run.Config{
		{WeightDecay: 0.1, Decay: recipe.DecayAll},
		{WeightDecay: 0.1, Decay: recipe.DecayWeights},
		{WeightDecay: 0.1, Decay: recipe.DecayWeights, Clip: 0.5},
	} {
		eachBackend(t, func(t *testing.T, b *backend.Backend) {
			store, err := model.NewStore(two{}, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range (two{}).Params() {
				store.AddZeros(firstMomentPrefix+p.Name, p)
				store.AddZeros(secondMomentPrefix+p.Name, p)
			}
			x, y := []float64{0.5, -2, 1}, []float64{3, 3, 1}
			store.Set("w", []int{2}, []float32{0.5, -2})
			store.Set("b", []int{1}, []float32{1})
			exec, err := gomlx.NewExec(b.Backend, store.Store, func(_ *gomlx.Scope, in *graph.Node) *graph.Node {
				store.SetTraining(in.Graph(), true)
				w, bias := store.GetVariable("/w").NodeValue(in), store.GetVariable("/b").NodeValue(in)
				loss := graph.Add(graph.MulScalar(graph.ReduceAllSum(graph.Square(w)), 1.5),
					graph.ReduceAllSum(graph.Add(graph.MulScalar(graph.Square(bias), 0.5), bias)))
				return update(c, store, gradients(store, loss), in)
			})
			if err != nil {
				t.Fatal(err)
			}
			m, v := make([]float64, 3), make([]float64, 3)
			for step := range int64(5) {
				const lr = 0.01
				norm, err := exec.Call1(tensors.FromFlatDataAndDimensions(hyper(c, step, lr), 5))
				if err != nil {
					t.Fatal(err)
				}
				g := []float64{y[0] * x[0], y[1] * x[1], x[2] + 1}
				want := math.Sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2])
				near(t, tensors.ToScalar[float32](norm), want)
				for i := range g {
					if c.Clip > 0 {
						g[i] *= min(1, c.Clip/(want+1e-6))
					}
					m[i] = 0.9*m[i] + 0.1*g[i]
					v[i] = 0.999*v[i] + 0.001*g[i]*g[i]
					if i < 2 || c.Decay == recipe.DecayAll {
						x[i] -= lr * 0.1 * x[i]
					}
					k := float64(step + 1)
					x[i] -= lr * m[i] / (1 - math.Pow(0.9, k)) / (math.Sqrt(v[i]/(1-math.Pow(0.999, k))) + 1e-8)
				}
				w, _ := store.Get("w")
				bias, _ := store.Get("b")
				for i, got := range append(w, bias...) {
					near(t, got, x[i])
				}
			}
		})
	}
}

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

// TestLoss compares with hand-worked numbers: uniform logits, and one logit of ln 4671 that takes half the mass.
func TestLoss(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		const n = 4
		logits := make([]float32, n*encode.TalbotBotMoves)
		logits[1*encode.TalbotBotMoves+7] = float32(math.Log(4671))
		logits[2*encode.TalbotBotMoves+7] = float32(math.Log(4671))
		exec, err := graph.NewExec(b.Backend, func(in []*graph.Node) []*graph.Node {
			var shown []*graph.Node
			for _, s := range (model.TalbotBot{}).Loss(in[:2],
				model.Batch{Codes: in[2], Weights: in[3], Floats: in[4:5],
					Known: in[5:6]}) {
				shown = append(shown, s.Shown)
			}
			return shown
		})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Call(
			tensors.FromFlatDataAndDimensions(logits, n, encode.TalbotBotMoves),
			tensors.FromFlatDataAndDimensions([]float32{0.5, -1, 1, 0}, n),
			tensors.FromFlatDataAndDimensions([]int32{3, 3, 7, -1, 7, 8, -1, -1}, n, 2, 1), // an index twice adds up
			tensors.FromFlatDataAndDimensions([]float32{0.5, 0.5, 1, 0, 0.5, 0.5, 0, 0}, n, 2),
			tensors.FromFlatDataAndDimensions([]float32{1, 1, 1, 1}, n),
			tensors.FromFlatDataAndDimensions([]float32{1, 0.5, 1, 0}, n))
		if err != nil {
			t.Fatal(err)
		}
		uniform, half := math.Log(4672), math.Log(2)
		other := math.Log(2 * 4671)
		for i, want := range []float64{uniform + half + (half+other)/2, 0.25 + 0.5*4, 2.5} {
			near(t, tensors.ToScalar[float32](out[i]), want)
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
