package review

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/internal/chart"
	"talbot/internal/humanize"
	"talbot/internal/table"
)

// gamePath is the page of a game in the review's folder.
func gamePath(number int) string { return fmt.Sprintf("game/%04d.html", number) }

// Text returns the summary for a terminal.
func (s *Summary) Text() string {
	text := s.Page().Text()
	if len(s.moments) > 0 {
		text += "\n" + table.Text(s.momentTable())
	}
	return text
}

func one(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }

func accuracyText(a *float64) string {
	if a == nil {
		return "–"
	}
	return one(*a)
}

// AccuracyText returns the mean accuracy for people.
func (r *Record) AccuracyText() string { return accuracyText(r.Accuracy) }

// Page returns the page over all games.
func (s *Summary) Page() *table.Page {
	whose := "White's and Black's moves"
	if s.Player != "" {
		whose = "the moves of " + chart.Plain(s.Player)
	}
	p := &table.Page{Kind: "review", Title: "Games reviewed", Intro: "What " + whose +
		" lost of the winning chances, by Lichess's formulas. The folder has the games as PGN and all figures as " +
		"JSON and CSV."}
	p.Lead = []table.Block{s.tiles()}
	play := table.Section{Title: "Play"}
	play.Add(records("Players", s.Sides), phases(s.Sides))
	if s.Player != "" {
		play.Add(records("Colors", s.Colors))
	}
	if s.Clocks[0].Played.Moves > 0 {
		play.Add(s.clockTable())
	}
	p.Add(play)
	p.Add(table.Section{Title: "Openings", Blocks: []table.Block{s.openingTable()}})
	overlooked := table.Section{Title: "Overlooked", Blocks: []table.Block{s.motifTable()}}
	if len(s.Traps) > 0 {
		overlooked.Add(s.trapTable())
	}
	overlooked.Blocks = append(overlooked.Blocks, table.PageOnly{Block: s.placeTable()})
	p.Add(overlooked)
	if boards := s.boards(); len(boards.List) > 0 {
		p.Add(table.Section{Title: "Moments", Note: "The moves that lost most: red the move that was played, green " +
			"the engine's. The side to move is at the bottom.", Blocks: []table.Block{boards}})
	}
	p.Add(table.Section{Title: "All games", Blocks: []table.Block{table.PageOnly{Block: s.gameTable()}}})
	return p
}

func (s *Summary) tiles() table.Tiles {
	first := &s.Sides[0]
	list := table.Tiles{{Name: "games", Value: humanize.Thousands(int64(s.Games))}}
	var notes []string
	if s.Unlabelled > 0 {
		notes = append(notes, humanize.Thousands(s.Unlabelled)+" left out, not evaluated throughout")
	}
	for _, reason := range slices.Sorted(maps.Keys(s.LeftOut)) {
		notes = append(notes, fmt.Sprintf("%s left out: %s", humanize.Thousands(s.LeftOut[reason]), reason))
	}
	list[0].Note = strings.Join(notes, "; ")
	for i := range s.Sides {
		r := &s.Sides[i]
		if r.Accuracy != nil {
			list = append(list, table.Tile{Name: "accuracy", Value: one(*r.Accuracy), Note: r.Name})
		}
	}
	if s.Puzzles > 0 {
		list = append(list, table.Tile{Name: "puzzles", Value: humanize.Thousands(int64(s.Puzzles)), Note: puzzleFile})
	}
	if s.Player != "" {
		list = append(list, table.Tile{Name: "score", Value: first.scoreText()})
	}
	return list
}

// records is a table of records.
func records(title string, list []Record) *table.Table {
	t := &table.Table{Title: title, Columns: table.Columns("", "games", "score", "accuracy", "centipawn loss",
		"inaccuracies", "mistakes", "blunders")}
	for i := range list {
		t.Add(recordRow(&list[i])...)
	}
	return t
}

func recordRow(r *Record) []table.Cell {
	games := float64(max(1, r.Games))
	each := func(n int) string { return one(float64(n) / games) }
	return table.Row(r.Name, humanize.Thousands(int64(r.Games)), r.scoreText(), r.AccuracyText(),
		one(r.Played.Loss), each(r.Played.Inaccuracies), each(r.Played.Mistakes), each(r.Played.Blunders))
}

