package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"talbot/evaluate"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

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
	evaluate.EntryResult
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

// Page returns the comparison, to be written as text or as a page.
func (c *Comparison) Page() *table.Page {
	p := &table.Page{Kind: "comparison", Intro: fmt.Sprintf("Runs of talbot compared on the same %s of the %s "+
		"split. Ranges "+
		"are 95 %% intervals of the paired difference, by a bootstrap over whole games that draws alike for all runs. "+
		"Hover over a mark for its values.", humanize.Count(c.Samples, "sample"), c.Split)}
	for i, s := range c.Settings {
		if i > 0 {
			p.Title += " · "
		}
		p.Title += s.Name
	}
	settings := &table.Table{Title: "Settings that differ", Class: "texts", Columns: table.Columns("")}
	for _, s := range c.Settings {
		settings.Columns = append(settings.Columns, table.Column{Title: s.Name})
	}
	for i := range c.Differing {
		row := table.Row(c.Differing[i].Name)
		for k := range c.Settings {
			row = append(row, table.Cell{Text: chart.Name(c.Differing[i].Of(&c.Settings[k]))})
		}
		settings.Add(row...)
	}
	if len(settings.Rows) == 0 {
		settings.Foot = []string{"None."}
	}
	differences := table.Section{Title: "Differences", Note: "Pale bar: including seeds; strong bar: these " +
		"networks, over games; dot: difference; line: zero."}
	figures := table.Section{Title: "Figures"}
	parts := []string{"all"}
	if c.Unseen != nil {
		parts = []string{"unseen", "all"}
	}
	var verdicts table.Verdicts
	for k := range c.Settings[1:] {
		for _, d := range c.Heads(k + 1) {
			verdicts = append(verdicts, c.verdict(d))
		}
		for _, on := range parts {
			differences.Add(c.differences(on, k+1))
		}
	}
	if len(verdicts) == 0 {
		verdicts = table.Verdicts{{Class: table.Unsure, Title: "Nothing to compare",
			Text: "The runs have no figure in common that means the same."}}
	}
	for _, on := range parts {
		if t := c.figures(on); len(c.Runs) > 2 {
			figures.Add(t)
		} else {
			figures.Add(table.PageOnly{Block: t}) // the differences have both
		}
	}
	if len(c.Incomparable) > 0 {
		t := &table.Table{Title: "Not comparable", Class: "texts"}
		for _, i := range c.Incomparable {
			t.Add(table.Row(evaluate.ByName(i.Measure).Row, c.Settings[i.Setting].Name+": "+i.Reason)...)
		}
		differences.Add(t)
	}
	runs := &table.Facts{}
	for _, r := range c.Runs {
		runs.List = append(runs.List, table.Fact{Name: r.Name, Text: fmt.Sprintf("%s, %s, step %d, %s weights, %s",
			r.Recipe,
			r.Network, r.Step, r.Weights, r.Checkpoint)})
	}
	runs.List = append(runs.List, table.Fact{Name: "data", Text: strings.Join(c.Data, ", ")},
		table.Fact{Name: "backend", Text: c.Backend})
	p.Lead = []table.Block{verdicts}
	if len(c.Unknown) > 0 {
		unknown := &table.Prose{Title: "Training data that cannot be read", Class: table.Unsure}
		for _, u := range c.Unknown {
			unknown.Lines = append(unknown.Lines, u.Run+" may have been trained on any of the positions: "+u.Reason)
		}
		p.Lead = append(p.Lead, unknown)
	}
	if len(c.Notes) > 0 {
		p.Lead = append(p.Lead, &table.Prose{Title: "To be kept in mind", Class: table.Unsure, Lines: c.Notes})
	}
	p.Add(table.Section{Title: "Settings", Blocks: []table.Block{settings}})
	p.Add(differences)
	p.Add(figures)
	p.Add(table.Section{Title: "Runs", Blocks: []table.Block{runs}})
	return p
}

// verdict is that on a head.
func (c *Comparison) verdict(d *evaluate.Difference) table.Verdict {
	how, _ := d.Final()
	return table.Verdict{Class: class(how), Head: headOf(evaluate.ByName(d.Measure)),
		Title: fmt.Sprintf("%s: %s", c.Settings[d.Setting].Name, how), Text: unbroken.Replace(c.Sentence(d) + "."),
		Aside: c.Speaks(d.Setting)}
}

