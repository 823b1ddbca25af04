package loop

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"talbot/internal/chart"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/play/match"
)

// figure is a figure of a generation, for curves and as a cell of the table.
type figure struct {
	value float64
	cell  table.Cell
}

// figures are those that are known of a generation, by the names of the curves and columns.
type figures map[string]figure

func (f figures) add(name, format string, x *float64) {
	if x != nil {
		f[name] = figure{*x, table.Cell{Text: fmt.Sprintf(format, *x)}}
	}
}

func (f figures) count(name string, n int64) {
	f[name] = figure{float64(n), table.Cell{Text: humanize.Thousands(n)}}
}

func (f figures) share(name string, x float64) {
	f[name] = figure{x, table.Cell{Text: humanize.Percent(x)}}
}

// elo adds a match, with the interval where it is known.
func (f figures) elo(name string, m *Match) {
	if m == nil || m.Elo == nil {
		return
	}
	c := table.Cell{Text: fmt.Sprintf("%+.0f", *m.Elo)}
	if m.EloLow != nil && m.EloHigh != nil {
		c.Small = fmt.Sprintf("%+.0f to %+.0f", *m.EloLow, *m.EloHigh)
	}
	f[name] = figure{*m.Elo, c}
}

// Names of figures that stand in several places.
const (
	endedBy     = "ended by " // with how games ended
	lastElo     = "Elo against the one that played"
	firstElo    = "Elo against the first network"
	correlation = "correlation of the value"
	legalFirst  = "legal move first"
)

// figures returns what is known of a generation.
func (g *Generation) figures() figures {
	f := figures{"generation": {cell: table.Cell{Text: fmt.Sprint(g.Number)}}}
	if s := g.Games; s != nil {
		f.count("games", s.Games)
		f.count("samples", s.Samples)
		f.add("plies", "%.1f", &s.Length)
		f.share("mates", ratio(float64(s.Ends[string(match.Checkmate)]), s.Games))
		f.share("draws", ratio(float64(s.Draws), s.Games))
		f.add("entropy", "%.2f", &s.Entropy)
		if s.alone() {
			f.share(legalFirst+" in its games", 1-ratio(float64(s.Retracted), s.Samples))
		}
		for end, n := range s.Ends {
			f.share(endedBy+end, ratio(float64(n), s.Games))
		}
		f.add("network alone", "%.3f", s.Raw.Correlation)
		f.add("after the search", "%.3f", s.Searched.Correlation)
	}
	if p := g.Play; p != nil {
		f.add("games/s", "%.2f", &p.GamesPerSecond)
		f.share("batches full", p.BatchFill)
		f.share("time in the network", p.NetworkShare)
	}
	if t := g.Train; t != nil {
		f.count("steps", t.Steps)
	}
	if m := g.Tables; m != nil {
		f.add(correlation, "%.3f", m.Correlation)
		f.add("right sign", "%.3f", m.Sign)
		f.add("best move first", "%.3f", m.Top1)
		f.add(legalFirst, "%.3f", m.LegalFirst)
	}
	if r := g.Gate; r != nil {
		f.elo(lastElo, r.Last)
		f.elo(firstElo, r.First)
		f["plays on"] = figure{cell: table.Cell{Text: map[bool]string{true: "yes", false: "no"}[r.Accepted]}}
	}
	return f
}

// columns are those of the page's table, by their figures.
var columns = []string{"generation", "games", "samples", "plies", "mates", "draws", "entropy", "games/s",
	"batches full", "time in the network", "steps", correlation, "right sign", "best move first", legalFirst, lastElo,
	firstElo, "plays on"}

// charts are those of the page, with the figures that they draw; a name that ends with a blank begins those of several.
var charts = []struct {
	chart.Lines
	names []string
}{
	{chart.Lines{Title: "Against the measuring positions", Note: "which nothing is trained on", High: 1},
		[]string{correlation, "right sign", "best move first", legalFirst, legalFirst + " in its games"}},
	{chart.Lines{Title: "How games ended", Note: "share of the games", Zero: true, Show: humanize.Percent},
		[]string{endedBy}},
	{chart.Lines{Title: "Length of games", Note: "mean of the searched plies", Zero: true}, []string{"plies"}},
	{chart.Lines{Title: "Entropy of the policy targets", Note: "mean, in nats", Zero: true}, []string{"entropy"}},
	{chart.Lines{Title: "Value and result", Note: "correlation within the games", High: 1},
		[]string{"network alone", "after the search"}},
	{chart.Lines{Title: "Elo", Note: "difference in a match of each generation"}, []string{firstElo, lastElo}},
	{chart.Lines{Title: "Games a second", Note: "of the process that ended the step", Zero: true}, []string{"games/s"}},
	{chart.Lines{Title: "Use of the network", Note: "while games were played", High: 1, Zero: true,
		Show: humanize.Percent}, []string{"batches full", "time in the network"}},
}

