package endgames

import "talbot/internal/humanize"

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s, %s, %s, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "endgame"),
		humanize.Count(sum.Positions, "position"), humanize.Count(sum.Samples, "sample"),
		humanize.Size(float64(sum.Bytes)), sum.Seconds)
	humanize.Counts(&t, "redrawn because of", sum.Rejects)
	return t.String()
}
