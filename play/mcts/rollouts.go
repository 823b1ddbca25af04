package mcts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"talbot/board"
)

// Appraiser says which moves of a position are likely and how good they are, for the searcher rollouts. It is used by
// one goroutine.
type Appraiser interface {
	// CanAppraise says why positions cannot be appraised, nil if they can. It is asked before any search.
	CanAppraise() error
	// Appraise appends to dst likely moves of a position, one at least.
	Appraise(ctx context.Context, at *AppraisalInput, dst []LikelyMove) ([]LikelyMove, error)
}

// AppraisalInput is a position to appraise. Nothing of it is kept.
type AppraisalInput struct {
	Game  *board.Game  // with its present position
	Legal []board.Move // there, at least one
	Start board.Position
	Moves []board.Move // from Start to the position
	Depth int          // that values are searched to, after each move
}

// LikelyMove is a move of a position.
type LikelyMove struct {
	Move  board.Move
	Share float64 // of players who choose it, above 0
	Value float64 // in [−1, 1], of the position after it, for its player
}

// rollouts searches as players of a rating would: simulation by simulation it walks down moves drawn by how likely they
// are and how good, to a position that no simulation has come to yet, whose value counts on the whole way. It starts
// afresh with each move. Values are those of a move's player.
//
// A move is drawn with a probability proportional to
//
//	share · (1 − (vmax − v)/2)^(0.3·√rating)
//
// where v is the mean of the simulations through it, before the first the appraiser's value, both for its player;
// vmax is the largest of these, and rating that of the player. At 1500 the exponent is 11.6.
//
// Source: chess-deep-learning. That v is the mean, and that the appraiser is asked about a position when a second
// simulation comes to it, is ours: neither is published.
type rollouts struct {
	appraiser Appraiser
	likely    []LikelyMove
	line      []board.Move // from the start of the game
	replies   []board.Move
	weights   []float64
	simulations
}

// ratingUnknown is the rating that an unknown one is taken for.
const ratingUnknown = 1500

func newRollouts(e Evaluator, o Options) (Searcher, error) {
	a, ok := e.(Appraiser)
	if !ok {
		return nil, errors.New("the searcher rollouts needs an engine that values moves")
	}
	if err := a.CanAppraise(); err != nil {
		return nil, fmt.Errorf("the searcher rollouts: %w", err)
	}
	return &rollouts{simulations: simulations{options: o}, appraiser: a}, nil
}

// Search implements [Searcher]. A visit is one simulation.
func (s *rollouts) Search(ctx context.Context, l Limits, report func(*Report)) (*Report, error) {
	return s.search(ctx, s, s.options.Simulations, l, report)
}

// simulate walks down once. moves are those of the root.
func (s *rollouts) simulate(ctx context.Context, moves []board.Move) error {
	ply := s.game.Ply()
	defer s.game.Rewind(ply)
	s.path, s.line = append(s.path[:0], 0), append(s.line[:0], s.moves...)
	at, value := int32(0), 0.0
	for {
		n := &s.nodes[at]
		value = n.value
		most := s.options.RolloutDepth > 0 && len(s.path) > s.options.RolloutDepth
		if at > 0 && (n.end != open || n.visits == 0 || most) {
			break
		}
		if n.count == 0 {
			if at > 0 && int64(len(s.nodes)+64) > s.options.Hash/simulatedBytes {
				break
			}
			if err := s.expand(ctx, at, moves); err != nil {
				return err
			}
		}
		at = s.choose(at)
		s.game.Push(s.nodes[at].move)
		s.path, s.line = append(s.path, at), append(s.line, s.nodes[at].move)
	}
	for i := len(s.path) - 1; i >= 0; i-- {
		n := &s.nodes[s.path[i]]
		n.visits++
		n.sum += value
		value = -value
	}
	s.count()
	return nil
}

// expand gives a position its likely moves; at the root they are among moves, as far as any of these is likely, else
// they are these, all as likely. Where the game is over after a move its value is that.
func (s *rollouts) expand(ctx context.Context, at int32, moves []board.Move) (err error) {
	p := s.game.Position()
	s.replies = sortMoves(p, p.LegalMoves(s.replies[:0]))
	if s.likely, err = s.appraiser.Appraise(ctx, &AppraisalInput{Game: s.game, Legal: s.replies, Start: s.start,
		Moves: s.line, Depth: s.options.ValueDepth}, s.likely[:0]); err != nil {
		return err
	}
	if at == 0 && len(moves) < len(s.legal) {
		s.likely = slices.DeleteFunc(s.likely, func(l LikelyMove) bool { return !slices.Contains(moves, l.Move) })
	}
	if len(s.likely) == 0 {
		for _, m := range moves {
			s.likely = append(s.likely, LikelyMove{Move: m, Share: 1 / float64(len(moves))})
		}
	}
	first := int32(len(s.nodes))
	ply := s.game.Ply()
	for _, l := range s.likely {
		s.game.Push(l.Move)
		s.replies = s.game.Position().LegalMoves(s.replies[:0])
		b := simulated{move: l.Move, share: l.Share, value: max(-1, min(1, l.Value)), end: ended(s.game, s.replies)}
		if b.end != open {
			value, _ := b.end.value()
			b.value = float64(0 - value)
		}
		s.nodes = append(s.nodes, b)
		s.game.Rewind(ply)
	}
	s.nodes[at].first, s.nodes[at].count = first, int32(len(s.likely))
	return nil
}

// mean is the value of a move for its player.
func (b *simulated) mean() float64 {
	if b.visits == 0 {
		return b.value
	}
	return b.sum / float64(b.visits)
}

// choose draws a move.
func (s *rollouts) choose(at int32) int32 {
	n := &s.nodes[at]
	children := s.children(n)
	best := math.Inf(-1)
	for i := range children {
		best = max(best, children[i].mean())
	}
	rating := s.options.Ratings[(len(s.path)-1)%2] // the root's side has the first
	if rating == 0 {
		rating = ratingUnknown
	}
	exponent := 0.3 * math.Sqrt(float64(rating))
	s.weights = s.weights[:0]
	for i := range children {
		c := &children[i]
		s.weights = append(s.weights, c.share*math.Pow(1-(best-c.mean())/2, exponent))
	}
	return n.first + int32(max(0, draw(s.weights, 1, s.rng)))
}

func (s *rollouts) value(n *simulated) float64 { return n.mean() }

func (s *rollouts) worth(l *Line) float32 { return float32(l.Visits) }

// next is the most visited.
func (s *rollouts) next(children []simulated) *simulated {
	best := &children[0]
	for i := range children {
		if children[i].visits > best.visits {
			best = &children[i]
		}
	}
	if best.visits == 0 {
		return nil
	}
	return best
}
