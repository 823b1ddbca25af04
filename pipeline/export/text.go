package export

import (
	"strings"

	"talbot/dataset"
	"talbot/internal/humanize"
)

// Limits lists what the format cannot hold and what it needs.
func (f *Format) Limits() string {
	names := func(facts []Fact) string {
		var all []string
		for _, fact := range facts {
			all = append(all, fact.About)
		}
		return strings.Join(all, "; ")
	}
	text := "cannot hold: " + names(f.Lacks)
	if len(f.Needs) > 0 {
		text += ". It leaves out samples without: " + names(f.Needs)
	}
	return text
}

// Text returns the summary of a file of a format as lines.
func (sum *Summary) Text(f *Format) string {
	var t humanize.Text
	t.Line("%s: %s of %s, %s, %.1f s\n", sum.Out, humanize.Count(sum.Samples, "sample"),
		humanize.Count(sum.Lines, "line"), humanize.Size(float64(sum.Bytes)), sum.Seconds)
	humanize.Counts(&t, "samples left out as", sum.LeftOut)
	for _, lack := range f.Lacks {
		if lost := sum.Lost[dataset.Reason(lack.Name)]; lost > 0 {
			t.Line("  samples written without %s: %s\n", lack.About, humanize.Thousands(lost))
		}
	}
	return t.String()
}
