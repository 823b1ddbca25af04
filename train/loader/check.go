package loader

import (
	"talbot/shards"
)

// checked are the columns that [dataset.Line.Check] looks at and a network can learn from, and what names a line.
const checked = shards.Origin | shards.Policies | shards.Scores | shards.Best | shards.WDL | shards.Variations

// checking returns d as a reader of all that can be wrong in a line: every line of the blocks that it reads is checked.
// It is closed with d.
func (d *Data) checking() *Data {
	other := *d
	other.checks = true
	other.Sets = make([]*Set, len(d.Sets))
	for i, s := range d.Sets {
		set, files := *s, *s.shards
		files.Shards = make([]*shards.Reader, len(s.shards.Shards))
		for k, r := range s.shards.Shards {
			files.Shards[k] = r.With(d.Options.columns() | checked)
		}
		set.shards = &files
		other.Sets[i] = &set
	}
	return &other
}
