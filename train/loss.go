package train

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"

	"talbot/train/model"
)

// sums are a batch's loss terms, float32 scalars.
type sums struct {
	policy, policyCount *Node // Σ cross-entropy over samples with a policy target, and their number
	smoothed            *Node // Σ cross-entropy with the smoothed targets
	top1                *Node // Σ of the target's weight on the move of the highest logit; of equals each counts
	value, valueCount   *Node // Σ weight·(v−target)², and Σ weight
}

// lossSums builds the terms. The inputs are those of targets: packed, policyIndex [N, K] int32, policyWeight [N, K],
// value [N], valueWeight [N] and, for a mask of legal moves, [N, 16] uint64.
//
// The cross-entropy of a sample is −Σ w·log p over its moves, p the softmax over all logits, or over those of the legal
// moves if there is a mask. It is written as Σ w·logsumexp(z) − Σ w·z, whose gradient is p − w without a gather.
// Smoothing by ε takes ε of a sample's target from its moves and spreads it evenly over all moves of the softmax
// (Szegedy and others, Rethinking the Inception Architecture).
func lossSums(logits, values *Node, in []*Node, smoothing float64) sums {
	g := logits.Graph()
	policyIndex, policyWeight, value, valueWeight := in[1], in[2], in[3], in[4]
	n, k := policyIndex.Shape().Dim(0), policyIndex.Shape().Dim(1)
	rows := Iota(g, shapes.Make(dtypes.Int32, n, k, 1), 0)
	at := Concatenate([]*Node{rows, Reshape(policyIndex, n, k, 1)}, 2)
	one := k == 1 // in order and unique: else XLA's deterministic scatter on a GPU is a loop over all targets
	target := StopGradient(Scatter(Reshape(at, n*k, 2), Reshape(policyWeight, n*k), logits.Shape(), one, one))

	allowed, total := logits, ReduceSum(logits, 1) // the mean of the allowed logits is total/count
	count := BroadcastToDims(Scalar(g, dtypes.Float32, logits.Shape().Dim(1)), n)
	if len(in) > 5 {
		legal := model.LegalMoves(in[0], in[5])
		allowed = Where(legal, logits, BroadcastToShape(Scalar(g, dtypes.Float32, -1e9), logits.Shape()))
		total = ReduceSum(Where(legal, logits, ZerosLike(logits)), 1)
		count = MaxScalar(ReduceSum(ConvertDType(legal, dtypes.Float32), 1), 1.0)
	}
	top := StopGradient(ReduceAndKeep(allowed, ReduceMax, 1))
	lse := Add(Log(ReduceSum(Exp(Sub(allowed, top)), 1)), Reshape(top, n))
	weight := ReduceSum(policyWeight, 1)
	has := ConvertDType(GreaterThan(weight, ScalarZero(g, dtypes.Float32)), dtypes.Float32)
	policy := Sub(ReduceAllSum(Mul(weight, lse)), ReduceAllSum(Mul(target, logits)))
	smoothed := policy
	if smoothing > 0 {
		even := ReduceAllSum(Mul(weight, Sub(lse, Div(total, count))))
		smoothed = Add(MulScalar(policy, 1-smoothing), MulScalar(even, smoothing))
	}
	first := ConvertDType(Equal(allowed, BroadcastToShape(top, allowed.Shape())), dtypes.Float32)
	return sums{
		policy:      policy,
		top1:        ReduceAllSum(Mul(target, first)),
		policyCount: ReduceAllSum(has),
		smoothed:    smoothed,
		value:       ReduceAllSum(Mul(valueWeight, Square(Sub(values, value)))),
		valueCount:  ReduceAllSum(valueWeight),
	}
}
