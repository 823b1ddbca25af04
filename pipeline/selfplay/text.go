package selfplay

import (
	"talbot/internal/humanize"
)

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	sum.Head(&t, out, "sample")
	humanize.Counts(&t, "ended by", sum.Ends)
	if sum.PlayedOn > 0 {
		t.Line("  played on where a side would have resigned: %s, which was wrong in %s\n",
			humanize.Thousands(sum.PlayedOn), humanize.Thousands(sum.FalseResigns))
	}
	if sum.Retracted > 0 {
		t.Line("  illegal choices, taken back: %s of %s\n", humanize.Thousands(sum.Retracted),
			humanize.Thousands(sum.Samples))
	}
	if sum.Evaluations > 0 {
		t.Line("  %s/s, batches %.0f %% full, %.0f %% of the time in the network\n",
			humanize.Count(int64(float64(sum.Evaluations)/sum.Seconds), "evaluation"), 100*sum.BatchFill,
			100*sum.NetworkShare)
	}
	return t.String()
}
