package stats

import (
	"cmp"
	"maps"
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

// coverageTally counts the spread of samples.
type coverageTally struct {
	prints     []dataset.Fingerprint
	counting   dataset.Counting
	turns      [2]int64
	results    [unknownClass + 1]int64
	exact      int64
	captures   [coveragePlies + 1]int64
	signatures map[board.Material]*signatureTally
	agreement  []map[board.Material]*[3][3]int64 // of each fingerprint
}

type signatureTally struct {
	samples, greater, captures int64
	results                    [unknownClass + 1]int64
}

func newCoverageTally(prints []dataset.Fingerprint, counting dataset.Counting) coverageTally {
	t := coverageTally{prints: prints, counting: counting, signatures: map[board.Material]*signatureTally{}}
	for range prints {
		t.agreement = append(t.agreement, map[board.Material]*[3][3]int64{})
	}
	return t
}

// add counts the k-th sample of a line, at position p after that many captures.
func (t *coverageTally) add(l *dataset.Line, k int, p *board.Position, captures int) {
	t.turns[p.Turn()]++
	t.captures[captures]++
	result, exact := t.result(l, k)
	t.results[result]++
	if exact {
		t.exact++
	}
	if p.Occupied().Len() > 7 {
		return
	}
	m := p.Material()
	class := m.Fold()
	s := t.signatures[class]
	if s == nil {
		s = &signatureTally{}
		t.signatures[class] = s
	}
	s.samples++
	s.results[result]++
	if captures > 0 {
		s.captures++
	}
	if (m == class) == (p.Turn() == board.White) {
		s.greater++
	}
	if exact {
		t.compare(l, k, class, result)
	}
}

// result returns the class of a sample's result by the label that counts, and whether it is proven.
func (t *coverageTally) result(l *dataset.Line, k int) (class dataset.Class, exact bool) {
	counted := t.counting.Of(l, k)
	class, ok := counted.Value.Class()
	if !ok {
		return unknownClass, false
	}
	return class, t.prints[counted.ValueColumn].IsProven()
}

// compare counts the engines' labels of a sample whose result is known.
func (t *coverageTally) compare(l *dataset.Line, k int, m board.Material, result dataset.Class) {
	for i := range l.Labels {
		c := &l.Labels[i]
		if f := &t.prints[c.Fingerprint]; f.IsProven() || f.SearchesCandidates() {
			continue
		}
		if said, ok := c.Labels[k].Class(); ok {
			counts := t.agreement[c.Fingerprint][m]
			if counts == nil {
				counts = &[3][3]int64{}
				t.agreement[c.Fingerprint][m] = counts
			}
			counts[result][said]++
		}
	}
}

func (t *coverageTally) merge(o *coverageTally) {
	addTo(t.turns[:], o.turns[:])
	addTo(t.results[:], o.results[:])
	addTo(t.captures[:], o.captures[:])
	t.exact += o.exact
	for m, s := range o.signatures {
		mine := t.signatures[m]
		if mine == nil {
			t.signatures[m] = s
			continue
		}
		addTo(mine.results[:], s.results[:])
		mine.samples, mine.greater, mine.captures = mine.samples+s.samples, mine.greater+s.greater,
			mine.captures+s.captures
	}
	for i, counts := range o.agreement {
		for m, c := range counts {
			mine := t.agreement[i][m]
			if mine == nil {
				t.agreement[i][m] = c
				continue
			}
			for k := range c {
				addTo(mine[k][:], c[k][:])
			}
		}
	}
}

func addTo(a, b []int64) {
	for i, n := range b {
		a[i] += n
	}
}

// coverage returns what was counted.
func (t *coverageTally) coverage() Coverage {
	c := Coverage{
		SideToMove: map[string]int64{"white": t.turns[board.White], "black": t.turns[board.Black]},
		Results:    map[string]int64{}, Exact: t.exact, HistoryCaptures: map[int]int64{},
		Signatures: []SignatureCoverage{},
	}
	for i, n := range t.results {
		c.Results[classNames[i]] = n
	}
	for i, n := range t.captures {
		if n > 0 {
			c.HistoryCaptures[i] = n
		}
	}
	for m, s := range t.signatures {
		c.Signatures = append(c.Signatures, SignatureCoverage{
			Signature: m.String(), Pieces: m.Pieces(), Samples: s.samples, Greater: s.greater, Captures: s.captures,
			Win: s.results[dataset.Won], Draw: s.results[dataset.Drawn], Loss: s.results[dataset.Lost],
			Unknown: s.results[unknownClass],
		})
	}
	slices.SortFunc(c.Signatures, func(a, b SignatureCoverage) int {
		return cmp.Or(cmp.Compare(a.Pieces, b.Pieces), cmp.Compare(b.Samples, a.Samples),
			cmp.Compare(a.Signature, b.Signature))
	})
	return c
}

// agreementOf returns how the labels of a fingerprint agree with endgame tables, nil if there is nothing to compare.
func (t *coverageTally) agreementOf(fingerprint int) *Agreement {
	a := &Agreement{Signatures: []SignatureAgreement{}}
	for _, m := range slices.Sorted(maps.Keys(t.agreement[fingerprint])) {
		s := SignatureAgreement{Signature: m.String()}
		for table, counts := range t.agreement[fingerprint][m] {
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
