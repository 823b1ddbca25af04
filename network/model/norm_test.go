package model

import (
	"math"
	"math/rand/v2"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestNormBySums: results, statistics and gradients of a normalisation are those that GoMLX derives from its
// definition, however far the mean is from the shift.
func TestNormBySums(t *testing.T) {
	const rows, channels = 4 * 8 * 8, 6
	rng := rand.New(rand.NewPCG(1, 2))
	x, w := make([]float64, rows*channels), make([]float64, rows*channels)
	for i := range x {
		x[i], w[i] = float64(i%channels)*3+rng.NormFloat64(), rng.NormFloat64()
	}
	gain, bias := []float64{1, 2, 0.5, -1, 3, 1}, []float64{0, 1, -1, 2, 0, 1}
	for _, dims := range [][]int{{4, 8, 8, channels}, {rows, channels}} {
		for _, far := range []float64{0, 1, -5} {
			shift := make([]float64, channels)
			for i := range shift {
				shift[i] = far + float64(i)
			}
			per := make([]int, len(dims))
			for i := range per {
				per[i] = 1
			}
			per[len(per)-1] = channels
			exec := MustNewExec(goBackend(t), func(x, w, gain, bias, shift *Node) []*Node {
				var out []*Node
				for _, sums := range []bool{false, true} {
					var y, mean, variance *Node
					if sums {
						y, mean, variance = normBySums(pyTorchNorm, x, gain, bias, shift)
					} else {
						axes := []int{0, 1, 2}[:x.Rank()-1]
						mean = ReduceAndKeep(x, ReduceMean, axes...)
						variance = ReduceAndKeep(Square(Sub(x, mean)), ReduceMean, axes...)
						y = Add(Mul(Div(Sub(x, mean), Sqrt(AddScalar(variance, pyTorchNorm.epsilon))), gain), bias)
					}
					out = append(out, y, mean, variance)
					out = append(out, Gradient(ReduceAllSum(Mul(w, Square(y))), x, gain, bias)...)
				}
				return out
			})
			tensor := func(v []float64, d []int) *tensors.Tensor { return tensors.FromFlatDataAndDimensions(v, d...) }
			out := exec.MustCall(tensor(x, dims), tensor(w, dims), tensor(gain, per), tensor(bias, per),
				tensor(shift, per))
			for i, what := range []string{"y", "mean", "variance", "dx", "dgain", "dbias"} {
				want := tensors.MustCopyFlatData[float64](out[i])
				for k, got := range tensors.MustCopyFlatData[float64](out[i+6]) {
					if math.Abs(got-want[k]) > 1e-9*(1+math.Abs(want[k])) {
						t.Errorf("%v, shift %g: %s[%d] is %g, want %g", dims, far, what, k, got, want[k])
						break
					}
				}
			}
		}
	}
}
