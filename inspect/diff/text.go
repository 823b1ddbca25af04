package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// manifestDifference returns the fields of two manifests that differ.
func manifestDifference(a, b *dataset.Manifest) []FieldDifference {
	fa, fb := manifestFields(a), manifestFields(b)
	both := maps.Clone(fa)
	maps.Copy(both, fb)
	all := []FieldDifference{}
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if fa[name] != fb[name] {
			all = append(all, FieldDifference{name, fa[name], fb[name]})
		}
	}
	return all
}

// manifestFields returns what a manifest says, as text by field.
func manifestFields(m *dataset.Manifest) map[string]string {
	c := &m.Counts
	f := map[string]string{
		"tool": m.Tool, "verb": m.Verb, "seed": fmt.Sprint(m.Seed), "splits": m.Splits.String(),
		"shards":            fmt.Sprint(len(m.Shards)),
		"counts.games_read": fmt.Sprint(c.GamesRead), "counts.games_kept": fmt.Sprint(c.GamesKept),
		"counts.positions": fmt.Sprint(c.Positions), "counts.samples": fmt.Sprint(c.Samples),
		"counts.labelled": fmt.Sprint(c.Labelled), "counts.terminal": fmt.Sprint(c.Terminal),
		"counts.failed": fmt.Sprint(c.Failed),
	}
	for _, t := range m.Flags {
		f["flags."+t.Name] = t.Value
	}
	for reason, n := range c.Rejects {
		f["rejects."+string(reason)] = fmt.Sprint(n)
	}
	for i, p := range m.Parents {
		f[fmt.Sprintf("parents.%d", i)] = fmt.Sprintf("%s (%.16s)", p.Name, p.Manifest)
	}
	return f
}

// Text returns the difference as text.
func (d *Difference) Text() string {
	var s strings.Builder
	switch {
	case d.Identical:
		plain.Fprintf(&s, "%s and %s are identical\n", d.A, d.B)
	case d.Same:
		plain.Fprintf(&s, "%s and %s contain the same lines, samples and labels in the same splits\n", d.A, d.B)
	default:
		plain.Fprintf(&s, "a is %s, b is %s\n", d.A, d.B)
	}
	if len(d.Manifest) > 0 {
		plain.Fprintf(&s, "\n%-24s%28s%28s\n", "manifest", "a", "b")
		for _, f := range d.Manifest {
			plain.Fprintf(&s, "%-24s%28s%28s\n", f.Field, none(f.A), none(f.B))
		}
	}
	d.Inputs.write(&s, "input")
	d.Engines.write(&s, "engine")
	if d.Identical {
		return s.String()
	}
	l := &d.Lines
	plain.Fprintf(&s, "\nlines: %s only in a, %s only in b, %s in both\n", humanize.Thousands(l.OnlyA),
		humanize.Thousands(l.OnlyB), humanize.Thousands(l.Both))
	for _, e := range l.Examples {
		plain.Fprintf(&s, "  only in %s: %s: %s – %s, %s\n", e.In, dataset.LineName(e.Source, e.Number, e.Input),
			none(e.White), none(e.Black), humanize.Count(int64(e.Plies), "ply"))
	}
	for _, c := range []struct {
		what  string
		count int64
	}{
		{"are in another split", l.Moved}, {"have other samples", l.Samples}, {"have other policies", l.Policies},
		{"have other labels", l.Labels}, {"have other predictions", l.Predictions},
		{"have another result, rating or header", l.Headers},
	} {
		if c.count > 0 {
			plain.Fprintf(&s, "  of those in both, %s %s\n", humanize.Thousands(c.count), c.what)
		}
	}
	for _, c := range d.Labels {
		plain.Fprintf(&s, "labels of %s: samples of these lines: %s only in a, %s only in b, %s equal, %s different",
			c.Fingerprint, humanize.Thousands(c.OnlyA), humanize.Thousands(c.OnlyB), humanize.Thousands(c.Equal),
			humanize.Thousands(c.Different))
		if c.Different > 0 {
			plain.Fprintf(&s, " (by %.1f centipawns on average)", c.MeanCentipawns)
		}
		s.WriteString("\n")
	}
	return s.String()
}

func (d *SetDifference) write(s *strings.Builder, what string) {
	for _, name := range d.OnlyA {
		plain.Fprintf(s, "%s only in a: %s\n", what, name)
	}
	for _, name := range d.OnlyB {
		plain.Fprintf(s, "%s only in b: %s\n", what, name)
	}
}

// none stands for a missing value.
func none(s string) string {
	if s == "" {
		return "–"
	}
	return s
}
