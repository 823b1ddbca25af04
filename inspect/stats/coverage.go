package stats

import (
	"cmp"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// Coverage is how the samples of a dataset are spread.
type Coverage struct {
	SideToMove map[string]int64 `json:"side_to_move"` // samples with White and with Black to move
	// Results counts samples by result for the side to move: the proven one where there is one (by endgame tables, or
	// solved), else by the newest label of an engine (the greatest of its chances, see [dataset.Label.Class]), else
	// unknown. Exact are the proven ones.
	Results map[string]int64 `json:"results"`
	Exact   int64            `json:"exact"`
	// HistoryCaptures counts samples by the captures among the last four plies that the line has before them.
	HistoryCaptures map[int]int64 `json:"history_captures"`
	// Signatures are the materials of the samples with at most seven pieces, colours swapped so that the greater side
	// comes first, by number of pieces and then by samples.
	Signatures []SignatureCoverage `json:"signatures"`
}

// SignatureCoverage is how the samples of one material are spread.
type SignatureCoverage struct {
	Signature string `json:"signature"` // as KRPvKR
	Pieces    int    `json:"pieces"`
	Samples   int64  `json:"samples"`
	Greater   int64  `json:"greater_to_move"` // the side named first is to move; White where both are alike
	Win       int64  `json:"win"`             // for the side to move, as in Results
	Draw      int64  `json:"draw"`
	Loss      int64  `json:"loss"`
	Unknown   int64  `json:"unknown"`
	Captures  int64  `json:"captures"` // samples with a capture among the last four plies before them
}

// Agreement is how an engine's labels agree with proven results, where a sample has both.
type Agreement struct {
	Samples  int64 `json:"samples"`
	Disagree int64 `json:"disagree"` // the engine's most likely result is another
	Opposite int64 `json:"opposite"` // a win for a loss, or a loss for a win
	// Confusion counts samples by the tables' result and the engine's: loss, draw, win.
	Confusion  [3][3]int64          `json:"confusion"`
	Signatures []SignatureAgreement `json:"signatures"` // the most disagreements first
}

// SignatureAgreement is the agreement on one material.
type SignatureAgreement struct {
	Signature string `json:"signature"`
	Samples   int64  `json:"samples"`
	Disagree  int64  `json:"disagree"`
	Opposite  int64  `json:"opposite"`
}

// coveragePlies is how far back captures are looked for: what a network's history planes show.
const coveragePlies = 4

// unknownClass stands for a sample without a result.
const unknownClass = 3

var classNames = [...]string{dataset.Lost.String(), dataset.Drawn.String(), dataset.Won.String(), "unknown"}

// coverageCounts counts the spread of samples.
type coverageCounts struct {
	Turns      [2]int64
	Results    [unknownClass + 1]int64
	Exact      int64
	Captures   [coveragePlies + 1]int64
	Signatures map[board.Material]*SignatureCoverage
}

// addCoverage counts the k-th sample of a line, at position p after that many captures.
func (t *tally) addCoverage(l *dataset.Line, k int, p *board.Position, captures int) {
	c := &t.Coverage
	c.Turns[p.Turn()]++
	c.Captures[captures]++
	counted := t.counting.Of(l, k)
	result, ok := counted.Value.Class()
	exact := ok && t.manifest.Fingerprints[counted.ValueColumn].IsProven()
	if !ok {
		result = unknownClass
	}
	c.Results[result]++
	if exact {
		c.Exact++
	}
	if p.Occupied().Len() > 7 {
		return
	}
	m := p.Material()
	class := m.Fold()
	s := at(c.Signatures, class)
	s.Samples++
	*[...]*int64{&s.Loss, &s.Draw, &s.Win, &s.Unknown}[result]++
	if captures > 0 {
		s.Captures++
	}
	if (m == class) == (p.Turn() == board.White) {
		s.Greater++
	}
	if exact {
		t.compare(l, k, class, result)
	}
}

// compare counts the engines' labels of a sample whose result is known.
func (t *tally) compare(l *dataset.Line, k int, m board.Material, result dataset.Class) {
	for i := range l.Labels {
		c := &l.Labels[i]
		if f := &t.manifest.Fingerprints[c.Fingerprint]; f.IsProven() || f.SearchesCandidates() {
			continue
		}
		if said, ok := c.Labels[k].Class(); ok {
			at(t.Labels[c.Fingerprint].Agreement, m)[result][said]++
		}
	}
}

// coverage returns what was counted.
func (c *coverageCounts) coverage() Coverage {
	all := Coverage{
		SideToMove: map[string]int64{"white": c.Turns[board.White], "black": c.Turns[board.Black]},
		Results:    map[string]int64{}, Exact: c.Exact, HistoryCaptures: map[int]int64{},
		Signatures: []SignatureCoverage{},
	}
	for i, n := range c.Results {
		all.Results[classNames[i]] = n
	}
	for i, n := range c.Captures {
		if n > 0 {
			all.HistoryCaptures[i] = n
		}
	}
	for m, s := range c.Signatures {
		s.Signature, s.Pieces = m.String(), m.Pieces()
		all.Signatures = append(all.Signatures, *s)
	}
	slices.SortFunc(all.Signatures, func(a, b SignatureCoverage) int {
		return cmp.Or(cmp.Compare(a.Pieces, b.Pieces), cmp.Compare(b.Samples, a.Samples),
			cmp.Compare(a.Signature, b.Signature))
	})
	return all
}

// agreement sums up what was compared; nil if there is nothing.
func agreement(compared map[board.Material]*[3][3]int64) *Agreement {
	a := &Agreement{Signatures: []SignatureAgreement{}}
	for m, counts := range compared {
		s := SignatureAgreement{Signature: m.String()}
		for table, counts := range counts {
			for said, n := range counts {
				a.Confusion[table][said] += n
				s.Samples += n
				if said != table {
					s.Disagree += n
				}
				if said-table == 2 || table-said == 2 {
					s.Opposite += n
				}
			}
		}
		a.Samples, a.Disagree, a.Opposite = a.Samples+s.Samples, a.Disagree+s.Disagree, a.Opposite+s.Opposite
		a.Signatures = append(a.Signatures, s)
	}
	if a.Samples == 0 {
		return nil
	}
	slices.SortFunc(a.Signatures, func(a, b SignatureAgreement) int {
		return cmp.Or(cmp.Compare(b.Disagree, a.Disagree), cmp.Compare(b.Samples, a.Samples),
			cmp.Compare(a.Signature, b.Signature))
	})
	return a
}
