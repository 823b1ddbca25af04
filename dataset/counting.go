package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoLabels says that a dataset has no labels of an engine, or none of those asked for.
var ErrNoLabels = errors.New("no engine labels")

// Counting says which of a sample's labels counts. Whatever shows, learns or compares a label asks it.
//
// Where a fingerprint is asked for, its label counts and no other. Else it is the last label, in the order of the
// manifest's fingerprints, that an engine or a source gave (labelled or terminal: what failed or is missing is passed
// over; so are those of candidates alone); but the value is that of endgame tables where they have the sample.
type Counting struct {
	prints []Fingerprint
	column int // of the fingerprint asked for; anyColumn

	candidates *candidateColumns // nil: not asked for
}

const anyColumn = -1

// NewCounting returns the counting for a dataset with these fingerprints; id is the ID of the fingerprint asked for,
// empty for any. An id that is not among them is [ErrNoLabels].
func NewCounting(prints []Fingerprint, id string) (Counting, error) {
	if id == "" {
		return Counting{prints: prints, column: anyColumn}, nil
	}
	known := make([]string, len(prints))
	for i, f := range prints {
		if f.ID() == id {
			return Counting{prints: prints, column: i}, nil
		}
		known[i] = fmt.Sprintf("%s (%s, %s)", f.ID(), f.Engine, f.Limit)
	}
	if len(known) == 0 {
		known = []string{"none"}
	}
	return Counting{}, fmt.Errorf("%w with fingerprint %q; available: %s", ErrNoLabels, id, strings.Join(known, ", "))
}

// Counted is what counts of a sample's labels.
type Counted struct {
	Moves Label // of which moves come; missing or failed where nothing counts
	Value Label // of which the value comes
	// Column is the fingerprint of Moves, and ValueColumn that of Value: −1 where there is none.
	Column, ValueColumn int
	// Candidates are the likely moves of the sample, where the counting is asked for them: see
	// [Counting.WithCandidates].
	Candidates []Candidate
}

// Of returns what counts of the labels of a line's sample. The label is failed where nothing counts and an engine
// failed.
func (c *Counting) Of(l *Line, sample int) Counted {
	found := Counted{Column: -1, ValueColumn: -1}
	for i := len(l.Labels) - 1; i >= 0; i-- {
		column := &l.Labels[i]
		if sample >= len(column.Labels) || c.column != anyColumn && column.Fingerprint != c.column {
			continue
		}
		if c.column == anyColumn && column.Fingerprint < len(c.prints) {
			if f := &c.prints[column.Fingerprint]; f.IsExact() || f.OfCandidates() {
				continue
			}
		}
		said := &column.Labels[sample]
		if said.Status == Labelled || said.Status == Terminal {
			found.Moves, found.Column = *said, column.Fingerprint
			break
		}
		if said.Status == Failed && found.Column < 0 {
			found.Moves = Label{Status: Failed}
		}
	}
	found.Value, found.ValueColumn = found.Moves, found.Column
	if c.candidates != nil {
		found.Candidates = c.candidates.of(l, sample)
	}
	if c.column == anyColumn {
		if exact, column, ok := l.exact(sample, c.prints); ok {
			found.Value, found.ValueColumn = exact, column
		}
	}
	return found
}

// LastEngine returns the last fingerprint that is an engine's, not a source's, of endgame tables or of candidates
// alone: the labels that are audited. Without one the error is [ErrNoLabels].
func LastEngine(prints []Fingerprint) (column int, err error) {
	for i := len(prints) - 1; i >= 0; i-- {
		if !prints[i].IsImported() && !prints[i].IsExact() && !prints[i].OfCandidates() {
			return i, nil
		}
	}
	return 0, ErrNoLabels
}
