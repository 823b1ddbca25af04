package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/v2"
	"slices"
	"strconv"
	"strings"

	"talbot/internal/durable"
)

// Fingerprint is all that decides an engine's labels: two labels are comparable if their fingerprints are equal.
type Fingerprint struct {
	Engine  string `json:"engine"`  // as "id name" says it: "Stockfish 15.1"
	Author  string `json:"author"`  // as "id author" says it
	Build   string `json:"build"`   // first 16 hex digits of the SHA-256 of the executable
	Options []Tag  `json:"options"` // every option set, networks, and when memory is cleared, sorted by name
	Limit   string `json:"limit"`   // "movetime 20" (ms), "nodes 20000", "depth 10", or such as [ImportedLimit]
}

// SearchMoves is the option of fingerprints whose searches were limited to some moves of a position: it says which.
const SearchMoves = "searchmoves"

// SearchesCandidates reports whether the fingerprint's labels are of some moves of each position alone, as `talbot
// label --candidates` makes them. They value a position only through those moves.
func (f *Fingerprint) SearchesCandidates() bool {
	return slices.ContainsFunc(f.Options, func(t Tag) bool { return t.Name == SearchMoves })
}

// scoresSeveral reports whether the engine was asked for the scores of more than one move.
func (f *Fingerprint) scoresSeveral() bool {
	return slices.ContainsFunc(f.Options, func(t Tag) bool {
		n, err := strconv.Atoi(t.Value)
		return strings.EqualFold(t.Name, "MultiPV") && err == nil && n > 1
	})
}

// ID returns the fingerprint's short name: the first 16 hex digits of the SHA-256 of its JSON, written without
// spaces, with the keys in the order engine, author, build, options (sorted by name, then value), limit.
func (f Fingerprint) ID() string {
	f.Options = slices.SortedFunc(slices.Values(f.Options), func(a, b Tag) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Value, b.Value))
	})
	return shortName(f)
}

// shortName returns the first 16 hex digits of the SHA-256 of a value's JSON, which cannot fail to encode.
func shortName(v any) string {
	text, _ := json.Marshal(v, durable.JSON) // strings, numbers and slices of them only
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
