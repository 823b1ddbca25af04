package loop

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"path/filepath"
	"slices"

	"talbot/internal/chart"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/play/match"
)

//go:embed page.html
var pageText string

var pageTemplate = chart.New("loop", pageText, template.FuncMap{
	"n":     humanize.Thousands,
	"share": humanize.Percent,
	"num":   func(x *float64) string { return number(x, "%.3f") },
	"elo":   eloText,
	"n64":   func(x float64) string { return humanize.Thousands(int64(x)) },
	"hours": hours,
	"one":   func(x float64) string { return fmt.Sprintf("%.1f", x) },
})

// document is what the page shows.
type document struct {
	Title  string
	Config string // the file
	Of     int    // generations that there are to be
	Rows   []row
	Last   row
	Totals totals
	Tables bool // some network was measured
	Gates  bool
	Charts []table.Block
}

type row struct {
	Generation
	Mates, Draws float64 // shares of the games
	Alone        bool    // it played without a search
}

// totals sum up what is known of all generations.
type totals struct {
	Games, Samples, Trained int64
	Play, Train             float64 // seconds
}

// writePage writes the page of the loop.
func (l *Loop) writePage(c *Config, story []Generation) error {
	d := newDocument(filepath.Base(l.Dir), c, story)
	d.Config = string(l.Text)
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, d); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(l.Dir, PageName), text.Bytes())
}

// newDocument lays the page out.
func newDocument(title string, c *Config, story []Generation) *document {
	d := &document{Title: title, Of: c.Generations}
	for _, g := range story {
		r := row{Generation: g}
		if s := g.Games; s != nil {
			r.Mates = ratio(float64(s.Ends[string(match.Checkmate)]), s.Games)
			r.Draws = ratio(float64(s.Draws), s.Games)
			games, _ := c.Of(g.Number)
			r.Alone = games.Of("searcher") == "policy"
			d.Totals.Games += s.Games
			d.Totals.Samples += s.Samples
		}
		if g.Play != nil {
			d.Totals.Play += g.Play.Seconds
		}
		if g.Train != nil {
			d.Totals.Train += g.Train.Seconds
			d.Totals.Trained += g.Train.Samples
		}
		d.Tables = d.Tables || g.Tables != nil
		d.Gates = d.Gates || g.Gate != nil
		d.Rows = append(d.Rows, r)
	}
	d.Last = d.Rows[len(d.Rows)-1]
	d.draw()
	return d
}

// curve collects the generations at which a figure is known.
func (d *document) curve(name string, number int, of func(r *row) *float64) chart.Curve {
	c := chart.Curve{Name: name, Class: fmt.Sprintf("c%d", number), Dots: true}
	for i := range d.Rows {
		if y := of(&d.Rows[i]); y != nil {
			c.Points = append(c.Points, chart.Point{X: float64(d.Rows[i].Number), Y: *y})
		}
	}
	return c
}

// draw lays out the charts that have something to show.
func (d *document) draw() {
	add := func(l chart.Lines) {
		l.Unit = "generation"
		l.Curves = slices.DeleteFunc(l.Curves, func(c chart.Curve) bool { return len(c.Points) == 0 })
		if chart, ok := chart.NewLineChart(l); ok {
			d.Charts = append(d.Charts, chart)
		}
	}
	percents := func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
	played := func(of func(s *Survey) float64) func(r *row) *float64 {
		return func(r *row) *float64 {
			if r.Games == nil {
				return nil
			}
			x := of(r.Games)
			return &x
		}
	}
	measured := func(of func(m *Measures) *float64) func(r *row) *float64 {
		return func(r *row) *float64 {
			if r.Tables == nil {
				return nil
			}
			return of(r.Tables)
		}
	}
	add(chart.Lines{Title: "Against the measuring positions", Note: "which nothing is trained on", High: 1,
		Curves: []chart.Curve{
			d.curve("correlation of the value", 0, measured(func(m *Measures) *float64 { return m.Correlation })),
			d.curve("right sign", 1, measured(func(m *Measures) *float64 { return m.Sign })),
			d.curve("best move first", 2, measured(func(m *Measures) *float64 { return m.Top1 })),
			d.curve("legal move first", 3, measured(func(m *Measures) *float64 { return m.LegalFirst })),
			d.curve("legal move first in its games", 4, func(r *row) *float64 {
				if r.Games == nil || !r.Alone {
					return nil
				}
				x := 1 - ratio(float64(r.Games.Retracted), r.Games.Samples)
				return &x
			})}})
	d.ends(add, percents)
	add(chart.Lines{Title: "Length of games", Note: "mean of the searched plies", Zero: true, Curves: []chart.Curve{
		d.curve("plies", 0, played(func(s *Survey) float64 { return s.Length }))}})
	add(chart.Lines{Title: "Entropy of the policy targets", Note: "mean, in nats", Zero: true, Curves: []chart.Curve{
		d.curve("entropy", 0, played(func(s *Survey) float64 { return s.Entropy }))}})
	add(chart.Lines{Title: "Value and result", Note: "correlation within the games", High: 1, Curves: []chart.Curve{
		d.curve("network alone", 0, func(r *row) *float64 { return agreed(r, false) }),
		d.curve("after the search", 1, func(r *row) *float64 { return agreed(r, true) })}})
	d.elo(add)
	spoke := func(of func(p *Play) float64) func(r *row) *float64 {
		return func(r *row) *float64 {
			if r.Play == nil {
				return nil
			}
			x := of(r.Play)
			return &x
		}
	}
	add(chart.Lines{Title: "Games a second", Note: "of the process that ended the step", Zero: true,
		Curves: []chart.Curve{d.curve("games", 0, spoke(func(p *Play) float64 { return p.GamesPerSecond }))}})
	add(chart.Lines{Title: "Use of the network", Note: "while games were played", High: 1, Zero: true, Show: percents,
		Curves: []chart.Curve{
			d.curve("places of batches taken", 0, spoke(func(p *Play) float64 { return p.BatchFill })),
			d.curve("time in the network", 1, spoke(func(p *Play) float64 { return p.NetworkShare }))}})
	d.calibration()
}

