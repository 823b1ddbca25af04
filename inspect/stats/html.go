package stats

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/inspect/overlap"
	"talbot/internal/chart"
	"talbot/internal/humanize"
)

//go:embed stats.html
var statsPage string

var statsTemplate = chart.New("stats", statsPage, template.FuncMap{
	"n":       humanize.Thousands,
	"n64":     func(n int) string { return humanize.Thousands(int64(n)) },
	"percent": humanize.Percent,
})

// document is what the page of statistics shows.
type document struct {
	Name string
	*Statistics
	Tiles     []tile
	Contents  []string
	Splits    []namedPart
	Sources   []namedPart
	Openings  []openingRow
	Games     []chart.Picture
	Samples   []chart.Picture
	Materials []materialRow
	Engines   []engineCard
	Boards    []exampleBoard
}

type tile struct{ Value, Name, Note string }

type namedPart struct {
	Name string
	Totals
	Share   float64 // of the samples
	Overlap *overlap.SplitOverlap
}

// openingRow is a move of the tree as the page shows it.
type openingRow struct {
	*OpeningMove
	Name  string // "2.Nf3", "2…Nc6"
	Moves string // all up to this one
	Ply   int
	Open  bool // what follows is unfolded
	Next  []openingRow
}

type materialRow struct {
	SignatureCoverage
	GreaterShare, CaptureShare float64
	Win100, Draw100, Loss100   float64 // in per cent
	Judged                     bool    // some result is known
}

type engineCard struct {
	LabelStats
	Scores *chart.BarChart // nil without any
}

// WriteHTML writes the statistics as one page that needs nothing else, with the distributions drawn as inline SVG; name
// is the dataset's.
func (s *Statistics) WriteHTML(w io.Writer, name string) error {
	p, err := s.document(name)
	if err != nil {
		return err
	}
	return statsTemplate.Execute(w, p)
}

// WritePart writes the statistics as WriteHTML does, as a part of a page that has the [Style] and the pieces of package
// page.
func (s *Statistics) WritePart(w io.Writer, name string) error {
	p, err := s.document(name)
	if err != nil {
		return err
	}
	return statsTemplate.ExecuteTemplate(w, "statistics", p)
}

// Style is the style sheet of the statistics, beside that of all pages.
func Style() (string, error) {
	var b strings.Builder
	err := statsTemplate.ExecuteTemplate(&b, "statisticsstyle", nil)
	return b.String(), err
}

// document lays the page out.
func (s *Statistics) document(name string) (*document, error) {
	p := &document{Name: name, Statistics: s, Tiles: s.tiles(), Games: s.gameCards(), Samples: s.sampleCards()}
	for _, name := range []string{"train", "val", "test"} {
		part := s.part(name, s.BySplit[name])
		if s.Overlap != nil {
			part.Overlap = map[string]*overlap.SplitOverlap{"val": &s.Overlap.Val, "test": &s.Overlap.Test}[name]
		}
		p.Splits = append(p.Splits, part)
	}
	for _, name := range dataset.SourceNames() {
		if part := s.part(name, s.BySource[name]); part.Games > 0 {
			p.Sources = append(p.Sources, part)
		}
	}
	if s.Openings != nil {
		p.Openings = openingRows(s.Openings.Moves, 0, "")
	}
	for _, m := range s.Coverage.shown() {
		p.Materials = append(p.Materials, newMaterialRow(m))
	}
	for _, l := range s.Labels {
		if l.Statuses["labelled"] > 0 {
			scores, _ := chart.NewBarChart(counts("Scores of the side to move", "in centipawns, mates separately",
				"samples", l.scoreBars()))
			p.Engines = append(p.Engines, engineCard{l, scores})
		}
	}
	for _, e := range s.Examples {
		d, err := e.draw()
		if err != nil {
			return nil, fmt.Errorf("board of a sample: %w", err)
		}
		p.Boards = append(p.Boards, d)
	}
	p.Contents = p.contents()
	return p, nil
}

