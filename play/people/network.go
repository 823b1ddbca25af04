package people

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"talbot/board"
	"talbot/encode"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// ErrUnrated says that a network does not look at ratings or gives no moves.
var ErrUnrated = errors.New("it does not say what players of a rating would play: take a run of the recipe prior")

// Network says what players would play.
type Network struct {
	*engine.Network
	evaluator *engine.Evaluator
}

// Rated reports whether networks with an encoder say what players of a rating would play.
func Rated(e encode.Encoder) bool {
	l := e.Layout()
	return l.Ratings && l.Moves != encode.NoMoves && l.Candidates == 0
}

// Weighs reports whether networks with an encoder weigh what another one says.
func Weighs(e encode.Encoder) bool { return e.Layout().Candidates > 0 }

// Open loads a network and makes it ready. The batch of the configuration is not heeded. Errors: [ErrUnrated], and
// those of [engine.Open].
func Open(ctx context.Context, c engine.Config) (*Network, error) {
	c.Batch, c.Bulk = len(Ratings()), false
	n, err := engine.Open(c)
	if err != nil {
		return nil, err
	}
	if !Rated(n.Encoder()) {
		n.Close()
		return nil, fmt.Errorf("%q: %w", c.Path, ErrUnrated)
	}
	if err := n.Compile(ctx); err != nil {
		n.Close()
		return nil, err
	}
	evaluator, _ := n.Evaluator().(*engine.Evaluator)
	return &Network{Network: n, evaluator: evaluator}, nil
}

// Shares returns how many of the players of each rating would play each of the legal moves of a game's present
// position: a list for each rating, which sums to 1.
func (n *Network) Shares(ctx context.Context, g *board.Game, legal []board.Move, ratings []int) ([][]float64, error) {
	var shares [][]float64
	for some := range slices.Chunk(ratings, n.evaluator.Batch()) {
		for i, rating := range some {
			n.evaluator.Rate(rating, rating)
			n.evaluator.Put(i, g, legal)
		}
		answers := make([]mcts.Evaluation, len(some))
		if err := n.evaluator.Evaluate(ctx, answers); err != nil {
			return nil, err
		}
		for _, a := range answers {
			list := make([]float64, len(legal))
			for i := range list {
				list[i] = math.Exp(float64(a.Prior[i]))
			}
			shares = append(shares, list)
		}
	}
	return shares, nil
}

// weighedDepth is the depth of the engine's searches: the recipe has its own ones.
const weighedDepth = 10

// Weigh is [Network.Shares] for one rating by the network of [engine.Config].Probability, which knows what an engine
// thinks of the likeliest moves. Others have a share of 0.
func (n *Network) Weigh(ctx context.Context, start board.Position, moves, legal []board.Move, rating int) ([]float64,
	error) {
	g := board.NewGame(start)
	for _, m := range moves {
		g.Push(m)
	}
	n.evaluator.Rate(rating, rating)
	list, err := n.evaluator.Appraise(ctx, &mcts.AppraisalInput{Game: g, Legal: legal, Start: start, Moves: moves,
		Depth: weighedDepth}, nil)
	if err != nil {
		return nil, err
	}
	shares := make([]float64, len(legal))
	for _, l := range list {
		shares[slices.Index(legal, l.Move)] = l.Share
	}
	return shares, nil
}
