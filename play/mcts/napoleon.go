package mcts

import (
	"context"
	"math"
	"slices"

	"talbot/board"
)

// napoleon searches with random playouts to the end of the game beside the network's values. It starts afresh with each
// move.
type napoleon struct {
	evaluator Evaluator
	children  children
	nodes     []napoleonNode
	replies   []board.Move
	keys      []uint64 // of a playout since its last capture or pawn move
	simulations
}

// napoleonNodeBytes is the memory of a position in napoleon's tree. Its moves are positions themselves.
const napoleonNodeBytes = 32

// napoleonNode is a position of napoleon's tree. Values are White's.
type napoleonNode struct {
	move   board.Move
	end    outcome
	first  int32 // its children, all of which there are once it was chosen; 0: none yet
	count  int32
	visits int32
	value  float64 // the network's
	sum    float64 // of the results of playouts
}

func newNapoleon(e Evaluator, o Options) *napoleon {
	return &napoleon{simulations: simulations{options: o}, evaluator: e, children: newChildren(e, o)}
}

// Clear implements [Searcher].
func (s *napoleon) Clear() {}

// Search implements [Searcher]. A visit is one playout.
func (s *napoleon) Search(ctx context.Context, l Limits, report func(*Report)) (*Report, error) {
	return s.search(ctx, s, s.options.Iterations, l, report)
}

func (s *napoleon) begin() { s.nodes = append(s.nodes[:0], napoleonNode{}) }

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
	if s.nodes[at].end == open && int64(len(s.nodes)) < s.options.Hash/napoleonNodeBytes {
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
func (s *napoleon) mixedValue(n *napoleonNode) float64 {
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
		s.nodes = append(s.nodes, napoleonNode{move: m, end: c.end, value: -player * float64(c.value)})
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

func (s *napoleon) lead() (best, second int64) {
	n := &s.nodes[0]
	return mostVisited(s.nodes[n.first:n.first+n.count], func(c *napoleonNode) int32 { return c.visits })
}

// report tells about the search so far. Moves are in the order of their mixed values, without the bonus.
func (s *napoleon) report(moves []board.Move) *Report {
	r := s.newReport()
	n := s.nodes[0]
	if n.count == 0 {
		return r.unsearched(moves)
	}
	player := s.player()
	for i := n.first; i < n.first+n.count; i++ {
		c := &s.nodes[i]
		l := Line{PV: s.variation(i), Value: float32(player * s.mixedValue(c)), Visits: int64(c.visits)}
		l.Proven, l.WDL = c.end != open, wdlOf(l.Value)
		switch c.end {
		case open:
		case mated:
			l.Value, l.Mate, l.WDL = 1, 1, [3]float32{1, 0, 0}
		default:
			l.Value, l.WDL = 0, [3]float32{0, 1, 0}
		}
		r.Lines = append(r.Lines, l)
	}
	sortLines(r.Lines, s.drawMove(r.Lines, s.temperature(&s.options)), func(l *Line) float32 { return l.Value })
	return r
}

// variation returns a move of the root and the best by mixed value after it, as far as it was played out and no draw
// can be claimed.
func (s *napoleon) variation(at int32) []board.Move {
	defer s.game.Rewind(s.game.Ply())
	pv := []board.Move{s.nodes[at].move}
	s.game.Push(pv[0])
	for n := &s.nodes[at]; n.count > 0 && !s.claimable(); {
		player := s.player()
		children := s.nodes[n.first : n.first+n.count]
		best := slices.IndexFunc(children, func(c napoleonNode) bool { return c.visits > 0 })
		if best < 0 {
			break
		}
		for i := range children {
			if c := &children[i]; c.visits > 0 && player*s.mixedValue(c) > player*s.mixedValue(&children[best]) {
				best = i
			}
		}
		n = &children[best]
		pv = append(pv, n.move)
		s.game.Push(n.move)
	}
	return pv
}

// claimable reports whether a draw can be claimed.
func (s *napoleon) claimable() bool {
	return s.game.Position().HalfmoveClock() >= 100 || s.game.Repetitions() >= 2
}
