package stats

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"talbot/dataset"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

// mostRows is how many rows a table has; the others are in the JSON.
const mostRows = 30

// most returns the rows with the greatest counts, those first. The foot of the table says how many are left out.
func most[T any](list []T, count func(T) int64, t *table.Table) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(count(b), count(a)) })
	if len(list) > mostRows {
		t.Foot = []string{fmt.Sprintf("and %d more (see --json)", len(list)-mostRows)}
		list = list[:mostRows]
	}
	return list
}

// results draws the shares of wins, draws and losses.
func results(win, draw, loss, all int64) table.Cell {
	share := func(n int64) float64 { return 100 * float64(n) / float64(max(all, 1)) }
	return table.Cell{Marks: []table.Mark{{Class: "sure", Width: share(win)},
		{Class: "even", Left: share(win), Width: share(draw)},
		{Class: "lost", Left: share(win + draw), Width: share(loss)}}}
}

// Page returns the statistics of a dataset of that name, to be written as text or as a page.
func (s *Statistics) Page(name string) *table.Page {
	p := &table.Page{Kind: "stats", Title: name, Intro: "A talbot dataset. Hover over a bar for its values.",
		Lead: []table.Block{s.tiles()}}
	data := table.Section{Title: "Data", Layout: table.Two}
	data.Add(s.splitTable(), s.sourceTable())
	p.Add(data)
	p.Add(s.gameSection())
	p.Add(s.sampleSection())
	p.Add(s.labelSection())
	boards := &table.Boards{}
	for i := range s.Examples {
		boards.List = append(boards.List, s.Examples[i].position())
	}
	if len(boards.List) > 0 {
		p.Add(table.Section{Title: "Boards", Blocks: []table.Block{boards},
			Note: "Samples drawn at random, but always the same ones. The side to move is at the bottom. Green: the " +
				"move that was played, or the move to learn. Click a position to open an analysis board."})
	}
	return p
}

func (s *Statistics) tiles() table.Tiles {
	n, ofSamples := humanize.Thousands, func(n int64) string { return percentOf(n, s.Samples) + " of the samples" }
	list := table.Tiles{
		{Value: n(s.Games), Name: "games"},
		{Value: n(s.Positions), Name: "positions", Note: fmt.Sprintf("%.1f a game",
			float64(s.Positions)/float64(max(s.Games, 1)))},
		{Value: n(s.Samples), Name: "samples"},
	}
	if u := s.Unique; u != nil {
		list = append(list, table.Tile{Value: n(u.Samples), Name: "different positions", Note: ofSamples(u.Samples) +
			", the most frequent " + humanize.Count(u.MostCopies, "time")})
	}
	list = append(list, table.Tile{Value: n(s.Labelled), Name: "labelled", Note: ofSamples(s.Labelled)},
		table.Tile{Value: fmt.Sprintf("%.2f", s.BytesPerPosition), Name: "bytes a position",
			Note: n(s.Bytes) + " bytes"})
	if s.Reconstructed > 0 {
		list = append(list, table.Tile{Value: n(s.Reconstructed), Name: "plies of reconstructed history"})
	}
	if s.Policies > 0 {
		list = append(list, table.Tile{Value: n(s.Policies), Name: "samples with a policy of their own"})
	}
	return list
}

func percentOf(n, all int64) string { return humanize.Percent(float64(n) / float64(max(all, 1))) }

// totals returns the row of a split or a source.
func (s *Statistics) totals(name string, p Totals) []table.Cell {
	n := humanize.Thousands
	row := table.Row(name, n(p.Games), n(p.Positions), n(p.Samples), n(p.Labelled))
	row[3].Small = percentOf(p.Samples, s.Samples)
	return row
}

func totalColumns(title string) []table.Column {
	list := table.Columns(title, "lines", "positions", "samples", "labelled")
	list[2].Wide = true
	return list
}