// ends draws how games ended; each reason has its colour.
func (d *document) ends(add func(chart.Lines), percents func(float64) string) {
	reasons := map[string]bool{}
	for i := range d.Rows {
		if s := d.Rows[i].Games; s != nil {
			for e := range s.Ends {
				reasons[e] = true
			}
		}
	}
	l := chart.Lines{Title: "How games ended", Note: "share of the games", Zero: true, Show: percents}
	for i, e := range slices.Sorted(maps.Keys(reasons)) {
		l.Curves = append(l.Curves, d.curve(e, i%8, func(r *row) *float64 {
			if r.Games == nil {
				return nil
			}
			x := ratio(float64(r.Games.Ends[e]), r.Games.Games)
			return &x
		}))
	}
	add(l)
}

// elo draws the matches.
func (d *document) elo(add func(chart.Lines)) {
	of := func(pick func(g *GateResult) *Match) func(r *row) *float64 {
		return func(r *row) *float64 {
			if r.Gate == nil || pick(r.Gate) == nil {
				return nil
			}
			return pick(r.Gate).Elo
		}
	}
	add(chart.Lines{Title: "Elo", Note: "difference in a match of each generation", Curves: []chart.Curve{
		d.curve("against the first network", 0, of(func(g *GateResult) *Match { return g.First })),
		d.curve("against the one that played", 1, of(func(g *GateResult) *Match { return g.Last }))}})
}

// agreed is the correlation of a value with the results.
func agreed(r *row, searched bool) *float64 {
	switch {
	case r.Games == nil:
		return nil
	case searched:
		return r.Games.Searched.Correlation
	}
	return r.Games.Raw.Correlation
}

// calibration draws the last generation's values against the results.
func (d *document) calibration() {
	if d.Last.Games == nil || d.Last.Alone { // without a search nothing asks for a value
		return
	}
	c := chart.Calibration{Title: "Calibration of the last games", Note: "what the network alone said, and the results",
		XName: "value", YName: "result", Low: -1, Spread: true}
	for _, b := range d.Last.Games.Raw.Bins {
		c.Bins = append(c.Bins, chart.Bin{From: b.From, To: b.To, Count: b.Count, Predicted: b.Value, Actual: b.Result,
			Spread: b.Spread})
	}
	d.Charts = append(d.Charts, chart.NewCalibrationChart(c))
}

// hours writes a time that may be minutes.
func hours(seconds float64) string {
	if seconds < 3600 {
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

func number(x *float64, format string) string {
	if x == nil {
		return "–"
	}
	return fmt.Sprintf(format, *x)
}

// eloText is a difference with its interval.
func eloText(m *Match) string {
	switch {
	case m == nil:
		return "–"
	case m.EloLow == nil || m.EloHigh == nil:
		return number(m.Elo, "%+.0f")
	}
	return fmt.Sprintf("%s (%+.0f to %+.0f)", number(m.Elo, "%+.0f"), *m.EloLow, *m.EloHigh)
}
