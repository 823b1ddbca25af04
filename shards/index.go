package shards

import (
	"encoding/hex"
	"fmt"
	"strings"

	"talbot/dataset"
)

// Limits of what is read.
const (
	maxLines     = 1 << 14   // of a block
	maxPositions = 1 << 19   // of a block
	maxColumns   = 1 << 12   // of a block
	maxRaw       = 256 << 20 // bytes of a block's columns together, decompressed
	maxDecoded   = 512 << 20 // bytes of what is made of them
)

// Limits of what is written, far below.
const (
	lineMoves  = 1 << 16  // moves of a line
	lineBytes  = 16 << 20 // bytes of a line's columns
	blockLines = 1024     // a block ends after that many lines,

	blockPositions = 1 << 18  // or positions,
	blockBytes     = 16 << 20 // or bytes of its columns,
	blockNames     = 100      // or tag names and fingerprints
)

// index is the footer: where every column of every block lies.
type index struct {
	Format int          `json:"format"` // as in the header
	Blocks []blockIndex `json:"blocks"`
}

// blockIndex describes one block.
type blockIndex struct {
	Lines     int64         `json:"lines"`
	Positions int64         `json:"positions"`
	Samples   int64         `json:"samples"`
	Columns   []columnIndex `json:"columns"`
}

// columnIndex describes one column of one block: a zstd frame.
type columnIndex struct {
	Name   string   `json:"name"`
	Offset int64    `json:"offset"` // of the frame in the file
	Size   int64    `json:"size"`   // of the frame
	Raw    int64    `json:"raw"`    // decompressed size
	Hash   checksum `json:"xxh64"`  // of the frame's bytes
}

// checksum is an xxHash64, in JSON 16 hex digits.
type checksum uint64

// MarshalText returns the 16 hex digits.
func (c checksum) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(c)), nil }

// UnmarshalText reads exactly 16 hex digits.
func (c *checksum) UnmarshalText(text []byte) error {
	var b [8]byte
	if n, err := hex.Decode(b[:], text[:min(len(text), 16)]); err != nil || n != 8 || len(text) != 16 {
		return fmt.Errorf("checksum %q is not 16 hex digits", text)
	}
	*c = 0
	for _, v := range b {
		*c = *c<<8 | checksum(v)
	}
	return nil
}

// check returns an error unless the columns fill the file from start to end and all sizes are within the limits.
func (ix *index) check(start, end int64) error {
	at := start
	for i := range ix.Blocks {
		b := &ix.Blocks[i]
		if b.Lines < 1 || b.Lines > maxLines || len(b.Columns) > maxColumns {
			return fmt.Errorf("block %d: %d lines, %d columns", i, b.Lines, len(b.Columns))
		}
		if b.Positions < b.Lines || b.Positions > maxPositions || b.Samples < 0 || b.Samples > b.Positions {
			return fmt.Errorf("block %d: %d positions, %d samples in %d lines", i, b.Positions, b.Samples, b.Lines)
		}
		raw, seen := int64(0), make(map[string]bool, len(b.Columns))
		for _, c := range b.Columns {
			if c.Offset != at || c.Size < 1 || c.Size > end-at {
				return fmt.Errorf("block %d, column %q: %d bytes at %d, expected at %d and before %d", i, c.Name,
					c.Size, c.Offset, at, end)
			}
			if c.Raw < 1 || c.Raw > maxRaw-raw {
				return fmt.Errorf("block %d, column %q: %d bytes decompressed are over the limit of a block", i, c.Name,
					c.Raw)
			}
			if seen[c.Name] {
				return fmt.Errorf("block %d: two columns %q", i, c.Name)
			}
			seen[c.Name] = true
			at, raw = at+c.Size, raw+c.Raw
		}
	}
	if at != end {
		return fmt.Errorf("the columns end at byte %d, the footer begins at %d", at, end)
	}
	return nil
}

// checkKnown returns [dataset.ErrVersion] if a column has a name that this program does not know.
func (ix *index) checkKnown() error {
	for i := range ix.Blocks {
		for _, c := range ix.Blocks[i].Columns {
			if !AllColumns.wanted(c.Name) {
				return fmt.Errorf("%w: block %d: unknown column %q", dataset.ErrVersion, i, c.Name)
			}
		}
	}
	return nil
}

// checkColumns returns an error if there are labels of a fingerprint, or predictions of a network, beyond these
// numbers. They would have no origin, and an appended fingerprint or network would take them over.
func (ix *index) checkColumns(fingerprints, networks int) error {
	for i := range ix.Blocks {
		for _, c := range ix.Blocks[i].Columns {
			if f, _, ok := labelColumn(c.Name); ok && f >= fingerprints {
				return fmt.Errorf("block %d, column %q: labels of fingerprint %d, and the manifest has %d", i, c.Name,
					f, fingerprints)
			}
			if n, _, ok := networkColumn(c.Name); ok && n >= networks {
				return fmt.Errorf("block %d, column %q: predictions of network %d, and the manifest has %d", i, c.Name,
					n, networks)
			}
		}
	}
	return nil
}

// The names of columns.
const (
	colSource   = "source"
	colInput    = "input"
	colNumber   = "number"
	colOffset   = "offset"
	colResult   = "result"
	colWhiteElo = "white_elo"
	colBlackElo = "black_elo"
	colStart    = "start"
	colPlies    = "plies"
	colMoves    = "moves"
	colInvented = "invented"
	colSamples  = "samples"
	colBitmap   = "samples:bitmap"

	colClockUnit = "clock:unit"
	colClockLeft = "clock:left"

	colPolicyCount  = "policy:count"
	colPolicyMove   = "policy:move"
	colPolicyWeight = "policy:weight"

	tagPrefix   = "tag:"   // and the tag's name
	labelPrefix = "label:" // the fingerprint's index, a colon and one of:

	labelStatus  = "status"
	labelBest    = "best"
	labelLines   = "lines"
	labelScore   = "score"
	labelWDL     = "wdl"
	labelDepth   = "depth"
	labelNodes   = "nodes"
	labelPVPlies = "pv_plies"
	labelPV      = "pv"

	networkPrefix = "network:" // and the network's index, a colon and one of:

	networkStatus = "status"
	networkValue  = "value"
	networkCount  = "count"
	networkMove   = "move"
	networkPrior  = "prior"
)

// networkParts are what is after the colon.
var networkParts = map[string]bool{networkStatus: true, networkValue: true, networkCount: true, networkMove: true,
	networkPrior: true}

// labelColumn takes the name of a label's column apart.
func labelColumn(name string) (fingerprint int, part string, ok bool) {
	return numbered(name, labelPrefix)
}

// networkColumn takes the name of a prediction's column apart.
func networkColumn(name string) (network int, part string, ok bool) {
	return numbered(name, networkPrefix)
}

// numbered takes apart a name of a prefix, a number up to 999,999, a colon and a part.
func numbered(name, prefix string) (number int, part string, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, "", false
	}
	digits, part, ok := strings.Cut(rest, ":")
	if !ok || digits == "" || len(digits) > 6 || len(digits) > 1 && digits[0] == '0' {
		return 0, "", false
	}
	for _, d := range []byte(digits) {
		if d < '0' || d > '9' {
			return 0, "", false
		}
		number = 10*number + int(d-'0')
	}
	return number, part, true
}
