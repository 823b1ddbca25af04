package model

import (
	"math"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestLeelaActivations: value and slope of each activation are those of its formula, also far from 0.
func TestLeelaActivations(t *testing.T) {
	const alpha, scale = 1.6732632423543772, 1.0507009873554805
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	formulas := map[string]func(float64) float64{
		"mish":    func(x float64) float64 { return x * math.Tanh(max(x, 0)+math.Log1p(math.Exp(-math.Abs(x)))) },
		"relu":    func(x float64) float64 { return max(x, 0) },
		"none":    func(x float64) float64 { return x },
		"tanh":    math.Tanh,
		"sigmoid": sigmoid,
		"selu":    func(x float64) float64 { return scale * (max(x, 0) + alpha*math.Expm1(min(x, 0))) },
		"swish":   func(x float64) float64 { return x * sigmoid(x) },
		"relu2":   func(x float64) float64 { return max(x, 0) * max(x, 0) },
	}
	points := []float32{-200, -20, -3, -1, -0.1, 0.1, 1, 3, 20, 200}
	for _, name := range LeelaActivations {
		exec := MustNewExec(goBackend(t), func(x *Node) []*Node {
			y := (&Pass{}).activate(name, x)
			return []*Node{y, Gradient(ReduceAllSum(y), x)[0]}
		})
		out := exec.MustCall(tensors.FromFlatDataAndDimensions(points, len(points)))
		values, slopes := tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
		f := formulas[name]
		for i, x := range points {
			const h = 1e-5
			x := float64(x)
			value, slope := f(x), (f(x+h)-f(x-h))/(2*h)
			y, dy := float64(values[i]), float64(slopes[i])
			if !(math.Abs(y-value) <= 2e-6*(1+math.Abs(value)) && math.Abs(dy-slope) <= 4e-6*(1+math.Abs(slope))) {
				t.Errorf("%s(%g) is %g with slope %g, want %g and %g", name, x, y, dy, value, slope)
			}
		}
	}
}