func (s *Statistics) splitTable() *table.Table {
	t := &table.Table{Title: "Splits", Note: "by game, never by sample", Columns: totalColumns("split")}
	if s.Overlap != nil {
		t.Note += "; in train: the share of samples whose position is also in train, as it is or with colours swapped"
		t.Columns = append(t.Columns, table.Columns("in train", "or swapped")...)
	}
	for _, split := range dataset.AllSplits() {
		name := split.String()
		row := s.totals(name, s.BySplit[name])
		if o := s.Overlap; o != nil {
			seen := map[string]SplitOverlap{"val": o.Val, "test": o.Test}[name]
			cells := table.Row("–", "–")
			if seen.Samples > 0 {
				cells = table.Row(humanize.Percent(seen.Share), humanize.Percent(seen.ShareMirrored))
			}
			row = append(row, cells...)
		}
		t.Add(row...)
	}
	return t
}

func (s *Statistics) sourceTable() *table.Table {
	t := &table.Table{Title: "Sources", Note: "where the lines come from", Columns: totalColumns("source")}
	for _, name := range dataset.SourceNames() {
		if p := s.BySource[name]; p.Games > 0 {
			t.Add(s.totals(name, p)...)
		}
	}
	return t
}

// gameSection has the openings and the charts of games and lines.
func (s *Statistics) gameSection() table.Section {
	part := table.Section{Title: "Games", Layout: table.Grid}
	if len(s.Openings.Lines) > 0 {
		part.Add(s.Openings.table())
	}
	dates, unit := s.Dates.bars()
	note := fmt.Sprintf("by %s, %s to %s", unit, s.Dates.First, s.Dates.Last)
	if s.Dates.Unknown > 0 {
		note += fmt.Sprintf("; %s without a date", humanize.Thousands(s.Dates.Unknown))
	}
	clocks := bars(s.TimeControls, append(slices.Clone(dataset.TimeControlClasses), noClock, unknownClock)...)
	if len(clocks) == 1 && clocks[0].Name == unknownClock {
		clocks = nil
	}
	list(&part, "Result", "as given in the source", bars(s.Results, "1-0", "1/2-1/2", "0-1", "*"))
	part.Draw(chart.NewBarChart(chart.Bars{Title: "Dates", Note: note, Unit: "games", Bars: dates}))
	list(&part, "Time controls", "by base time and 40 increments, as Lichess classes them", clocks)
	part.Draw(chart.NewBarChart(s.Ratings.bars("Ratings", "of both players if known", "players")))
	part.Draw(chart.NewBarChart(s.Plies.bars("Length", "plies of a line", "lines")))
	return part
}

// bars returns the counts that are not zero as bars, by their keys.
func bars[K comparable](counts map[K]int64, keys ...K) (list []chart.Bar) {
	for _, key := range keys {
		if n := counts[key]; n > 0 {
			list = append(list, chart.Bar{Name: fmt.Sprint(key), Count: n})
		}
	}
	return list
}

// list draws horizontal bars.
func list(part *table.Section, title, note string, bars []chart.Bar) {
	part.Draw(chart.NewBarList(chart.Bars{Title: title, Note: note, Bars: bars}))
}

// sampleSection has the charts of samples and the table of materials.
func (s *Statistics) sampleSection() table.Section {
	part := table.Section{Title: "Samples", Layout: table.Grid}
	var pieces, copies []chart.Bar
	if occur := slices.Sorted(maps.Keys(s.PieceCounts)); len(occur) > 0 {
		for n := occur[0]; n <= occur[len(occur)-1]; n++ {
			pieces = append(pieces, chart.Bar{Name: strconv.Itoa(n), Count: s.PieceCounts[n]})
		}
	}
	if s.Unique != nil {
		for _, b := range s.Unique.Copies {
			name := strconv.FormatInt(b.From, 10)
			switch {
			case b.From > 100:
				name = "> " + chart.Short(float64(b.From-1))
			case b.To > b.From+1:
				name = fmt.Sprintf("%d–%d", b.From, b.To-1)
			}
			copies = append(copies, chart.Bar{Name: name, Count: b.Unique})
		}
	}
	c := &s.Coverage
	var ratings, moves []chart.Bar
	for _, b := range s.Bands {
		ratings = append(ratings, chart.Bar{Name: b.String(), Count: b.Samples})
		moves = append(moves, chart.Bar{Name: b.String(), Count: b.Moves})
	}
	part.Draw(chart.NewBarChart(chart.Bars{Title: "Pieces", Note: "on the board, kings included", Unit: "samples",
		Bars: pieces}))
	list(&part, "Rating", "samples by the rating of the side to move", ratings)
	list(&part, "Moves", "played, by the rating of the side to move", moves)
	list(&part, "Side to move", "", bars(c.SideToMove, "white", "black"))
	if c.Results["win"]+c.Results["draw"]+c.Results["loss"] > 0 {
		list(&part, "Result for the side to move",
			humanize.Thousands(c.Exact)+" exact, the others from the newest label",
			bars(c.Results, "win", "draw", "loss", "unknown"))
	}
	list(&part, "Captures", "in the last four plies before a sample", bars(c.HistoryCaptures, 0, 1, 2, 3, 4))
	list(&part, "Copies", "how often a position is a sample", copies)
	if len(c.Signatures) > 0 {
		part.Add(c.materials())
	}
	return part
}