// phases is a table of the mean accuracy of moves by phase.
func phases(list []Record) *table.Table {
	t := &table.Table{Title: "Accuracy by phase", Note: "the mean of the moves", Columns: table.Columns("", "opening",
		"middlegame", "endgame")}
	for _, r := range list {
		row := []string{r.Name}
		for phase := board.Opening; phase <= board.Endgame; phase++ {
			text := "–"
			if a, ok := r.Played.Phases[phase.String()]; ok {
				text = one(a)
			}
			row = append(row, text)
		}
		t.Add(table.Row(row...)...)
	}
	return t
}

func (s *Summary) clockTable() *table.Table {
	t := &table.Table{Title: "Time trouble", Note: "moves by the time left before them", Columns: table.Columns("clock",
		"moves", "centipawn loss", "blunders in 100")}
	for i := range s.Clocks {
		m := &s.Clocks[i].Played
		t.Add(table.Row(s.Clocks[i].Name, humanize.Thousands(int64(m.Moves)), one(m.Loss),
			one(100*float64(m.Blunders)/float64(max(1, m.Moves))))...)
	}
	return t
}

// shownOpenings is how many openings the page shows.
const shownOpenings = 20

func (s *Summary) openingTable() *table.Table {
	t := records("By opening", s.Openings[:min(len(s.Openings), shownOpenings)])
	t.Columns[0].Title = "opening"
	if more := len(s.Openings) - shownOpenings; more > 0 {
		t.Foot = []string{fmt.Sprintf("and %d more, in fewer games", more)}
	}
	return t
}

func (s *Summary) motifTable() *table.Table {
	t := &table.Table{Title: "Kinds", Note: "moves, and their share of a side's moves with a mark; a move may be of " +
		"several kinds", Columns: table.Columns("", s.Sides[0].Name, "share", s.Sides[1].Name, "share")}
	for _, m := range s.Motifs {
		if m.Sides == [2]int{} {
			continue
		}
		row := []string{m.Name}
		for side, n := range m.Sides {
			p := &s.Sides[side].Played
			row = append(row, humanize.Thousands(int64(n)),
				humanize.Percent(float64(n)/float64(max(1, n, p.Inaccuracies+p.Mistakes+p.Blunders))))
		}
		t.Add(table.Row(row...)...)
	}
	return t
}

// placeTable lists the moves of each motif that lost most.
func (s *Summary) placeTable() *table.Table {
	t := &table.Table{Title: "Where", Note: "the moves of each kind that lost most",
		Columns: table.Columns("kind", "move", "score", "lost, %", "game")}
	t.Columns[4].Wide = true
	for _, m := range s.Motifs {
		for _, at := range m.List {
			row := table.Row(m.Name, at.Move, at.Score, one(max(0, at.WinLoss)), at.Title)
			row[1].Link = fmt.Sprintf("%s#ply=%d", gamePath(at.Game), at.Ply)
			t.Add(row...)
		}
	}
	return t
}

func (s *Summary) trapTable() *table.Table {
	t := &table.Table{Title: "Traps", Note: "moves that one in ten of this rating still play, and that cost 15 " +
		"points of expected score", Columns: table.Columns("", "met", "fallen into", "set", "worked")}
	for _, c := range s.Traps {
		row := []string{c.Name}
		for _, n := range []int{c.Met, c.Fallen, c.Set, c.Worked} {
			row = append(row, humanize.Thousands(int64(n)))
		}
		t.Add(table.Row(row...)...)
	}
	return t
}

func (s *Summary) gameTable() *table.Table {
	t := &table.Table{Title: "Games", Columns: table.Columns("game", "result", "date", "opening", "accuracy",
		"blunders")}
	for i, g := range s.list {
		row := table.Row(g.title, g.result, g.date, g.opening,
			accuracyText(g.accuracy[0])+" – "+accuracyText(g.accuracy[1]),
			fmt.Sprintf("%d – %d", g.blunders[0], g.blunders[1]))
		row[0].Link = gamePath(i + 1)
		t.Add(row...)
	}
	return t
}

// toldMoments is how many moves a text lists.
const toldMoments = 10

