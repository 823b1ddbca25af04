package enginegames

import (
	"talbot/internal/humanize"
)

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	sum.Head(&t, out, "labelled position")
	humanize.Counts(&t, "ended by", sum.Ends)
	if n := sum.GamesRead - sum.GamesKept; n > 0 {
		t.Line("  played again because they were copies: %s\n", humanize.Thousands(n))
	}
	return t.String()
}
