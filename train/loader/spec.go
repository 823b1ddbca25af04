package loader

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// Spec names a dataset and its share of the draws.
type Spec struct {
	Dir    string
	Weight float64 // above 0; 0 = not given
}

// ParseSpecs reads DIR[:weight],… as --data gives it. Weights are given for all datasets or for none. What follows the
// last colon of an entry is its weight if it is a number, else a part of the folder's name. No folder may occur twice.
func ParseSpecs(text string) ([]Spec, error) {
	var specs []Spec
	seen := map[string]bool{}
	for entry := range strings.SplitSeq(text, ",") {
		s := Spec{Dir: entry}
		if i := strings.LastIndexByte(entry, ':'); i >= 0 {
			if w, err := strconv.ParseFloat(entry[i+1:], 64); err == nil || errors.Is(err, strconv.ErrRange) {
				if !(w > 0) || math.IsInf(w, 1) {
					return nil, fmt.Errorf("data %q: weight must be above 0: %q", text, entry[i+1:])
				}
				s = Spec{entry[:i], w}
			}
		}
		if s.Dir == "" {
			return nil, fmt.Errorf("data %q: entry %q has no folder", text, entry)
		}
		key := filepath.Clean(s.Dir)
		if seen[key] {
			return nil, fmt.Errorf("data %q: %q appears twice", text, s.Dir)
		}
		seen[key] = true
		if len(specs) > 0 && (s.Weight > 0) != (specs[0].Weight > 0) {
			return nil, fmt.Errorf("data %q: give a weight to every dataset or to none", text)
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// shares are the shares of the draws, which sum to 1: by weight, or by the number of samples where no weight is given.
func shares(sets []*Set, samples []int64) []float64 {
	out := make([]float64, len(sets))
	sum := 0.0
	for i, s := range sets {
		out[i] = s.Weight
		if s.Weight == 0 {
			out[i] = float64(samples[i])
		}
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}
