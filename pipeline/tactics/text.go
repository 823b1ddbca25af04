package tactics

import "talbot/internal/humanize"

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s in %s of %s, %s, %.1f s\n", out, humanize.Count(sum.Samples, "tactic"),
		humanize.Thousands(sum.GamesKept), humanize.Count(sum.GamesRead, "game"), humanize.Size(float64(sum.Bytes)),
		sum.Seconds)
	humanize.Counts(&t, "games left out as", sum.Rejects)
	humanize.Counts(&t, "positions left out as", sum.SamplesDropped)
	return t.String()
}
