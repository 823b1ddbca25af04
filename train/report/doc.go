// Package report writes the report of a training run: one self-contained page of HTML, with a script only to filter the
// misses.
//
// [Write] takes a [Run]: its configuration, the lines of its metrics.jsonl and, once the network is evaluated, the
// figures. The page begins with the verdict on unseen positions and the identity of the run; then come the figures, the
// curves, calibration, accuracy by group, puzzles, the worst misses with boards, and the settings. The package starts
// no goroutines.
//
// Charts and boards are drawn by internal/chart; the tables are laid out here, and page.html writes them down.
package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"talbot/evaluate"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
)

// Over is the set of moves that a policy chooses from.
type Over uint8

// The sets of moves.
const (
	OverAll Over = iota // all moves that the recipe numbers
	OverLegal
	OverCandidates
)

//go:embed page.html
var pageText string

var pageTemplate = chart.New("report", pageText, template.FuncMap{
	"n":     humanize.Thousands,
	"share": humanize.Percent,
	"num":   func(x *float64) string { return number(x, "%.3f") },
	"pct":   share,
	"width": func(x float64) string { return fmt.Sprintf("%.1f", 100*x) },
	"of":    run.OrZero,
	"half":  func(x float64) float64 { return x / 2 },
	"figure": func(x *float64) string {
		if x == nil {
			return "–"
		}
		return evaluate.FormatFigure(*x, false)
	},
	"label": func(x *float64) string { return signed(*x) },
})

// Run is what a page shows.
type Run struct {
	Name    string // of the run's folder
	Config  run.Config
	Data    []Dataset
	Facts   []Fact // further lines of the identity, as the backend
	Lines   []train.MetricsLine
	Eval    *Eval  // nil before an evaluation
	Command string // that evaluates

	Fingerprint string // of settings and data: the same one is the same computation; may be empty
	Network     string // its size, as [model.Network] says it
	Parameters  int    // trainable; 0 = not known
	LegalMask   bool   // trained with a mask of the legal moves: what it says of others means nothing
	Over        Over   // moves that its policy chooses from
	Dates       Dates
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
	Note       string   // on how it was done, as "shown without history"; may be empty
	Split      string
	Checkpoint string
	Step       int64
	Sum        string // SHA-256 of the checkpoint; may be empty
	LegalMask  bool   // as [Run.LegalMask]
	Results    bool   // values are compared with results of games, not with labels
	evaluate.Report
	Puzzles *evaluate.PuzzleReport // nil without any
	// Candidates compares a network that chooses among candidates with simpler choices; nil for any other.
	Candidates *evaluate.CandidateReport
	Noise      *evaluate.Noise // nil if it is not known
}

// view is what the template sees.
type view struct {
	Run
	Verdicts    []verdict
	Brief       []Fact
	Contents    []section
	Tiles       []tile
	Curves      []Chart // of losses
	Course      []Chart // of the training itself
	Calibration []*chart.CalibrationChart
	Groups      []*group
	Leans       *leaning
	Bands       *bands
	Style       []styleRow
	Candidates  []candidateRow
	Endgames    *endgames
	Puzzles     []puzzleTable
	Misses      []Miss
	Sources     []string // of the misses
	Phases      []string
	Identity    []Fact
}

// section is a heading of the page.
type section struct{ ID, Title string }

// contents are the headings that the page has.
func (v *view) contents() (list []section) {
	for _, s := range []struct {
		shown     bool
		id, title string
	}{
		{len(v.Tiles) > 0, "figures", "Figures"},
		{len(v.Curves) > 0, "training", "Training"},
		{len(v.Calibration) > 0 || v.Leans != nil, "calibration", "Calibration"},
		{len(v.Groups) > 0, "accuracy", "Accuracy"},
		{v.Style != nil, "style", "Style"},
		{v.Bands != nil, "bands", "Ratings"},
		{v.Candidates != nil, "candidates", "Candidates"},
		{v.Endgames != nil, "endgames", "Endgames"},
		{len(v.Puzzles) > 0, "puzzles", "Puzzles"},
		{len(v.Misses) > 0, "misses", "The worst misses"},
		{true, "settings", "Settings"},
	} {
		if s.shown {
			list = append(list, section{s.id, s.title})
		}
	}
	return list
}

