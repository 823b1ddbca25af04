package ingest

import (
	"strings"

	"talbot/dataset"
	"talbot/internal/humanize"
)

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	n := humanize.Thousands
	t.Line("%s: %s of %s kept, %s, %s, %s (%.2f bytes a position), %.1f s\n", out, n(sum.GamesKept),
		humanize.Count(sum.GamesRead, "line"), humanize.Count(sum.Positions, "position"),
		humanize.Count(sum.Samples, "sample"), humanize.Size(float64(sum.Bytes)),
		float64(sum.Bytes)/float64(max(sum.Positions, 1)), sum.Seconds)
	humanize.Counts(&t, "left out as", sum.Rejects)
	humanize.Counts(&t, "samples left out by", sum.SamplesDropped)
	for _, f := range sum.BadFiles {
		t.Line("  skipped the file %s: %s\n", f.File, f.Error)
	}
	for _, table := range sum.Tables {
		if table.Unit == "" {
			t.Line("  %s: only mates, no evaluations in numbers, from %s view\n", table.File, viewName(table.View))
		} else {
			t.Line("  %s: evaluations in %s, from %s view; median |evaluation| %d centipawns\n", table.File, table.Unit,
				viewName(table.View), table.Median)
		}
	}
	if s := sum.Scores; s != nil {
		t.Line("  %s of %s, unit %s; without label: %s with no score (%s of them perhaps invented), %s "+
			"tactical with 0 in place of one\n", humanize.Count(s.Chains, "chain"), s.Origin, s.Unit,
			n(s.Missing.None), n(s.Missing.Invented), n(s.Missing.TacticalZero))
	}
	if e := sum.Evals; sum.wantsEvals || e != (Evals{}) {
		t.Line("  evaluations: %s imported%s\n", n(e.Imported), notImported(&e))
	}
	if c := sum.ResultConflicts; c != (dataset.ResultConflicts{}) {
		t.Line("  conflicting results: %s between tag and movetext, %s with mate or stalemate on the board; "+
			"--result-conflict decides which counts, by default the tag\n", n(c.Movetext), n(c.Board))
	}
	if sum.MoveConflicts > 0 {
		t.Line("  move numbers or capture marks that contradict the moves, in games that were kept: %s\n",
			n(sum.MoveConflicts))
	}
	if sum.NoHistory > 0 {
		t.Line("  without history, because no legal moves lead there: %s\n", n(sum.NoHistory))
	}
	if sum.LeftRights > 0 {
		t.Line("  start positions with castling rights that were left out, without king and rook at home: %s\n",
			n(sum.LeftRights))
	}
	if sum.LeftPast > 0 {
		t.Line("  games that begin after an opening, without the boards before it: %s\n", n(sum.LeftPast))
	}
	return t.String()
}

// notImported lists the evaluations that were not, by reason.
func notImported(e *Evals) string {
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
