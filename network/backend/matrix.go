package backend

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/support/exceptions"
)

// MatrixRate measures how many floating-point operations a second the backend does in products of square matrices of
// random numbers, of n rows, in float32 (as XLA rounds its factors) or bfloat16. It measures for at least that long
// after the first execution.
func (o *Backend) MatrixRate(n int, bfloat16 bool, atLeast time.Duration) (perSecond float64, err error) {
	const chained = 8 // products of an execution, each of which needs the one before
	caught := exceptions.TryCatch[error](func() {
		random := rand.New(rand.NewPCG(3, 5))
		data := make([]float32, n*n)
		for i := range data {
			data[i] = float32(random.NormFloat64() / math.Sqrt(float64(n))) // keeps the size of products
		}
		exec := graph.MustNewExec(o.Backend, func(x *graph.Node) *graph.Node {
			if bfloat16 {
				x = graph.ConvertDType(x, dtypes.BFloat16)
			}
			y := x
			for range chained {
				y = graph.Dot(y, x).Product()
			}
			return graph.ReduceAllMax(graph.ConvertDType(y, dtypes.Float32))
		})
		defer exec.Finalize()
		matrix := tensors.FromFlatDataAndDimensions(data, n, n)
		defer matrix.MustFinalizeAll()
		once := func() {
			out := exec.MustCall(matrix)[0]
			if x := tensors.ToScalar[float32](out); !(math.Abs(float64(x)) < 1e6) { // waits for the device
				panic(fmt.Errorf("a product of matrices is %g", x))
			}
			out.MustFinalizeAll()
		}
		once()
		begun, times := time.Now(), 0
		for times == 0 || time.Since(begun) < atLeast {
			once()
			times++
		}
		perSecond = float64(times) * chained * 2 * math.Pow(float64(n), 3) / time.Since(begun).Seconds()
	})
	return perSecond, caught
}