// Write writes the page.
func Write(w io.Writer, r Run) error {
	v := view{Run: r, Verdicts: r.verdicts(), Brief: r.brief(), Tiles: r.tiles(), Identity: r.identity()}
	v.Curves, v.Course = Charts([]Run{r}, View{})
	if e := r.Eval; e != nil {
		v.Calibration = e.calibrations()
		v.Groups = e.groups()
		v.Puzzles = e.solved()
		v.Leans = e.leaning()
		v.Bands, v.Candidates = e.bands(), e.candidates()
		v.Style = e.style()
		v.Endgames = e.endgames()
		for i := range e.Misses {
			m, err := NewMiss(&e.Misses[i])
			if err != nil {
				return err
			}
			m.Word = e.words("label")
			v.Misses = append(v.Misses, m)
		}
		v.Sources = different(v.Misses, func(m *Miss) string { return m.Source })
		v.Phases = different(v.Misses, func(m *Miss) string { return m.Phase })
	}
	v.Contents = v.contents()
	return pageTemplate.Execute(w, &v)
}

// shownMisses is how many misses are shown at once; the others unfold.
const shownMisses = 12

// ShownMisses is shownMisses.
func (v *view) ShownMisses() int { return shownMisses }

// MoreMisses is how many misses unfold.
func (v *view) MoreMisses() int { return len(v.Misses) - shownMisses }

// different returns the values that occur among the misses, sorted.
func different(misses []Miss, of func(*Miss) string) (list []string) {
	for i := range misses {
		list = append(list, of(&misses[i]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// rateText describes the learning rate and its schedule.
func rateText(c run.Config) string {
	if c.Schedule == "cosine" || c.Schedule == "one-cycle" {
		return fmt.Sprintf("%.4g to %.4g (%s)", c.LR, c.MinLR, c.Schedule)
	}
	return fmt.Sprintf("%.4g (%s)", c.LR, c.Schedule)
}

// identity lists the settings and the data of the run.
func (r Run) identity() []Fact {
	c := r.Config
	optimizer := "Adam, learning rate " + rateText(c)
	if c.WeightDecay > 0 {
		optimizer = fmt.Sprintf("AdamW, learning rate %s, weight decay %g (%s)", rateText(c), c.WeightDecay, c.Decay)
	}
	switch c.Optimizer {
	case recipe.Muon:
		optimizer = "Muon with " + optimizer
	case recipe.SGD:
		optimizer = fmt.Sprintf("SGD with momentum, learning rate %s, weight decay %g (%s)", rateText(c), c.WeightDecay,
			c.Decay)
	}
	list := []Fact{
		{"training", fmt.Sprintf("%s of %s, seed %d", humanize.Count(c.Steps, "step"),
			humanize.Count(int64(c.Batch), "sample"), c.Seed)},
		{"optimiser", optimizer},
	}
	if weight, ok := c.Settings.Values()["value_weight"]; ok {
		list[1].Text += ", value weight " + weight
	}
	if c.EMA > 0 {
		list = append(list, Fact{"", fmt.Sprintf("running average of the weights, decay %g, which is validated",
			c.EMA)})
	}
	if r.LegalMask {
		list = append(list, Fact{"",
			"softmax over the legal moves only: the network's figures for illegal ones mean nothing"})
	}
	if c.ValueFormula != "" {
		list = append(list, Fact{"value target", c.ValueFormula})
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
		what := Fact{"evaluated", fmt.Sprintf("%s, step %s", e.Checkpoint, humanize.Thousands(e.Step))}
		if e.Note != "" {
			what.Text += ", " + e.Note
		}
		list = append(list, what,
			Fact{"", fmt.Sprintf("%s of the %s split of %s", humanize.Count(e.Count("samples"), "sample"), e.Split,
				strings.Join(e.Data, ", "))})
	}
	return list
}

// signed writes a value with its sign and two decimals.
func signed(x float64) string { return strings.Replace(fmt.Sprintf("%+.2f", x), "-", "−", 1) }

// signed3 is [signed] with three decimals.
func signed3(x float64) string { return strings.Replace(fmt.Sprintf("%+.3f", x), "-", "−", 1) }

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
	return humanize.Percent(*x)
}
