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

// networkCounts counts the predictions of one network.
type networkCounts struct {
	Predicted, GameOver, Moves, Agree int64
	Entropy                           int64 // sum, in units of 2^-20
}

// addPredictions counts those of a line.
func (t *tally) addPredictions(l *dataset.Line) error {
	if len(l.Predictions) == 0 {
		return nil
	}
	plies := l.Samples.Plies(nil, len(l.Moves))
	for _, c := range l.Predictions {
		if c.Network >= len(t.Networks) {
			return fmt.Errorf("predictions of network %d, but the manifest has %d: %w", c.Network, len(t.Networks),
				dataset.ErrDamaged)
		}
		for k := range c.Predictions {
			t.Networks[c.Network].add(&c.Predictions[k], chosen(l, k, plies[k]))
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

func (c *networkCounts) add(p *dataset.Prediction, move board.Move) {
	switch p.Status {
	case dataset.GameOver:
		c.GameOver++
		return
	case dataset.NotPredicted:
		return
	}
	c.Predicted++
	entropy := 0.0
	for _, m := range p.Moves {
		entropy -= m.Prior.Probability() * m.Prior.Log()
	}
	c.Entropy += int64(entropy * (1 << 20))
	if move != board.NoMove && len(p.Moves) > 0 {
		c.Moves++
		if p.Moves[0].Move == move {
			c.Agree++
		}
	}
}

func (c *networkCounts) stats(n *dataset.Network, samples int64) NetworkStats {
	s := NetworkStats{Network: *n, ID: n.ID(), Predicted: c.Predicted, GameOver: c.GameOver,
		Missing: samples - c.Predicted - c.GameOver, Moves: c.Moves, Agree: c.Agree}
	if c.Predicted > 0 {
		s.Entropy = float64(c.Entropy) / (1 << 20) / float64(c.Predicted)
	}
	return s
}
