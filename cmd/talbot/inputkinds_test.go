package main

import (
	"slices"
	"strings"
	"testing"

	"talbot/formats/rows"
	"talbot/pipeline/ingest"
)

// Help names every kind of input and every suffix.
func TestInputKindsAreNamed(t *testing.T) {
	names, suffixes := ingest.Kinds()
	_, packed := rows.Packers()
	check := func(where, text string, want ...string) {
		text = strings.Join(strings.Fields(text), " ")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s does not name %q: %s", where, w, text)
			}
		}
	}
	check("ingest --help", newIngest().Long, slices.Concat(names, suffixes, packed)...)
}
