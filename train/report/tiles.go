package report

import (
	"fmt"
	"strings"

	"talbot/train"
)

// tile is a figure at the top: its value, what it is, its interval and what to hold it against, and what it means.
type tile struct {
	Value, Name, Note, Help string

	Class string // how it stands to its baseline: "better", "worse" or "unsure"; "" = it has none
	Than  string // the baseline
}

// baseline says how the tile's figure stands to what it is held against: not told apart where the interval of that name
// holds the baseline.
func (t tile) baseline(e *Eval, name, class string, baseline *float64, than string) tile {
	if baseline == nil || t.Value == "–" {
		return t
	}
	if i, ok := e.Intervals[name]; ok && within(i, *baseline) {
		class = unsure
	}
	t.Class, t.Than = class, than
	return t
}

// Words are those of the tile's class.
func (t tile) Words() string {
	switch t.Class {
	case better:
		return "better than " + t.Than
	case worse:
		return "worse than " + t.Than
	case unsure:
		return "not told apart from " + t.Than
	}
	return ""
}

// tiles are the figures of the evaluation, or of the last validation before there is one.
func (r Run) tiles() []tile {
	if e := r.Eval; e != nil {
		return e.tiles()
	}
	var last, best *train.MetricsLine
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Kind == "val" {
			last = l
			if l.Best {
				best = l
			}
		}
	}
	if last == nil {
		return nil
	}
	of := "all moves"
	if r.Config.LegalMask {
		of = "the legal moves"
	}
	list := []tile{
		newTile(number(last.PolicyCE, "%.3f"), "policy cross-entropy", "",
			"surprise at the target, in nats, over "+of+"; lower is better"),
		newTile(number(last.ValueMSE, "%.4f"), "value squared error", "", "against the label, on −1 … 1"),
	}
	if best != nil {
		list[0].Note, list[1].Note = "best "+number(best.PolicyCE, "%.3f"), "best "+number(best.ValueMSE, "%.4f")
	}
	return append(list, newTile(thousands(last.Step), "steps", thousands(last.Step*int64(r.Config.Batch))+" samples",
		"done at the last validation"))
}

func (e *Eval) tiles() []tile {
	interval := func(name string, show func(float64) string) string {
		if i, ok := e.Intervals[name]; ok {
			return show(i[0]) + " … " + show(i[1])
		}
		return ""
	}
	three := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	four := func(x float64) string { return fmt.Sprintf("%.4f", x) }
	value := []string{interval("value_mse", four), "always the mean " + number(e.ValueMSEMean, "%.4f")}
	if n := e.Noise; n != nil {
		value = append(value, "the labels' own noise "+four(n.MSE))
	}
	list := []tile{
		newTile(number(e.PolicyCELegal, "%.3f"), "cross-entropy, legal moves",
			joined(interval("policy_ce_legal", three), "chance "+number(e.PolicyCEUniform, "%.3f")),
			"surprise at the target move, in nats; lower is better").
			baseline(e, "policy_ce_legal", against(e.PolicyCELegal, e.PolicyCEUniform), e.PolicyCEUniform, "chance"),
		newTile(share(e.Top1), "first move right", joined(interval("top1", percent), "chance "+share(e.Top1Uniform)),
			"the likeliest legal move is the target").baseline(e, "top1", above(e.Top1, e.Top1Uniform), e.Top1Uniform,
			"chance"),
		newTile(share(e.Top5), "among the first five", interval("top5", percent),
			"the target is one of the five likeliest legal moves"),
		e.illegal(interval("illegal_mass", percent)),
		newTile(number(e.ValueMSE, "%.4f"), "value squared error", joined(value...),
			"mean of (value − label)², both on −1 … 1").
			baseline(e, "value_mse", against(e.ValueMSE, e.ValueMSEMean), e.ValueMSEMean, "always the mean"),
		newTile(share(e.ValueSignAccuracy), "correct sign", interval("value_sign_accuracy", percent),
			"value and label have the same sign"),
		newTile(share(e.MateInOne), "mates in one found", joined(interval("mate_in_one", percent),
			"of "+thousands(e.MateSamples)), "positions with a mate in one where the likeliest move mates"),
	}
	if p := e.Puzzles; p != nil {
		of, held := p.Solved, ""
		if h := p.HeldOut; h != nil && h.Puzzles > 0 {
			of, held = *h, " not in the train split"
		}
		list = append(list, newTile(percent(of.WholeLine), "puzzles solved",
			percent(of.FirstMove)+" first move · of "+thousands(of.Puzzles)+
				held, "every move of the line is found; any mate counts"))
	}
	if g := e.Report.Endgames; g != nil {
		if g.Moves.Positions > 0 {
			list = append(list, newTile(share(g.Moves.Kept), "endgame results kept",
				joined(interval("endgame_moves_kept", percent), "chance "+share(g.Moves.Random)),
				"the likeliest move keeps a win won and a draw drawn").
				baseline(e, "endgame_moves_kept", above(g.Moves.Kept, g.Moves.Random), g.Moves.Random, "chance"))
		}
		list = append(list, newTile(share(g.ValueAccuracy), "endgame verdicts right",
			interval("endgame_value_accuracy", percent), "the value agrees with endgame tables"))
	}
	if s := e.Symmetry; s != nil {
		list = append(list, newTile(fmt.Sprintf("%.3f", s.ValueGap), "white–black gap",
			percent(s.SameMove)+" play the same move", "how far the value moves when colours are swapped"))
	}
	return list
}

// illegal is the tile of the probability that is lost on illegal moves.
func (e *Eval) illegal(within string) tile {
	if e.LegalMask {
		return newTile("–", "on illegal moves", "trained on legal moves only",
			"what the network says of illegal moves means nothing")
	}
	if e.Unseen != nil && e.Unseen.IllegalMass != nil {
		within = joined(within, "unseen "+share(e.Unseen.IllegalMass))
	}
	return newTile(share(e.IllegalMass), "on illegal moves", within,
		"probability that the network gives to moves that are not legal; lower is better")
}

func newTile(value, name, note, help string) tile {
	return tile{Value: value, Name: name, Note: unbroken.Replace(note), Help: help}
}

// joined puts parts beside each other, without empty ones.
func joined(parts ...string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, " · ")
}
