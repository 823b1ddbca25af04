package match

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/internal/durable"
	"talbot/internal/humanize"
	"talbot/internal/table"
	"talbot/play/match/stats"
)

// How much a page shows, so that it does not grow with the match.
const (
	shownBoards = 12
	curvePoints = 300
)

// pageEvery is the interval at which the page of a match is written while it is played.
const pageEvery = 30 * time.Second

func number(n Number, format string) string {
	if !n.Known() {
		return "?"
	}
	return fmt.Sprintf(format, float64(n))
}

func percent(n Number) string {
	if !n.Known() {
		return "?"
	}
	return humanize.Percent(float64(n))
}

// between writes an interval; "" if it is not known.
func between(low, high Number, format string) string {
	if !low.Known() && !high.Known() {
		return ""
	}
	return number(low, format) + " to " + number(high, format)
}

// EloText writes a difference with its interval.
func EloText(n, low, high Number) string {
	if i := between(low, high, "%+.1f"); i != "" {
		return number(n, "%+.1f") + " (" + i + ")"
	}
	return number(n, "%+.1f")
}

// writePage writes the page of the match as it stands. The journal must be open.
func (r *run) writePage() error {
	x := r.result()
	played := "all played"
	if x.Games < r.stop {
		played = "of " + humanize.Thousands(int64(r.stop)) + " to be played"
	}
	p := x.page(r.outcomes()[:r.stop], played)
	p.Intro = fmt.Sprintf("A talbot match, begun %s. Figures are those of %s; intervals are at 95 %%. The folder's "+
		"result.json has them all.", r.folder.journal.header.Began.UTC().Format("2006-01-02 15:04 UTC"),
		chart.Plain(x.Players[0].Name))
	if x.Games == 0 {
		p.Intro += " No game has ended yet."
	}
	if rules := r.Rules.String(); rules != "" {
		p.Intro += " Adjudication: " + rules
	}
	boards, err := r.boards()
	if err != nil {
		return err
	}
	if len(boards.List) > 0 {
		p.Add(table.Section{Title: "Last games", Note: "where they ended, White at the bottom, with the last move",
			Blocks: []table.Block{boards}})
	}
	var text bytes.Buffer
	if err := p.WriteHTML(&text); err != nil {
		return err
	}
	r.paged = time.Now()
	return durable.WriteFile(r.folder.path(PageFile), text.Bytes())
}

// Text returns the result for a terminal.
func (x *Result) Text() string {
	blocks := []table.Block{&table.Prose{Lines: []string{x.title()}},
		x.tiles(humanize.Rate(x.GamesPerSecond)), x.results()}
	if len(x.Faults) > 0 || x.wrong() {
		blocks = append(blocks, x.players())
	}
	if x.Games > 0 {
		blocks = append(blocks, x.pairs())
	}
	return table.Text(blocks...)
}

func (x *Result) title() string {
	first := chart.Plain(x.Players[0].Name)
	if len(x.Players) == 2 {
		return first + " against " + chart.Plain(x.Players[1].Name)
	}
	return fmt.Sprintf("%s against %d others", first, len(x.Players)-1)
}

// page returns the page of the result without the boards. The outcomes stand by their number; nil: not played.
func (x *Result) page(outcomes []*outcome, played string) *table.Page {
	p := &table.Page{Kind: "match", Title: x.title(), Lead: []table.Block{x.tiles(played)}}
	p.Add(table.Section{Title: "Games", Blocks: []table.Block{x.players(), x.results()}})
	if x.Games > 0 {
		p.Sections[0].Add(x.pairs())
		x.addParts(p, outcomes)
	}
	return p
}

