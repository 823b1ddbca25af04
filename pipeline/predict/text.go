package predict

import "talbot/internal/humanize"

// Text returns the summary of a dataset as a line.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	n := humanize.Thousands
	t.Line("%s: %s of %s predicted by %s, step %d, on %s (network %s), %s game over, %s, %s more per sample, %.1f s\n",
		out, n(sum.Predicted), humanize.Count(sum.Samples, "sample"), sum.Network.Recipe, sum.Network.Step,
		sum.Network.Backend, sum.ID, n(sum.GameOver), humanize.Rate(sum.PositionsPerSecond),
		humanize.Size(float64(sum.AddedBytes)/float64(max(1, sum.Samples))), sum.Seconds)
	return t.String()
}