// momentTable lists the moves that lost most, for a text.
func (s *Summary) momentTable() *table.Table {
	t := &table.Table{Title: "Moments", Note: "the moves that lost most", Columns: table.Columns("move", "score",
		"lost, %", "best", "game")}
	for i := range s.moments[:min(len(s.moments), toldMoments)] {
		m := &s.moments[i].move
		best := m.BestSAN
		if m.BestLikely != nil {
			best += " (" + inWords(*m.BestLikely) + ")"
			t.Note = "the moves that lost most, and in brackets how many of this rating find the best"
		}
		t.Add(table.Row(numbered(&s.moments[i].at, m.SAN)+m.Mark(), m.scoreText(), one(max(0, m.WinLoss)), best,
			fmt.Sprintf("%d: %s", s.moments[i].game, s.moments[i].title))...)
	}
	return t
}

func (s *Summary) boards() *table.Boards {
	list := &table.Boards{Shown: 12}
	for i := range s.moments {
		m := &s.moments[i]
		b := m.move.board(&m.at)
		b.Where = append([]string{m.title}, b.Where...)
		b.Link = gamePath(m.game)
		list.List = append(list.List, b)
	}
	return list
}

// board is the position before a move with a mark.
func (m *Move) board(at *board.Position) table.Position {
	b := table.Position{Board: chart.NewBoard(at), Class: table.Worse, Head: numbered(at, m.SAN) + m.Mark(),
		Aside: fmt.Sprintf("−%.0f %%", m.WinLoss), Phase: m.Phase}
	b.Board.Arrow("theirs", m.move)
	if len(m.line) > 0 {
		b.Board.Arrow("target", m.line[0])
		b.Where = append(b.Where, "best: "+lineText(*at, m.line[:min(len(m.line), variationPlies)]))
	}
	b.Where = append(b.Where, m.scoreText())
	if m.Tables != "" {
		b.Where = append(b.Where, "by the tables: "+m.Tables)
	}
	if text := m.likelyText(); text != "" {
		b.Where = append(b.Where, text)
	}
	return b
}

// Mark returns what stands behind the move: ?!, ? and ??, or nothing.
func (m *Move) Mark() string {
	return map[Class]string{Inaccuracy: "?!", Mistake: "?", Blunder: "??"}[m.Class]
}

func numbered(at *board.Position, san string) string {
	if at.Turn() == board.Black {
		return fmt.Sprintf("%d… %s", at.FullmoveNumber(), san)
	}
	return fmt.Sprintf("%d. %s", at.FullmoveNumber(), san)
}

// lineText writes moves from a position.
func lineText(at board.Position, moves []board.Move) string {
	text := ""
	for i, m := range moves {
		switch {
		case i == 0:
			text = numbered(&at, at.SAN(m))
		case at.Turn() == board.White:
			text += " " + numbered(&at, at.SAN(m))
		default:
			text += " " + at.SAN(m)
		}
		at.Play(m)
	}
	return text
}

// scoreText says how the score changed.
func (m *Move) scoreText() string {
	return scoreOf(m.Before, m.MateIn).Pawns() + " → " + scoreOf(m.After, m.MateTo).Pawns()
}

