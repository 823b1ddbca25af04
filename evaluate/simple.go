package evaluate

import (
	"iter"
	"math"

	"talbot/board"
	"talbot/encode"
)

// Simple are the baselines that are fitted on train samples. Either may be nil.
type Simple struct {
	Value  *MaterialValue  `json:"value"`
	Policy *MoveStatistics `json:"policy"`
}

// leastFitted is how many train samples a baseline is fitted on at least.
const leastFitted = 100

// FitSimple fits baselines of what a network is measured in on train samples with a place, a value and a target. A
// baseline with fewer than 100 such samples is nil.
func FitSimple(samples iter.Seq2[Sample, error], l encode.Layout) (Simple, error) {
	value := l.Float(encode.ValueFloat)
	var material leastSquares
	var moves strengths
	for s, err := range samples {
		if err != nil {
			return Simple{}, err
		}
		if s.Origin == nil {
			continue
		}
		if label, ok := float(&s, value); ok {
			material.add(materialOf(&s.Origin.Position), float64(label))
		}
		moves.add(&s)
	}
	var fitted Simple
	if material.n >= leastFitted {
		fitted.Value = &MaterialValue{Samples: material.n, Weights: material.solve()}
	}
	if len(moves.positions) >= leastFitted {
		fitted.Policy = moves.fit()
	}
	return fitted, nil
}

// materialTerms are what [MaterialValue] knows of a position.
const materialTerms = 7

// MaterialValue is the value of a position by material, mover's colour and a constant: a least-squares regression.
type MaterialValue struct {
	Samples int64 `json:"samples"` // of train with a value, that it was fitted on
	// Weights are of the constant, of White to move (1, Black −1), and of a pawn, knight, bishop, rook and queen that
	// the mover has more than the opponent.
	Weights [materialTerms]float64 `json:"weights"`
}

// Of is the value for the side to move, within [−1, 1].
func (v *MaterialValue) Of(p *board.Position) float64 {
	sum := 0.0
	for i, x := range materialOf(p) {
		sum += v.Weights[i] * x
	}
	return max(-1, min(1, sum))
}

// materialOf is what the weights of a [MaterialValue] are multiplied with.
func materialOf(p *board.Position) (x [materialTerms]float64) {
	us := p.Turn()
	x[0], x[1] = 1, 1
	if us == board.Black {
		x[1] = -1
	}
	for pt := board.Pawn; pt <= board.Queen; pt++ {
		x[1+int(pt)] = float64(p.Pieces(us, pt).Len() - p.Pieces(us.Other(), pt).Len())
	}
	return x
}

// leastSquares are the normal equations of a regression.
type leastSquares struct {
	n       int64
	squares [materialTerms][materialTerms]float64
	right   [materialTerms]float64
}

func (e *leastSquares) add(x [materialTerms]float64, y float64) {
	e.n++
	for i := range x {
		for j := range x {
			e.squares[i][j] += x[i] * x[j]
		}
		e.right[i] += x[i] * y
	}
}

// solve returns the weights, by Gauss's elimination. A trace of ridge regression makes terms that never vary 0.
func (e *leastSquares) solve() [materialTerms]float64 {
	a, b := e.squares, e.right
	for i := range a {
		a[i][i] += 1e-9 * float64(e.n)
	}
	for i := range a { // the matrix is positive definite: no pivot is 0
		for j := i + 1; j < materialTerms; j++ {
			f := a[j][i] / a[i][i]
			for k := i; k < materialTerms; k++ {
				a[j][k] -= f * a[i][k]
			}
			b[j] -= f * b[i]
		}
	}
	for i := materialTerms - 1; i >= 0; i-- {
		for k := i + 1; k < materialTerms; k++ {
			b[i] -= a[i][k] * b[k]
		}
		b[i] /= a[i][i]
	}
	return b
}