// contents are the headings that the page has.
func (p *document) contents() (list []string) {
	for _, h := range []struct {
		shown bool
		title string
	}{{true, "Data"}, {len(p.Games) > 0 || len(p.Openings) > 0, "Games"}, {len(p.Samples) > 0, "Samples"},
		{len(p.Engines) > 0, "Labels"}, {len(p.Boards) > 0, "Boards"}} {
		if h.shown {
			list = append(list, h.title)
		}
	}
	return list
}

// Has tells whether the page has a heading.
func (p *document) Has(title string) bool { return slices.Contains(p.Contents, title) }

// openShare is the share from which on what follows an opening move is unfolded, for the first moves.
const openShare = 0.1

func openingRows(moves []OpeningMove, ply int, before string) (rows []openingRow) {
	for i := range moves {
		m := &moves[i]
		r := openingRow{OpeningMove: m, Name: numbered(ply, m.Move), Moves: before + numbered(ply, m.Move),
			Ply: ply, Open: ply < 2 && m.Share >= openShare}
		if ply%2 == 1 {
			r.Name = fmt.Sprintf("%d…%s", ply/2+1, m.Move)
		}
		r.Next = openingRows(m.Next, ply+1, r.Moves+" ")
		rows = append(rows, r)
	}
	return rows
}

// White, Drawn and Black are the shares of the results, in per cent.
func (r openingRow) White() float64 { return r.result(r.WhiteWins) }
func (r openingRow) Drawn() float64 { return r.result(r.Draws) }
func (r openingRow) Black() float64 { return r.result(r.BlackWins) }

func (r openingRow) result(n int64) float64 {
	return 100 * float64(n) / float64(max(r.WhiteWins+r.Draws+r.BlackWins, 1))
}

// ScoreText is the score of White.
func (r openingRow) ScoreText() string {
	if r.Score == nil {
		return "–"
	}
	return humanize.Percent(*r.Score)
}

func newMaterialRow(m SignatureCoverage) materialRow {
	of := func(n int64) float64 { return float64(n) / float64(max(m.Samples, 1)) }
	return materialRow{m, of(m.Greater), of(m.Captures), 100 * of(m.Win), 100 * of(m.Draw), 100 * of(m.Loss),
		m.Unknown < m.Samples}
}

func (s *Statistics) part(name string, p Totals) namedPart {
	return namedPart{Name: name, Totals: p, Share: float64(p.Samples) / float64(max(s.Samples, 1))}
}

func (s *Statistics) tiles() []tile {
	list := []tile{
		{humanize.Thousands(s.Games), "games", ""},
		{humanize.Thousands(s.Positions), "positions", fmt.Sprintf("%.1f a game",
			float64(s.Positions)/float64(max(s.Games, 1)))},
		{humanize.Thousands(s.Samples), "samples", ""},
	}
	if u := s.Unique; u != nil {
		list = append(list, tile{humanize.Thousands(u.Samples), "different positions",
			fmt.Sprintf("%.1f %% of the samples", 100*float64(u.Samples)/float64(max(s.Samples, 1)))})
	}
	return append(list,
		tile{humanize.Thousands(s.Labelled), "labelled", fmt.Sprintf("%.1f %% of the samples",
			100*float64(s.Labelled)/float64(max(s.Samples, 1)))},
		tile{fmt.Sprintf("%.2f", s.BytesPerPosition), "bytes a position", humanize.Thousands(s.Bytes) + " bytes"})
}

// gameCards are the charts of games and lines that have something to show.
func (s *Statistics) gameCards() (list charts) {
	var results []bar
	for _, r := range []struct{ name, label string }{{"1-0", "White wins"}, {"1/2-1/2", "draw"}, {"0-1", "Black wins"},
		{"*", "unknown"}} {
		if n := s.Results[r.name]; n > 0 {
			results = append(results, bar{r.label, n})
		}
	}
	dates, unit := s.Dates.bars()
	note := fmt.Sprintf("by %s, %s to %s", unit, s.Dates.First, s.Dates.Last)
	if s.Dates.Unknown > 0 {
		note += fmt.Sprintf("; %s without a date", humanize.Thousands(s.Dates.Unknown))
	}
	list.add(chart.NewBarList(counts("Result", "as given in the source", "lines", results)))
	list.add(chart.NewBarChart(counts("Dates", note, "games", dates)))
	list.add(chart.NewBarList(counts("Time controls", "by base time and 40 increments, as Lichess classes them",
		"games", s.clockBars())))
	list.add(chart.NewBarChart(s.Ratings.asBars("Ratings", "of both players if known: %d to %d, mean %.0f", "players")))
	list.add(chart.NewBarChart(s.Plies.asBars("Length", "plies of a line: %d to %d, mean %.1f", "lines")))
	return list
}

