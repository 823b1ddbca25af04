package mcts

import (
	"context"
	"math"
	"slices"
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

// Clear implements [Searcher].
func (s *policy) Clear() {}

// Search implements [Searcher]. It is one evaluation, whatever the limits are.
func (s *policy) Search(ctx context.Context, l Limits, _ func(*Report)) (*Report, error) {
	r := &Report{}
	moves := s.allowed(l.SearchMoves)
	if len(moves) == 0 {
		return r, nil
	}
	err := ctx.Err()
	if err == nil {
		s.evaluator.Put(0, s.game, s.legal)
		err = s.evaluator.Evaluate(ctx, s.answers)
	}
	if err != nil {
		r.Lines = []Line{{PV: moves[:1:1], WDL: wdlOf(0)}}
		return r, unlessCancelled(ctx, err)
	}
	a := &s.answers[0]
	r.Nodes, r.Depth, r.SelDepth = 1, 1, 1
	if a.Illegal {
		r.Illegal, r.FallbackMove = 1, true
	}
	abilities := s.evaluator.Capabilities()
	line := Line{Visits: 1}
	if abilities.Value || abilities.WDL {
		line.Value = valueOf(abilities, a)
	}
	line.WDL = wdlOf(line.Value)
	if abilities.WDL {
		line.WDL = a.WDL
	}
	weights := make([]float64, len(moves))
	for i, m := range moves {
		line.Prior = float32(math.Exp(float64(a.Prior[slices.Index(s.legal, m)])))
		line.PV = moves[i : i+1 : i+1]
		r.Lines = append(r.Lines, line)
		weights[i] = float64(line.Prior)
	}
	first := r.Lines[max(draw(weights, s.temperature(&s.options), s.random(s.options.Seed)), 0)].PV[0]
	sortLines(r.Lines, first, func(l *Line) float32 { return l.Prior })
	return trimLines(r, &s.options), nil
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
