package humanize

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"talbot/internal/plain"
)

// Text is what a command prints about what it made. The zero value is empty.
type Text struct{ strings.Builder }

// Line adds text by a format. Control characters of its values are escaped.
func (t *Text) Line(format string, values ...any) { plain.Fprintf(t, format, values...) }

// Counts adds a line for each reason with its count, by name.
func Counts[K cmp.Ordered](t *Text, what string, counts map[K]int64) {
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Line("  %s %v: %s\n", what, k, Thousands(counts[k]))
	}
}
