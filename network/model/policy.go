package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// A policy of indexed moves is a head of one logit for each move that the recipe knows; the one word of a move is its
// index.

// policySums are the sums of a policy over a batch.
type policySums struct {
	entropy  *Node // Σ cross-entropy over samples with a policy target
	smoothed *Node // the same with the smoothed targets
	top1     *Node // Σ of the target's weight on the move of the highest logit; of equals each counts
}

// indexedPolicy sums up a policy's cross-entropy. legal, [N, moves] bool, are the moves that the softmax is over; nil
// for all.
//
// The cross-entropy of a sample is −Σ w·log p over its moves, p the softmax over all logits, or over those of the legal
// moves. It is written as Σ w·logsumexp(z) − Σ w·z, whose gradient is p − w without a gather. Smoothing by ε takes ε of
// a sample's target from its moves and spreads it evenly over all moves of the softmax (Szegedy and others, Rethinking
// the Inception Architecture).
func indexedPolicy(logits *Node, b Batch, legal *Node, smoothing float64) policySums {
	g := logits.Graph()
	n, k := b.Weights.Shape().Dim(0), b.Weights.Shape().Dim(1)
	rows := Iota(g, shapes.Make(dtypes.Int32, n, k, 1), 0)
	at := Concatenate([]*Node{rows, MaxScalar(b.Codes, int32(0))}, 2)
	one := k == 1 // in order and unique: else XLA's deterministic scatter on a GPU is a loop over all targets
	target := StopGradient(Scatter(Reshape(at, n*k, 2), Reshape(b.Weights, n*k), logits.Shape(), one, one))

	allowed, total := logits, ReduceSum(logits, 1) // the mean of the allowed logits is total/count
	count := BroadcastToDims(Scalar(g, logits.DType(), logits.Shape().Dim(1)), n)
	if legal != nil {
		allowed = Where(legal, logits, BroadcastToShape(Scalar(g, logits.DType(), never), logits.Shape()))
		total = ReduceSum(Where(legal, logits, ZerosLike(logits)), 1)
		count = MaxScalar(ReduceSum(ConvertDType(legal, logits.DType()), 1), 1.0)
	}
	top := StopGradient(ReduceAndKeep(allowed, ReduceMax, 1))
	lse := Add(Log(ReduceSum(Exp(Sub(allowed, top)), 1)), Reshape(top, n))
	weight := ReduceSum(b.Weights, 1)
	s := policySums{entropy: Sub(ReduceAllSum(Mul(weight, lse)), ReduceAllSum(Mul(target, logits)))}
	s.smoothed = s.entropy
	if smoothing > 0 {
		even := ReduceAllSum(Mul(weight, Sub(lse, Div(total, count))))
		s.smoothed = Add(MulScalar(s.entropy, 1-smoothing), MulScalar(even, smoothing))
	}
	first := ConvertDType(Equal(allowed, BroadcastToShape(top, allowed.Shape())), logits.DType())
	s.top1 = ReduceAllSum(Mul(target, first))
	return s
}

// listedPolicy sums up a policy whose softmax is over the moves that a batch lists, all legal ones. It does not smooth.
func listedPolicy(logits *Node, b Batch) policySums {
	scores, _, _ := listedLogits(logits, b.Codes)
	return scoredPolicy(scores, b)
}

// scoredPolicy sums up a policy of the scores of the moves that a batch lists.
func scoredPolicy(scores *Node, b Batch) policySums {
	top := ReduceAndKeep(scores, ReduceMax, 1)
	first := ConvertDType(Equal(scores, BroadcastToShape(top, scores.Shape())), dtypes.Float32)
	return policySums{entropy: Neg(ReduceAllSum(Mul(b.Weights, LogSoftmax(scores, 1)))),
		top1: ReduceAllSum(Mul(b.Weights, StopGradient(first)))}
}

// never is the logit of a move that cannot be.
const never = -1e9

// IndexedOutputs is the part of an [Outputs] that a policy of indexed moves gives.
func IndexedOutputs(logits, legal *Node) Outputs {
	g := logits.Graph()
	n, l, moves := legal.Shape().Dim(0), legal.Shape().Dim(1), logits.Shape().Dim(1)
	among, there, at := listedLogits(logits, legal)
	prior := LogSoftmax(among, 1)

	inside := Scatter(at, Reshape(ConvertDType(there, dtypes.Float32), n*l), logits.Shape(), false, false)
	others := Where(GreaterThan(inside, ScalarZero(g, dtypes.Float32)),
		BroadcastToShape(Scalar(g, dtypes.Float32, never), logits.Shape()), logits)
	all, in := logSumExp(logits), logSumExp(among)
	outside := Exp(Sub(others, BroadcastToDims(InsertAxes(all, 1), n, moves)))
	return Outputs{Prior: prior, Inside: Sub(in, all), Outside: ReduceSum(outside, 1), Other: ArgMax(others, 1),
		OtherShare: ReduceMax(outside, 1)}
}

// listedLogits returns the logits of listed moves, [N, L], −1e9 after the last one; which are there, and where they
// are among all logits, [N·L, 2].
func listedLogits(logits, moves *Node) (among, there, at *Node) {
	g := logits.Graph()
	n, l := moves.Shape().Dim(0), moves.Shape().Dim(1)
	there = GreaterOrEqual(Reshape(moves, n, l), ScalarZero(g, dtypes.Int32))
	at = Reshape(Concatenate([]*Node{Iota(g, shapes.Make(dtypes.Int32, n, l, 1), 0), MaxScalar(moves, int32(0))}, 2),
		n*l, 2)
	among = Reshape(Gather(logits, at), n, l)
	return Where(there, among, BroadcastToShape(Scalar(g, dtypes.Float32, never), among.Shape())), there, at
}

// logSumExp is that of each row: [N, M] → [N].
func logSumExp(x *Node) *Node {
	top := ReduceAndKeep(x, ReduceMax, 1)
	return Add(Log(ReduceSum(Exp(Sub(x, top)), 1)), Reshape(top, x.Shape().Dim(0)))
}

// valueSum is Σ weight·(value − target)² over a batch, of the float with that number.
func valueSum(value *Node, b Batch, float int) *Node {
	return ReduceAllSum(Mul(b.Known[float], Square(Sub(value, b.Floats[float]))))
}

// chancesSum is the cross-entropy of chances, of which logits [N, 3] are those of win, draw and loss, over a batch
// whose floats 1 and 2 are the chances of a win and a draw.
func chancesSum(logits *Node, b Batch) *Node {
	chance := LogSoftmax(logits, 1)
	of := func(i int) *Node { return Squeeze(Slice(chance, AxisRange(), AxisElem(i)), 1) }
	win, draw := b.Floats[1], b.Floats[2]
	loss := OneMinus(Add(win, draw))
	return Neg(ReduceAllSum(Mul(b.Known[1], Add(Add(Mul(win, of(0)), Mul(draw, of(1))), Mul(loss, of(2))))))
}
