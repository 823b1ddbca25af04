package evaluate

import (
	"math"

	"talbot/dataset"
	"talbot/network/predict"
)

var (
	prior       = Capabilities{Capabilities: predict.Capabilities{Prior: true}}
	others      = Capabilities{Capabilities: predict.Capabilities{Prior: true, Others: true}}
	value       = Capabilities{Capabilities: predict.Capabilities{Value: true}}
	chances     = Capabilities{Capabilities: predict.Capabilities{WDL: true}}
	probability = Capabilities{Capabilities: predict.Capabilities{Value: true}, Probability: true}
)

// measures is the list, in the order of JSON. Measures of a policy are over the samples with a policy target, those of
// a value over the samples with a value label, illegal_mass and legal_first over all.
//
// A target of several moves counts with its weights: top3 is then the weight that falls on the three most probable
// legal moves. Of equally probable moves the one whose first word is lower comes first.
var measures = []*Measure{
	{Name: "samples", Kind: Count, Row: "samples", sums: number(func(*assessment) bool { return true })},
	{Name: "policy_samples", Kind: Count, Needs: prior, sums: number((*assessment).hasPolicy)},
	{Name: "value_samples", Kind: Count, Needs: value, Row: "of these, with a value",
		sums: number(func(q *assessment) bool { return q.labelled })},

	// −Σ w·ln p, p the probability among all moves.
	{Name: "policy_ce", Head: PolicyHead, Needs: others, Lower: true, Interval: true,
		Row: "policy cross-entropy, all moves",
		sums: mean(func(q *assessment) (float64, bool) {
			return q.entropy - float64(q.answer.Inside), q.hasPolicy()
		})},
	// The same, p the probability among the legal moves.
	{Name: "policy_ce_legal", Head: PolicyHead, Needs: prior, Lower: true, Interval: true, Verdict: true,
		Baseline: "policy_ce_uniform", Fitted: "policy_ce_moves",
		Row: "policy cross-entropy, legal moves",
		Tile: Tile{Name: "cross-entropy, legal moves",
			Help: "surprise at the target move, in nats; lower is better", Decimals: 3},
		Column: Column{"cross-entropy", 2},
		sums:   mean(func(q *assessment) (float64, bool) { return q.entropy, q.hasPolicy() })},
	// ln of the number of legal moves.
	{Name: "policy_ce_uniform", Head: PolicyHead, Needs: prior, Lower: true,
		Row: "a uniform policy", As: "chance",
		sums: mean(func(q *assessment) (float64, bool) {
			return math.Log(float64(len(q.sample.Legal))), q.hasPolicy()
		})},
	// −Σ w·ln w, the cross-entropy that no network can be below, and the weight of the target's first move, the share
	// that no first move can be above. Where every target is a single move, 0 and 1 say nothing.
	{Name: "policy_entropy", Head: PolicyHead, Needs: prior, Lower: true, Row: "entropy of the targets", Rare: true,
		sums: ofLists((*assessment).targetEntropy)},
	{Name: "top1", Head: PolicyHead, Needs: prior, Kind: Share, Interval: true, Baseline: "top1_uniform",
		Fitted: "top1_moves", Row: "first move right",
		Tile:   Tile{Name: "first move right", Help: "the likeliest legal move is the target"},
		Column: Column{"first move", 1},
		sums:   mean(func(q *assessment) (float64, bool) { return q.weightOfBest(1), q.hasPolicy() })},
	// Of a legal move drawn at random.
	{Name: "top1_uniform", Head: PolicyHead, Needs: prior, Kind: Share, Row: "a move at random", As: "chance",
		sums: mean(func(q *assessment) (float64, bool) { return 1 / float64(len(q.sample.Legal)), q.hasPolicy() })},
	{Name: "top1_best", Head: PolicyHead, Needs: prior, Kind: Share, Row: "the best possible", Rare: true,
		sums: ofLists((*assessment).largestWeight)},
	{Name: "top3", Head: PolicyHead, Needs: prior, Kind: Share, Interval: true, Row: "among the first three",
		sums: mean(func(q *assessment) (float64, bool) { return q.weightOfBest(3), q.hasPolicy() })},
	{Name: "top5", Head: PolicyHead, Needs: prior, Kind: Share, Interval: true, Row: "among the first five",
		Tile: Tile{Name: "among the first five", Help: "the target is one of the five likeliest legal moves"},
		sums: mean(func(q *assessment) (float64, bool) { return q.weightOfBest(5), q.hasPolicy() })},
	{Name: "illegal_mass", Head: PolicyHead, Needs: others, Kind: Share, Lower: true, Interval: true, Targetless: true,
		Row: "probability of illegal moves",
		Tile: Tile{Name: "on illegal moves", Unseen: true,
			Help: "probability that the network gives to moves that are not legal; lower is better"},
		Column: Column{"illegal mass", 4},
		sums:   mean(func(q *assessment) (float64, bool) { return float64(q.answer.Outside), true })},

	{Name: "value_mse", Head: ValueHead, Needs: value, Lower: true, Interval: true, Verdict: true,
		Baseline: "value_mse_mean", Fitted: "value_mse_material", Row: "value squared error",
		Tile:   Tile{Name: "value squared error", Help: "mean of (value − label)², both on −1 … 1", Decimals: 4},
		Column: Column{"value error", 3},
		sums:   mean(func(q *assessment) (float64, bool) { return q.squared(), q.labelled })},
	// Of always saying the mean label of these samples.
	{Name: "value_mse_mean", Head: ValueHead, Needs: value, Lower: true, Row: "always the mean", As: "the mean",
		sums: sums{n: 3, add: func(sums []float64, q *assessment) {
			if q.labelled {
				sums[0]++
				sums[1] += q.label
				sums[2] += q.label * q.label
			}
		}, figure: func(sums []float64) (float64, bool) {
			mean := sums[1] / sums[0]
			return max(0, sums[2]/sums[0]-mean*mean), sums[0] > 0
		}}},
	// Over labels other than 0; a value of exactly 0 is wrong.
	{Name: "value_sign_accuracy", Head: ValueHead, Needs: value, Kind: Share, Interval: true, Row: "right sign",
		Tile: Tile{Name: "correct sign", Help: "value and label have the same sign"},
		sums: mean(func(q *assessment) (float64, bool) {
			return indicator(q.value*q.label > 0), q.labelled && q.label != 0
		})},

	// Positions in which some move mates, and the share of them whose most probable legal move does.
	{Name: "mate_in_one_samples", Head: PolicyHead, Needs: prior, Kind: Count,
		sums: number(func(q *assessment) bool { return q.mates })},
	{Name: "mate_in_one", Head: PolicyHead, Needs: prior, Kind: Share, Interval: true, Targetless: true,
		Row: "mates in one found",
		Tile: Tile{Name: "mates in one found", Of: "mate_in_one_samples",
			Help: "positions with a mate in one where the likeliest move mates"},
		sums: mean(func(q *assessment) (float64, bool) { return indicator(q.mated), q.mates })},

	{Name: "legal_first", Head: PolicyHead, Needs: others, Kind: Share, Interval: true, Targetless: true,
		Row: "likeliest move of all is legal", Column: Column{"legal first", 5},
		sums: mean(func(q *assessment) (float64, bool) {
			first := q.answer.Inside + q.answer.Prior[q.first]
			return indicator(math.Exp(float64(first)) >= float64(q.answer.OtherShare)), true
		})},
	{Name: "value_mae", Head: ValueHead, Needs: value, Lower: true, Interval: true, Row: "absolute error",
		sums: mean(func(q *assessment) (float64, bool) { return math.Abs(q.value - q.label), q.labelled })},
	{Name: "value_correlation", Head: ValueHead, Needs: value, Interval: true, Row: "correlation",
		Tile: Tile{Name: "correlation", Help: "of value and label (Pearson): 1 is perfect, 0 is none", Decimals: 3},
		sums: correlation},
	// Both as win probabilities: see [encode.ValueTarget.WinProbability].
	{Name: "value_probability_mse", Head: ValueHead, Needs: probability, Lower: true, Interval: true,
		Row: "win probability squared error",
		sums: mean(func(q *assessment) (float64, bool) {
			e := q.likely - q.likelyLabel
			return e * e, q.labelled
		})},
	// −ln of the chance of the game's result.
	{Name: "chances_ce", Head: ValueHead, Needs: chances, Lower: true, Interval: true,
		Row: "win, draw, loss cross-entropy",
		Tile: Tile{Name: "win, draw, loss cross-entropy",
			Help:     "surprise at the result of the game, in nats; lower is better",
			Decimals: 3},
		sums: mean(func(q *assessment) (float64, bool) {
			return -math.Log(max(q.ofResult, math.SmallestNonzeroFloat32)), q.finished
		})},

	// Of a regression on material, the mover's colour and a constant: [MaterialValue].
	{Name: "value_mse_material", Head: ValueHead, Needs: value, Lower: true, Rare: true, Row: "material alone",
		As: "material alone",
		sums: mean(func(q *assessment) (float64, bool) {
			e := q.material - q.label
			return e * e, q.labelled && q.weighed
		})},
	// Of chances by the kind of move: [MoveStatistics].
	{Name: "policy_ce_moves", Head: PolicyHead, Needs: prior, Lower: true, Rare: true, Row: "move statistics",
		As:   "move statistics",
		sums: mean(func(q *assessment) (float64, bool) { return q.ofKinds, q.hasPolicy() && q.counted })},
	{Name: "top1_moves", Head: PolicyHead, Needs: prior, Kind: Share, Rare: true, Row: "move statistics",
		As:   "move statistics",
		sums: mean(func(q *assessment) (float64, bool) { return q.firstOfKinds, q.hasPolicy() && q.counted })},

	{Name: "audited_value_mse", Head: ValueHead, Needs: value, Lower: true, Interval: true, Apart: true,
		sums: mean(func(q *assessment) (float64, bool) {
			return q.squared(), q.labelled && q.sample.Origin != nil && q.sample.Origin.Audited
		})},
	{Name: "endgame_value_accuracy", Head: ValueHead, Needs: value, Kind: Share, Interval: true, Apart: true,
		sums: mean(func(q *assessment) (float64, bool) { return float64(q.ends.right()), q.ends.valued > 0 })},
	{Name: "endgame_moves_kept", Head: PolicyHead, Needs: prior, Kind: Share, Interval: true, Apart: true,
		sums: mean(func(q *assessment) (float64, bool) {
			return float64(q.ends.both.kept), q.ends.both.positions > 0
		})},
}

