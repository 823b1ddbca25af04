package dataset

// SolvedLimit is the limit of fingerprints whose labels follow from the rules alone, with the distance to mate and all
// best moves: see [talbot/mates].
const SolvedLimit = "solved"

// IsSolved reports whether the fingerprint's labels follow from the rules alone. They count before those of engines and
// of endgame tables, and all moves of their lines are equally good.
func (f *Fingerprint) IsSolved() bool { return f.Limit == SolvedLimit }

// IsProven reports whether the fingerprint's labels are results without doubt: solved ones, or those of endgame tables.
func (f *Fingerprint) IsProven() bool { return f.IsSolved() || f.IsExact() }

// solved returns the solved label of a sample, if it has one.
func (l *Line) solved(sample int, prints []Fingerprint) (label Label, column int, ok bool) {
	for i := len(l.Labels) - 1; i >= 0; i-- {
		c := &l.Labels[i]
		if c.Fingerprint < len(prints) && prints[c.Fingerprint].IsSolved() && sample < len(c.Labels) &&
			(c.Labels[sample].Status == Labelled || c.Labels[sample].Status == Terminal) {
			return c.Labels[sample], c.Fingerprint, true
		}
	}
	return Label{}, -1, false
}