// tiles are the figures that a result begins with; played is a note on the number of games.
func (x *Result) tiles(played string) table.Tiles {
	f := &x.Figures
	list := table.Tiles{{Name: "games", Value: humanize.Thousands(int64(f.Games)), Note: played},
		{Name: "Elo", Value: number(f.Elo, "%+.1f"), Note: "normalized " + EloText(f.Nelo, f.NeloLow, f.NeloHigh)},
		{Name: "score", Value: percent(f.Score), Note: fmt.Sprintf("%s, %s, %s", humanize.Count(int64(f.Wins), "win"),
			humanize.Count(int64(f.Draws), "draw"), humanize.Count(int64(f.Losses), "loss"))},
		{Name: "likelihood of superiority", Value: percent(f.LOS), Note: "that the first player is the stronger one"}}
	if i := between(f.EloLow, f.EloHigh, "%+.1f"); i != "" {
		list[1].Note = i + "; " + list[1].Note
	}
	if t := x.SPRT; t != nil {
		list = append(list, table.Tile{Value: "LLR " + number(*x.LLR, "%.2f"), Name: map[stats.Decision]string{
			stats.AcceptHigh: "the higher bound is accepted", stats.AcceptLow: "the lower bound is accepted",
			stats.Undecided: "undecided"}[t.Decision],
			Note: fmt.Sprintf("SPRT of %g and %g, %s Elo; bounds %.2f and %.2f", t.Bounds[0], t.Bounds[1], t.Model,
				t.Limits[0], t.Limits[1])})
	}
	if x.rated() {
		r := &x.Ratings[0]
		t := table.Tile{Name: "rating", Value: number(r.Rating, "%.1f"), Note: "on the scale of the anchors"}
		if i := between(r.Low, r.High, "%.1f"); i != "" {
			t.Note = i + "; " + t.Note
		}
		if r.FromAnchors != nil && r.FromAnchors.Known() {
			t.Note += fmt.Sprintf("; ±%.1f come from the number of games and ±%.1f from the anchors' ratings",
				float64(*r.FromGames), float64(*r.FromAnchors))
		}
		list = append(list, t)
	}
	return list
}

// rated reports whether some rating is known.
func (x *Result) rated() bool {
	return slices.ContainsFunc(x.Ratings, func(r RatingResult) bool { return r.Anchor })
}

// wrong reports whether some network favoured an illegal move.
func (x *Result) wrong() bool {
	return slices.ContainsFunc(x.Players, func(p PlayerResult) bool { return p.IllegalFirst > 0 })
}

// players returns the table of the players with their faults.
func (x *Result) players() *table.Table {
	t := &table.Table{Title: "Players", Columns: table.Columns("player", "limit", "moves")}
	var kinds []FaultKind
	for _, kind := range FaultKinds {
		if x.Faults[kind] > 0 {
			kinds = append(kinds, kind)
			t.Columns = append(t.Columns, table.Column{Title: "lost by " + kind.Words()})
		}
	}
	if x.wrong() {
		t.Columns = append(t.Columns, table.Column{Title: "illegal first choices"})
	}
	for _, p := range x.Players {
		row := table.Row(p.Name, strings.TrimSpace(p.Limit), humanize.Thousands(p.Moves))
		if p.Limit == "" {
			row[1].Text = "–"
		}
		for _, kind := range kinds {
			c := table.Cell{Text: humanize.Thousands(p.Faults[kind])}
			if p.Faults[kind] > 0 {
				c.Class = table.Worse
			}
			row = append(row, c)
		}
		if x.wrong() {
			row = append(row, table.Cell{Text: humanize.Thousands(p.IllegalFirst)})
		}
		t.Add(row...)
	}
	if len(kinds) == 0 {
		t.Foot = []string{"No player lost a game by a fault."}
	}
	return t
}

// figures returns the row of the first player's figures against an opponent, or in a part of the games.
func figures(name string, f *Figures) []table.Cell {
	n := func(n int) string { return humanize.Thousands(int64(n)) }
	row := append(table.Row(name, n(f.Games), n(f.Wins), n(f.Draws), n(f.Losses)),
		table.Cell{Text: percent(f.Score)}, table.Cell{Text: number(f.Elo, "%+.1f"),
			Small: between(f.EloLow, f.EloHigh, "%+.1f")})
	if f.Score.Known() && (f.EloLow.Known() || f.EloHigh.Known()) {
		row[5].Small = fmt.Sprintf("%.1f to %.1f", 100*stats.ScoreOf(float64(f.EloLow)),
			100*stats.ScoreOf(float64(f.EloHigh)))
	}
	return row
}

func figureColumns(name string) []table.Column {
	list := table.Columns(name, "games", "wins", "draws", "losses", "score", "Elo")
	list[1].Wide = true
	return list
}

// results returns the table of the first player's figures against each opponent, and all together where there are
// several.
func (x *Result) results() *table.Table {
	t := &table.Table{Title: "Results", Columns: append(figureColumns("opponent"), table.Column{Title: "LOS",
		Wide: true})}
	if x.rated() {
		t.Columns = append(t.Columns, table.Column{Title: "opponent's rating"})
	}
	rows := []RatingResult{{Player: x.Players[1].Name, Versus: &x.Figures}}
	if len(x.Ratings) > 0 {
		rows = x.Ratings[1:]
	}
	if len(rows) > 1 {
		rows = append(slices.Clone(rows), RatingResult{Player: "all", Versus: &x.Figures})
	}
	for i, r := range rows {
		f := cmp.Or(r.Versus, &Figures{Games: r.Games})
		row := append(figures(r.Player, f), table.Cell{Text: percent(f.LOS)})
		if x.rated() && i+1 < len(x.Ratings) {
			c := table.Cell{Text: number(r.Rating, "%.1f")}
			if r.Low.Known() && r.High.Known() && r.Low != r.High {
				c.Small = between(r.Low, r.High, "%.1f")
			}
			if r.Anchor && !r.Counted {
				c.Text += " *"
			}
			row = append(row, c)
		}
		t.Add(row...)
	}
	t.Foot = x.remarks()
	return t
}

