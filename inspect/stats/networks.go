package stats

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// NetworkStats are the figures of one network's predictions for a dataset.
type NetworkStats struct {
	dataset.Network
	ID        string `json:"id"`
	Predicted int64  `json:"predicted"`
	GameOver  int64  `json:"game_over"`
	Missing   int64  `json:"missing"` // samples that it was not asked about
	// Entropy is the mean of that of its priors over the legal moves, in nats; over those kept, where not all are. 0
	// without priors.
	Entropy float64 `json:"entropy"`
	// Moves are samples with a move played or a policy, and Agree is how many of them have the network's first move as
	// theirs, the most frequent one of a policy.
	Moves int64 `json:"moves"`
	Agree int64 `json:"agree"`
}

// networkTally counts the predictions of one network.
type networkTally struct {
	predicted, over, moves, agree int64
	entropy                       int64 // sum, in units of 2^-20, so that it does not depend on the order
}

// addPredictions counts those of a line.
func (t *tally) addPredictions(l *dataset.Line) error {
	if len(l.Predictions) == 0 {
		return nil
	}
	plies := l.Samples.Plies(nil, len(l.Moves))
	for _, c := range l.Predictions {
		if c.Network >= len(t.networks) {
			return fmt.Errorf("predictions of network %d, but the manifest has %d: %w", c.Network, len(t.networks),
				dataset.ErrDamaged)
		}
		for k := range c.Predictions {
			t.networks[c.Network].add(&c.Predictions[k], chosen(l, k, plies[k]))
		}
	}
	return nil
}

// chosen is the move of a sample: the first of those with the greatest weight in its policy, or the one that was
// played; NoMove where there is none.
func chosen(l *dataset.Line, sample, ply int) board.Move {
	if sample < len(l.Policies) && len(l.Policies[sample]) > 0 {
		best := l.Policies[sample][0]
		for _, m := range l.Policies[sample][1:] {
			if m.Weight > best.Weight {
				best = m
			}
		}
		return best.Move
	}
	if ply < len(l.Moves) {
		return l.Moves[ply]
	}
	return board.NoMove
}

func (t *networkTally) add(p *dataset.Prediction, move board.Move) {
	switch p.Status {
	case dataset.GameOver:
		t.over++
		return
	case dataset.NotPredicted:
		return
	}
	t.predicted++
	entropy := 0.0
	for _, m := range p.Moves {
		entropy -= m.Prior.Probability() * m.Prior.Log()
	}
	t.entropy += int64(entropy * (1 << 20))
	if move != board.NoMove && len(p.Moves) > 0 {
		t.moves++
		if p.Moves[0].Move == move {
			t.agree++
		}
	}
}

func (t *networkTally) merge(o *networkTally) {
	t.predicted += o.predicted
	t.over += o.over
	t.moves += o.moves
	t.agree += o.agree
	t.entropy += o.entropy
}

func (t *networkTally) stats(n *dataset.Network, samples int64) NetworkStats {
	s := NetworkStats{Network: *n, ID: n.ID(), Predicted: t.predicted, GameOver: t.over,
		Missing: samples - t.predicted - t.over, Moves: t.moves, Agree: t.agree}
	if t.predicted > 0 {
		s.Entropy = float64(t.entropy) / (1 << 20) / float64(t.predicted)
	}
	return s
}
