package report

import (
	"fmt"
	"strings"

	"talbot/evaluate"
	"talbot/internal/humanize"
	"talbot/network/run"
	"talbot/train"
)

// tile is a figure at the top of the page: its value and name, its interval and baselines, and what it means.
type tile struct {
	Value, Name, Note, Help string

	Class string // how it compares with its baseline: "better", "worse" or "unsure"; "" without a baseline
	Words string // the same in words
}

// judged adds how the figure compares with a baseline.
func (t tile) judged(v evaluate.Verdict, than string) tile {
	if v != "" && t.Value != "–" {
		t.Class, t.Words = class(v), v.Phrase()+" "+than
	}
	return t
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
	var list []tile
	for _, t := range r.terms() {
		if t.Tile == "" {
			continue
		}
		format := fmt.Sprintf("%%.%df", t.Decimals)
		note := ""
		if best != nil {
			note = "best " + number(best.Of(t.Name), format)
		}
		list = append(list, newTile(number(last.Of(t.Name), format), t.Tile, note, t.Help))
	}
	return append(list, newTile(humanize.Thousands(last.Step), "steps",
		humanize.Thousands(last.Step*int64(r.Config.Batch))+" samples", "done at the last validation"))
}

// show returns the function that writes a measure's figures, numbers with the given decimals.
func show(m *evaluate.Measure, decimals int) func(x *float64) string {
	switch m.Kind {
	case evaluate.Share:
		return share
	case evaluate.Count:
		return func(x *float64) string { return humanize.Thousands(int64(run.OrZero(x))) }
	}
	return func(x *float64) string { return number(x, fmt.Sprintf("%%.%df", decimals)) }
}

func (e *Eval) tiles() []tile {
	var list []tile
	for _, m := range evaluate.Measures() {
		if m.Tile.Name != "" && e.Abilities.Has(m.Needs) {
			list = append(list, e.tile(m))
		}
	}
	if p := e.Puzzles; p != nil {
		of, held := p.PuzzleScore, ""
		if h := p.HeldOut; h != nil && h.Puzzles > 0 {
			of, held = *h, " not in the train split"
		}
		list = append(list, newTile(humanize.Percent(of.WholeLine), "puzzles solved",
			humanize.Percent(of.FirstMove)+" first move · of "+humanize.Thousands(of.Puzzles)+
				held, "every move of the line is found; any mate counts"))
	}
	if g := e.Report.Endgames; g != nil {
		if g.Moves.Positions > 0 {
			list = append(list, newTile(share(g.Moves.Kept), "endgame results kept",
				joined(e.interval("endgame_moves_kept", share), "chance "+share(g.Moves.Random)),
				"the likeliest move keeps a win won and a draw drawn").judged(g.Moves.Verdict(), "chance"))
		}
		if g.ValueAccuracy != nil {
			list = append(list, newTile(share(g.ValueAccuracy), "endgame verdicts right",
				e.interval("endgame_value_accuracy", share), "the value agrees with endgame tables"))
		}
	}
	if s := e.Symmetry; s != nil && s.ValueGap != nil {
		note := ""
		if s.SameMove != nil {
			note = humanize.Percent(*s.SameMove) + " play the same move"
		}
		list = append(list, newTile(fmt.Sprintf("%.3f", *s.ValueGap), "white–black gap", note,
			"how far the value moves when colours are swapped"))
	}
	return list
}

// interval writes the interval of a figure; "" if it has none.
func (e *Eval) interval(name string, show func(*float64) string) string {
	if i, ok := e.Intervals[name]; ok {
		return show(&i[0]) + " … " + show(&i[1])
	}
	return ""
}

// tile returns the tile of a measure.
func (e *Eval) tile(m *evaluate.Measure) tile {
	if e.LegalMask && m.Needs.Others {
		return newTile("–", m.Tile.Name, "trained on legal moves only",
			"its probabilities of illegal moves mean nothing")
	}
	show := show(m, m.Tile.Decimals)
	parts := append([]string{e.interval(m.Name, show)}, baselines(m, e.Figures, " ", show)...)
	if m.Tile.Of != "" {
		parts = append(parts, "of "+humanize.Thousands(e.Count(m.Tile.Of)))
	}
	if m.Tile.Unseen && e.Unseen.Of(m.Name) != nil {
		parts = append(parts, "unseen "+show(e.Unseen.Of(m.Name)))
	}
	if n := e.Noise; n != nil && m.Name == "value_mse" {
		parts = append(parts, "the labels' own noise "+show(&n.MSE))
	}
	t := newTile(show(e.Of(m.Name)), m.Tile.Name, joined(parts...), e.words(m.Tile.Help))
	if j, ok := m.Judge(e.Figures, e.Intervals); ok {
		return t.judged(j.Verdict, j.BaselineMeasure().As)
	}
	return t
}

func newTile(value, name, note, help string) tile {
	return tile{Value: value, Name: name, Note: unbroken.Replace(note), Help: help}
}

// joined joins the parts that are not empty with dots.
func joined(parts ...string) string { return joinedBy(" · ", parts...) }

func joinedBy(between string, parts ...string) string {
	var list []string
	for _, p := range parts {
		if p != "" {
			list = append(list, p)
		}
	}
	return strings.Join(list, between)
}
