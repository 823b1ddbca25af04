// Package solve has a player solve puzzles: Lichess's, the positions of EPD suites, or those of a dataset.
//
// A puzzle is solved if the player finds the right move in each of its positions, asked one after the other as in a
// game, where the replies are those of the puzzle. The player starts each puzzle anew, with its past.
package solve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"talbot/board"
	"talbot/internal/progress"
	"talbot/internal/splitmix"
	"talbot/play/match"
)

// Request asks a player to solve puzzles.
type Request struct {
	Puzzles []*Puzzle
	Limits  []match.Limits // the puzzles are solved once with each
	Seed    uint64         // of what the player leaves to chance
	Workers int
	// New makes an instance of the player; seat numbers them from 0.
	New      func(seat int) (match.Player, error)
	Progress func(progress.Progress) // or nil
}

// Answer is what a player made of a puzzle.
type Answer struct {
	Asked  bool       // it was asked for all that counts
	Solved bool       // all moves were right
	Step   int        // the step that was not
	Move   board.Move // the wrong move; the zero move, if it had no legal one to give
	Fault  error      // what the player did wrong, other than a wrong move
	Nodes  int64
}

// Run returns the answers by limit and puzzle. With limits of nodes or depth they depend on the player, the puzzles and
// the seed alone. Where ctx ends, Run returns its error beside the answers so far.
func (r *Request) Run(ctx context.Context) ([][]Answer, error) {
	all := make([][]Answer, len(r.Limits))
	for i := range all {
		all[i] = make([]Answer, len(r.Puzzles))
	}
	tally := tally{of: int64(len(r.Limits) * len(r.Puzzles)), show: r.Progress}
	// All limits of a puzzle come one after the other, so that what was interrupted can be compared.
	var next atomic.Int64
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers sync.WaitGroup
	for seat := range max(1, min(r.Workers, len(r.Puzzles))) {
		workers.Go(func() {
			player, err := r.New(seat)
			if err == nil {
				for i := next.Add(1) - 1; i < int64(len(r.Puzzles)) && err == nil; i = next.Add(1) - 1 {
					for l := 0; l < len(r.Limits) && err == nil; l++ {
						if all[l][i], err = r.solve(working, player, r.Puzzles[i], r.Limits[l]); err == nil {
							tally.add(all[l][i].Solved)
						}
					}
				}
				err = errors.Join(err, player.Close())
			}
			if err != nil {
				stop(err)
			}
		})
	}
	workers.Wait()
	if ctx.Err() != nil {
		return all, ctx.Err()
	}
	return all, context.Cause(working)
}

// solve asks for the moves of a puzzle.
func (r *Request) solve(ctx context.Context, player match.Player, p *Puzzle, limits match.Limits) (a Answer,
	err error) {
	if err := player.NewGame(ctx, splitmix.Mix(r.Seed^uint64(p.Number))); err != nil {
		return a, err
	}
	var g board.Game
	g.Reset(p.Start)
	for i := range p.Steps {
		step := &p.Steps[i]
		for g.Ply() < step.Ply {
			g.Push(p.Moves[g.Ply()])
		}
		chosen, err := player.Move(ctx, &match.MoveRequest{Start: p.Start, Moves: p.Moves[:step.Ply], Game: &g,
			Limits: limits, Patience: match.DefaultPatience})
		var fault *match.Fault
		switch {
		case errors.As(err, &fault) && ctx.Err() == nil:
			return Answer{Asked: true, Step: i, Fault: err}, nil
		case err != nil:
			return a, fmt.Errorf("puzzle %d: %w", p.Number, err)
		}
		a.Nodes += chosen.Nodes
		if !step.Solves(g.Position(), chosen.Move) {
			a.Asked, a.Step, a.Move = true, i, chosen.Move
			return a, nil
		}
	}
	a.Asked, a.Solved = true, true
	return a, nil
}

// tally counts what was answered, for display.
type tally struct {
	mu           sync.Mutex
	of           int64
	done, solved int64
	show         func(progress.Progress)
}

func (t *tally) add(solved bool) {
	if t.show == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if solved {
		t.solved++
	}
	t.show(progress.Progress{Verb: "solve", Done: t.done, Total: t.of, Count: t.done, Rate: t.done, Unit: "puzzles",
		Note: fmt.Sprintf("%d solved", t.solved)})
}