// writePage writes the page of the loop.
func (l *Loop) writePage(c *Config, history []Generation) error {
	known := make([]figures, len(history))
	for i := range history {
		known[i] = history[i].figures()
	}
	last := &history[len(history)-1]
	p := &table.Page{Kind: "loop", Title: filepath.Base(l.Dir), Lead: []table.Block{tiles(history)},
		Intro: fmt.Sprintf("A talbot loop: a network learns from its own games. %d of %d generations are whole.",
			last.Number, c.Generations)}
	curves := table.Section{Title: "Curves", Layout: table.Grid}
	for _, one := range charts {
		one.Unit = "generation"
		for i, name := range namesIn(known, one.names) {
			curve := chart.Curve{Name: strings.TrimPrefix(name, endedBy), Class: fmt.Sprintf("c%d", i%8), Dots: true}
			for generation, f := range known {
				if y, ok := f[name]; ok {
					curve.Points = append(curve.Points, chart.Point{X: float64(generation), Y: y.value})
				}
			}
			one.Curves = append(one.Curves, curve)
		}
		curves.Draw(chart.NewLineChart(one.Lines))
	}
	if s := last.Games; s != nil && !s.alone() { // without a search nothing asks for a value
		curves.Add(chart.NewCalibrationChart(chart.Calibration{Title: "Calibration of the last games",
			Note: "what the network alone said, and the results", XName: "value", YName: "result", Low: -1,
			Spread: true, Bins: s.Raw.Bins}))
	}
	p.Add(curves)
	shown := namesIn(known, columns)
	t := &table.Table{Columns: table.Columns(shown...)}
	for _, f := range known {
		row := make([]table.Cell, len(shown))
		for i, name := range shown {
			row[i] = f[name].cell
			row[i].Text = cmp.Or(row[i].Text, "–")
		}
		t.Add(row...)
	}
	p.Add(table.Section{Title: "Generations", Note: "Games are those that the network before played; measures are " +
		"of the network trained on them. Times and speeds are of the process that ended a step.",
		Blocks: []table.Block{t}})
	p.Add(table.Section{Title: "Settings", Blocks: []table.Block{
		&table.Prose{Lines: strings.Split(strings.TrimSuffix(string(l.Text), "\n"), "\n"), Exact: true}}})
	var text bytes.Buffer
	if err := p.WriteHTML(&text); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(l.Dir, PageName), text.Bytes())
}

// namesIn returns those of the names that some generation has a figure of, with all that begin with one of them.
func namesIn(known []figures, names []string) (list []string) {
	all := figures{}
	for _, f := range known {
		maps.Copy(all, f)
	}
	for _, name := range names {
		for _, full := range slices.Sorted(maps.Keys(all)) {
			if full == name || strings.HasSuffix(name, " ") && strings.HasPrefix(full, name) {
				list = append(list, full)
			}
		}
	}
	return list
}

// tiles sum the loop up.
func tiles(history []Generation) table.Tiles {
	var games, samples, trained int64
	var play, train time.Duration
	for _, g := range history {
		if g.Games != nil {
			games, samples = games+g.Games.Games, samples+g.Games.Samples
		}
		if g.Play != nil {
			play += seconds(g.Play.Seconds)
		}
		if g.Train != nil {
			trained, train = trained+g.Train.Samples, train+seconds(g.Train.Seconds)
		}
	}
	list := table.Tiles{
		{Name: "games", Value: humanize.Thousands(games), Note: humanize.Thousands(samples) + " positions searched"},
		{Name: "samples trained", Value: humanize.Thousands(trained)},
		{Name: "of play", Value: humanize.Duration(play), Note: humanize.Duration(train) + " of training"},
	}
	last := &history[len(history)-1]
	known := last.figures()
	add := func(name, note string) {
		if f, ok := known[name]; ok {
			list = append(list, table.Tile{Name: name, Value: f.cell.Text, Note: cmp.Or(f.cell.Small, note)})
		}
	}
	add("mates", "of the last games")
	add(correlation, "of the last network")
	add(legalFirst, "of the last network")
	add(firstElo, "")
	return list
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