// remarks says what the figures leave out, and why there is no Elo or no rating.
func (x *Result) remarks() (list []string) {
	if x.Identical > 0 || x.Unpaired > 0 {
		list = append(list, fmt.Sprintf("Identical games (%d) only count in the total; unpaired games (%d) don't "+
			"count toward Elo.", x.Identical, x.Unpaired))
	}
	if x.Mirrored > 0 {
		list = append(list, fmt.Sprintf("Mirrored pairs (%d) have the same moves with the colours exchanged; they "+
			"count.", x.Mirrored))
	}
	switch {
	case x.Games == 0 || x.Elo.Known():
	case x.Pentanomial == stats.Pentanomial{}:
		list = append(list, "No Elo: no pair of games is complete.")
	default:
		list = append(list, "No Elo: one player won all games, so the difference is beyond measuring.")
	}
	if !x.rated() {
		return list
	}
	if slices.ContainsFunc(x.Ratings, func(r RatingResult) bool { return r.Anchor && !r.Counted }) {
		list = append(list, "* not used for the rating: the score is not between 10 and 90 %")
		if !x.Ratings[0].Rating.Known() {
			list = append(list, "No rating: play against opponents that are closer in strength, with rating= of their "+
				"own.")
		}
	}
	for _, p := range x.Players[1:] {
		if p.Faults[Overtime] > 0 {
			list = append(list, chart.Plain(p.Name)+" lost by time, which makes ratings too high: play again with a "+
				"larger --timemargin.")
		}
	}
	return list
}

func (x *Result) pairs() *table.Table {
	t := &table.Table{Title: "Pairs", Note: "pairs of games with one opening, by points of the first player",
		Columns: table.Columns("points", "0", "½", "1", "1½", "2")}
	row := table.Row("pairs")
	for _, n := range x.Pentanomial {
		row = append(row, table.Cell{Text: humanize.Thousands(n)})
	}
	t.Add(row...)
	return t
}

// addParts goes through the games once more, in order: for the curve, and for the parts by colour and opening. Games
// that the figures leave out are left out here too.
func (x *Result) addParts(p *table.Page, outcomes []*outcome) {
	players := len(x.Players)
	all := newTally(players)
	colours := [2]*tally{newTally(players), newTally(players)}
	openings := map[string]*tally{}
	every := max(1, x.Games/curvePoints)
	var lengths [21]int64
	curves := []chart.Curve{{Name: "Elo", Class: "train"}, {Name: "low", Class: "train", Faint: true},
		{Name: "high", Class: "train", Faint: true}}
	point := func() {
		f := all.figures()
		values := []float64{float64(f.Elo), float64(f.EloLow), float64(f.EloHigh)}
		if sum := values[0] + values[1] + values[2]; math.IsNaN(sum) || math.IsInf(sum, 0) {
			return
		}
		for i, y := range values {
			curves[i].Points = append(curves[i].Points, chart.Point{X: float64(f.Games), Y: y})
		}
	}
	for _, o := range outcomes {
		if o == nil {
			continue
		}
		lengths[min((o.plies+1)/2/10, len(lengths)-1)]++
		before := all.counts.Identical
		if all.add(*o); all.counts.Games%every == 0 {
			point()
		}
		if all.counts.Identical > before {
			continue
		}
		colour := board.White
		if o.players[board.Black] == 0 {
			colour = board.Black
		}
		colours[colour].add(*o)
		if openings[o.opening] == nil {
			openings[o.opening] = newTally(players)
		}
		openings[o.opening].add(*o)
	}
	if all.counts.Games%every != 0 {
		point()
	}
	charts := table.Section{Title: "Charts", Layout: table.Two}
	for i := range curves { // the first intervals are so wide that they would press the others flat
		curves[i].Points = slices.DeleteFunc(curves[i].Points, func(p chart.Point) bool {
			return p.X < float64(all.counts.Games)/10
		})
	}
	charts.Draw(chart.NewLineChart(chart.Lines{Title: "Elo by game", Note: "the estimate of " +
		chart.Plain(x.Players[0].Name) + " and its 95 % interval after each part of the games, in their order",
		Unit: "game", Smooth: chart.SmoothNone, Curves: curves}))
	x.addCharts(&charts, lengths[:])
	p.Add(charts)
	byColour := &table.Table{Title: "By colour", Note: "of the first player, by single games; intervals are wider " +
		"than for pairs", Columns: figureColumns("played")}
	for c, t := range colours {
		f := t.figures()
		byColour.Add(figures(board.Color(c).String(), &f)...)
	}
	byOpening := &table.Table{Title: "By opening", Note: "by White's first move, the most frequent first; no " +
		"interval where all pairs scored the same", Columns: figureColumns("opening")}
	names := slices.SortedFunc(maps.Keys(openings), func(a, b string) int {
		return cmp.Or(cmp.Compare(openings[b].counts.Games, openings[a].counts.Games), strings.Compare(a, b))
	})
	for _, name := range names {
		f := openings[name].figures()
		byOpening.Add(figures(name, &f)...)
	}
	p.Add(table.Section{Title: "Parts", Blocks: []table.Block{byColour, byOpening}})
}

