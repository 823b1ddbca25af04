package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"talbot/board"
	"talbot/internal/fault"
)

// CandidateDepths are the depths at which a [Candidate] is valued, those of the position after it.
var CandidateDepths = [4]int{1, 3, 7, 10}

// Candidate is one of the moves that a network finds most probable in a sample, and an engine's values for it.
type Candidate struct {
	Move   board.Move
	Prior  QuantizedPrior // among all legal moves
	Values [4]Score       // at CandidateDepths, from the view of the side that plays the move
}

// SearchMovesText is the text of the option [SearchMoves] for a number of candidates of a network.
func SearchMovesText(candidates int, network string) string {
	return fmt.Sprintf("%d of %s", candidates, network)
}

// candidateColumns say where the candidates of a dataset are.
type candidateColumns struct {
	network int
	count   int
	columns [4]int // fingerprints, by depth
}

// ErrNoCandidates: a dataset does not have values for that many candidates at [CandidateDepths].
var ErrNoCandidates = fault.New(fault.ExitFailed,
	fmt.Sprintf("no values of candidate moves at depths %d, %d, %d and %d", CandidateDepths[0], CandidateDepths[1],
		CandidateDepths[2], CandidateDepths[3]),
	"use `talbot predict`, then `talbot label --candidates 20`")

// WithCandidates returns a counting that also has the first count candidates of each sample and an engine's values of
// them, from the last such labels of the dataset. It returns [ErrNoCandidates] if there are none.
func (c Counting) WithCandidates(m *Manifest, count int) (Counting, error) {
	last := len(CandidateDepths) - 1
	limit := func(i int) string { return "depth " + strconv.Itoa(CandidateDepths[i]+1) }
	for i := len(m.Fingerprints) - 1; i >= 0; i-- {
		f := m.Fingerprints[i]
		at := slices.IndexFunc(f.Options, func(t Tag) bool { return t.Name == SearchMoves })
		if at < 0 || f.Limit != limit(last) {
			continue
		}
		text, id, _ := strings.Cut(f.Options[at].Value, " of ")
		n, err := strconv.Atoi(text)
		network := slices.IndexFunc(m.Networks, func(n Network) bool { return n.Prior && n.ID() == id })
		if err != nil || n < count || network < 0 {
			continue
		}
		found := &candidateColumns{network: network, count: count}
		for d := range CandidateDepths {
			g := f
			g.Limit = limit(d)
			found.columns[d] = slices.IndexFunc(m.Fingerprints, func(h Fingerprint) bool { return h.ID() == g.ID() })
		}
		if slices.Min(found.columns[:]) >= 0 {
			c.candidates = found
			return c, nil
		}
	}
	return c, ErrNoCandidates
}

// of returns the candidates of a sample, the most probable first; nil unless all of them have all values.
func (c *candidateColumns) of(l *Line, sample int) []Candidate {
	said := l.PredictionsOf(c.network)
	labels := l.Columns(c.columns[:])
	if sample >= len(said) || labels == nil {
		return nil
	}
	moves := said[sample].Moves
	list := make([]Candidate, min(c.count, len(moves)))
	for i := range list {
		list[i] = Candidate{Move: moves[i].Move, Prior: moves[i].Prior}
		for d := range labels {
			k := slices.IndexFunc(labels[d][sample].Lines, func(s Searched) bool {
				return len(s.PV) > 0 && s.PV[0] == moves[i].Move
			})
			if k < 0 {
				return nil
			}
			list[i].Values[d] = labels[d][sample].Lines[k].Score
		}
	}
	return list
}
