package mcts

import (
	"context"
	"math/rand/v2"
	"time"

	"talbot/board"
)

// simulations is the state of a search that starts afresh with each move and simulates one game after another.
type simulations struct {
	root
	options Options

	rng     *rand.Rand
	path    []int32 // of the present one, from the root
	deepest int
	depths  int64
	added   int64
	last    bool // the report is the last one: only for it a move is drawn
}

// simulator is such a search.
type simulator interface {
	begin()                                                 // forgets the tree
	simulate(ctx context.Context, moves []board.Move) error // simulates once; moves are those of the root
	lead() (best, second int64)                             // visits of the two most visited moves
	report(moves []board.Move) *Report
}

// search simulates until limits are reached, length times where they do not say how often.
func (s *simulations) search(ctx context.Context, sim simulator, length int, l Limits, report func(*Report)) (*Report,
	error) {
	moves := s.allowed(l.SearchMoves)
	if len(moves) == 0 {
		return &Report{}, nil
	}
	s.rng = s.random(s.options.Seed)
	s.deepest, s.depths, s.added, s.last = 0, 0, 0, false
	sim.begin()
	most := l.Nodes
	if most <= 0 {
		most = int64(length)
	}
	var err error
	began, told := time.Now(), time.Now()
	progress := Progress{Settled: len(moves) == 1}
	for len(moves) > 1 && err == nil && s.added < most && ctx.Err() == nil {
		progress.Nodes = s.added
		progress.Best, progress.Second = sim.lead()
		if l.ShouldStop != nil && l.ShouldStop(progress) || l.Depth > 0 && s.added > 0 && s.depth() >= l.Depth {
			break
		}
		err = sim.simulate(ctx, moves)
		now := time.Now()
		progress.Batch, began = now.Sub(began), now
		if report != nil && now.Sub(told) >= time.Second {
			told = now
			report(trimLines(sim.report(moves), &s.options))
		}
	}
	s.last = true
	return trimLines(sim.report(moves), &s.options), unlessCancelled(ctx, err)
}

// count counts the current simulation.
func (s *simulations) count() {
	s.added++
	s.depths += int64(len(s.path) - 1)
	s.deepest = max(s.deepest, len(s.path)-1)
}

func (s *simulations) depth() int { return 1 + int(s.depths/max(s.added, 1)) }

// newReport begins a report.
func (s *simulations) newReport() *Report {
	return &Report{Nodes: s.added, Depth: s.depth(), SelDepth: max(s.deepest, 1)}
}

// unsearched adds moves of which nothing is known.
func (r *Report) unsearched(moves []board.Move) *Report {
	for i := range moves {
		r.Lines = append(r.Lines, Line{PV: moves[i : i+1 : i+1], WDL: wdlOf(0)})
	}
	return r
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

// mostVisited returns the visits of the two most visited moves.
func mostVisited[T any](moves []T, visits func(*T) int32) (best, second int64) {
	for i := range moves {
		n := int64(visits(&moves[i]))
		best, second = max(best, n), max(second, min(best, n))
	}
	return best, second
}
