package encode

import (
	"fmt"
	"math"
	"slices"

	"talbot/board"
	"talbot/dataset"
)

// The sizes of the probability encoding.
const (
	ProbabilityMoves   = 20  // candidates
	ProbabilityNumbers = 101 // input
	ProbabilityWords   = 26  // 208 bytes, packed

	// ProbabilityOther is the word of a move that is no candidate.
	ProbabilityOther = ProbabilityMoves

	// ProbabilityRating is the rating that an unknown one is taken for.
	ProbabilityRating = 1500

	ratingNumber = 5 * ProbabilityMoves // the number of the rating among the input
)

// Probability is the encoding of the recipe probability: what a network of the recipe prior thinks of its 20 most
// probable moves and how an engine values them, for a network that says how often players of a rating choose each.
//
//	numbers  0 … 19    the priors of the candidates, the highest first; they sum to 1
//	number   20+4i+d   the value after candidate i at depth 1, 3, 7, 10 (d = 0 … 3) from the view of its player:
//	                   tanh(0.3 · pawns), where a mate counts as 100 pawns, ±1
//	number   100       the rating of the side to move / 1500 − 1; 0 if it is not known
//
// Where there are fewer candidates, priors are 0 and values −1. A number travels in 16 bits: a prior within 0.000008, a
// value within 0.000016 of what it is.
//
// A move is one word, its place among the candidates; 20 for any other.
//
// Source: chess-deep-learning. There the candidates of training are the most played moves, which gives the target
// away, and the scaling of the rating is not published; ours is that of the recipe prior.
type Probability struct{ talbotBotValue }

// Name returns "probability".
func (Probability) Name() string { return "probability" }

// Layout reports that what is read are candidates.
func (Probability) Layout() Layout {
	return Layout{Words: ProbabilityWords, Shape: []int{ProbabilityNumbers}, Moves: TargetMoves, Codes: 1,
		Indices: ProbabilityMoves + 1, Ratings: true, Candidates: ProbabilityMoves}
}

// CandidateValue returns the number that a network gets for a score: tanh(0.3 · pawns), ±1 for a mate.
func CandidateValue(s dataset.Score) float64 {
	if n, ok := s.Mate(); ok {
		if n > 0 {
			return 1
		}
		return -1
	}
	cp, _ := s.Centipawns()
	return math.Tanh(candidateSlope * float64(cp))
}

// candidateSlope is published, for each centipawn.
const candidateSlope = 0.3 / 100

// CandidateCentipawns is the inverse of [CandidateValue], in ±1500.
func CandidateCentipawns(value float32) float64 {
	return max(-mostCentipawns, min(mostCentipawns, math.Atanh(max(-1, min(1, float64(value))))/candidateSlope))
}

// Pack writes number i to the 16 bits from 16·(i mod 4) on of word i/4: a prior p as round(65535·p), a value v as
// round(32767·(v + 1)), the rating itself.
func (Probability) Pack(dst []uint64, v *View) {
	w := (*[ProbabilityWords]uint64)(dst)
	*w = [ProbabilityWords]uint64{}
	put := func(i int, x float64) { w[i/4] |= uint64(math.Round(x)) << (16 * (i % 4)) }
	list := v.Labels.Candidates[:min(ProbabilityMoves, len(v.Labels.Candidates))]
	sum := 0.0
	for _, c := range list {
		sum += c.Prior.Probability()
	}
	for i, c := range list {
		put(i, math.MaxUint16*c.Prior.Probability()/sum)
		for d, s := range c.Values {
			put(ProbabilityMoves+4*i+d, math.MaxInt16*(CandidateValue(s)+1))
		}
	}
	rating, _ := v.Ratings()
	if rating == 0 {
		rating = ProbabilityRating
	}
	put(ratingNumber, float64(min(rating, math.MaxUint16)))
}

// Unpack writes the 101 numbers.
func (Probability) Unpack(dst []float32, packed []uint64) {
	n := (*[ProbabilityNumbers]float32)(dst)
	w := (*[ProbabilityWords]uint64)(packed)
	for i := range n {
		x := float64(w[i/4] >> (16 * (i % 4)) & 0xffff)
		switch {
		case i < ProbabilityMoves:
			x /= math.MaxUint16
		case i < ratingNumber:
			x = x/math.MaxInt16 - 1
		default:
			x = x/ProbabilityRating - 1
		}
		n[i] = float32(x)
	}
}

// EncodeMove writes the place of a move among the candidates.
func (Probability) EncodeMove(dst []int32, v *View, m board.Move) {
	dst[0] = ProbabilityOther
	for i, c := range v.Labels.Candidates[:min(ProbabilityMoves, len(v.Labels.Candidates))] {
		if c.Move == m {
			dst[0] = int32(i)
		}
	}
}

// Target gives the share of each candidate among the moves of candidates that were played. Nothing is to be learnt of a
// sample without candidates, or in which none of them was played.
func (e Probability) Target(dst *Target, v *View, t Targets) bool {
	var code [1]int32
	dst.Moves = slices.DeleteFunc(Policy(dst.Moves, e.talbotBotValue, t, v), func(m dataset.WeightedMove) bool {
		e.EncodeMove(code[:], v, m.Move)
		return code[0] == ProbabilityOther || !(m.Weight > 0)
	})
	sum := float32(0)
	for _, m := range dst.Moves {
		sum += m.Weight
	}
	for i := range dst.Moves {
		dst.Moves[i].Weight /= sum
	}
	return len(dst.Moves) > 0
}

// NumberNames implements [Encoder].
func (Probability) NumberNames() []NumberGroup {
	list := []NumberGroup{{Name: "Priors"}, {Name: "Values"}, {"Rating", []string{"rating"}}}
	for i := range ProbabilityMoves {
		list[0].Names = append(list[0].Names, fmt.Sprintf("candidate %d", i+1))
		for _, depth := range []int{1, 3, 7, 10} {
			list[1].Names = append(list[1].Names, fmt.Sprintf("%d, depth %d", i+1, depth))
		}
	}
	return list
}
