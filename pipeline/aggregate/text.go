package aggregate

import "talbot/internal/humanize"

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s of %s counted, %s in %s, %s (%s), %.1f s\n", out, humanize.Thousands(sum.GamesKept),
		humanize.Count(sum.GamesRead, "line"), humanize.Count(sum.Moves, "move"),
		humanize.Count(sum.Different, "position"), humanize.Count(sum.Samples, "sample"),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	for _, b := range sum.Bands {
		t.Line("  %s: %s, %s\n", b, humanize.Count(b.Samples, "sample"), humanize.Count(b.Moves, "move"))
	}
	humanize.Counts(&t, "lines left out as", sum.Rejects)
	humanize.Counts(&t, "moves left out as", sum.SamplesDropped)
	return t.String()
}
