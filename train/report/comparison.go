package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"talbot/evaluate"
	"talbot/internal/chart"
	"talbot/internal/humanize"
)

//go:embed comparison.html
var comparisonText string

var comparisonTemplate = chart.New("comparison", comparisonText, template.FuncMap{"n": humanize.Thousands})

// Comparison says how several runs differ, and what their networks are worth on the same samples.
type Comparison struct {
	*evaluate.Comparison
	Runs      []Compared  `json:"runs"` // setting by setting
	Settings  []Setting   `json:"settings"`
	Differing []Differing `json:"differing_settings"`
	// Unknown are the runs whose training data cannot be read: what is called unseen, they may have seen.
	Unknown []Unknown `json:"unknown_training_data"`
	// Notes are what else makes the comparison worth less than it looks, in sentences.
	Notes []string `json:"notes"`

	Data         []string `json:"data"` // folders
	Split        string   `json:"split"`
	Samples      int64    `json:"samples"`
	Unseen       *int64   `json:"unseen_samples"`         // nil if it is not known of any run
	ValueTarget  string   `json:"value_target,omitempty"` // that all are compared with; "" = each with its own
	PolicyTarget string   `json:"policy_target,omitempty"`
	Backend      string   `json:"backend"`
	Seconds      float64  `json:"seconds"`
}

// Compared is one run.
type Compared struct {
	Name       string `json:"name"` // short, and different from those of the others
	Run        string `json:"run"`  // as it was given
	Setting    int    `json:"setting"`
	Checkpoint string `json:"checkpoint"`
	Step       int64  `json:"step"`
	Recipe     string `json:"recipe"`
	Network    string `json:"network"` // its size
	Parameters int    `json:"parameters"`
	Weights    string `json:"weights"` // "raw" or "average"
	evaluate.Standing
}

// Setting is one side of a comparison: runs that differ in what was drawn for them.
type Setting struct {
	Name string `json:"name"`
	Runs []int  `json:"runs"` // numbers
}

// Differing is a setting that not all runs have alike, with its value in each; "" is a run that lacks it.
type Differing struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Unknown is a run of whose training data not all can be read.
type Unknown struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

// Of are the different values of a setting's runs, with commas between them; "–" is that of a run that lacks it.
func (d *Differing) Of(s *Setting) string {
	var list []string
	for _, i := range s.Runs {
		value := d.Values[i]
		if value == "" {
			value = "–"
		}
		if len(list) == 0 || list[len(list)-1] != value {
			list = append(list, value)
		}
	}
	return strings.Join(list, ", ")
}

// headOf is the name of what a measure judges, as "Policy".
func headOf(m *evaluate.Measure) string {
	return strings.ToUpper(string(m.Head[:1])) + string(m.Head[1:])
}

// FiguresOf are those of a run on "all" or "unseen" positions.
func (c *Comparison) FiguresOf(run int, on string) evaluate.Figures {
	if on == "unseen" {
		return c.Runs[run].Unseen
	}
	return c.Runs[run].Figures
}

// Mean is that of the runs of a setting; nil if one of them has no such figure.
func (c *Comparison) Mean(setting int, on string, m *evaluate.Measure) *float64 {
	sum := 0.0
	for _, i := range c.Settings[setting].Runs {
		x := c.FiguresOf(i, on).Of(m.Name)
		if x == nil {
			return nil
		}
		sum += *x / float64(len(c.Settings[setting].Runs))
	}
	return &sum
}

// Difference is that of a setting in a measure; nil if there is none.
func (c *Comparison) Difference(on string, setting int, m *evaluate.Measure) *evaluate.Difference {
	for _, d := range c.On(on, setting) {
		if d.Measure == m.Name {
			return d
		}
	}
	return nil
}

// Sentence says in words how a setting stands to the first one in a figure.
func (c *Comparison) Sentence(d *evaluate.Difference) string {
	m := evaluate.ByName(d.Measure)
	v, interval := d.Final()
	first, later := c.Settings[0].Name, c.Settings[d.Setting].Name
	where := "all positions, seen in training or not"
	if d.On == "unseen" {
		where = "unseen positions"
		if len(c.Unknown) > 0 {
			where = "positions " + c.UnseenTo()
		}
	}
	if interval == nil {
		return fmt.Sprintf("on %s there are too few games to tell %s from %s: %s against %s", where, later, first,
			m.Write(d.Figure), m.Write(d.First))
	}
	unit := ""
	if m.Kind == evaluate.Share {
		unit = " points"
	}
	verb := "is "
	if v == evaluate.Unclear {
		verb = "shows "
	}
	return fmt.Sprintf("%s %s %s, on %s: %s %s against %s, difference %s%s (%s to %s)", later, verb+v.Phrase(), first,
		where, m.Row, m.Write(d.Figure), m.Write(d.First), m.WriteDifference(d.Difference), unit,
		m.WriteDifference(interval[0]), m.WriteDifference(interval[1]))
}

