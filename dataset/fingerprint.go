package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
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
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	if f.Options == nil {
		f.Options = []Tag{}
	}
	sum := sha256.Sum256(bytes.TrimSuffix(encodeJSON(f), []byte("\n")))
	return hex.EncodeToString(sum[:8])
}

// encodeJSON writes a value that cannot fail to encode, with a line end after it.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil // strings, integers and slices of them only
	}
	return b.Bytes()
}