// correlation is Pearson's, of value and label; none of fewer than three samples, or where either is always the same.
var correlation = sums{n: 6, add: func(sums []float64, q *assessment) {
	if q.labelled {
		for i, x := range [...]float64{1, q.value, q.label, q.value * q.value, q.label * q.label, q.value * q.label} {
			sums[i] += x
		}
	}
}, figure: func(sums []float64) (float64, bool) {
	n, x, y, xx, yy, xy := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]
	ofX, ofY := xx-x*x/n, yy-y*y/n
	const least = 1e-12 // of the squares, below which a variance is rounding
	if n < 3 || ofX <= least*xx || ofY <= least*yy {
		return 0, false
	}
	return max(-1, min(1, (xy-x*y/n)/math.Sqrt(ofX*ofY))), true
}}

// ofLists is the mean of f over the samples with a policy target; none if each target is a single move.
func ofLists(f func(q *assessment) float64) sums {
	return sums{n: 3, add: func(sums []float64, q *assessment) {
		if q.hasPolicy() {
			sums[0] += f(q)
			sums[1]++
			sums[2] += indicator(len(q.sample.Policy) > 1)
		}
	}, figure: func(sums []float64) (float64, bool) { return sums[0] / sums[1], sums[2] > 0 }}
}

func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// resultClass is the class of a game's result, 1, 0 or −1 from the side to move's view.
func resultClass(result float32) dataset.Class {
	switch {
	case result > 0:
		return dataset.Won
	case result < 0:
		return dataset.Lost
	}
	return dataset.Drawn
}