// Said says in a line what the move lost, what was better and how likely it was.
func (m *Move) Said() string {
	all := []string{m.scoreText()}
	if m.Class != Fine && m.BestSAN != "" {
		all = append(all, m.BestSAN+" was best")
	}
	if m.Tables != "" {
		all = append(all, "by the tables: "+m.Tables)
	}
	if text := m.likelyText(); text != "" {
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// likelyText says how many people play the move and find the best one; "" where that is not known.
func (m *Move) likelyText() string {
	if m.Likely == nil {
		return ""
	}
	text := inWords(*m.Likely) + " of this rating plays it"
	if m.BestLikely != nil {
		text += ", " + inWords(*m.BestLikely) + " finds the best"
	}
	return text
}

// inWords writes a probability as “1 in 40” or “62 %”.
func inWords(p float64) string {
	if p < 0.1 {
		return "1 in " + humanize.Thousands(int64(math.Round(1/max(p, 1e-4))))
	}
	return humanize.Percent(p)
}

// page is the page of a game.
func (g *Game) page() *table.Page {
	p := &table.Page{Kind: "review", Title: g.Title(), Intro: g.intro()}
	sides := make([]Record, 2)
	for side := range board.Color(2) {
		sides[side].Name = [2]string{"White", "Black"}[side]
		sides[side].add(g, side)
	}
	tiles := table.Tiles{{Name: "result", Value: g.Result}}
	for side, r := range sides {
		tiles = append(tiles, table.Tile{Name: "accuracy", Value: accuracyText(g.Accuracy[side]), Note: r.Name})
	}
	p.Lead = []table.Block{tiles}
	course := table.Section{Title: "Course", Layout: table.Two}
	course.Draw(chart.NewLineChart(g.Curve()))
	if clock, ok := g.clockCurve(); ok {
		course.Draw(chart.NewLineChart(clock))
	}
	p.Add(course)
	p.Add(table.Section{Title: "Play", Blocks: []table.Block{records("Players", sides), phases(sides)}})
	boards := &table.Boards{}
	at := g.start
	for i := range g.Moves {
		m := &g.Moves[i]
		if m.moment() {
			boards.List = append(boards.List, m.board(&at))
		}
		at.Play(m.move)
	}
	if len(boards.List) > 0 {
		p.Add(table.Section{Title: "Moments", Note: "red the move that was played, green the engine's; the side " +
			"to move is at the bottom", Blocks: []table.Block{boards}})
	}
	p.Add(table.Section{Title: "Moves", Blocks: []table.Block{g.moveTable()}})
	return p
}

func (g *Game) intro() string {
	text := ""
	for _, part := range []string{g.Event, g.Date, g.OpeningName()} {
		if part != "" && part != "?" {
			if text != "" {
				text += " · "
			}
			text += chart.Plain(part)
		}
	}
	return text
}

// Curve returns the chart of White's winning chances.
func (g *Game) Curve() chart.Lines {
	c := chart.Curve{Name: "White", Class: "val"}
	for i := range g.Moves {
		m := &g.Moves[i]
		percent := WinPercent(m.ScoreAfter())
		if m.black {
			percent = 100 - percent
		}
		c.Points = append(c.Points, chart.Point{X: float64(i + 1), Y: percent})
	}
	return chart.Lines{Title: "White's winning chances, %", Unit: "half-move", Low: 0, High: 100,
		Curves: []chart.Curve{c}, Smooth: chart.SmoothNone}
}

// clockCurve is the chart of the time that was left; false without clocks.
func (g *Game) clockCurve() (chart.Lines, bool) {
	curves := []chart.Curve{{Name: "White", Class: "train"}, {Name: "Black", Class: "val"}}
	for i := range g.Moves {
		m := &g.Moves[i]
		if m.Clock == nil {
			continue
		}
		side := 0
		if m.black {
			side = 1
		}
		curves[side].Points = append(curves[side].Points, chart.Point{X: float64(i + 1), Y: float64(*m.Clock) / 10})
	}
	return chart.Lines{Title: "Time left, s", Unit: "half-move", Zero: true, Curves: curves, Smooth: chart.SmoothNone},
		len(curves[0].Points) > 1 && len(curves[1].Points) > 1
}

// moveTable lists all moves.
func (g *Game) moveTable() *table.Table {
	t := &table.Table{Title: "All moves", Columns: table.Columns("move", "score", "lost, %", "accuracy", "best",
		"people play it", "people find the best")}
	known := false
	at := g.start
	for i := range g.Moves {
		m := &g.Moves[i]
		row := table.Row(numbered(&at, m.SAN)+m.Mark(), m.scoreText(), one(max(0, m.WinLoss)), one(m.Accuracy),
			m.BestSAN, "", "")
		if m.Class != Fine {
			row[0].Class = table.Worse
		}
		if m.Likely != nil {
			row[5].Text, known = humanize.Percent(*m.Likely), true
		}
		if m.BestLikely != nil {
			row[6].Text = humanize.Percent(*m.BestLikely)
		}
		t.Add(row...)
		at.Play(m.move)
	}
	if !known {
		t.Columns = t.Columns[:5]
		for i := range t.Rows {
			t.Rows[i] = t.Rows[i][:5]
		}
	}
	return t
}