// materials returns the table of the materials with the most samples.
func (c *Coverage) materials() *table.Table {
	t := &table.Table{Title: "Materials", Class: "across", Note: "of samples with up to seven pieces, the stronger " +
		"side first; results for the side to move, captures in the four plies before",
		Columns: table.Columns("material", "samples", "stronger to move", "captures", "win", "draw", "loss", "unknown",
			"")}
	t.Columns[7].Wide, t.Columns[8].Drawn = true, true
	n := humanize.Thousands
	for _, m := range most(c.Signatures, func(m SignatureCoverage) int64 { return m.Samples }, t) {
		t.Add(append(table.Row(m.Signature, n(m.Samples), percentOf(m.Greater, m.Samples),
			percentOf(m.Captures, m.Samples), n(m.Win), n(m.Draw), n(m.Loss), n(m.Unknown)),
			results(m.Win, m.Draw, m.Loss, m.Samples))...)
	}
	return t
}

// labelSection has what engines and networks gave.
func (s *Statistics) labelSection() table.Section {
	part := table.Section{Title: "Labels", Layout: table.Grid}
	for i := range s.Labels {
		l := &s.Labels[i]
		part.Add(l.facts())
		part.Draw(chart.NewBarChart(l.scores()))
		part.Draw(chart.NewBarChart(l.Depths.bars("Depth", "of "+l.Engine, "labels")))
		part.Draw(chart.NewBarChart(l.NodeCounts.bars("Nodes", "of "+l.Engine, "labels")))
		if l.Tables != nil {
			part.Add(l.Tables.confusion(), l.Tables.materials())
		}
	}
	for i := range s.Networks {
		part.Add(s.Networks[i].facts())
	}
	return part
}

