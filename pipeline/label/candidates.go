package label

import (
	"errors"
	"fmt"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// ErrFewMoves: the predictions keep fewer moves than the number of candidates.
var ErrFewMoves = errors.New("the predictions have too few moves")

// chooseCandidates finds the network whose priors choose the candidates, and has the engine search them: one search
// with that many lines at all depths.
//
// Depth d of a candidate is that of the position after it, as in the published code of the recipe prior, which plays
// each candidate and searches what is then on the board. In a search of the position itself that is depth d+1, whose
// first ply is the candidate. The engine shares what it learns among the candidates, which the published code, with a
// search for each, does not.
func (r *Request) chooseCandidates(m *dataset.Manifest) (network int, err error) {
	network, err = m.PriorOf(r.Network)
	if err != nil {
		return 0, fmt.Errorf("%q: %w", r.In, err)
	}
	n := &m.Networks[network]
	if n.Top > 0 && n.Top < r.Candidates {
		return 0, fmt.Errorf("%q: %w: %d for %d candidates", r.In, ErrFewMoves, n.Top, r.Candidates)
	}
	r.Engine.MultiPV = r.Candidates
	r.Engine.SearchMoves = dataset.SearchMovesText(r.Candidates, n.ID())
	return network, nil
}

// CandidateDepths returns the limit and the shallower depths of searches that give values after a candidate at these
// depths, ascending.
func CandidateDepths(depths []int) (limit stockfish.Limit, shallower []int) {
	last := len(depths) - 1
	for _, d := range depths[:last] {
		shallower = append(shallower, d+1)
	}
	return stockfish.Depth(depths[last] + 1), shallower
}

// candidates are the moves of a sample that are searched; nil without a prediction for it.
func (l *labeller) candidates(line *dataset.Line, sample int) []board.Move {
	said := line.PredictionsOf(l.network)
	if said == nil {
		return nil
	}
	var moves []board.Move
	for _, m := range said[sample].Moves {
		if len(moves) == l.Candidates {
			break
		}
		moves = append(moves, m.Move)
	}
	return moves
}

// searchMoves are the candidates of samples; nil if all moves are searched.
func (l *labeller) searchMoves(line *dataset.Line, samples []int) [][]board.Move {
	if l.Candidates == 0 {
		return nil
	}
	list := make([][]board.Move, len(samples))
	for i, k := range samples {
		list[i] = l.candidates(line, k)
	}
	return list
}

// cutVariations leaves of each variation its first move, the candidate: of twenty lines at four depths the rest would
// be most of the file.
func cutVariations(labels []dataset.Label) {
	for i := range labels {
		lines := labels[i].Lines
		for j := range lines {
			lines[j].PV = lines[j].PV[:min(1, len(lines[j].PV))]
		}
	}
}
