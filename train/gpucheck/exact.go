package gpucheck

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/run"
)

// Operation is how far a result is from that of float64 on the processor, ‖a − b‖ / ‖b‖.
type Operation struct {
	Name      string        `json:"name"`
	Precision run.Precision `json:"precision"`
	Apart     float64       `json:"apart"`
}

// Gradients is how far the gradients a of a step are from those of float64 on the processor, b.
type Gradients struct {
	Precision run.Precision `json:"precision"`
	Apart     float64       `json:"apart"`     // ‖a − b‖ / ‖b‖, of all parameters together
	Scale     float64       `json:"scale"`     // a·b / b·b, of the large parameter where that is furthest from 1
	Parameter string        `json:"parameter"` // its name
}

// ErrOperations and ErrGradients report that a backend computes wrong: it is of no use for training.
var (
	ErrOperations = errors.New("the result is wrong")
	ErrGradients  = errors.New("the gradients are wrong")
)

// bounds are how far results may be off by rounding, in float32 to TF32: [Operation].Apart, [Gradients].Apart, and
// [Gradients].Scale from 1.
//
// Rounding by ε pushes a share of about ε of the activations over the kink of a ReLU, which changes a gradient by √ε at
// each layer, at random: with TF32 and bfloat16 the gradients of 20×128 are off by 0.13 and 0.31, but only 0.013 and
// 0.057 along themselves. Bounds are three times that. With 1e-7 they are off by 0.005.
type bounds struct{ operation, apart, scale float64 }

var allowed = map[run.Precision]bounds{run.Float32: {0.002, 0.4, 0.04}, run.BFloat16: {0.01, 0.9, 0.2}}

// large is from how many numbers on what rounding does to a parameter's gradient averages out along it.
const large = 1000

// precisions are those that a backend trains in.
func precisions(b *backend.Backend) []run.Precision {
	if b.Conv == model.Native {
		return []run.Precision{run.Float32, run.BFloat16}
	}
	return []run.Precision{run.Float32}
}

// operations compares a product of matrices and a convolution of boards with those of another backend in float64.
func operations(b, other *backend.Backend) (list []Operation, err error) {
	random := rand.New(rand.NewPCG(3, 4))
	numbers := func(dims ...int) array {
		x := array{make([]float32, shapes.Make(dtypes.Float32, dims...).Size()), dims}
		for i := range x.flat {
			x.flat[i] = 2*random.Float32() - 1
		}
		return x
	}
	for _, o := range []struct {
		name  string
		build func(x, y *graph.Node) *graph.Node
		x, y  array
	}{
		{"product", graph.DotProduct, numbers(256, 512), numbers(512, 192)},
		{"convolution", model.Native.Convolve, numbers(16, 8, 8, 64), numbers(48, 64, 3, 3)},
	} {
		exact, err := compute(other, dtypes.Float64, o.build, o.x, o.y)
		if err != nil {
			return list, fmt.Errorf("%s in float64: %w", o.name, err)
		}
		for _, precision := range precisions(b) {
			dtype := dtypes.Float32
			if precision == run.BFloat16 {
				dtype = dtypes.BFloat16
			}
			got, err := compute(b, dtype, o.build, o.x, o.y)
			if err != nil {
				return list, fmt.Errorf("%s in %s: %w", o.name, precision, err)
			}
			d, _, w := beside(got, exact)
			apart := math.Sqrt(d / w)
			list = append(list, Operation{o.name, precision, apart})
			if !(apart <= allowed[precision].operation) {
				return list, fmt.Errorf("%s in %s: %w, off by %.2g", o.name, precision, ErrOperations, apart)
			}
		}
	}
	return list, nil
}

type array struct {
	flat []float32
	dims []int
}

func (a array) tensor() *tensors.Tensor { return tensors.FromFlatDataAndDimensions(a.flat, a.dims...) }

// compute runs one operation on a backend, in a type.
func compute(b *backend.Backend, dtype dtypes.DType, build func(x, y *graph.Node) *graph.Node, x, y array) (
	result []float32, err error) {
	err = model.Guard(func() error {
		out, err := graph.CallOnce(b.Backend, func(x, y *graph.Node) *graph.Node {
			z := build(graph.ConvertDType(x, dtype), graph.ConvertDType(y, dtype))
			return graph.ConvertDType(z, dtypes.Float32)
		}, x.tensor(), y.tensor())
		if err == nil {
			result, err = tensors.CopyFlatData[float32](out)
		}
		return err
	})
	return result, err
}

// gradients compares the gradients of a step.
func gradients(precision run.Precision, got, exact [][]float32, names []string) (Gradients, error) {
	g := Gradients{Precision: precision, Scale: 1}
	var apart, whole float64
	for i, b := range exact {
		d, along, w := beside(got[i], b)
		apart, whole = apart+d, whole+w
		if scale := along / w; len(b) >= large && !(math.Abs(scale-1) <= math.Abs(g.Scale-1)) {
			g.Scale, g.Parameter = scale, names[i]
		}
	}
	g.Apart = math.Sqrt(apart / whole)
	if limit := allowed[precision]; !(g.Apart <= limit.apart && math.Abs(g.Scale-1) <= limit.scale) {
		return g, fmt.Errorf("%w in %s: off by %.2g, that of %s is %.2f times as large as it should be", ErrGradients,
			precision, g.Apart, g.Parameter, g.Scale)
	}
	return g, nil
}

// beside returns ‖a − b‖², a·b and b·b.
func beside(a, b []float32) (apart, along, whole float64) {
	for i := range b {
		x, y := float64(a[i]), float64(b[i])
		apart, along, whole = apart+(x-y)*(x-y), along+x*y, whole+y*y
	}
	return apart, along, whole
}
