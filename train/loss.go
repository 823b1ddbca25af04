package train

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// sums are a batch's loss terms, float32 scalars.
type sums struct {
	policy, policyCount *Node // Σ cross-entropy over samples with a policy target, and their number
	value, valueCount   *Node // Σ weight·(v−target)², and Σ weight
}

// lossSums builds the terms. Targets are policyIndex [N, K] int32, policyWeight [N, K], value [N], valueWeight [N].
//
// The cross-entropy of a sample is −Σ w·log p over its moves, p the softmax over all logits, without a mask of legal
// moves. It is written as Σ w·logsumexp(z) − Σ w·z, whose gradient is p − w without a gather.
func lossSums(logits, values, policyIndex, policyWeight, value, valueWeight *Node) sums {
	g := logits.Graph()
	n, k := policyIndex.Shape().Dim(0), policyIndex.Shape().Dim(1)
	rows := Iota(g, shapes.Make(dtypes.Int32, n, k, 1), 0)
	at := Concatenate([]*Node{rows, Reshape(policyIndex, n, k, 1)}, 2)
	target := StopGradient(Scatter(Reshape(at, n*k, 2), Reshape(policyWeight, n*k), logits.Shape(), false, false))

	top := StopGradient(ReduceAndKeep(logits, ReduceMax, 1))
	lse := Add(Log(ReduceSum(Exp(Sub(logits, top)), 1)), Reshape(top, n))
	weight := ReduceSum(policyWeight, 1)
	has := ConvertDType(GreaterThan(weight, ScalarZero(g, dtypes.Float32)), dtypes.Float32)
	return sums{
		policy:      Sub(ReduceAllSum(Mul(weight, lse)), ReduceAllSum(Mul(target, logits))),
		policyCount: ReduceAllSum(has),
		value:       ReduceAllSum(Mul(valueWeight, Square(Sub(values, value)))),
		valueCount:  ReduceAllSum(valueWeight),
	}
}

// mean is sum/count, 0 for a count of 0.
func mean(sum, count *Node) *Node {
	g := sum.Graph()
	empty := Equal(count, ScalarZero(g, count.DType()))
	return Div(sum, Where(empty, ScalarOne(g, count.DType()), count))
}
