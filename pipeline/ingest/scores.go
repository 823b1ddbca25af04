package ingest

import (
	"errors"

	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/rows"
)

// Scores are those of training data that others publish, by what they say of themselves.
type Scores struct {
	Chains  int64            `json:"chains"`
	Missing *binpack.Missing `json:"missing,omitempty"`
	Unit    string           `json:"unit,omitempty"` // "several" if inputs differ
	Origin  string           `json:"origin,omitempty"`
}

// add counts a chain.
func (s *Scores) add(c *chainScores) {
	s.Chains++
	if s.Missing == nil {
		s.Missing = &binpack.Missing{}
	}
	s.Missing.Add(c.missing)
	s.Unit, s.Origin = common(s.Unit, c.unit), common(s.Origin, c.origin)
}

// clone returns a copy that changes on its own.
func (s Scores) clone() Scores {
	if s.Missing != nil {
		missing := *s.Missing
		s.Missing = &missing
	}
	return s
}

// common returns what two parts have in common; "" is none yet.
func common(a, b string) string {
	if a == "" || a == b {
		return b
	}
	return "several"
}

// chainScores is what came with the line of a chain.
type chainScores struct {
	missing      binpack.Missing
	unit, origin string
}

// scoresOf returns it for the last line of a reader; nil if it has no chains.
func scoresOf(r Reader) *chainScores {
	c, ok := r.(*binpack.LineReader)
	if !ok {
		return nil
	}
	origin, unit := c.Origin()
	return &chainScores{c.Missing(), string(unit), origin}
}

// unitFault reports whether an error is about the unit or view of an input, whose name no reader knows.
func unitFault(err error) bool {
	return errors.Is(err, rows.ErrUnit) || errors.Is(err, rows.ErrMixedUnits) || errors.Is(err, binpack.ErrUnit) ||
		errors.Is(err, dataset.ErrView)
}
