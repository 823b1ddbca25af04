package review

import (
	"math"

	"talbot/dataset"
	"talbot/encode"
)

// Class is how bad a move was.
type Class string

// The classes, with the loss of winning chances from which on they begin.
const (
	Fine       Class = ""
	Inaccuracy Class = "inaccuracy" // 5 %
	Mistake    Class = "mistake"    // 10 %
	Blunder    Class = "blunder"    // 15 %
)

// Classes are those that are counted, the worst first.
var Classes = []Class{Blunder, Mistake, Inaccuracy}

// The most centipawns that count, and those of a mate.
const (
	ceiling = 1000
	ofMate  = 10_000
)

// bounded returns centipawns within the ceiling.
func bounded(cp int) int { return max(-ceiling, min(ceiling, cp)) }

// centipawns returns a score in centipawns, a mate as ±10000.
func centipawns(s dataset.Score) int {
	if cp, ok := s.Centipawns(); ok {
		return cp
	}
	if n, _ := s.Mate(); n > 0 {
		return ofMate
	}
	return -ofMate
}

// chances are those of [encode.WinProbability] on the scale from -1 to 1.
func chances(cp int) float64 { return 2*encode.WinProbability(float64(cp)) - 1 }

// WinPercent returns the winning chances of a score in per cent, with centipawns within ±1000 and mates as ±1000:
// 50 + 50·(2/(1+exp(-0.00368208·cp)) - 1).
func WinPercent(s dataset.Score) float64 { return 50 + 50*chances(bounded(centipawns(s))) }

// MoveAccuracy returns the accuracy of a move, 0 … 100, from the winning chances before and after it in per cent, from
// its player's view: 103.1668·exp(-0.04354·loss) - 3.1669 + 1, or 100 where nothing was lost. The formula is Lichess's
// with the digits of its program; the 1 allows for the analysis's own errors.
func MoveAccuracy(before, after float64) float64 {
	if after >= before {
		return 100
	}
	a := 103.1668100711649*math.Exp(-0.04354415386753951*(before-after)) - 3.166924740191411 + 1
	return max(0, min(100, a))
}

// GameAccuracy returns the accuracy of both players, White's first, from White's winning chances in per cent before the
// first move and after each; blackBegins says whose move is the first. It is the mean of the harmonic mean of the
// moves' accuracies (none below 1) and of their mean weighted by volatility: the standard deviation of the winning
// chances in a window of a tenth of the game, 2 … 8 positions, that ends with the move, within 0.5 … 12. So it is on
// Lichess. A player without a move has NaN.
func GameAccuracy(white []float64, blackBegins bool) (accuracy [2]float64) {
	moves := len(white) - 1
	size := min(max(moves/10, 2), 8)
	var sum, weights, inverse [2]float64
	var count [2]int
	for i := range moves {
		// The first windows are all the first one.
		end := max(i+2, min(size, len(white)))
		weight := min(max(deviation(white[max(0, end-size):end]), 0.5), 12)
		side, before, after := i%2, white[i], white[i+1]
		if blackBegins {
			side = 1 - side
		}
		if side == 1 {
			before, after = 100-before, 100-after
		}
		a := MoveAccuracy(before, after)
		sum[side] += a * weight
		weights[side] += weight
		inverse[side] += 1 / max(1, a)
		count[side]++
	}
	for side := range accuracy {
		accuracy[side] = (sum[side]/weights[side] + float64(count[side])/inverse[side]) / 2
	}
	return accuracy
}

// deviation is the standard deviation of a whole population.
func deviation(list []float64) float64 {
	mean, squares := 0.0, 0.0
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(list)))
}

// Classify returns the class of a move other than the engine's, from the scores before and after it from its player's
// view, by Lichess's rule: a loss of winning chances of 0.1, 0.2 or 0.3 on the scale from -1 to 1. Walking into a mate
// is a blunder, but a mistake below -700 centipawns and an inaccuracy below -999, and so is to let a mate go, unless
// more than 700 or 999 are left.
func Classify(before, after dataset.Score) Class {
	mateBefore, had := before.Mate()
	mateAfter, has := after.Mate()
	cpBefore, _ := before.Centipawns()
	cpAfter, _ := after.Centipawns()
	switch {
	case !had && !has:
		loss := chances(cpBefore) - chances(cpAfter)
		switch {
		case loss >= 0.3:
			return Blunder
		case loss >= 0.2:
			return Mistake
		case loss >= 0.1:
			return Inaccuracy
		}
	case !had && mateAfter <= 0:
		return softened(-cpBefore)
	case had && mateBefore > 0 && (!has || mateAfter <= 0):
		return softened(cpAfter)
	}
	return Fine
}

// softened is the class of a mate that was gained or let go by an advantage that makes no difference.
func softened(advantage int) Class {
	switch {
	case advantage > 999:
		return Inaccuracy
	case advantage > 700:
		return Mistake
	}
	return Blunder
}