// MoveStatistics are the chances of moves by what kind of move they are: which piece moves, what it takes, whether it
// checks, promotes (to a queen or not) or castles. Each kind has a strength, and a legal move the chance of its kind's
// strength over the sum of those of all legal moves; the strengths are the likeliest ones on train samples, after
// Coulom, Computing Elo Ratings of Move Patterns in the Game of Go, 2007. To each kind one won and one lost comparison
// with strength 1 are added, so that no move is impossible.
type MoveStatistics struct {
	Samples int64 `json:"samples"` // of train with a target, that they were fitted on
	Kinds   int   `json:"kinds"`   // of moves, that were legal there

	strengths [moveKinds]float64
}

// moveKinds bounds the kinds: 6 pieces, 6 victims or none, check or not, 3 ways to promote or not; and castling.
const (
	castlingKind = 6 * 6 * 2 * 3
	moveKinds    = castlingKind + 1
)

// moveKind is the kind of a legal move.
func moveKind(p *board.Position, m board.Move) int {
	if p.IsCastling(m) {
		return castlingKind
	}
	kind := int(p.TypeAt(m.From())-board.Pawn)*6 + int(p.Captured(m))
	kind *= 2
	if after := p.After(m); after.InCheck() {
		kind++
	}
	kind *= 3
	switch m.Promotion() {
	case board.NoPieceType:
	case board.Queen:
		kind++
	default:
		kind += 2
	}
	return kind
}

// judge returns the cross-entropy of a sample's target, and the weight of the target that falls on the likeliest move,
// drawn from those that are equally likely.
func (s *MoveStatistics) judge(q *Sample) (entropy, first float64) {
	all, best, equals := 0.0, 0.0, 0.0
	list := make([]float64, len(q.Legal))
	for i, m := range q.Legal {
		x := s.strengths[moveKind(&q.Origin.Position, m)]
		list[i] = x
		all += x
		switch {
		case x > best:
			best, equals = x, 1
		case x == best:
			equals++
		}
	}
	for _, t := range q.Policy {
		entropy -= float64(t.Weight) * math.Log(list[t.Move]/all)
		if list[t.Move] == best {
			first += float64(t.Weight) / equals
		}
	}
	return entropy, first
}

// strengths are what [MoveStatistics] are fitted on.
type strengths struct {
	played    [moveKinds]float64 // weight of the targets
	positions [][]kindCount      // the legal moves of each
}

type kindCount struct{ kind, moves uint16 }

func (s *strengths) add(q *Sample) {
	if len(q.Policy) == 0 {
		return
	}
	var counts [moveKinds]uint16
	kinds := make([]int, len(q.Legal))
	for i, m := range q.Legal {
		kinds[i] = moveKind(&q.Origin.Position, m)
		counts[kinds[i]]++
	}
	for _, t := range q.Policy {
		s.played[kinds[t.Move]] += float64(t.Weight)
	}
	var list []kindCount
	for kind, n := range counts {
		if n > 0 {
			list = append(list, kindCount{uint16(kind), n})
		}
	}
	s.positions = append(s.positions, list)
}

// fit maximises the likelihood by minorisation and maximisation, which only ever climbs.
func (s *strengths) fit() *MoveStatistics {
	f := &MoveStatistics{Samples: int64(len(s.positions))}
	for kind := range f.strengths {
		f.strengths[kind] = 1
	}
	var legal [moveKinds]bool
	const rounds, enough = 1000, 1e-7
	for range rounds {
		var met [moveKinds]float64 // moves of a kind, each over the strength of all that were legal
		for _, list := range s.positions {
			all := 0.0
			for _, c := range list {
				all += float64(c.moves) * f.strengths[c.kind]
			}
			for _, c := range list {
				met[c.kind] += float64(c.moves) / all
				legal[c.kind] = true
			}
		}
		change := 0.0
		for kind, x := range f.strengths {
			next := (s.played[kind] + 1) / (met[kind] + 2/(x+1))
			change = max(change, math.Abs(next/x-1))
			f.strengths[kind] = next
		}
		if change < enough {
			break
		}
	}
	for _, is := range legal {
		if is {
			f.Kinds++
		}
	}
	return f
}
