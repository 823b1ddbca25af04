package train

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/network/backend"
)

// TestOrthogonal: the iteration gives X·Xᵀ (or XᵀX, of a tall matrix) near the identity, and keeps the singular
// vectors: of a diagonal matrix only the diagonal is not 0. Matrices together give what each gives alone.
func TestOrthogonal(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		exec := graph.MustNewExec(b.Backend, func(x *graph.Node) *graph.Node { return orthogonal([]*graph.Node{x})[0] })
		all := graph.MustNewExec(b.Backend, orthogonal)
		rng := rand.New(rand.NewPCG(1, 2))
		shapes := [][2]int{{8, 72}, {16, 4}, {5, 5}, {4, 16}, {8, 72}, {72, 8}}
		var matrices []any
		for _, d := range shapes {
			data := make([]float32, d[0]*d[1])
			for i := range data {
				data[i] = float32(rng.NormFloat64())
			}
			matrices = append(matrices, tensors.FromFlatDataAndDimensions(data, d[0], d[1]))
		}
		for i, out := range all.MustCall(matrices...) {
			d, got := shapes[i], tensors.MustCopyFlatData[float32](out)
			for k, want := range tensors.MustCopyFlatData[float32](exec.MustCall(matrices[i])[0]) {
				if math.Abs(float64(got[k]-want)) > 1e-5 {
					t.Errorf("matrix %d of %v: number %d is %g, alone %g", i, d, k, got[k], want)
				}
			}
			rows, columns, at := d[0], d[1], func(i, k int) float64 { return float64(got[i*d[1]+k]) }
			if rows > columns {
				rows, columns, at = columns, rows, func(i, k int) float64 { return float64(got[k*d[1]+i]) }
			}
			for i := range rows {
				for j := range rows {
					sum := 0.0
					for k := range columns {
						sum += at(i, k) * at(j, k)
					}
					// singular values are from about 0.68 to 1.14, their squares from 0.46 to 1.3
					if want := map[bool]float64{true: 0.88}[i == j]; math.Abs(sum-want) > 0.45 {
						t.Errorf("%v: product of rows %d and %d is %.3f", d, i, j, sum)
					}
				}
			}
		}
		diagonal := []float32{3, 0, 0, 0, 1, 0, 0, 0, 0.2}
		got := tensors.MustCopyFlatData[float32](exec.MustCall(tensors.FromFlatDataAndDimensions(diagonal, 3, 3))[0])
		for i, x := range got {
			// the published polynomial, five times, of each singular value
			s := float64(diagonal[i]) / math.Sqrt(3*3+1+0.2*0.2)
			for range muonRounds {
				s = 3.4445*s - 4.7750*s*s*s + 2.0315*s*s*s*s*s
			}
			if math.Abs(float64(x)-s) > 1e-4 {
				t.Errorf("number %d is %g, want %g", i, x, s)
			}
		}
	})
}
