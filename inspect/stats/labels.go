package stats

import (
	"math/bits"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// labelCounts counts the labels of one fingerprint.
type labelCounts struct {
	Statuses  [dataset.Failed + 1]int64
	Mating    int64
	Mated     int64
	Bins      [len(scoreEdges) + 1]int64
	Depths    map[int64]int64
	Effort    map[int64]int64 // labels by the power of two that their nodes reach
	Nodes     int64           // sum
	Played    Played
	Agreement map[board.Material]*[3][3]int64 // samples by the tables' result and the engine's
	nodes     extent
}

// extent is the range of numbers that were seen; the zero value has seen none.
type extent struct {
	least, most int64
	some        bool
}

func (e *extent) merge(o extent) {
	if o.some && !e.some {
		*e = o
	}
	if o.some {
		e.least, e.most = min(e.least, o.least), max(e.most, o.most)
	}
}

// addLabels counts the labels of a line and returns how many of its samples have one that counts.
func (t *tally) addLabels(l *dataset.Line) (labelled int64) {
	if len(l.Labels) == 0 {
		return 0
	}
	plies := l.Samples.Plies(nil, len(l.Moves))
	for _, c := range l.Labels {
		of := &t.Labels[c.Fingerprint]
		// What is best among candidates need not be best.
		compared := l.Source == dataset.SourceGame && !t.manifest.Fingerprints[c.Fingerprint].SearchesCandidates()
		for k := range c.Labels {
			of.add(&c.Labels[k])
			if ply := plies[k]; compared && ply < len(l.Moves) {
				var after *dataset.Label
				if k+1 < len(plies) && plies[k+1] == ply+1 {
					after = &c.Labels[k+1]
				}
				of.Played.add(l.Moves[ply], &c.Labels[k], after)
			}
		}
	}
	for k := range plies {
		if counted := t.counting.Of(l, k); counted.Value.Status == dataset.Labelled {
			labelled++
		}
	}
	return labelled
}

func (c *labelCounts) add(l *dataset.Label) {
	c.Statuses[l.Status]++
	if l.Status != dataset.Labelled {
		return
	}
	first := &l.Lines[0]
	c.Depths[int64(first.Depth)]++
	c.nodes.merge(extent{first.Nodes, first.Nodes, true})
	c.Nodes += first.Nodes
	from, _ := powerOfTwo(first.Nodes)
	c.Effort[from]++
	if n, ok := first.Score.Mate(); ok {
		if n > 0 {
			c.Mating++
		} else {
			c.Mated++
		}
		return
	}
	cp, _ := first.Score.Centipawns()
	i, found := slices.BinarySearch(scoreEdges[:], cp)
	if found {
		i++
	}
	c.Bins[i]++
}

// add looks at a move played from a sample; after is the label of the sample after it, nil if there is none.
func (p *Played) add(m board.Move, l, after *dataset.Label) {
	if l.Status != dataset.Labelled || l.Best == board.NoMove {
		return
	}
	p.Moves++
	if m == l.Best {
		p.Agree++
	}
	if after == nil || after.Status != dataset.Labelled {
		return
	}
	p.Judged++
	before, _ := encode.WinningChances(l.Lines[0].Score)
	now, _ := encode.WinningChances(after.Lines[0].Score)
	switch lost := before + now; { // the value after the move is the opponent's
	case lost >= 0.3:
		p.Blunders++
	case lost >= 0.2:
		p.Mistakes++
	case lost >= 0.1:
		p.Inaccuracies++
	}
}

// stats returns what was counted in a dataset of so many samples.
func (c *labelCounts) stats(f dataset.Fingerprint, samples int64) LabelStats {
	s := LabelStats{
		Fingerprint: f.ID(), Engine: f.Engine, Build: f.Build, Limit: f.Limit, Statuses: map[string]int64{},
		Mating: c.Mating, Mated: c.Mated, Depths: distribution(c.Depths, depthBin),
		NodeCounts: distribution(c.Effort, powerOfTwo), Played: c.Played, Tables: agreement(c.Agreement),
	}
	for k, n := range c.Statuses {
		samples -= n
		s.Statuses[dataset.LabelStatus(k).String()] = n
	}
	s.Statuses[dataset.Missing.String()] += samples // of lines without a column
	if n := c.Statuses[dataset.Labelled]; n > 0 {
		s.Nodes = float64(c.Nodes) / float64(n)
		s.Mates = float64(c.Mating+c.Mated) / float64(n)
	}
	s.Depth = s.Depths.Mean
	s.NodeCounts.Min, s.NodeCounts.Max, s.NodeCounts.Mean = c.nodes.least, c.nodes.most, s.Nodes
	if p := &s.Played; p.Moves > 0 {
		p.Agreement = float64(p.Agree) / float64(p.Moves)
		p.BlunderShare = float64(p.Blunders) / float64(max(p.Judged, 1))
	}
	for i, n := range c.Bins {
		b := ScoreBin{Count: n}
		if i > 0 {
			b.From = &scoreEdges[i-1]
		}
		if i < len(scoreEdges) {
			b.To = &scoreEdges[i]
		}
		s.Scores = append(s.Scores, b)
	}
	return s
}

// powerOfTwo gives bins from powers of two to the next.
func powerOfTwo(v int64) (from, to int64) {
	k := bits.Len64(uint64(v))
	return 1 << k >> 1, 1 << k
}

// depthBin gives a bin for each depth, and from 32 on those of [powerOfTwo]: mates and dead draws are searched to great
// depths in no time.
func depthBin(v int64) (from, to int64) {
	if v >= 32 {
		return powerOfTwo(v)
	}
	return v, v + 1
}

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
func (t *tally) addPredictions(l *dataset.Line) {
	if len(l.Predictions) == 0 {
		return
	}
	plies := l.Samples.Plies(nil, len(l.Moves))
	for _, c := range l.Predictions {
		for k := range c.Predictions {
			t.Networks[c.Network].add(&c.Predictions[k], chosen(l, k, plies[k]))
		}
	}
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
