package mcts

import (
	"context"
	"math"

	"talbot/board"
)

// napoleon searches with random playouts to the end of the game beside the network's values. It starts afresh with each
// move. Values are White's.
type napoleon struct {
	evaluator Evaluator
	children  children
	replies   []board.Move
	keys      []uint64 // of a playout since its last capture or pawn move
	simulations
}

func newNapoleon(e Evaluator, o Options) *napoleon {
	return &napoleon{simulations: simulations{options: o}, evaluator: e, children: newChildren(e, o)}
}

// Search implements [Searcher]. A visit is one playout.
func (s *napoleon) Search(ctx context.Context, l Limits, report func(*Report)) (*Report, error) {
	return s.search(ctx, s, s.options.Iterations, l, report)
}

// simulate goes down the best moves to a position without children, gives it some, goes on to the best of them and
// plays from there at random; the result is counted on the whole way. Without memory it plays at random from the first
// one.
func (s *napoleon) simulate(ctx context.Context, moves []board.Move) error {
	ply := s.game.Ply()
	defer s.game.Rewind(ply)
	s.path = append(s.path[:0], 0)
	at := int32(0)
	for s.nodes[at].count > 0 {
		at = s.step(at)
	}
	if s.nodes[at].end == open && int64(len(s.nodes)) < s.options.Hash/simulatedBytes {
		if at > 0 {
			s.replies = sortMoves(s.game.Position(), s.game.Position().LegalMoves(s.replies[:0]))
			moves = s.replies
		}
		if err := s.expand(ctx, at, moves); err != nil {
			return err
		}
		at = s.step(at)
	}
	result := 0.0
	if n := &s.nodes[at]; n.end != open {
		result = n.value
	} else {
		result = s.playout()
	}
	for _, i := range s.path {
		s.nodes[i].visits++
		s.nodes[i].sum += result
	}
	s.count()
	return nil
}

// step plays the best move by the upper confidence bound.
func (s *napoleon) step(at int32) int32 {
	n := &s.nodes[at]
	player, bonus := s.player(), math.Log(1+float64(n.visits))
	best, most := int32(0), math.Inf(-1)
	for i := n.first; i < n.first+n.count; i++ {
		c := &s.nodes[i]
		if x := player*s.mixedValue(c) + bonus/float64(1+c.visits); x > most {
			best, most = i, x
		}
	}
	s.game.Push(s.nodes[best].move)
	s.path = append(s.path, best)
	return best
}

// mixedValue is (1 − e)·v + e·w from White's view: v the network's value, w the mean of the playouts, 0 without one.
func (s *napoleon) mixedValue(n *simulated) float64 {
	w := 0.0
	if n.visits > 0 {
		w = n.sum / float64(n.visits)
	}
	e := s.options.Exploration
	return (1-e)*n.value + e*w
}

// player is 1 for White to move, -1 for Black.
func (s *napoleon) player() float64 { return 1 - 2*float64(s.game.Position().Turn()) }

// expand gives a position its children.
func (s *napoleon) expand(ctx context.Context, at int32, moves []board.Move) error {
	if err := s.children.value(ctx, s.game, moves, false); err != nil {
		return err
	}
	s.nodes[at].first, s.nodes[at].count = int32(len(s.nodes)), int32(len(moves))
	player := s.player()
	for i, m := range moves {
		c := &s.children.list[i]
		s.nodes = append(s.nodes, simulated{move: m, end: c.end, value: -player * float64(c.value)})
	}
	return nil
}

// playout plays random moves from the present position to the end of the game and returns the result for White. No
// draw is claimed: it ends with mate, stalemate, too little material, 75 moves without a capture or pawn move, or the
// fifth occurrence of a position since the playout began. It is played as the root's side to move sees the board, so
// that mirrored positions are searched alike.
func (s *napoleon) playout() float64 {
	p, sign := *s.game.Position(), 1.0
	if s.game.Previous(len(s.path)-1).Turn() == board.Black { // at the root
		p, sign = p.Mirror(), -1
	}
	s.keys = s.keys[:0]
	for {
		s.children.replies = p.LegalMoves(s.children.replies[:0])
		moves := s.children.replies
		switch {
		case len(moves) == 0 && p.InCheck():
			return -sign * (1 - 2*float64(p.Turn()))
		case len(moves) == 0 || p.IsDead() || p.HalfmoveClock() >= 150 || s.fivefold(&p):
			return 0
		}
		p.Play(moves[s.rng.IntN(len(moves))])
	}
}

// fivefold reports whether a position of the playout occurs for the fifth time, and notes it.
func (s *napoleon) fivefold(p *board.Position) bool {
	if p.HalfmoveClock() == 0 {
		s.keys = s.keys[:0]
	}
	seen := 0
	for i := len(s.keys) - 4; i >= 0; i -= 2 {
		if s.keys[i] == p.Key() {
			seen++
		}
	}
	s.keys = append(s.keys, p.Key())
	return seen >= 4
}

func (s *napoleon) value(n *simulated) float64 { return s.player() * s.mixedValue(n) }

// worth is the mixed value, without the bonus.
func (s *napoleon) worth(l *Line) float32 { return l.Value }

// next is the best by mixed value, as far as it was played out and no draw can be claimed.
func (s *napoleon) next(children []simulated) (best *simulated) {
	if s.claimable() {
		return nil
	}
	for i := range children {
		if c := &children[i]; c.visits > 0 && (best == nil || s.value(c) > s.value(best)) {
			best = c
		}
	}
	return best
}

// claimable reports whether a draw can be claimed.
func (s *napoleon) claimable() bool {
	return s.game.Position().HalfmoveClock() >= 100 || s.game.Repetitions() >= 2
}