// Speaks says what the verdicts on a setting are about.
func (c *Comparison) Speaks(setting int) string {
	a, b := len(c.Settings[0].Runs), len(c.Settings[setting].Runs)
	switch {
	case a > 1 && b > 1:
		return fmt.Sprintf("The verdict is on the settings: the interval has the games and the seeds in it, from %d "+
			"and %d runs.", b, a)
	case a == 1 && b == 1:
		return "The verdict is on these networks. Other seeds of the same settings would give others."
	}
	return "The verdict is on these networks: a setting with one run does not show how much seeds differ."
}

// UnseenTo says whose training data the unseen positions do not occur in.
func (c *Comparison) UnseenTo() string {
	if len(c.Unknown) == 0 {
		return "unseen to all runs"
	}
	var known []string
	for _, r := range c.Runs {
		if !c.unknown(r.Name) {
			known = append(known, r.Name)
		}
	}
	return "unseen to " + strings.Join(known, ", ")
}

func (c *Comparison) unknown(name string) bool {
	return slices.ContainsFunc(c.Unknown, func(u Unknown) bool { return u.Run == name })
}

// Shown are the measures that some network has and that a comparison shows.
func (c *Comparison) Shown() (list []*evaluate.Measure) {
	for _, m := range evaluate.ByHead() {
		if !m.Interval || m.Apart || m.Row == "" {
			continue
		}
		for i := range c.Runs {
			if _, ok := c.Runs[i].Figures[m.Name]; ok {
				list = append(list, m)
				break
			}
		}
	}
	return list
}

// comparisonView is what the template sees.
type comparisonView struct {
	*Comparison
	Title    string
	Verdicts []verdict
	Settings []comparedSetting
	Tables   []comparedTable
	Sides    []comparedSide
	Reasons  []Fact
	Facts    []Fact
}

// comparedSetting is a row of the table of settings.
type comparedSetting struct {
	Name   string
	Values []string
}

// comparedTable has the figures of all runs.
type comparedTable struct {
	Title, Note string
	Rows        []comparedRow
}

type comparedRow struct {
	Name  string
	Cells []comparedCell
}

type comparedCell struct{ Text, Hover string }

// comparedSide has the differences of a setting from the first.
type comparedSide struct {
	Title, Note string
	Seeds       bool
	Rows        []differenceRow
}

// differenceRow is a difference, drawn: a line of the interval and a point, and where no difference is.
type differenceRow struct {
	Name, Text, Interval, Class, Verdict, Hover string
	Drawn                                       bool
	Low, Width, Point, Zero                     float64 // in per cent of the cell
	SeedsLow, SeedsWidth                        float64
}

// shownNames returns the comparison with names as a page shows them: they stand within sentences.
func (c *Comparison) shownNames() *Comparison {
	shown := *c
	shown.Runs, shown.Settings, shown.Unknown = slices.Clone(c.Runs), slices.Clone(c.Settings), slices.Clone(c.Unknown)
	for i := range shown.Runs {
		shown.Runs[i].Name = chart.Plain(shown.Runs[i].Name)
	}
	for i := range shown.Settings {
		shown.Settings[i].Name = chart.Plain(shown.Settings[i].Name)
	}
	for i := range shown.Unknown {
		shown.Unknown[i].Run = chart.Plain(shown.Unknown[i].Run)
	}
	return &shown
}

// WriteComparison writes the page.
func WriteComparison(w io.Writer, c *Comparison) error {
	return comparisonTemplate.ExecuteTemplate(w, "comparison", c.view())
}

// WriteComparisonPart writes what the page has below its title, for another page with [ComparisonStyle].
func WriteComparisonPart(w io.Writer, c *Comparison) error {
	return comparisonTemplate.ExecuteTemplate(w, "comparisonpart", c.view())
}

// ComparisonStyle is the style sheet of a comparison, beside that of all pages.
func ComparisonStyle() (string, error) {
	var b strings.Builder
	err := comparisonTemplate.ExecuteTemplate(&b, "comparisonstyle", nil)
	return b.String(), err
}

