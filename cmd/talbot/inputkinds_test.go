package main

import (
	"slices"
	"strings"
	"testing"

	"talbot/formats/rows"
	"talbot/pipeline/ingest"
)

// Help names every kind of input and every suffix, also those of a kind that was added to the table.
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
	help := func() string { return newIngest().Long }
	check("ingest --help", help(), slices.Concat(names, suffixes, packed)...)
	ingest.Register(t, ingest.Kind{Name: "radio games", Suffixes: []string{".radio"}})
	check("ingest --help with another kind", help(), "radio games", ".radio")
}