// sampleCards are the charts of samples that have something to show.
func (s *Statistics) sampleCards() (list charts) {
	var pieces, copies []bar
	for n := 2; n <= 32 && len(s.PieceCounts) > 0; n++ {
		pieces = append(pieces, bar{strconv.Itoa(n), s.PieceCounts[n]})
	}
	if len(s.PieceCounts) > 0 { // cut what is empty at both ends
		occur := slices.Sorted(maps.Keys(s.PieceCounts))
		pieces = pieces[max(occur[0]-2, 0):min(max(occur[len(occur)-1]-1, 0), len(pieces))]
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
			copies = append(copies, bar{name, b.Unique})
		}
	}
	list.add(chart.NewBarChart(counts("Pieces", "on the board, kings included", "samples", pieces)))
	list.add(chart.NewBarList(counts("Rating", "of the side to move", "samples", s.bandBars(samplesOf))))
	list.add(chart.NewBarList(counts("Moves", "played, by rating of the side to move", "moves", s.bandBars(movesOf))))
	list.add(chart.NewBarList(counts("Side to move", "", "samples", []bar{{"White", s.Coverage.SideToMove["white"]},
		{"Black", s.Coverage.SideToMove["black"]}})))
	list.add(chart.NewBarList(counts("Result for the side to move",
		"exact if available, otherwise from the newest label", "samples", s.Coverage.resultBars())))
	list.add(chart.NewBarList(counts("Captures", "in the last four plies before a sample", "samples",
		s.Coverage.captureBars())))
	logarithmic := counts("Copies", "how often a position is a sample; logarithmic", "positions", copies)
	logarithmic.Logarithmic = true
	list.add(chart.NewBarChart(logarithmic))
	return list
}

// counts are bars whose numbers are written as in the text.
func counts(title, note, unit string, list []bar) chart.Bars {
	b := chart.Bars{Title: title, Note: note, Unit: unit, Number: humanize.Thousands}
	for _, one := range list {
		b.Bars = append(b.Bars, chart.Bar(one))
	}
	return b
}

// charts are those that have something to show.
type charts []chart.Picture

func (c *charts) add(chart chart.Picture, shows bool) {
	if shows {
		*c = append(*c, chart)
	}
}

// asBars is the chart of a distribution; its note has the lowest, highest and mean value.
func (d *Distribution) asBars(title, note, unit string) chart.Bars {
	return counts(title, fmt.Sprintf(note, d.Min, d.Max, d.Mean), unit, d.bars())
}

// bars returns the bins without gaps between them; far empty stretches are cut at a hundred bars.
func (d *Distribution) bars() (bars []bar) {
	for i, bin := range d.Bins {
		width := bin.To - bin.From
		if i > 0 {
			for from := d.Bins[i-1].To; from < bin.From && len(bars) < 100; from += width {
				bars = append(bars, bar{strconv.FormatInt(from, 10), 0})
			}
		}
		bars = append(bars, bar{strconv.FormatInt(bin.From, 10), bin.Count})
	}
	return bars
}

// scoreBars returns the scores of an engine's labels.
func (l *LabelStats) scoreBars() []bar {
	bars := []bar{{"mated", l.Mated}}
	for _, bin := range l.Scores {
		switch {
		case bin.From == nil:
			bars = append(bars, bar{fmt.Sprintf("< %d", *bin.To), bin.Count})
		case bin.To == nil:
			bars = append(bars, bar{fmt.Sprintf("≥ %d", *bin.From), bin.Count})
		default:
			bars = append(bars, bar{fmt.Sprintf("%+d", (*bin.From+*bin.To)/2), bin.Count})
		}
	}
	return append(bars, bar{"mates", l.Mating})
}
