package dataset

import (
	"fmt"
	"strings"

	"talbot/internal/fault"
)

// ErrNoLabels: a dataset has no labels of an engine, or not those asked for.
var ErrNoLabels = fault.New(fault.ExitFailed, "no engine labels",
	"`talbot stats DIR` lists the labels of a dataset; `talbot label` makes them, with --multipv 2 for tactics")

// Counting says which of a sample's labels counts. All code that shows, learns or compares a label uses it.
//
// If a fingerprint was chosen, only its label counts. Otherwise it is the last label, in the order of the manifest's
// fingerprints, that an engine or a source gave (labelled or terminal; failed and missing labels and those of
// candidates alone are skipped); but a solved label counts before all others, and else the value is that of endgame
// tables where they have the sample.
type Counting struct {
	prints  []Fingerprint
	column  int  // of the chosen fingerprint, or anyColumn
	several bool // only fingerprints that score several moves count, and only for moves

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

// CountingSeveral is [NewCounting] for callers that compare the best move with others: only labels count whose
// fingerprint scores several of all legal moves. Without any the error is [ErrNoLabels]. Candidates are some of the
// moves, so what is best or second among them says nothing about the others. last is the fingerprint asked for, or the
// last that counts.
func CountingSeveral(prints []Fingerprint, id string) (c Counting, last int, err error) {
	if c, err = NewCounting(prints, id); err != nil {
		return c, -1, err
	}
	c.several = true
	if c.column != anyColumn {
		switch f := &prints[c.column]; {
		case f.SearchesCandidates():
			err = fmt.Errorf("%w that compare all moves: fingerprint %s is of candidates alone", ErrNoLabels, id)
		case !f.scoresSeveral():
			err = fmt.Errorf("%w that score two moves: fingerprint %s scores one", ErrNoLabels, id)
		}
		return c, c.column, err
	}
	for i := len(prints) - 1; i >= 0; i-- {
		if c.counts(i) {
			return c, i, nil
		}
	}
	return c, -1, fmt.Errorf("%w that score two moves", ErrNoLabels)
}

// counts reports whether labels of a fingerprint count if none was chosen.
func (c *Counting) counts(column int) bool {
	if column >= len(c.prints) {
		return !c.several
	}
	f := &c.prints[column]
	return !f.IsProven() && !f.SearchesCandidates() && (!c.several || f.scoresSeveral())
}

// Counted has the labels that count for a sample.
type Counted struct {
	Moves Label // for moves; missing or failed if none counts
	Value Label // for the value
	// Column is the fingerprint of Moves, and ValueColumn that of Value: −1 where there is none.
	Column, ValueColumn int
	// Solved says that Moves is a solved label: the moves of all its lines are equally good.
	Solved bool
	// Candidates are the likely moves of the sample, where the counting is asked for them: see
	// [Counting.WithCandidates].
	Candidates []Candidate
}

// Of returns the labels that count for a line's sample. The label is failed if none counts and an engine failed.
func (c *Counting) Of(l *Line, sample int) Counted {
	found := Counted{Column: -1, ValueColumn: -1}
	for i := len(l.Labels) - 1; i >= 0; i-- {
		column := &l.Labels[i]
		if sample >= len(column.Labels) || c.column != anyColumn && column.Fingerprint != c.column {
			continue
		}
		if c.column == anyColumn && !c.counts(column.Fingerprint) {
			continue
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
	if c.column == anyColumn && !c.several {
		if label, column, ok := l.solved(sample, c.prints); ok {
			found.Moves, found.Column = label, column
		}
	}
	found.Value, found.ValueColumn = found.Moves, found.Column
	found.Solved = found.Column >= 0 && found.Column < len(c.prints) && c.prints[found.Column].IsSolved()
	if c.candidates != nil {
		found.Candidates = c.candidates.of(l, sample)
	}
	if c.column == anyColumn && !found.Solved {
		if exact, column, ok := l.exact(sample, c.prints); ok {
			found.Value, found.ValueColumn = exact, column
		}
	}
	return found
}

// LastEngine returns the last fingerprint that is an engine's, not a source's, of proven results or of candidates
// alone: the labels that are audited. Without one the error is [ErrNoLabels].
func LastEngine(prints []Fingerprint) (column int, err error) {
	for i := len(prints) - 1; i >= 0; i-- {
		if !prints[i].IsImported() && !prints[i].IsProven() && !prints[i].SearchesCandidates() {
			return i, nil
		}
	}
	return 0, ErrNoLabels
}
