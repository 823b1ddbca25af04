package engine

import (
	"context"
	"math"

	"talbot/board"
	"talbot/encode"
	"talbot/play/mcts"
	"talbot/train/predict"
)

// Evaluator asks a network for one search at a time. It implements [mcts.Evaluator].
type Evaluator struct {
	// WhiteElo and BlackElo are the ratings that a network which looks at them is told; 0 = not known.
	WhiteElo, BlackElo int
	// Evaluations counts the positions that were answered, and Batches how often the network was asked.
	Evaluations, Batches int64

	network   *Network
	encoder   encode.Encoder
	layout    encode.Layout
	view      encode.View
	questions []predict.Question
	answers   []predict.Answer
}

// Evaluator returns one of its own for a search.
func (n *Network) Evaluator() *Evaluator {
	e := &Evaluator{network: n, encoder: n.Encoder(), layout: n.Encoder().Layout(),
		questions: make([]predict.Question, n.Batch()), answers: make([]predict.Answer, n.Batch())}
	words := make([]uint64, n.Batch()*e.layout.Words)
	for i := range e.questions {
		e.questions[i].Packed, words = words[:e.layout.Words:e.layout.Words], words[e.layout.Words:]
	}
	return e
}

// Batch is the number of slots.
func (e *Evaluator) Batch() int { return len(e.questions) }

// Knows says which parts of an answer the network gives.
func (e *Evaluator) Knows() mcts.Knows {
	k := e.network.Knows()
	return mcts.Knows{Prior: k.Prior, Value: k.Value, Chances: k.Chances}
}

// Put writes the game's present position, with its past, into slot i as the recipe's encoder does.
func (e *Evaluator) Put(i int, g *board.Game, legal []board.Move) {
	q := &e.questions[i]
	e.view.Play(g, e.WhiteElo, e.BlackElo)
	e.encoder.Pack(q.Packed, &e.view)
	if e.layout.Moves == encode.NoMoves {
		return
	}
	q.Codes = q.Codes[:0]
	for _, m := range legal {
		q.Codes = append(q.Codes, e.view.Code(e.encoder, e.layout.Codes, m)...)
	}
}

// Evaluate answers slots 0 to len(answers)-1. Errors are those of [predict.Predictor.Answer].
func (e *Evaluator) Evaluate(ctx context.Context, answers []mcts.Answer) error {
	n := len(answers)
	if err := e.network.Answer(ctx, e.questions[:n], e.answers[:n]); err != nil {
		return err
	}
	e.Evaluations += int64(n)
	e.Batches++
	for i := range answers {
		a := &e.answers[i]
		answers[i] = mcts.Answer{Prior: a.Prior, Value: a.Value, Chances: a.Chances, Illegal: illegal(a)}
	}
	return nil
}

// illegal reports whether the most probable move of all is not legal.
func illegal(a *predict.Answer) bool {
	best := math.Inf(-1)
	for _, p := range a.Prior {
		best = max(best, float64(p))
	}
	return float64(a.OtherShare) > math.Exp(float64(a.Inside)+best)
}
