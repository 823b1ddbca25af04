package ingest

import (
	"fmt"
	"strings"

	"talbot/board"
	"talbot/dataset"
	"talbot/pgn"
)

// The games that decide whose view scores are from: those up to so many positions with a score, or so many in all.
const (
	scoresAhead    = 10_000
	positionsAhead = 1_000_000
)

// commentScores are the scores of [pgn.CutechessEval]'s form in the comments of games. Programs write them from either
// view, so the games from the first one with such a score on are counted, and wait, until the view is known.
type commentScores struct {
	evals             []pgn.Evaluation // of a game
	bare              int              // as in [pgn.Notes]
	scored, positions int
	ahead, behind     bool // one is above 0, one below
	signs             dataset.Signs
	sizes             dataset.Sizes
}

// commentsOf returns the scores of a game; nil if it has none.
func commentsOf(notes *pgn.Notes) *commentScores {
	c := commentScores{bare: notes.Bare}
	for _, e := range notes.Evals {
		if e.Kind == pgn.CutechessEval {
			c.evals = append(c.evals, e)
		}
	}
	if c.evals == nil {
		return nil
	}
	return &c
}

// add counts a game, and reports whether it and the next ones must wait.
func (c *commentScores) add(f *entry) bool {
	game := f.comments
	if c.scored == 0 && game == nil || c.scored >= scoresAhead || c.positions >= positionsAhead {
		return false
	}
	if c.positions++; f.line != nil {
		c.positions += len(f.line.Moves)
	}
	if game == nil {
		return true
	}
	c.bare, c.scored = c.bare+game.bare, c.scored+len(game.evals)
	p, ply := f.line.Start, 0
	for _, e := range game.evals {
		for ; ply < e.Ply; ply++ {
			p.Play(f.line.Moves[ply])
		}
		c.signs.AddScore(&p, e.Score, f.line.Result)
		c.sizes.Add(e.Score)
		c.ahead, c.behind = c.ahead || e.Score > 0, c.behind || e.Score < 0
	}
	return true
}

// settleView decides the view of the input's comments, if it has such scores: what is stated, or the only one that
// results and material do not contradict. Where they tell nothing it is the mover's if every score above 0 has a plus,
// as cutechess writes them.
func (g *ingester) settleView() error {
	c := &g.comments
	if g.state.Comments != nil || c.scored == 0 {
		return nil
	}
	view, signs, white := dataset.MoverView, c.signs, c.signs.Turned()
	notMover, notWhite := signs.Contradict(), white.Contradict()
	switch stated := g.Stated.View; {
	case stated != nil:
		view = *stated
	case !notMover && (notWhite || c.bare == 0 && (c.ahead || !c.behind) && !signs.Enough()):
	case notMover && !notWhite:
		view = dataset.WhiteView
	default:
		return fmt.Errorf("%w: comments such as {0.31/12} may be from White's or the mover's, and games of both must "+
			"be read apart; if they are the mover's, then of the first %d positions, %v", dataset.ErrView, c.scored,
			&signs)
	}
	if view == dataset.WhiteView {
		signs = white
	}
	table := c.sizes.Table("pawns (score/depth)", view)
	g.state.Comments = &table
	return signs.Check(view, c.scored)
}

// fromWhite has labels that were read as the mover's be White's.
func fromWhite(f *entry) {
	for _, im := range f.imported {
		if !strings.HasPrefix(im.Engine, cutechessOrigin) {
			continue
		}
		for k, ply := range f.line.Samples.Plies(nil, len(f.line.Moves)) {
			if lines := im.Labels[k].Lines; len(lines) > 0 && (f.line.Start.Turn() == board.White) == (ply%2 == 1) {
				lines[0].Score = -lines[0].Score
			}
		}
	}
}
