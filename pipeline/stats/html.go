package stats

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strconv"

	"talbot/pipeline"
	"talbot/pipeline/overlap"
)

//go:embed stats.html
var statsPage string

var statsTemplate = template.Must(template.New("stats").Funcs(template.FuncMap{
	"n":       pipeline.Thousands,
	"percent": func(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) },
}).Parse(statsPage))

// page is what the page of statistics shows.
type page struct {
	Name string
	*Statistics
	Tiles   []tile
	Splits  []namedPart
	Sources []namedPart
	Charts  []plot
	Shown   []SignatureCoverage
	Engines []enginePlot
}

type tile struct{ Value, Name, Note string }

type namedPart struct {
	Name string
	Totals
	Share   float64 // of the samples
	Overlap *overlap.SplitOverlap
}

type enginePlot struct {
	LabelStats
	Plot plot
}

// WriteHTML writes the statistics as one page that needs nothing else, with the distributions drawn as inline SVG; name
// is the dataset's.
func (s *Statistics) WriteHTML(w io.Writer, name string) error {
	p := page{Name: name, Statistics: s, Tiles: s.tiles()}
	for _, name := range []string{"train", "val", "test"} {
		part := s.part(name, s.BySplit[name])
		if s.Overlap != nil {
			part.Overlap = map[string]*overlap.SplitOverlap{"val": &s.Overlap.Val, "test": &s.Overlap.Test}[name]
		}
		p.Splits = append(p.Splits, part)
	}
	for _, name := range []string{"game", "puzzle", "endgame", "table"} {
		if part := s.part(name, s.BySource[name]); part.Games > 0 {
			p.Sources = append(p.Sources, part)
		}
	}
	p.Charts, p.Shown = s.plots(), s.Coverage.shown()
	for _, l := range s.Labels {
		if l.Statuses["labelled"] > 0 {
			p.Engines = append(p.Engines, enginePlot{l,
				newPlot("Scores of the side to move", "centipawns; mates apart", "samples", l.scoreBars(), false)})
		}
	}
	return statsTemplate.Execute(w, p)
}

func (s *Statistics) part(name string, p Totals) namedPart {
	return namedPart{Name: name, Totals: p, Share: float64(p.Samples) / float64(max(s.Samples, 1))}
}

func (s *Statistics) tiles() []tile {
	list := []tile{
		{pipeline.Thousands(s.Games), "games", ""},
		{pipeline.Thousands(s.Positions), "positions", fmt.Sprintf("%.1f a game",
			float64(s.Positions)/float64(max(s.Games, 1)))},
		{pipeline.Thousands(s.Samples), "samples", ""},
	}
	if u := s.Unique; u != nil {
		list = append(list, tile{pipeline.Thousands(u.Samples), "different positions",
			fmt.Sprintf("%.1f %% of the samples", 100*float64(u.Samples)/float64(max(s.Samples, 1)))})
	}
	return append(list,
		tile{pipeline.Thousands(s.Labelled), "labelled", fmt.Sprintf("%.1f %% of the samples",
			100*float64(s.Labelled)/float64(max(s.Samples, 1)))},
		tile{fmt.Sprintf("%.2f", s.BytesPerPosition), "bytes a position", pipeline.Thousands(s.Bytes) + " bytes"})
}

// plots returns the charts that have something to show.
func (s *Statistics) plots() []plot {
	var results, pieces, copies []bar
	for _, r := range []struct{ name, label string }{{"1-0", "White wins"}, {"1/2-1/2", "draw"}, {"0-1", "Black wins"},
		{"*", "unknown"}} {
		if n := s.Results[r.name]; n > 0 {
			results = append(results, bar{r.label, n})
		}
	}
	for n := 2; n <= 32 && len(s.PieceCounts) > 0; n++ {
		pieces = append(pieces, bar{strconv.Itoa(n), s.PieceCounts[n]})
	}
	if len(s.PieceCounts) > 0 { // cut what is empty at both ends
		counts := slices.Sorted(maps.Keys(s.PieceCounts))
		pieces = pieces[max(counts[0]-2, 0):min(max(counts[len(counts)-1]-1, 0), len(pieces))]
	}
	if s.Unique != nil {
		for _, b := range s.Unique.Copies {
			name := strconv.FormatInt(b.From, 10)
			switch {
			case b.From > 100:
				name = "> " + short(float64(b.From-1))
			case b.To > b.From+1:
				name = fmt.Sprintf("%d–%d", b.From, b.To-1)
			}
			copies = append(copies, bar{name, b.Unique})
		}
	}
	var list []plot
	for _, p := range []plot{
		newPlot("Length", fmt.Sprintf("plies of a line, mean %.1f", s.Plies.Mean), "lines", s.Plies.bars(), false),
		newPlot("Rating", fmt.Sprintf("of both players where known, mean %.0f", s.Ratings.Mean), "players",
			s.Ratings.bars(), false),
		newPlot("Pieces", "on the board, kings included", "samples", pieces, false),
		newPlot("Side to move", "", "samples", []bar{{"White", s.Coverage.SideToMove["white"]},
			{"Black", s.Coverage.SideToMove["black"]}}, false),
		newPlot("Results", "for the side to move: by endgame tables where they have it, else by the newest label",
			"samples", s.Coverage.resultBars(), false),
		newPlot("Captures", "in the last four plies before a sample", "samples", s.Coverage.captureBars(), false),
		newPlot("Copies", "how often a position is a sample; logarithmic", "positions", copies, true),
		newPlot("Result", "as the source says", "lines", results, false),
	} {
		if p.Most > 0 {
			list = append(list, p)
		}
	}
	return list
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
