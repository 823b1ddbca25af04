package mcts

import (
	"context"
	"math/rand/v2"
	"time"

	"talbot/board"
)

// simulated is a position in the tree of such a search, and the move to it.
type simulated struct {
	move   board.Move
	end    outcome // of the game after the move
	first  int32   // its children, all of which there are once it was expanded; 0: none yet
	count  int32
	visits int32
	share  float64 // rollouts: of players who choose the move
	value  float64 // the network's, or the appraiser's
	sum    float64 // of the results of simulations
}

// simulatedBytes is the memory of a position.
const simulatedBytes = 40

// simulations is the state of a search that starts afresh with each move and simulates one game after another.
type simulations struct {
	root
	options Options

	rng     *rand.Rand
	nodes   []simulated // the first is the root
	path    []int32     // of the present simulation, from the root
	deepest int
	depths  int64
	added   int64
	last    bool // the report is the last one: only for it a move is drawn
}

// simulator is such a search.
type simulator interface {
	simulate(ctx context.Context, moves []board.Move) error // simulates once; moves are those of the root
	value(n *simulated) float64                             // of a root's move, for its player
	worth(l *Line) float32                                  // what a report's lines are in the order of
	next(children []simulated) *simulated                   // continues a variation in the present position; nil: none
}

// children returns the positions after a node.
func (s *simulations) children(n *simulated) []simulated { return s.nodes[n.first : n.first+n.count] }

// search simulates until limits are reached, length times where they do not say how often.
func (s *simulations) search(ctx context.Context, sim simulator, length int, l Limits, report func(*Report)) (*Report,
	error) {
	moves := s.allowed(l.SearchMoves)
	if len(moves) == 0 {
		return &Report{}, nil
	}
	s.rng = s.random(s.options.Seed)
	s.deepest, s.depths, s.added, s.last = 0, 0, 0, false
	s.nodes = append(s.nodes[:0], simulated{})
	most := l.Nodes
	if most <= 0 {
		most = int64(length)
	}
	var err error
	began, told := time.Now(), time.Now()
	progress := Progress{Settled: len(moves) == 1}
	for len(moves) > 1 && err == nil && s.added < most && ctx.Err() == nil {
		progress.Nodes = s.added
		progress.Best, progress.Second = s.lead()
		if l.ShouldStop != nil && l.ShouldStop(progress) || l.Depth > 0 && s.added > 0 && s.depth() >= l.Depth {
			break
		}
		err = sim.simulate(ctx, moves)
		now := time.Now()
		progress.Batch, began = now.Sub(began), now
		if report != nil && now.Sub(told) >= time.Second {
			told = now
			report(trimLines(s.report(sim, moves), &s.options))
		}
	}
	s.last = true
	return trimLines(s.report(sim, moves), &s.options), unlessCancelled(ctx, err)
}

// count counts the current simulation.
func (s *simulations) count() {
	s.added++
	s.depths += int64(len(s.path) - 1)
	s.deepest = max(s.deepest, len(s.path)-1)
}

func (s *simulations) depth() int { return 1 + int(s.depths/max(s.added, 1)) }

// report tells about the search so far.
func (s *simulations) report(sim simulator, moves []board.Move) *Report {
	r := &Report{Nodes: s.added, Depth: s.depth(), SelDepth: max(s.deepest, 1)}
	if s.added == 0 {
		for i := range moves {
			r.Lines = append(r.Lines, Line{PV: moves[i : i+1 : i+1], WDL: wdlOf(0)})
		}
		return r
	}
	children := s.children(&s.nodes[0])
	for i := range children {
		c := &children[i]
		l := Line{PV: s.variation(sim, c), Value: float32(sim.value(c)), Visits: int64(c.visits),
			Prior: float32(c.share), Proven: c.end != open}
		l.WDL = wdlOf(l.Value)
		if c.end != open {
			value, wdl := c.end.value()
			l.Value, l.Mate, l.WDL = 0-value, b2i(c.end == mated), [3]float32{wdl[2], wdl[1], wdl[0]}
		}
		r.Lines = append(r.Lines, l)
	}
	sortLines(r.Lines, s.drawMove(r.Lines, s.temperature(&s.options)), sim.worth)
	return r
}

// variation returns a move of the root and what continues it.
func (s *simulations) variation(sim simulator, n *simulated) (pv []board.Move) {
	defer s.game.Rewind(s.game.Ply())
	for n != nil {
		pv = append(pv, n.move)
		if n.count == 0 {
			break
		}
		s.game.Push(n.move)
		n = sim.next(s.children(n))
	}
	return pv
}

// drawMove draws the move to play by its visits, where the temperature is above 0; else it returns NoMove.
func (s *simulations) drawMove(lines []Line, warm float64) board.Move {
	if warm <= 0 || !s.last {
		return board.NoMove
	}
	weights := make([]float64, len(lines))
	for i := range lines {
		weights[i] = float64(lines[i].Visits)
	}
	if i := draw(weights, warm, s.rng); i >= 0 {
		return lines[i].PV[0]
	}
	return board.NoMove
}

// lead returns the visits of the two most visited moves.
func (s *simulations) lead() (best, second int64) {
	for _, c := range s.children(&s.nodes[0]) {
		n := int64(c.visits)
		best, second = max(best, n), max(second, min(best, n))
	}
	return best, second
}
