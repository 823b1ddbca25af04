// Package solve has a player solve puzzles: Lichess's, the positions of EPD suites, or those of a dataset.
//
// A puzzle is solved if the player finds the right move in each of its positions, asked one after the other as in a
// game, where the replies are those of the puzzle. The player starts each puzzle anew, with its past.
package solve

import (
	"context"
	"errors"
	"fmt"

	"talbot/board"
	"talbot/internal/ordered"
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
	players := make([]match.Player, max(1, min(r.Workers, len(r.Puzzles))))
	// All limits of a puzzle come one after the other, so that what was interrupted can be compared.
	done, solved := int64(0), int64(0)
	var failed error
	for i, err := range ordered.N(ctx, len(r.Puzzles), len(players), func(seat, i int) (_ int, err error) {
		if players[seat] == nil {
			if players[seat], err = r.New(seat); err != nil {
				return i, err
			}
		}
		for l, limits := range r.Limits {
			if all[l][i], err = r.solve(ctx, players[seat], r.Puzzles[i], limits); err != nil {
				return i, err
			}
		}
		return i, nil
	}) {
		if failed = err; err != nil || r.Progress == nil {
			continue
		}
		for l := range all {
			if done++; all[l][i].Solved {
				solved++
			}
		}
		r.Progress(progress.Progress{Verb: "solve", Done: done, Count: done, Rate: done,
			Total: int64(len(r.Limits) * len(r.Puzzles)), Unit: "puzzles", Note: fmt.Sprintf("%d solved", solved)})
	}
	for _, p := range players {
		if p != nil {
			failed = errors.Join(failed, p.Close())
		}
	}
	if ctx.Err() != nil {
		return all, ctx.Err()
	}
	return all, failed
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
			Limits: limits, Patience: limits.Patience()})
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
