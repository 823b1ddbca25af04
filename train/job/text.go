package job

import (
	"fmt"
	"slices"
	"strings"

	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/network/recipe"
	"talbot/network/run"
)

// Text returns what is known before the first step.
func (s *Start) Text() string {
	var b strings.Builder
	say := func(format string, values ...any) { plain.Fprintf(&b, format, values...) }
	for _, set := range s.Sets {
		say("data: %s: %s (%.1f %% of the draws, %.2f epochs), %s", set.Dir,
			humanize.Count(set.Train, "train sample"), 100*set.Share, set.Epochs, humanize.Count(set.Val, "val sample"))
		if s.HasValue && set.Values < set.Train {
			say("; %.1f %% of the train samples have a label", 100*float64(set.Values)/float64(set.Train))
		}
		if set.Capped > 0 {
			say("; %s of positions left out", humanize.Count(set.Capped, "further copy"))
		}
		if set.Short > 0 {
			say("; %s of movers short of time left out", humanize.Count(set.Short, "sample"))
		}
		if set.Unusable > 0 {
			say("; %s left out for lack of a target", humanize.Thousands(set.Unusable))
		}
		say("\n")
	}
	c := s.Config
	say("network: %s, %s, %s\n", c.Recipe, s.Network, humanize.Count(int64(s.Parameters), "parameter"))
	if c.From != (run.Origin{}) {
		what := "weights: from"
		if c.From.Whole {
			what = "training: continued from"
		}
		say("%s %q, step %s\n", what, c.From.Path, humanize.Thousands(c.From.Step))
		if s.Grown != "" {
			say("grown: %s\n", s.Grown)
		}
		if settings := otherSettings(c); settings != "" {
			say("settings: %s\n", settings)
		}
	}
	say("backend: %s\n", s.Backend)
	if c.Devices > 1 {
		say("devices: %d, each trains %s at a time\n", c.Devices,
			humanize.Count(int64(c.Batch/c.Accumulate/c.Devices), "sample"))
	}
	part := ""
	if c.Begin() > 0 || c.End() < c.Steps {
		part = fmt.Sprintf("steps %s to %s of ", humanize.Thousands(c.Begin()+1), humanize.Thousands(c.End()))
	}
	say("run: %s%s of %s, learning rate %g, validated on %s\n", part, humanize.Count(c.Steps, "step"),
		humanize.Count(int64(c.Batch), "sample"), c.LR, humanize.Count(s.Val, "sample"))
	say("compiling for %s; the first step takes longer than the others\n", s.Kind)
	return b.String()
}

// otherSettings lists the settings of the network that its size does not tell.
func otherSettings(c run.Config) string {
	r, err := recipe.ByName(c.Recipe)
	if err != nil {
		return ""
	}
	var list []string
	values := c.Settings.Values()
	for _, name := range r.SettingNames() {
		if !slices.Contains(r.Size, name) && values[name] != `""` {
			list = append(list, name+"="+strings.Trim(values[name], `"`))
		}
	}
	return strings.Join(list, ", ")
}