// where returns the name of a part of the positions, and how many it has.
func (c *Comparison) where(on string) (title, note string) {
	if on == "unseen" {
		return "Positions " + c.UnseenTo(), humanize.Count(*c.Unseen, "sample") + " of " +
			humanize.Count(c.UnseenLines, "game")
	}
	return "All positions, seen in training or not", humanize.Count(c.Samples, "sample") + " of " +
		humanize.Count(c.Lines, "game")
}

// figures returns the table of all runs.
func (c *Comparison) figures(on string) *table.Table {
	t := &table.Table{Columns: table.Columns("")}
	t.Title, t.Note = c.where(on)
	for _, r := range c.Runs {
		t.Columns = append(t.Columns, table.Column{Title: r.Name})
	}
	for _, m := range c.Shown() {
		row := table.Row(m.Row)
		for i := range c.Runs {
			f, intervals := c.Runs[i].Figures, c.Runs[i].Intervals
			if on == "unseen" {
				f, intervals = c.Runs[i].Unseen, c.Runs[i].UnseenIntervals
			}
			cell := table.Cell{Text: written(m, f.Of(m.Name))}
			if i, ok := intervals[m.Name]; ok {
				cell.Hover = "95 % interval " + m.Write(i[0]) + " to " + m.Write(i[1])
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	return t
}

// written writes a figure as a comparison does; "–" for none.
func written(m *evaluate.Measure, x *float64) string {
	if x == nil {
		return "–"
	}
	return m.Write(*x)
}

// differences returns the table of how a setting stands to the first one.
func (c *Comparison) differences(on string, setting int) *table.Table {
	first, later := c.Settings[0].Name, c.Settings[setting].Name
	where, note := c.where(on)
	t := &table.Table{Title: later + " against " + first, Note: strings.ToLower(where[:1]) + where[1:] + "; " + note,
		Class: "spans", Columns: table.Columns("", chart.Name(first), chart.Name(later), "difference", "95 % interval",
			"", "")}
	t.Columns[1].Wide, t.Columns[2].Wide, t.Columns[5].Drawn = true, true, true
	for _, m := range c.Shown() {
		d := c.Difference(on, setting, m)
		if d == nil {
			continue
		}
		how, interval := d.Final()
		within := ""
		if interval != nil {
			within = m.WriteDifference(interval[0]) + " … " + m.WriteDifference(interval[1])
		}
		row := table.Row(m.Row, m.Write(d.First), m.Write(d.Figure), m.WriteDifference(d.Difference), within)
		t.Add(append(row, c.drawn(d), table.Cell{Text: string(how), Class: class(how)})...)
	}
	return t
}

// drawn draws a difference with its intervals, in a scale in which they and zero fill the cell.
func (c *Comparison) drawn(d *evaluate.Difference) table.Cell {
	m := evaluate.ByName(d.Measure)
	_, interval := d.Final()
	cell := table.Cell{Hover: humanize.Count(d.Samples, "sample")}
	if interval == nil {
		return cell
	}
	if d.Seeds != nil {
		cell.Hover += fmt.Sprintf("; these networks alone %s to %s; standard deviation between runs %s and %s",
			m.WriteDifference(d.Interval[0]), m.WriteDifference(d.Interval[1]),
			strings.TrimPrefix(m.WriteDifference(d.Seeds.Deviation[0]), "+"),
			strings.TrimPrefix(m.WriteDifference(d.Seeds.Deviation[1]), "+"))
	}
	reach := 1.1 * max(math.Abs(interval[0]), math.Abs(interval[1]), math.Abs(d.Difference))
	if reach == 0 {
		return cell
	}
	at := func(x float64) float64 { return 50 + 50*x/reach }
	span := func(class string, of *[2]float64) {
		cell.Marks = append(cell.Marks, table.Mark{Class: class, Left: at(of[0]), Width: at(of[1]) - at(of[0])})
	}
	if d.Seeds != nil {
		span("pale", interval)
	}
	span("sure", d.Interval)
	cell.Marks = append(cell.Marks, table.Mark{Class: "zero", Left: 50}, table.Mark{Class: "point",
		Left: at(d.Difference)})
	return cell
}
