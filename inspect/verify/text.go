package verify

import (
	"strings"

	"talbot/dataset"
	"talbot/inspect/stats"
	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// Text returns what was found: of each dataset, of games in two splits, and of positions that splits share.
func (v *Report) Text() string {
	var b strings.Builder
	say := func(format string, values ...any) { plain.Fprintf(&b, format, values...) }
	for _, d := range v.Datasets {
		if d.Whole {
			say("%s: intact: %s, %s, %s, %s, %s, %s encoded and decoded\n", d.Dataset,
				humanize.Count(int64(d.Shards), "shard"), humanize.Count(d.Lines, "line"),
				humanize.Count(d.Positions, "position"), humanize.Count(d.Samples, "sample"),
				humanize.Count(d.Labelled, "label"), humanize.Count(d.Encoded, "move"))
		}
		for _, name := range d.Extra {
			say("%s: %s is not in the manifest and is ignored\n", d.Dataset, name)
		}
		for _, damage := range d.Damage {
			say("%s: damaged: %s\n", d.Dataset, damage)
		}
	}
	say("games in more than one split: %s\n", humanize.Thousands(v.BothSides))
	for _, g := range v.Examples {
		say("  %s of %s: %s\n", g.Split, g.Dataset, dataset.LineName(g.Source, g.Number, g.Input))
	}
	for _, s := range []struct {
		name string
		stats.SplitOverlap
	}{{"val", v.Overlap.Val}, {"test", v.Overlap.Test}} {
		if s.Samples > 0 {
			say("%s: %s, %s (%.2f %%) have a position that occurs in train, %s (%.2f %%) with colours swapped\n",
				s.name, humanize.Count(s.Samples, "sample"), humanize.Thousands(s.Seen), 100*s.Share,
				humanize.Thousands(s.SeenMirrored), 100*s.ShareMirrored)
		}
	}
	return b.String()
}
