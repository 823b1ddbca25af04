package stats

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/inspect/overlap"
	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// barWidth is the length of the longest bar of a chart, in characters.
const barWidth = 32

// bar is one row of a chart.
type bar struct {
	Name  string
	Count int64
}

// WriteText writes the statistics as a page of text.
func (s *Statistics) WriteText(w io.Writer) error {
	var b strings.Builder
	plain.Fprintf(&b, "%s, %s, %s, %s labelled\n", humanize.Count(s.Games, "game"),
		humanize.Count(s.Positions, "position"), humanize.Count(s.Samples, "sample"), humanize.Thousands(s.Labelled))
	plain.Fprintf(&b, "%s bytes, %.2f per position\n", humanize.Thousands(s.Bytes), s.BytesPerPosition)
	if s.Reconstructed > 0 || s.Policies > 0 {
		plain.Fprintf(&b, "%s of reconstructed history, %s with a policy of their own\n",
			humanize.Count(s.Reconstructed, "ply"), humanize.Count(s.Policies, "sample"))
	}
	if u := s.Unique; u != nil {
		plain.Fprintf(&b, "%s (%s with colours swapped); among the samples %s (%s), the most frequent one %s\n",
			humanize.Count(u.Positions, "different position"), humanize.Thousands(u.PositionsMirrored),
			humanize.Thousands(u.Samples), humanize.Thousands(u.SamplesMirrored), humanize.Count(u.MostCopies, "time"))
		for _, o := range []struct {
			name string
			overlap.SplitOverlap
		}{{"val", s.Overlap.Val}, {"test", s.Overlap.Test}} {
			if o.Samples > 0 {
				plain.Fprintf(&b, "%.2f %% of the %s samples have a position that occurs in train (%.2f %% with "+
					"colours swapped)\n", 100*o.Share, o.name, 100*o.ShareMirrored)
			}
		}
	}
	partTable(&b, "source", s.BySource, dataset.SourceNames())
	partTable(&b, "split", s.BySplit, []string{"train", "val", "test"})

	var results, pieces []bar
	for _, name := range []string{"1-0", "1/2-1/2", "0-1", "*"} {
		if n := s.Results[name]; n > 0 {
			results = append(results, bar{name, n})
		}
	}
	textBars(&b, "lines by result", results)
	s.Openings.write(&b)
	if dates, unit := s.Dates.bars(); len(dates) > 0 {
		textBars(&b, fmt.Sprintf("games by %s (%s to %s, %s without a date)", unit, s.Dates.First, s.Dates.Last,
			humanize.Thousands(s.Dates.Unknown)), dates)
	}
	textBars(&b, "games by time control", s.clockBars())
	for _, n := range slices.Sorted(maps.Keys(s.PieceCounts)) {
		pieces = append(pieces, bar{strconv.Itoa(n), s.PieceCounts[n]})
	}
	textBars(&b, "samples by pieces on the board", pieces)
	textBars(&b, "samples by rating of the side to move", s.bandBars(samplesOf))
	textBars(&b, "moves by rating of the side to move", s.bandBars(movesOf))
	s.Coverage.write(&b)
	s.Plies.chart(&b, "lines by plies")
	s.Ratings.chart(&b, "players by rating")
	for i := range s.Labels {
		s.Labels[i].write(&b)
	}
	for i := range s.Networks {
		s.Networks[i].write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func partTable(b *strings.Builder, title string, parts map[string]Totals, names []string) {
	plain.Fprintf(b, "\n%-10s%14s%14s%14s%14s\n", title, "games", "positions", "samples", "labelled")
	for _, name := range names {
		if p := parts[name]; p != (Totals{}) {
			plain.Fprintf(b, "%-10s%14s%14s%14s%14s\n", name, humanize.Thousands(p.Games),
				humanize.Thousands(p.Positions), humanize.Thousands(p.Samples), humanize.Thousands(p.Labelled))
		}
	}
}

func (d Distribution) chart(b *strings.Builder, title string) {
	if d.Count == 0 {
		return
	}
	var bars []bar
	for _, bin := range d.Bins {
		name := fmt.Sprintf("%d–%d", bin.From, bin.To-1)
		if bin.To == bin.From+1 {
			name = strconv.FormatInt(bin.From, 10)
		}
		bars = append(bars, bar{name, bin.Count})
	}
	textBars(b, fmt.Sprintf("%s (%d to %d, mean %.1f)", title, d.Min, d.Max, d.Mean), bars)
}

// write writes the page's part of one fingerprint.
func (l *LabelStats) write(b *strings.Builder) {
	plain.Fprintf(b, "\nlabels by %s, %s (build %s, fingerprint %s)\n ", l.Engine, l.Limit, l.Build, l.Fingerprint)
	for _, status := range []string{"labelled", "terminal", "failed", "missing"} {
		plain.Fprintf(b, " %s %s", status, humanize.Thousands(l.Statuses[status]))
	}
	plain.Fprintf(b, "\n  depth %.1f, nodes %.0f on average\n", l.Depth, l.Nodes)
	if l.Statuses["labelled"] == 0 {
		return
	}
	plain.Fprintf(b, "  %.2f %% mates\n", 100*l.Mates)
	if n := l.MixedDepths; n > 0 {
		plain.Fprintf(b, "  %s with moves of different depths (%.1f %%), as earlier versions made them\n",
			humanize.Count(n, "label"), 100*float64(n)/float64(l.Statuses["labelled"]))
	}
	if p := l.Played; p.Moves > 0 {
		plain.Fprintf(b, "  %.1f %% of the %s moves played in games are the engine's choice\n", 100*p.Agreement,
			humanize.Thousands(p.Moves))
		if p.Judged > 0 {
			plain.Fprintf(b, "  of the %s with a label for the next position too, %s are blunders (%.2f %%), %s "+
				"mistakes, %s inaccuracies\n",
				humanize.Thousands(p.Judged), humanize.Thousands(p.Blunders), 100*p.BlunderShare,
				humanize.Thousands(p.Mistakes), humanize.Thousands(p.Inaccuracies))
		}
	}
	l.Depths.chart(b, "depth")
	l.NodeCounts.chart(b, "nodes")
	bars := []bar{{"mated", l.Mated}}
	for _, bin := range l.Scores {
		name := ""
		switch {
		case bin.From == nil:
			name = fmt.Sprintf("below %+d", *bin.To)
		case bin.To == nil:
			name = fmt.Sprintf("from %+d", *bin.From)
		default:
			name = fmt.Sprintf("%+d to %+d", *bin.From, *bin.To-1)
		}
		bars = append(bars, bar{name, bin.Count})
	}
	textBars(b, "scores of the side to move, centipawns", append(bars, bar{"mates", l.Mating}))
	if l.Tables != nil {
		l.Tables.write(b)
	}
}

// textBars draws bars whose lengths are shares of the greatest; what is not zero is seen.
func textBars(b *strings.Builder, title string, bars []bar) {
	most, sum := int64(0), int64(0)
	for _, r := range bars {
		most, sum = max(most, r.Count), sum+r.Count
	}
	if most == 0 {
		return
	}
	plain.Fprintf(b, "\n%s\n", title)
	for _, r := range bars {
		length := int(float64(r.Count)/float64(most)*barWidth + 0.5)
		if r.Count > 0 {
			length = max(length, 1)
		}
		line := fmt.Sprintf("  %-14s%s%s %s, %.1f %%", r.Name, strings.Repeat("█", length),
			strings.Repeat(" ", barWidth-length), humanize.Thousands(r.Count), 100*float64(r.Count)/float64(sum))
		b.WriteString(line + "\n")
	}
}
