// Package review says of every move of labelled games what it lost, and how likely people were to play it.
//
// [Request] reads a dataset whose every position, the last ones of its games too, has a label, and writes a folder:
// review.json and moves.csv with all figures, games.pgn with evaluations, marks and variations, puzzles.csv with the
// positions where one move wins, and pages to read. Its formulas are Lichess's. It starts no goroutines.
package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/progress"
	"talbot/play/engine"
	"talbot/play/mcts"
	"talbot/shards"
)

// Request reviews the games of a dataset.
type Request struct {
	In     string // the dataset
	Player string // whose moves are summed up; "" = both players'
	People []Person
	// LeftOut counts the games that are not in the dataset by reason, for the summary.
	LeftOut map[dataset.Reason]int64
	// Rating is that of players whose rating is not known; 0: nothing is said of how likely their moves were.
	Rating int
	// Probe returns the result of an endgame by tables, as [stockfish.Tables.Probe] does; nil: there are none.
	Probe    func(context.Context, *board.Position) (dataset.Class, bool, error)
	Progress func(progress.Progress) // may be nil
	// Search has an engine search what puzzles and traps need; nil: none are looked for.
	Search func(ctx context.Context, s Search) error
}

// Person is a network of the moves that people play.
type Person struct {
	Rating    int // of those people; 0: the network takes any
	Evaluator engine.RatedEvaluator
}

type reviewer struct {
	Request
	counting dataset.Counting
	walker   dataset.Walker
	answers  []mcts.Evaluation
}

// Each calls f with each game that has a label on every position, in order, and returns how many have not.
func (r Request) Each(ctx context.Context, f func(*Game) error) (unlabelled int64, err error) {
	in, err := shards.OpenDataset(r.In)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	v := &reviewer{Request: r}
	if v.counting, err = dataset.NewCounting(in.Manifest.Fingerprints, ""); err != nil {
		return 0, fmt.Errorf("%q: %w", r.In, err)
	}
	done := int64(0)
	for line, err := range in.Lines() {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return 0, err
		}
		done++
		progress.Report(r.Progress, "review", "games", done, in.Manifest.Counts.GamesKept)
		g, err := v.review(ctx, line)
		if errors.Is(err, errUnlabelled) {
			unlabelled++
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("%q: %s: %w", r.In,
				dataset.LineName(line.Source.String(), line.Number, in.Manifest.InputName(line.Input)), err)
		}
		if err := f(g); err != nil {
			return 0, err
		}
	}
	return unlabelled, nil
}

// likely sets how likely the moves of a game were to be played by people of their players' ratings.
func (v *reviewer) likely(ctx context.Context, g *Game) error {
	if len(v.People) == 0 {
		return nil
	}
	ratings := [2]int{cmp.Or(g.WhiteElo, v.Rating), cmp.Or(g.BlackElo, v.Rating)}
	for side, rating := range ratings {
		if rating == 0 {
			continue
		}
		person := engine.Nearest(v.People, rating, func(p Person) int { return cmp.Or(p.Rating, rating) })
		if err := v.ask(ctx, g, board.Color(side), ratings, person.Evaluator); err != nil {
			return err
		}
	}
	return nil
}

// ask asks a network about the positions in which a side is to move.
func (v *reviewer) ask(ctx context.Context, g *Game, side board.Color, ratings [2]int, e engine.RatedEvaluator) error {
	e.Rate(ratings[0], ratings[1])
	game := board.NewGame(g.start)
	var asked []*Move
	var moves [][]board.Move
	flush := func() error {
		v.answers = slices.Grow(v.answers[:0], len(asked))[:len(asked)]
		if err := e.Evaluate(ctx, v.answers); err != nil {
			return err
		}
		for i, m := range asked {
			for k, legal := range moves[i] {
				p := math.Exp(float64(v.answers[i].Prior[k]))
				best := len(m.line) > 0 && legal == m.line[0]
				if legal == m.move {
					m.Likely = &p
				}
				if best {
					m.BestLikely = &p
				}
				if best || legal == m.move || p >= TrapShare {
					m.tempting = append(m.tempting, weighed{move: legal, share: p})
				}
			}
		}
		asked, moves = asked[:0], moves[:0]
		return nil
	}
	for i := range g.Moves {
		m := &g.Moves[i]
		if game.Position().Turn() == side {
			legal := game.Position().LegalMoves(nil)
			e.Put(len(asked), game, legal)
			m.rating = ratings[side]
			asked, moves = append(asked, m), append(moves, legal)
			if len(asked) == e.Batch() {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		game.Push(m.move)
	}
	if len(asked) == 0 {
		return nil
	}
	return flush()
}