// addCharts draws how games ended and how long they were.
func (x *Result) addCharts(s *table.Section, lengths []int64) {
	bars := chart.Bars{Title: "Lengths", Unit: "games", Note: fmt.Sprintf("in moves, the opening's included; %.1f on "+
		"average", float64(x.Plies)/2/float64(x.Games))}
	for i, n := range lengths {
		bars.Bars = append(bars.Bars, chart.Bar{Name: fmt.Sprint(10 * i), Count: n})
	}
	bars.Bars[len(lengths)-1].Name += "+"
	for len(bars.Bars) > 1 && bars.Bars[len(bars.Bars)-1].Count == 0 {
		bars.Bars = bars.Bars[:len(bars.Bars)-1]
	}
	s.Draw(chart.NewBarChart(bars))
	ends := chart.Bars{Title: "Endings", Note: "why the games ended", Unit: "games"}
	for end, n := range x.Endings {
		ends.Bars = append(ends.Bars, chart.Bar{Name: endWords(end), Count: n})
	}
	slices.SortFunc(ends.Bars, func(a, b chart.Bar) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
	s.Draw(chart.NewBarList(ends))
	s.Draw(chart.NewBarList(chart.Bars{Title: "Results by colour", Note: "of all games", Unit: "games",
		Bars: []chart.Bar{{Name: "White wins", Count: int64(x.WhiteWins)},
			{Name: "draws", Count: int64(x.Games - x.WhiteWins - x.BlackWins)},
			{Name: "Black wins", Count: int64(x.BlackWins)}}}))
}

// boards returns where the last games ended, the newest first.
func (r *run) boards() (*table.Boards, error) {
	list := &table.Boards{}
	for number := r.stop - 1; number >= 0 && len(list.List) < shownBoards; number-- {
		if r.outcomes()[number] == nil {
			continue
		}
		g, err := r.folder.journal.game(r.folder.journal.file, number)
		if err != nil {
			return nil, err
		}
		p := g.Start
		for _, ply := range g.Plies {
			p.Play(ply.Move)
		}
		white, black := r.Entrants[g.Players[board.White]].Name, r.Entrants[g.Players[board.Black]].Name
		end := endWords(g.End)
		if g.Fault != nil {
			end = chart.Plain(r.Entrants[g.Fault.Player].Name) + ": " + g.Fault.Kind.Words()
		}
		b := table.Position{Board: chart.NewBoardFrom(&p, board.White), Head: fmt.Sprintf("game %d", number+1),
			Aside: g.Result.String(), Where: []string{chart.Plain(white) + " – " + chart.Plain(black),
				fmt.Sprintf("%s, %s", end, humanize.Count(int64(len(g.Plies)+1)/2, "move"))}}
		if n := len(g.Plies); n > 0 {
			b.Board.Arrow("target", g.Plies[n-1].Move)
		}
		list.List = append(list.List, b)
	}
	return list, nil
}

// openingName returns the group of an opening: White's first move, so that there are few groups however many openings.
func openingName(r *Record) string {
	switch {
	case r.Start != board.StartPosition():
		return "other positions"
	case r.Book == 0 || len(r.Plies) == 0:
		return "start position"
	}
	return "1. " + r.Start.SAN(r.Plies[0].Move)
}
