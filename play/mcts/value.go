package mcts

import (
	"cmp"
	"context"
	"math"
	"slices"

	"talbot/board"
)

// onePly plays the move whose position the network values most. Positions in which the game is over have their value.
type onePly struct {
	root
	evaluator Evaluator
	options   Options
	children  children
}

func newOnePly(e Evaluator, o Options) *onePly {
	return &onePly{evaluator: e, options: o, children: newChildren(e, o)}
}

// Clear implements [Searcher].
func (s *onePly) Clear() {}

// Search implements [Searcher]. Each move is one node, whatever the limits are.
func (s *onePly) Search(ctx context.Context, l Limits, _ func(*Report)) (*Report, error) {
	r := &Report{}
	moves := s.allowed(l.SearchMoves)
	if len(moves) == 0 {
		return r, nil
	}
	if err := s.children.value(ctx, s.game, moves, true); err != nil {
		r.Lines = []Line{{PV: moves[:1:1], WDL: wdlOf(0)}}
		return r, unlessCancelled(ctx, err)
	}
	r.Nodes, r.Depth, r.SelDepth = int64(len(moves)), 1, 1
	weights := make([]float64, len(moves))
	for i := range moves {
		c := &s.children.list[i]
		line := Line{PV: moves[i : i+1 : i+1], Value: -c.value, Visits: 1, Proven: c.end != open}
		line.WDL = [3]float32{c.chances[2], c.chances[1], c.chances[0]}
		if c.end == mated {
			line.Mate = 1
		}
		r.Lines = append(r.Lines, line)
		weights[i] = math.Exp(float64(line.Value))
	}
	first := r.Lines[draw(weights, s.temperature(&s.options), s.random(s.options.Seed))].PV[0]
	sortLines(r.Lines, first, func(l *Line) float32 { return l.Value })
	return trimLines(r, &s.options), nil
}

// sortLines puts the line that begins with first in front and the others in the order of their worth.
func sortLines(lines []Line, first board.Move, worth func(*Line) float32) {
	slices.SortStableFunc(lines, func(a, b Line) int {
		if (a.PV[0] == first) != (b.PV[0] == first) {
			return cmp.Compare(b2i(b.PV[0] == first), b2i(a.PV[0] == first))
		}
		return cmp.Compare(worth(&b), worth(&a))
	})
}

// child is a position after a move, from the view of its side to move.
type child struct {
	end     outcome
	value   float32
	chances [3]float32
}

// children values the positions after moves.
type children struct {
	evaluator Evaluator
	abilities Capabilities
	answers   []Evaluation
	waiting   []int
	replies   []board.Move
	list      []child // of the last call, in the order of its moves
}

func newChildren(e Evaluator, o Options) children {
	batch := e.Batch()
	if o.Batch > 0 {
		batch = min(batch, o.Batch)
	}
	return children{evaluator: e, abilities: e.Capabilities(), answers: make([]Evaluation, max(batch, 1))}
}

// value values the positions after moves, which are legal in the present one: by the rules where the game is over,
// draws that must be claimed included if claims is set, else by the network.
func (c *children) value(ctx context.Context, g *board.Game, moves []board.Move, claims bool) error {
	c.list, c.waiting = c.list[:0], c.waiting[:0]
	ply := g.Ply()
	defer g.Rewind(ply)
	for i, m := range moves {
		g.Rewind(ply)
		g.Push(m)
		c.replies = g.Position().LegalMoves(c.replies[:0])
		end := ended(g, c.replies)
		if end.claimed() && !claims {
			end = open
		}
		switch end {
		case open:
			c.list = append(c.list, child{})
			c.evaluator.Put(len(c.waiting), g, c.replies)
			c.waiting = append(c.waiting, i)
		case mated:
			c.list = append(c.list, child{mated, -1, [3]float32{0, 0, 1}})
		default:
			c.list = append(c.list, child{end, 0, [3]float32{0, 1, 0}})
		}
		if n := len(c.waiting); n == len(c.answers) || n > 0 && i == len(moves)-1 {
			if err := c.ask(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask gets the network's answers about those that wait.
func (c *children) ask(ctx context.Context) error {
	answers := c.answers[:len(c.waiting)]
	if err := c.evaluator.Evaluate(ctx, answers); err != nil {
		return err
	}
	for i, a := range answers {
		at := &c.list[c.waiting[i]]
		at.value = valueOf(c.abilities, &a)
		at.chances = wdlOf(at.value)
		if c.abilities.WDL {
			at.chances = a.WDL
		}
	}
	c.waiting = c.waiting[:0]
	return nil
}
