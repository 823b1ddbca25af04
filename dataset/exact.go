package dataset

// ExactLimit is the limit of fingerprints whose labels are results of endgame tables, not of a search.
const ExactLimit = "exact"

// TablesFingerprint is the fingerprint of the results of endgame tables that were checked, with the identity of their
// content.
func TablesFingerprint(identity string) Fingerprint {
	return Fingerprint{Engine: "Syzygy tables", Build: identity, Limit: ExactLimit}
}

// IsExact reports whether the fingerprint is of results of endgame tables.
func (f *Fingerprint) IsExact() bool { return f.Limit == ExactLimit }

// Class is the result of a position with best play, for the side to move.
type Class uint8

// The classes.
const (
	Lost Class = iota
	Drawn
	Won
)

// String returns "loss", "draw" or "win".
func (c Class) String() string { return [...]string{"loss", "draw", "win"}[min(c, Won)] }

// ExactLabel returns the label of a position whose result is known: that chance is 1000 ‰, the score 30000 or −30000
// centipawns, which stand for a win or a loss of unknown length, or 0. It has neither a best move nor a variation.
func ExactLabel(c Class) Label {
	line := Searched{}
	switch c {
	case Won:
		line.WDL.Win, line.Score = 1000, Centipawns(MaxCentipawns)
	case Lost:
		line.WDL.Loss, line.Score = 1000, Centipawns(-MaxCentipawns)
	default:
		line.WDL.Draw = 1000
	}
	return Label{Status: Labelled, Lines: []Searched{line}}
}

// decided is from how many centipawns on a position counts as won where a label has no chances: there Stockfish, since
// version 15.1, takes the chance of a win for one half.
const decided = 100

// Class returns the result that a label says is most likely: the greatest of its chances, or by its score where it has
// none. It reports false for a label without a searched line.
func (l *Label) Class() (Class, bool) {
	if l.Status != Labelled || len(l.Lines) == 0 {
		return 0, false
	}
	first := &l.Lines[0]
	if w := first.WDL; w != (WDL{}) {
		switch {
		case w.Win > w.Draw && w.Win > w.Loss:
			return Won, true
		case w.Loss > w.Draw && w.Loss > w.Win:
			return Lost, true
		}
		return Drawn, true
	}
	cp, ok := first.Score.Centipawns()
	if !ok {
		cp = int(first.Score) // of a mate: far beyond
	}
	switch {
	case cp >= decided:
		return Won, true
	case cp <= -decided:
		return Lost, true
	}
	return Drawn, true
}

// Exact returns the label of a sample of a line whose result is proven, with the fingerprints of its manifest: a solved
// label, or else the first of endgame tables.
func (l *Line) Exact(sample int, prints []Fingerprint) (label Label, ok bool) {
	if label, _, ok = l.solved(sample, prints); ok && label.Status == Labelled {
		return label, true
	}
	label, _, ok = l.exact(sample, prints)
	return label, ok
}

// exact returns the label of endgame tables and the column of their fingerprint.
func (l *Line) exact(sample int, prints []Fingerprint) (label Label, column int, ok bool) {
	for _, c := range l.Labels {
		if c.Fingerprint < len(prints) && prints[c.Fingerprint].IsExact() && sample < len(c.Labels) &&
			c.Labels[sample].Status == Labelled {
			return c.Labels[sample], c.Fingerprint, true
		}
	}
	return Label{}, -1, false
}
