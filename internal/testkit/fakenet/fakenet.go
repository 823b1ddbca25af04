// Package fakenet has a fake network for tests: what it says about a position is drawn from its key, so that it
// is the same each time, and it can be slow, and fail.
package fakenet

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"talbot/board"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// Network is a fake. Its fields are set before it is used, but for those that say otherwise.
type Network struct {
	Slots  int           // of a batch; 0: 4
	Delay  time.Duration // of each batch
	Blind  bool          // it knows priors only
	Wild   bool          // its favourite of all moves is always an illegal one
	Loads  error         // of opening it, if not nil
	Load   time.Duration // that Warm takes
	Closed atomic.Int64
	// Fails makes evaluations fail while it is set, at any time.
	Fails atomic.Bool
	// Panics makes them panic.
	Panics atomic.Bool
	// Batches counts evaluations, at any time.
	Batches atomic.Int64
	// Rated is what the network was told last, White's rating and Black's: to be read between searches.
	Rated [2]int
	// Opened lists the sizes of batches that it was opened for.
	Opened []int
}

// ErrFails is the error of a network that Fails.
var ErrFails = errors.New("the fake network fails")

// Open is a [engine.OpenFunc].
func (n *Network) Open(batch int) (engine.PlayerNetwork, error) {
	n.Opened = append(n.Opened, batch)
	if n.Loads != nil {
		return nil, n.Loads
	}
	if batch > 0 {
		n.Slots = batch
	}
	if n.Slots == 0 {
		n.Slots = 4
	}
	return n, nil
}

// Evaluator implements [engine.PlayerNetwork].
func (n *Network) Evaluator() engine.RatedEvaluator {
	return &evaluator{network: n, slots: make([]slot, n.Slots)}
}

// Warm implements [engine.PlayerNetwork].
func (n *Network) Warm(ctx context.Context) (full, smallest time.Duration, err error) {
	select {
	case <-time.After(n.Load):
		return n.Delay, n.Delay, nil
	case <-ctx.Done():
		return 0, 0, ctx.Err()
	}
}

// DefaultSearcher implements [engine.PlayerNetwork].
func (n *Network) DefaultSearcher() string {
	return mcts.DefaultFor(mcts.Capabilities{Prior: true, Value: !n.Blind})
}

// Centipawns implements [engine.PlayerNetwork]: 100 times the value.
func (n *Network) Centipawns(_ string, value float32) int {
	return int(math.Round(100 * float64(value)))
}

// Title implements [engine.PlayerNetwork].
func (n *Network) Title() string { return "fake network" }

// Close implements [engine.PlayerNetwork].
func (n *Network) Close() { n.Closed.Add(1) }

type slot struct {
	key   uint64
	moves int
}

type evaluator struct {
	network *Network
	slots   []slot
}

func (e *evaluator) Batch() int   { return len(e.slots) }
func (e *evaluator) Sizes() []int { return []int{len(e.slots)} }
func (e *evaluator) History() int { return 0 }
func (e *evaluator) Capabilities() mcts.Capabilities {
	return mcts.Capabilities{Prior: true, Value: !e.network.Blind}
}
func (e *evaluator) Rate(white, black int) { e.network.Rated = [2]int{white, black} }

func (e *evaluator) Put(i int, g *board.Game, legal []board.Move) {
	e.slots[i] = slot{g.Position().Key(), len(legal)}
}

func (e *evaluator) Evaluate(ctx context.Context, answers []mcts.Evaluation) error {
	time.Sleep(e.network.Delay) // as a device does, whatever ctx says
	e.network.Batches.Add(1)
	switch {
	case e.network.Panics.Load():
		panic("the fake network panics")
	case e.network.Fails.Load():
		return ErrFails
	case ctx.Err() != nil:
		return ctx.Err()
	}
	for i := range answers {
		rng := rand.New(rand.NewPCG(e.slots[i].key, 0))
		prior := make([]float32, e.slots[i].moves)
		sum := 0.0
		for j := range prior {
			prior[j] = float32(3 * rng.Float64())
			sum += math.Exp(float64(prior[j]))
		}
		for j := range prior {
			prior[j] -= float32(math.Log(sum))
		}
		answers[i] = mcts.Evaluation{Prior: prior, Value: float32(rng.Float64()-0.5) / 2, Illegal: e.network.Wild}
	}
	return nil
}

// CanAppraise implements [mcts.Appraiser].
func (e *evaluator) CanAppraise() error { return nil }

// Appraise implements [mcts.Appraiser]: all moves are as likely and as good.
func (e *evaluator) Appraise(ctx context.Context, at *mcts.AppraisalInput, dst []mcts.LikelyMove) ([]mcts.LikelyMove,
	error) {
	if err := e.Evaluate(ctx, nil); err != nil {
		return nil, err
	}
	for _, m := range at.Legal {
		dst = append(dst, mcts.LikelyMove{Move: m, Share: 1})
	}
	return dst, nil
}
