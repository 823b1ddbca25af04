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
// afresh with each move.
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
	nodes     []rolloutNode
	likely    []LikelyMove
	line      []board.Move // from the start of the game
	replies   []board.Move
	weights   []float64
	simulations
}

// rolloutNode is a move of the tree, or its root. Values are from the view of the move's player.
type rolloutNode struct {
	move   board.Move
	end    outcome // of the game after it
	first  int32   // its moves, all of them once it was appraised; 0: not yet
	count  int32
	visits int32
	share  float64
	value  float64 // the appraiser's
	sum    float64 // of simulations
}

// rolloutNodeBytes is the memory of a move.
const rolloutNodeBytes = 56

// ratingUnknown is the rating that an unknown one is taken for.
const ratingUnknown = 1500

func newRollouts(e Evaluator, o Options) (Searcher, error) {
	if !e.Capabilities().Prior {
		return nil, errors.New("the searcher rollouts needs a network with priors over moves; this one has none: " +
			"take value or puct")
	}
	a, ok := e.(Appraiser)
	if !ok {
		return nil, errors.New("the searcher rollouts needs an engine that values moves")
	}
	if err := a.CanAppraise(); err != nil {
		return nil, fmt.Errorf("the searcher rollouts: %w", err)
	}
	return &rollouts{simulations: simulations{options: o}, appraiser: a}, nil
}

// Clear implements [Searcher].
func (s *rollouts) Clear() {}

// Search implements [Searcher]. A visit is one simulation.
func (s *rollouts) Search(ctx context.Context, l Limits, report func(*Report)) (*Report, error) {
	return s.search(ctx, s, s.options.Simulations, l, report)
}

func (s *rollouts) begin() { s.nodes = append(s.nodes[:0], rolloutNode{}) }

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
			if at > 0 && int64(len(s.nodes)+64) > s.options.Hash/rolloutNodeBytes {
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
		b := rolloutNode{move: l.Move, share: l.Share, value: max(-1, min(1, l.Value)), end: ended(s.game, s.replies)}
		switch b.end {
		case open:
		case mated:
			b.value = 1
		default:
			b.value = 0
		}
		s.nodes = append(s.nodes, b)
		s.game.Rewind(ply)
	}
	s.nodes[at].first, s.nodes[at].count = first, int32(len(s.likely))
	return nil
}

// mean is the value of a move for its player.
func (b *rolloutNode) mean() float64 {
	if b.visits == 0 {
		return b.value
	}
	return b.sum / float64(b.visits)
}

// choose draws a move.
func (s *rollouts) choose(at int32) int32 {
	n := &s.nodes[at]
	children := s.nodes[n.first : n.first+n.count]
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

func (s *rollouts) lead() (best, second int64) {
	n := &s.nodes[0]
	return mostVisited(s.nodes[n.first:n.first+n.count], func(c *rolloutNode) int32 { return c.visits })
}

// report tells about the search so far. Moves are in the order of their visits.
func (s *rollouts) report(moves []board.Move) *Report {
	r := s.newReport()
	n := s.nodes[0]
	if s.added == 0 {
		return r.unsearched(moves)
	}
	for i := n.first; i < n.first+n.count; i++ {
		c := &s.nodes[i]
		l := Line{PV: s.variation(i), Value: float32(c.mean()), Visits: int64(c.visits), Prior: float32(c.share)}
		l.Proven, l.WDL = c.end != open, wdlOf(l.Value)
		switch c.end {
		case open:
		case mated:
			l.Mate, l.WDL = 1, [3]float32{1, 0, 0}
		default:
			l.WDL = [3]float32{0, 1, 0}
		}
		r.Lines = append(r.Lines, l)
	}
	sortLines(r.Lines, s.drawMove(r.Lines, s.temperature(&s.options)),
		func(l *Line) float32 { return float32(l.Visits) })
	return r
}

// variation returns a move of the root and the most visited ones after it.
func (s *rollouts) variation(at int32) []board.Move {
	pv := []board.Move{s.nodes[at].move}
	for n := &s.nodes[at]; n.count > 0; {
		children := s.nodes[n.first : n.first+n.count]
		best := 0
		for i := range children {
			if children[i].visits > children[best].visits {
				best = i
			}
		}
		if n = &children[best]; n.visits == 0 {
			break
		}
		pv = append(pv, n.move)
	}
	return pv
}
