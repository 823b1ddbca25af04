package mcts

import (
	"cmp"
	"context"
	"math"
	"slices"

	"talbot/board"
)

// policy plays what the network finds most probable, or draws from its probabilities, without a search.
type policy struct {
	root
	evaluator Evaluator
	options   Options
	answers   []Evaluation
}

func newPolicy(e Evaluator, o Options) *policy {
	return &policy{evaluator: e, options: o, answers: make([]Evaluation, 1)}
}

// Search implements [Searcher]. It is one evaluation, whatever the limits are.
func (s *policy) Search(ctx context.Context, l Limits, _ func(*Report)) (*Report, error) {
	abilities := s.evaluator.Capabilities()
	return s.once(ctx, &s.options, l.SearchMoves, func(moves []board.Move, r *Report) (weights []float64, err error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s.evaluator.Put(0, s.game, s.legal)
		if err := s.evaluator.Evaluate(ctx, s.answers); err != nil {
			return nil, err
		}
		a := &s.answers[0]
		r.Nodes, r.FallbackMove, r.Illegal = 1, a.Illegal, int64(b2i(a.Illegal))
		line := Line{Visits: 1}
		if abilities.values() {
			line.Value = valueOf(abilities, a)
		}
		line.WDL = wdlOf(line.Value)
		if abilities.WDL {
			line.WDL = a.WDL
		}
		for i, m := range moves {
			line.Prior = float32(math.Exp(float64(a.Prior[slices.Index(s.legal, m)])))
			line.PV = moves[i : i+1 : i+1]
			r.Lines = append(r.Lines, line)
			weights = append(weights, float64(line.Prior))
		}
		return weights, nil
	}, func(l *Line) float32 { return l.Prior })
}

// once is a search that asks the network once, whatever the limits are: ask appends a line for each move to the report
// and returns the weights by which the move to play is drawn; worth orders the others.
func (r *root) once(ctx context.Context, o *Options, only []board.Move,
	ask func([]board.Move, *Report) ([]float64, error), worth func(*Line) float32) (*Report, error) {
	report, moves := &Report{}, r.allowed(only)
	if len(moves) == 0 {
		return report, nil
	}
	weights, err := ask(moves, report)
	if err != nil {
		report.Lines = []Line{{PV: moves[:1:1], WDL: wdlOf(0)}}
		return report, unlessCancelled(ctx, err)
	}
	report.Depth, report.SelDepth = 1, 1
	sortLines(report.Lines, report.Lines[max(draw(weights, r.temperature(o), r.random(o.Seed)), 0)].PV[0], worth)
	return trimLines(report, o), nil
}

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

// Search implements [Searcher]. Each move is one node, whatever the limits are.
func (s *onePly) Search(ctx context.Context, l Limits, _ func(*Report)) (*Report, error) {
	return s.once(ctx, &s.options, l.SearchMoves, func(moves []board.Move, r *Report) (weights []float64, err error) {
		if err := s.children.value(ctx, s.game, moves, true); err != nil {
			return nil, err
		}
		r.Nodes = int64(len(moves))
		for i, c := range s.children.list {
			line := Line{PV: moves[i : i+1 : i+1], Value: -c.value, Visits: 1, Proven: c.end != open,
				WDL: [3]float32{c.chances[2], c.chances[1], c.chances[0]}, Mate: b2i(c.end == mated)}
			r.Lines = append(r.Lines, line)
			weights = append(weights, math.Exp(float64(line.Value)))
		}
		return weights, nil
	}, func(l *Line) float32 { return l.Value })
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
		at := child{end: end}
		if end == open {
			c.evaluator.Put(len(c.waiting), g, c.replies)
			c.waiting = append(c.waiting, i)
		} else {
			at.value, at.chances = end.value()
		}
		c.list = append(c.list, at)
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

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// unlessCancelled returns err, nil where it is that of ctx.
func unlessCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// trimLines leaves as many lines as the options ask for.
func trimLines(r *Report, o *Options) *Report {
	if o.Verbose {
		return r
	}
	r.Lines = slices.Clip(r.Lines[:min(len(r.Lines), max(o.MultiPV, 1))])
	return r
}
