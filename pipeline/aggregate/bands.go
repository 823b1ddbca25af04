package aggregate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"talbot/dataset"
)

// Bands are the ratings at which bands begin, ascending: 1500, 2000 and 2500 are four bands, and a rating of 1500 is in
// the second. None are a single band, in which unknown ratings are too.
type Bands []int

// DefaultBands are those of the recipe prior.
var DefaultBands = Bands{1500, 2000, 2500}

// The usual minimum counts of a [Request].
const (
	DefaultMinCount = 6
	DefaultMinBand  = 3
)

// maxBands is how many bands there may be.
const maxBands = 64

// noBands is what [ParseBands] reads as no bands.
const noBands = "none"

// ParseBands reads "1500,2000,2500", or "none".
func ParseBands(s string) (Bands, error) {
	if s == noBands {
		return nil, nil
	}
	var b Bands
	for field := range strings.SplitSeq(s, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil {
			return nil, fmt.Errorf("%q is not a rating", field)
		}
		b = append(b, n)
	}
	return b, b.Check()
}

// Check returns an error unless the ratings ascend and each band can have a rating of its own.
func (b Bands) Check() error {
	if len(b) >= maxBands {
		return fmt.Errorf("at most %d bands: %d", maxBands, len(b)+1)
	}
	for i, edge := range b {
		if edge < 2 || edge > math.MaxUint16 || i > 0 && edge <= b[i-1] {
			return fmt.Errorf("ratings must ascend, each from 2 to %[2]d: %[1]s", b, math.MaxUint16)
		}
	}
	return nil
}

// String returns what [ParseBands] reads.
func (b Bands) String() string {
	if len(b) == 0 {
		return noBands
	}
	fields := make([]string, len(b))
	for i, edge := range b {
		fields[i] = strconv.Itoa(edge)
	}
	return strings.Join(fields, ",")
}

// list returns the bands, without samples. The rating of an inner band is its centre; the outer two are taken to be as
// wide as their neighbours, or 500 points where there is none.
func (b Bands) list() []dataset.Band {
	all := make([]dataset.Band, len(b)+1)
	for i, edge := range b {
		all[i].To, all[i+1].From = edge, edge
	}
	for i := 1; i < len(b); i++ {
		all[i].Elo = (b[i-1] + b[i]) / 2
	}
	if n := len(b); n > 0 {
		low, high := 250, 250
		if n > 1 {
			low, high = (b[1]-b[0])/2, (b[n-1]-b[n-2])/2
		}
		all[0].Elo = max(b[0]-max(low, 1), 1)
		all[n].Elo = min(b[n-1]+high, math.MaxUint16)
	}
	return all
}