func (l *LabelStats) facts() *table.Facts {
	f := &table.Facts{Title: l.Engine + ", " + l.Limit,
		Note: fmt.Sprintf("build %s · fingerprint %s", l.Build, l.Fingerprint)}
	add := func(name, format string, args ...any) {
		f.List = append(f.List, table.Fact{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	for _, status := range []string{"labelled", "terminal", "failed", "missing"} {
		add(status, "%s", humanize.Thousands(l.Statuses[status]))
	}
	if l.Statuses["labelled"] == 0 {
		return f
	}
	add("mean depth", "%.1f", l.Depth)
	add("mean nodes", "%.0f", l.Nodes)
	add("mates", "%s", humanize.Percent(l.Mates))
	if p := l.Played; p.Moves > 0 {
		add("game moves that are the engine's choice", "%s of %s", humanize.Percent(p.Agreement),
			humanize.Thousands(p.Moves))
		if p.Judged > 0 {
			add("blunders among game moves", "%s, %s of %s; %s, %s", humanize.Percent(p.BlunderShare),
				humanize.Thousands(p.Blunders), humanize.Thousands(p.Judged), humanize.Count(p.Mistakes, "mistake"),
				humanize.Count(p.Inaccuracies, "inaccuracy"))
		}
	}
	return f
}

// scores returns the scores of an engine's labels, each bin by its middle.
func (l *LabelStats) scores() chart.Bars {
	c := chart.Bars{Title: "Scores", Note: "of the side to move, in centipawns; mates separately", Unit: "samples",
		Bars: []chart.Bar{{Name: "mated", Count: l.Mated}}}
	for _, bin := range l.Scores {
		name := ""
		switch {
		case bin.From == nil:
			name = fmt.Sprintf("< %d", *bin.To)
		case bin.To == nil:
			name = fmt.Sprintf("≥ %d", *bin.From)
		default:
			name = fmt.Sprintf("%+d", (*bin.From+*bin.To)/2)
		}
		c.Bars = append(c.Bars, chart.Bar{Name: name, Count: bin.Count})
	}
	c.Bars = append(c.Bars, chart.Bar{Name: "mates", Count: l.Mating})
	return c
}

func (n *NetworkStats) facts() *table.Facts {
	f := &table.Facts{Title: fmt.Sprintf("%s, step %d", n.Recipe, n.Step),
		Note: fmt.Sprintf("predictions on %s · checkpoint %.16s · network %s", n.Backend, n.Checkpoint, n.ID),
		List: []table.Fact{{Name: "predicted", Text: humanize.Thousands(n.Predicted)},
			{Name: "game over", Text: humanize.Thousands(n.GameOver)},
			{Name: "missing", Text: humanize.Thousands(n.Missing)}}}
	if !n.Prior || n.Predicted == 0 {
		return f
	}
	entropy := fmt.Sprintf("%.3f nats", n.Entropy)
	if n.Top > 0 {
		entropy += fmt.Sprintf(" over the first %d moves", n.Top)
	}
	f.List = append(f.List, table.Fact{Name: "entropy of the priors", Text: entropy})
	if n.Moves > 0 {
		f.List = append(f.List, table.Fact{Name: "first move played", Text: percentOf(n.Agree, n.Moves)})
	}
	return f
}

// confusion compares an engine's results with those of endgame tables.
func (a *Agreement) confusion() *table.Table {
	t := &table.Table{Title: "Compared with endgame tables", Class: "matrix",
		Note: fmt.Sprintf("%s of %s disagree (%s), %s swap win and loss", humanize.Thousands(a.Disagree),
			humanize.Count(a.Samples, "sample"), percentOf(a.Disagree, a.Samples), humanize.Thousands(a.Opposite)),
		Columns: table.Columns("exact, engine", "loss", "draw", "win")}
	for exact, counts := range a.Confusion {
		row := table.Row(classNames[exact])
		for said, n := range counts {
			c := table.Cell{Text: humanize.Thousands(n)}
			if c.Tint = 50 * float64(n) / float64(max(counts[0]+counts[1]+counts[2], 1)); said != exact {
				c.Tint = -c.Tint
			}
			row = append(row, c)
		}
		t.Add(row...)
	}
	return t
}

func (a *Agreement) materials() *table.Table {
	t := &table.Table{Title: "Disagreement by material",
		Columns: table.Columns("material", "samples", "disagree", "share", "opposite")}
	for _, s := range most(a.Signatures, func(s SignatureAgreement) int64 { return s.Disagree }, t) {
		t.Add(table.Row(s.Signature, humanize.Thousands(s.Samples), humanize.Thousands(s.Disagree),
			percentOf(s.Disagree, s.Samples), humanize.Thousands(s.Opposite))...)
	}
	return t
}

// bars returns the bins without gaps between them; far empty stretches are cut at a hundred bars. The note has the
// lowest, highest and mean value.
func (d *Distribution) bars(title, note, unit string) chart.Bars {
	c := chart.Bars{Title: title, Note: fmt.Sprintf("%s: %d to %d, mean %.1f", note, d.Min, d.Max, d.Mean), Unit: unit}
	for i, bin := range d.Bins {
		if i > 0 {
			for from := d.Bins[i-1].To; from < bin.From && len(c.Bars) < 100; from += bin.To - bin.From {
				c.Bars = append(c.Bars, chart.Bar{Name: strconv.FormatInt(from, 10)})
			}
		}
		c.Bars = append(c.Bars, chart.Bar{Name: strconv.FormatInt(bin.From, 10), Count: bin.Count})
	}
	return c
}
