package report

import (
	"fmt"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/train"
)

// tiles are the figures of the evaluation, or of the last validation before there is one.
func (r Run) tiles() table.Tiles {
	if r.Eval != nil {
		return r.Eval.tiles()
	}
	list := table.Tiles{}
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
		return list
	}
	for _, t := range r.terms() {
		if t.Tile == "" {
			continue
		}
		one := table.Tile{Name: t.Tile, Value: number(last.Of(t.Name), t.Decimals), Help: t.Help}
		if best != nil {
			one.Note = "best " + number(best.Of(t.Name), t.Decimals)
		}
		list = append(list, one)
	}
	return append(list, table.Tile{Name: "steps", Value: humanize.Thousands(last.Step),
		Note: humanize.Thousands(last.Step*int64(r.Config.Batch)) + " samples", Help: "done at the last validation"})
}

// figure writes a measure's figure, a number with the given decimals; "–" for none.
func figure(m *evaluate.Measure, x *float64, decimals int) string {
	switch {
	case x == nil:
		return "–"
	case m.Kind == evaluate.Share:
		return humanize.Percent(*x)
	case m.Kind == evaluate.Count:
		return humanize.Thousands(int64(*x))
	}
	return number(x, decimals)
}

func number(x *float64, decimals int) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf("%.*f", decimals, *x)
}

func share(x *float64) string {
	if x == nil {
		return "–"
	}
	return humanize.Percent(*x)
}

func (e *Eval) tiles() table.Tiles {
	var list table.Tiles
	for _, m := range evaluate.Measures() {
		if m.Tile.Name != "" && e.Capabilities.Has(m.Needs) {
			list = append(list, e.tile(m))
		}
	}
	if p := e.Puzzles; p != nil {
		of, held := p.PuzzleScore, ""
		if h := p.HeldOut; h != nil && h.Puzzles > 0 {
			of, held = *h, " not in the train split"
		}
		list = append(list, table.Tile{Name: "puzzles solved", Value: humanize.Percent(of.WholeLine),
			Note: humanize.Percent(of.FirstMove) + " first move · of " + humanize.Thousands(of.Puzzles) + held,
			Help: "every move of the line is found; any mate counts"})
	}
	if g := e.Report.Endgames; g != nil {
		if g.Moves.Positions > 0 {
			t := table.Tile{Name: "endgame results kept", Value: share(g.Moves.Kept),
				Note: joined(e.interval("endgame_moves_kept", 0), "chance "+share(g.Moves.Random)),
				Help: "the likeliest move keeps a win won and a draw drawn"}
			list = append(list, judged(t, g.Moves.Verdict(), "chance"))
		}
		if g.ValueAccuracy != nil {
			list = append(list, table.Tile{Name: "endgame verdicts right", Value: share(g.ValueAccuracy),
				Note: e.interval("endgame_value_accuracy", 0), Help: "the value agrees with endgame tables"})
		}
	}
	if s := e.Symmetry; s != nil && s.ValueGap != nil {
		t := table.Tile{Name: "white–black gap", Value: number(s.ValueGap, 3),
			Help: "how far the value moves when colours are swapped"}
		if s.SameMove != nil {
			t.Note = share(s.SameMove) + " play the same move"
		}
		list = append(list, t)
	}
	for i := range list {
		list[i].Note = unbroken.Replace(list[i].Note)
	}
	return list
}

// tile returns the tile of a measure.
func (e *Eval) tile(m *evaluate.Measure) table.Tile {
	if e.LegalMask && m.Needs.Others {
		return table.Tile{Name: m.Tile.Name, Value: "–", Note: "trained on legal moves only",
			Help: "its probabilities of illegal moves mean nothing"}
	}
	decimals := m.Tile.Decimals
	parts := append([]string{e.interval(m.Name, decimals)}, baselines(m, e.Figures, " ", decimals)...)
	if m.Tile.Of != "" {
		parts = append(parts, "of "+humanize.Thousands(e.Count(m.Tile.Of)))
	}
	if unseen := e.Unseen.Of(m.Name); m.Tile.Unseen && unseen != nil {
		parts = append(parts, "unseen "+figure(m, unseen, decimals))
	}
	if n := e.Noise; n != nil && m.Name == "value_mse" {
		parts = append(parts, "the labels' own noise "+number(&n.MSE, decimals))
	}
	t := table.Tile{Name: m.Tile.Name, Value: figure(m, e.Of(m.Name), decimals), Note: joined(parts...),
		Help: e.words(m.Tile.Help)}
	if j, ok := m.Judge(e.Figures, e.Intervals); ok {
		return judged(t, j.Verdict, j.BaselineMeasure().As)
	}
	return t
}

// judged adds to a figure how it compares with a baseline.
func judged(t table.Tile, v evaluate.Verdict, than string) table.Tile {
	if v != "" && t.Value != "–" {
		t.Class, t.Words = class(v), v.Phrase()+" "+than
	}
	return t
}

// interval writes the interval of a figure over all samples; "" if it has none.
func (e *Eval) interval(name string, decimals int) string {
	i, ok := e.Intervals[name]
	if !ok {
		return ""
	}
	m := evaluate.ByName(name)
	return figure(m, &i[0], decimals) + " … " + figure(m, &i[1], decimals)
}

// joined joins the parts that are not empty.
func joined(parts ...string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, " · ")
}