// view lays the page out.
func (c *Comparison) view() *comparisonView {
	c = c.shownNames()
	v := &comparisonView{Comparison: c}
	var names []string
	for _, s := range c.Settings {
		names = append(names, s.Name)
	}
	v.Title = strings.Join(names, " · ")
	for i := range c.Differing {
		row := comparedSetting{Name: c.Differing[i].Name}
		for k := range c.Settings {
			row.Values = append(row.Values, c.Differing[i].Of(&c.Settings[k]))
		}
		v.Settings = append(v.Settings, row)
	}
	parts := []string{"all"}
	if c.Unseen != nil {
		parts = []string{"unseen", "all"}
	}
	for k := range c.Settings[1:] {
		heads := c.Heads(k + 1)
		for _, d := range heads {
			v.Verdicts = append(v.Verdicts, c.judged(d))
		}
		for _, on := range parts {
			v.Sides = append(v.Sides, c.side(on, k+1))
		}
	}
	for _, on := range parts {
		v.Tables = append(v.Tables, c.table(on))
	}
	for _, i := range c.Incomparable {
		v.Reasons = append(v.Reasons, Fact{evaluate.ByName(i.Measure).Row,
			c.Settings[i.Setting].Name + ": " + i.Reason})
	}
	for _, r := range c.Runs {
		v.Facts = append(v.Facts, Fact{r.Name, fmt.Sprintf("%s, %s, %s weights, %s", r.Recipe, r.Network, r.Weights,
			r.Checkpoint)})
	}
	v.Facts = append(v.Facts, Fact{"data", strings.Join(c.Data, ", ")}, Fact{"backend", c.Backend})
	return v
}

// judged is the verdict on a head.
func (c *Comparison) judged(d *evaluate.Difference) verdict {
	m := evaluate.ByName(d.Measure)
	how, _ := d.Final()
	v := verdict{Class: class(how), Head: headOf(m), Text: c.Sentence(d) + ".", Aside: c.Speaks(d.Setting)}
	v.Title = fmt.Sprintf("%s: %s", c.Settings[d.Setting].Name, how)
	v.Text = unbroken.Replace(v.Text)
	return v
}

func (c *Comparison) table(on string) comparedTable {
	t := comparedTable{Title: "All positions", Note: fmt.Sprintf("%s of %s", humanize.Count(c.Samples, "sample"),
		humanize.Count(c.Lines, "game"))}
	if on == "unseen" {
		t.Title = "Positions " + c.UnseenTo()
		t.Note = fmt.Sprintf("%s of %s", humanize.Count(*c.Unseen, "sample"), humanize.Count(c.UnseenLines, "game"))
	}
	for _, m := range c.Shown() {
		row := comparedRow{Name: m.Row}
		for i := range c.Runs {
			f, intervals := c.Runs[i].Figures, c.Runs[i].Intervals
			if on == "unseen" {
				f, intervals = c.Runs[i].Unseen, c.Runs[i].UnseenIntervals
			}
			cell := comparedCell{Text: "–"}
			if x, ok := f[m.Name]; ok {
				cell.Text = m.Write(x)
			}
			if i, ok := intervals[m.Name]; ok {
				cell.Hover = "95 % interval " + m.Write(i[0]) + " to " + m.Write(i[1])
			}
			row.Cells = append(row.Cells, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (c *Comparison) side(on string, setting int) comparedSide {
	s := comparedSide{Title: fmt.Sprintf("%s less %s", c.Settings[setting].Name, c.Settings[0].Name),
		Note: "all positions"}
	if on == "unseen" {
		s.Note = "positions " + c.UnseenTo()
	}
	for _, d := range c.On(on, setting) {
		row := c.drawn(d)
		s.Seeds = s.Seeds || d.Seeds != nil
		s.Rows = append(s.Rows, row)
	}
	return s
}

// drawn lays out a difference. Its scale is its own: the point, the interval and zero fill the cell.
func (c *Comparison) drawn(d *evaluate.Difference) differenceRow {
	m := evaluate.ByName(d.Measure)
	how, interval := d.Final()
	row := differenceRow{Name: m.Row, Text: m.WriteDifference(d.Difference), Class: class(how), Verdict: string(how),
		Hover: fmt.Sprintf("%s against %s, %s", m.Write(d.Figure), m.Write(d.First),
			humanize.Count(d.Samples, "sample"))}
	if interval == nil {
		return row
	}
	row.Interval = m.WriteDifference(interval[0]) + " to " + m.WriteDifference(interval[1])
	if d.Seeds != nil {
		row.Hover += fmt.Sprintf("; these networks alone %s to %s; standard deviation between runs %s and %s",
			m.WriteDifference(d.Interval[0]), m.WriteDifference(d.Interval[1]),
			strings.TrimPrefix(m.WriteDifference(d.Seeds.Deviation[0]), "+"),
			strings.TrimPrefix(m.WriteDifference(d.Seeds.Deviation[1]), "+"))
	}
	reach := 1.1 * max(math.Abs(interval[0]), math.Abs(interval[1]), math.Abs(d.Difference))
	if reach == 0 {
		return row
	}
	at := func(x float64) float64 { return 50 + 50*x/reach }
	row.Drawn, row.Zero, row.Point = true, 50, at(d.Difference)
	row.Low, row.Width = at(d.Interval[0]), at(d.Interval[1])-at(d.Interval[0])
	if d.Seeds != nil {
		row.SeedsLow, row.SeedsWidth = at(interval[0]), at(interval[1])-at(interval[0])
	}
	return row
}
