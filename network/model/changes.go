package model

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// A policy of changes is a head of one logit for each bit of a board after a move; the words of a move are the bits
// that it changes, each as 2·bit, plus 1 where it is cleared, −1 after the last.

// ChangeScores returns what legal moves make of the logits of bits, [N, bits]: the sum of those that a move sets minus
// those that it clears, [N, L], for the words of moves [N, L, words]; −1e9 after the last move. The scores of a
// position differ from the sums of the logits of all bits set after a move by one number, so that the softmax is the
// same. It is proportional to the probability that independent bits of these logits are those after the move.
func ChangeScores(logits, moves *Node) *Node {
	g := logits.Graph()
	d := moves.Shape().Dimensions
	n, l, words := d[0], d[1], d[2]
	zero := ScalarZero(g, dtypes.Int32)
	there := GreaterOrEqual(moves, zero)
	word := MaxScalar(moves, int32(0))
	rows := Iota(g, shapes.Make(dtypes.Int32, n, l*words, 1), 0)
	bit := Reshape(BitwiseShiftRightArithmeticScalar(word, 1), n, l*words, 1)
	at := Reshape(Concatenate([]*Node{rows, bit}, 2), n*l*words, 2)
	changed := Reshape(Gather(logits, at), n, l, words)
	cleared := ConvertDType(BitwiseAnd(word, Scalar(g, dtypes.Int32, 1)), dtypes.Float32)
	sign := Mul(OneMinus(MulScalar(cleared, 2)), ConvertDType(there, dtypes.Float32))
	scores := ReduceSum(Mul(changed, sign), 2)
	listed := Reshape(Slice(there, AxisRange(), AxisRange(), AxisElem(0)), n, l)
	return Where(listed, scores, BroadcastToShape(Scalar(g, dtypes.Float32, never), scores.Shape()))
}

// softplus is log(1 + exp(x)), also where exp(x) is infinite; its gradient is 1/(1+exp(−x)).
func softplus(x *Node) *Node {
	above := GreaterThan(x, ScalarZero(x.Graph(), x.DType()))
	return Add(Where(above, x, ZerosLike(x)), Log1P(Exp(Where(above, Neg(x), x))))
}
