package engine

import (
	"context"
	"math"
	"slices"
	"strings"

	"talbot/board"
	"talbot/encode"
	"talbot/network/predict"
	"talbot/play/mcts"
)

// Evaluator asks a network for one search at a time. It implements [RatedEvaluator].
type Evaluator struct {
	// Evaluations counts the positions that were answered, Slots those that the network computed for that: also what
	// fills batches up.
	Evaluations, Slots int64

	network   *Network
	encoder   encode.Encoder
	layout    encode.Layout
	masked    bool // what the network says of illegal moves means nothing
	past      int
	view      encode.View
	questions []predict.Input
	answers   []predict.Output
	values    valuer
}

// Evaluator returns a new evaluator for a search.
func (n *Network) Evaluator() RatedEvaluator { return n.evaluator() }

func (n *Network) evaluator() *Evaluator {
	e := &Evaluator{network: n, encoder: n.Encoder(), layout: n.Encoder().Layout(), past: pastOf(n.Encoder()),
		masked: n.Config.LegalMask(), questions: make([]predict.Input, n.Batch()),
		answers: make([]predict.Output, n.Batch())}
	words := make([]uint64, n.Batch()*e.layout.Words)
	for i := range e.questions {
		e.questions[i].Packed, words = words[:e.layout.Words:e.layout.Words], words[e.layout.Words:]
	}
	return e
}

// Batch is the number of slots.
func (e *Evaluator) Batch() int { return len(e.questions) }

// Sizes are the numbers of positions that are computed without filling up.
func (e *Evaluator) Sizes() []int { return e.network.Batches() }

// History returns the number of earlier positions that the network sees.
func (e *Evaluator) History() int { return e.past }

// Rate tells a network that looks at ratings those of the players; 0 = not known.
func (e *Evaluator) Rate(white, black int) { e.view.WhiteElo, e.view.BlackElo = white, black }

// Capabilities says which parts of an answer the network gives.
func (e *Evaluator) Capabilities() mcts.Capabilities { return e.network.parts() }

// parts returns the parts of an answer that the network gives.
func (n *Network) parts() mcts.Capabilities {
	k := n.Predictor.Capabilities()
	return mcts.Capabilities{Prior: k.Prior, Value: k.Value, WDL: k.WDL, MovesLeft: k.MovesLeft}
}

// Put writes the game's present position, with its past, into slot i as the recipe's encoder does.
func (e *Evaluator) Put(i int, g *board.Game, legal []board.Move) {
	q := &e.questions[i]
	e.view.Play(g, e.view.WhiteElo, e.view.BlackElo)
	e.encoder.Pack(q.Packed, &e.view)
	if e.layout.Moves == encode.NoMoves {
		return
	}
	q.Codes = q.Codes[:0]
	for _, m := range legal {
		q.Codes = append(q.Codes, e.view.EncodeMove(e.encoder, e.layout.Codes, m)...)
	}
}

// Evaluate answers slots 0 to len(answers)-1. Errors are those of [predict.Predictor.Predict].
func (e *Evaluator) Evaluate(ctx context.Context, answers []mcts.Evaluation) error {
	n := len(answers)
	if err := e.network.Predict(ctx, e.questions[:n], e.answers[:n]); err != nil {
		return err
	}
	e.Evaluations += int64(n)
	e.Slots += int64(e.network.Computed(n))
	for i := range answers {
		a := &e.answers[i]
		answers[i] = mcts.Evaluation{Prior: a.Prior, Value: a.Value, WDL: a.WDL,
			MovesLeft: a.MovesLeft, Illegal: !e.masked && illegal(a)}
	}
	return nil
}

// illegal reports whether the most probable move of all is not legal.
func illegal(a *predict.Output) bool {
	best := math.Inf(-1)
	for _, p := range a.Prior {
		best = max(best, float64(p))
	}
	return float64(a.OtherShare) > math.Exp(float64(a.Inside)+best)
}

// pastOf returns how many earlier positions what an encoder writes depends on: the least number of plies after which a
// game's beginning makes no difference any more. The game has no repetition.
func pastOf(e encode.Encoder) int {
	const plies = 24 // pawns, knights, bishops, rooks and castling
	game := "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6a5 b3c2 c7c5 " +
		"d2d4 d8c7 b1d2 c5d4"
	p := board.StartPosition()
	moves, _ := p.PlayUCI(strings.Fields(game)...)
	pack := func(since int) []uint64 {
		start := board.StartPosition()
		for _, m := range moves[:since] {
			start.Play(m)
		}
		g := board.NewGame(start, moves[since:]...)
		var v encode.View
		v.Play(g, 0, 0)
		packed := make([]uint64, e.Layout().Words)
		e.Pack(packed, &v)
		return packed
	}
	whole := pack(0)
	past := plies
	for past > 0 && slices.Equal(pack(plies-past+1), whole) {
		past--
	}
	return past
}
