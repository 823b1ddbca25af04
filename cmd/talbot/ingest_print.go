package main

import (
	"strings"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/pipeline/ingest"
)

// printIngest prints what ingest reports.
func printIngest(out string, sum ingest.Summary) {
	n := humanize.Thousands
	summarise("%s: %s of %s kept, %s, %s, %s (%.2f bytes a position), %.1f s\n", out, n(sum.GamesKept),
		humanize.Count(sum.GamesRead, "line"), humanize.Count(sum.Positions, "position"),
		humanize.Count(sum.Samples, "sample"), humanize.Size(float64(sum.Bytes)),
		float64(sum.Bytes)/float64(max(sum.Positions, 1)), sum.Seconds)
	printCounts("left out as", sum.Rejects)
	printCounts("samples left out by", sum.SamplesDropped)
	for _, f := range sum.BadFiles {
		summarise("  skipped the file %s: %s\n", f.File, f.Error)
	}
	for _, t := range sum.Tables {
		if t.Unit == "" {
			summarise("  %s: only mates, no evaluations in numbers, from %s view\n", t.File, viewName(t.View))
		} else {
			summarise("  %s: evaluations in %s, from %s view; median |evaluation| %d centipawns\n", t.File, t.Unit,
				viewName(t.View), t.Median)
		}
	}
	if s := sum.Scores; s != nil {
		summarise("  %s of %s, unit %s; without label: %s with no score (%s of them perhaps invented), %s "+
			"tactical with 0 in place of one\n", humanize.Count(s.Chains, "chain"), s.Origin, s.Unit,
			n(s.Missing.None), n(s.Missing.Invented), n(s.Missing.TacticalZero))
	}
	if e := sum.Evals; e != (ingest.Evals{}) {
		summarise("  evaluations: %s imported%s\n", n(e.Imported), notImported(&e))
	}
	if c := sum.ResultConflicts; c != (dataset.ResultConflicts{}) {
		summarise("  conflicting results: %s between tag and movetext, %s with mate or stalemate on the board; "+
			"--result-conflict decides which counts, by default the tag\n", n(c.Movetext), n(c.Board))
	}
	if sum.MoveConflicts > 0 {
		summarise("  move numbers or capture marks that contradict the moves, in games that were kept: %s\n",
			n(sum.MoveConflicts))
	}
	if sum.NoHistory > 0 {
		summarise("  without history, because no legal moves lead there: %s\n", n(sum.NoHistory))
	}
	if sum.GluedDashes > 0 {
		summarise("  EPD lines with the dash joined to the clock: %s\n", n(sum.GluedDashes))
	}
}

// notImported lists the evaluations that were not, by reason.
func notImported(e *ingest.Evals) string {
	var why []string
	for _, of := range []struct {
		count int64
		what  string
	}{
		{e.NoSample, "without a sample"}, {e.Unread, "unreadable"}, {e.Duplicate, "in duplicates and prefixes"},
		{e.Book, "of book moves"}, {e.Sentinel, "placeholders"},
	} {
		if of.count > 0 {
			why = append(why, humanize.Thousands(of.count)+" "+of.what)
		}
	}
	if why == nil {
		return ""
	}
	return "; not imported: " + strings.Join(why, ", ")
}

func viewName(view string) string {
	if view == dataset.MoverView.String() {
		return "the mover's"
	}
	return "White's"
}
