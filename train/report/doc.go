// Package report draws what a run learned as one page of HTML that needs nothing else: no network, no script.
//
// In go a run's configuration, the lines of its metrics.jsonl and, once the network was evaluated, the figures; out comes
// the page. It begins with the figures that matter, then come the curves, calibration, accuracy by group, puzzles, the
// worst misses with boards, and what the run is made of. The package starts no goroutines.
//
// Charts and boards are laid out here, in numbers; page.html only writes them down as SVG.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"talbot/train"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"n":     thousands,
	"share": func(x float64) string { return percent(x) },
	"num":   func(x *float64) string { return number(x, "%.3f") },
	"pct": func(x *float64) string {
		if x == nil {
			return "–"
		}
		return percent(*x)
	},
	"width":  func(x float64) string { return fmt.Sprintf("%.1f", 100*x) },
	"of":     orZero,
	"signed": func(x *float64) string { return number(x, "%+.2f") },
}).Parse(pageText))

// orZero is what a meter shows of a figure over no samples.
func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}

// Run is what a page shows.
type Run struct {
	Name    string // of the run's folder
	Config  train.Config
	Data    []Dataset
	Facts   []Fact // further lines of the identity, as the backend
	Lines   []train.Line
	Eval    *Eval  // nil before an evaluation
	Command string // that evaluates
}

// Dataset is one dataset that the run is trained on.
type Dataset struct {
	Dir, Manifest string
	Weight        float64 // 0 = by its samples
}

// Fact is a named line of text.
type Fact struct{ Name, Text string }

// Eval is an evaluation.
type Eval struct {
	Data       []string // folders
	Note       string   // on how it was done, as "without history"; may be empty
	Split      string
	Checkpoint string
	Step       int64
	train.Report
	Puzzles *train.PuzzleReport // nil without any
}

// tile is a figure at the top.
type tile struct{ Value, Name, Note string }

// view is what the template sees.
type view struct {
	Run
	Tiles       []tile
	Curves      []chart
	Calibration []scatter
	Groups      []group
	Puzzles     []solved
	Misses      []miss
	Identity    []Fact
	Pieces      []piece
}

// Write writes the page.
func Write(w io.Writer, r Run) error {
	v := view{Run: r, Curves: curves(r.Lines), Identity: r.identity(), Pieces: pieces}
	v.Tiles = r.tiles()
	if e := r.Eval; e != nil {
		v.Calibration = e.scatters()
		v.Groups = e.groups()
		v.Puzzles = e.solved()
		for i := range e.Misses {
			m, err := newMiss(&e.Misses[i])
			if err != nil {
				return err
			}
			v.Misses = append(v.Misses, m)
		}
	}
	return pageTemplate.Execute(w, v)
}

// tiles are the figures of the evaluation, or of the last validation before there is one.
func (r Run) tiles() []tile {
	if e := r.Eval; e != nil {
		return e.tiles()
	}
	var last, best *train.Line
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
	note := func(x *float64) string { return "best " + number(x, "%.3f") }
	list := []tile{{number(last.PolicyCE, "%.3f"), "policy cross-entropy", ""}, {number(last.ValueMSE, "%.4f"), "value squared error", ""}}
	if best != nil {
		list[0].Note, list[1].Note = note(best.PolicyCE), "best "+number(best.ValueMSE, "%.4f")
	}
	return append(list, tile{thousands(last.Step), "steps", thousands(last.Step*int64(r.Config.Batch)) + " samples"})
}

func (e *Eval) tiles() []tile {
	within := func(name string, show func(float64) string) string {
		if i, ok := e.Intervals[name]; ok {
			return show(i[0]) + " … " + show(i[1])
		}
		return ""
	}
	three := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	four := func(x float64) string { return fmt.Sprintf("%.4f", x) }
	list := []tile{
		{number(e.PolicyCELegal, "%.3f"), "cross-entropy, legal moves", "chance " + number(e.PolicyCEUniform, "%.3f")},
		{share(e.Top1), "first move right", within("top1", percent)},
		{share(e.Top5), "among the first five", within("top5", percent)},
		{number(e.ValueMSE, "%.4f"), "value squared error", "always the mean " + number(e.ValueMSEMean, "%.4f")},
		{share(e.ValueSignAccuracy), "right side better", within("value_sign_accuracy", percent)},
		{share(e.MateInOne), "mates in one found", "of " + thousands(e.MateSamples)},
	}
	if e.PolicyCELegal != nil {
		list[0].Note = within("policy_ce_legal", three) + " · " + list[0].Note
	}
	if e.ValueMSE != nil {
		list[3].Note = within("value_mse", four) + " · " + strings.TrimPrefix(list[3].Note, "always the ")
	}
	if p := e.Puzzles; p != nil {
		list = append(list, tile{percent(p.WholeLine), "puzzles solved", percent(p.FirstMove) + " first move"})
	}
	if s := e.Symmetry; s != nil {
		list = append(list, tile{fmt.Sprintf("%.3f", s.ValueGap), "white–black value gap", percent(s.SameMove) + " play the same move"})
	}
	return list
}

// identity says what the run is made of.
func (r Run) identity() []Fact {
	c := r.Config
	list := []Fact{
		{"network", fmt.Sprintf("%s, %d blocks of %d filters", c.Recipe, c.Blocks, c.Filters)},
		{"training", fmt.Sprintf("%s steps of %s samples, seed %d", thousands(c.Steps), thousands(int64(c.Batch)), c.Seed)},
		{"optimiser", fmt.Sprintf("AdamW, learning rate %g to %g, weight decay %g (%s), value weight %g", c.LR, c.MinLR, c.WeightDecay, c.Decay, c.ValueWeight)},
	}
	list = append(list, r.Facts...)
	for _, d := range r.Data {
		text := d.Dir
		if d.Weight > 0 {
			text += fmt.Sprintf(", weight %g", d.Weight)
		}
		list = append(list, Fact{"trained on", text}, Fact{"", "manifest " + d.Manifest})
	}
	if e := r.Eval; e != nil {
		what := Fact{"evaluated", fmt.Sprintf("%s, step %s", e.Checkpoint, thousands(e.Step))}
		if e.Note != "" {
			what.Text += ", " + e.Note
		}
		list = append(list, what,
			Fact{"", fmt.Sprintf("%s samples of the split %s of %s", thousands(e.Samples), e.Split, strings.Join(e.Data, ", "))})
	}
	return list
}

func number(x *float64, format string) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf(format, *x)
}

func share(x *float64) string {
	if x == nil {
		return "–"
	}
	return percent(*x)
}

// percent has one digit behind the point, and more below 1 %.
func percent(x float64) string {
	switch x *= 100; {
	case x > 0 && x < 0.0001:
		return "< 0.0001 %"
	case x > 0 && x < 1:
		return fmt.Sprintf("%.*f %%", min(1-int(math.Floor(math.Log10(x))), 4), x)
	}
	return fmt.Sprintf("%.1f %%", x)
}

// thousands groups digits by thin spaces.
func thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
