package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Part is one of several parts of a verb's lines, of about equal size, for machines that share nothing: number I of N,
// from 1. The zero value is all lines. Which part a line is in depends on the line alone; the verb decides how.
type Part struct{ I, N int }

// ParsePart reads "2/4".
func ParsePart(s string) (Part, error) {
	i, n, ok := strings.Cut(s, "/")
	var h Part
	var err, errN error
	h.I, err = strconv.Atoi(i)
	h.N, errN = strconv.Atoi(n)
	if !ok || err != nil || errN != nil || h.I < 1 || h.I > h.N || h.N > 1<<20 {
		return Part{}, fmt.Errorf("invalid part %q; expected for example 1/4 to 4/4", s)
	}
	return h, nil
}

// String is what [ParsePart] reads; empty for the zero value.
func (p Part) String() string {
	if p.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.I, p.N)
}
