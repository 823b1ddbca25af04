package enginegames

import (
	"maps"
	"slices"
	"strings"

	"talbot/internal/humanize"
)

// Text returns the summary of a dataset as lines.
func (sum *Summary) Text(out string) string {
	var t humanize.Text
	t.Line("%s: %s, %s, %s, %.1f s\n", out, humanize.Count(sum.GamesKept, "game"),
		humanize.Count(sum.Samples, "labelled position"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	ends := slices.SortedFunc(maps.Keys(sum.Ends), func(a, b string) int {
		return int(sum.Ends[b]-sum.Ends[a])*2 + strings.Compare(a, b)
	})
	for _, end := range ends {
		t.Line("  ended by %s: %s\n", end, humanize.Thousands(sum.Ends[end]))
	}
	if n := sum.GamesRead - sum.GamesKept; n > 0 {
		t.Line("  played again because they were copies: %s\n", humanize.Thousands(n))
	}
	return t.String()
}
