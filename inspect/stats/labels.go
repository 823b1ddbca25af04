package stats

import (
	"maps"
	"math/bits"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// labelTally counts the labels of one fingerprint.
type labelTally struct {
	statuses    [dataset.Failed + 1]int64
	mating      int64
	mated       int64
	bins        [len(scoreEdges) + 1]int64
	nodes       int64 // sum
	depths      spread
	effort      map[int]int64 // labels by the power of two that their nodes reach
	least, most int64         // nodes
	played      Played
}

func newLabelTallies(n int) []labelTally {
	list := make([]labelTally, n)
	for i := range list {
		list[i].depths = spread{width: 1, bins: map[int64]int64{}}
		list[i].effort = map[int]int64{}
	}
	return list
}

func (t *labelTally) add(l *dataset.Label) {
	t.statuses[l.Status]++
	if l.Status != dataset.Labelled {
		return
	}
	first := &l.Lines[0]
	t.depths.add(int64(first.Depth))
	if len(t.effort) == 0 {
		t.least, t.most = first.Nodes, first.Nodes
	}
	t.least, t.most = min(t.least, first.Nodes), max(t.most, first.Nodes)
	t.effort[bits.Len64(uint64(first.Nodes))]++
	t.nodes += first.Nodes
	if n, ok := first.Score.Mate(); ok {
		if n > 0 {
			t.mating++
		} else {
			t.mated++
		}
		return
	}
	cp, _ := first.Score.Centipawns()
	i, found := slices.BinarySearch(scoreEdges[:], cp)
	if found {
		i++
	}
	t.bins[i]++
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

func (p *Played) merge(q *Played) {
	p.Moves, p.Agree, p.Judged = p.Moves+q.Moves, p.Agree+q.Agree, p.Judged+q.Judged
	p.Inaccuracies, p.Mistakes, p.Blunders = p.Inaccuracies+q.Inaccuracies, p.Mistakes+q.Mistakes, p.Blunders+q.Blunders
}

func (t *labelTally) stats(f dataset.Fingerprint, samples int64) LabelStats {
	s := LabelStats{
		Fingerprint: f.ID(), Engine: f.Engine, Build: f.Build, Limit: f.Limit,
		Statuses: map[string]int64{}, Mating: t.mating, Mated: t.mated,
	}
	for _, n := range t.statuses {
		samples -= n
	}
	for k, n := range t.statuses {
		if dataset.LabelStatus(k) == dataset.Missing {
			n += samples // of lines without a column
		}
		s.Statuses[dataset.LabelStatus(k).String()] = n
	}
	if n := t.statuses[dataset.Labelled]; n > 0 {
		s.Nodes = float64(t.nodes) / float64(n)
		s.Mates = float64(t.mating+t.mated) / float64(n)
	}
	s.Depths = t.depths.distribution()
	s.Depths.Bins = coarsen(s.Depths.Bins)
	s.Depth = s.Depths.Mean
	s.NodeCounts = Distribution{Count: t.statuses[dataset.Labelled], Min: t.least, Max: t.most, Mean: s.Nodes,
		Bins: []Bin{}}
	for _, k := range slices.Sorted(maps.Keys(t.effort)) {
		s.NodeCounts.Bins = append(s.NodeCounts.Bins, Bin{From: 1 << k >> 1, To: 1 << k, Count: t.effort[k]})
	}
	s.Played = t.played
	if p := &s.Played; p.Moves > 0 {
		p.Agreement = float64(p.Agree) / float64(p.Moves)
		p.BlunderShare = float64(p.Blunders) / float64(max(p.Judged, 1))
	}
	for i, n := range t.bins {
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

func (a *labelTally) merge(b *labelTally) {
	for k, n := range b.statuses {
		a.statuses[k] += n
	}
	for k, n := range b.bins {
		a.bins[k] += n
	}
	a.mating, a.mated = a.mating+b.mating, a.mated+b.mated
	if len(b.effort) > 0 {
		if len(a.effort) == 0 {
			a.least, a.most = b.least, b.most
		}
		a.least, a.most = min(a.least, b.least), max(a.most, b.most)
	}
	a.nodes += b.nodes
	a.depths.merge(&b.depths)
	for k, n := range b.effort {
		a.effort[k] += n
	}
	a.played.merge(&b.played)
}

// coarsen merges the bins from 32 on into those from powers of two to the next: mates and dead draws are searched to
// great depths in no time.
func coarsen(bins []Bin) []Bin {
	out := []Bin{}
	for _, b := range bins {
		if b.From >= 32 {
			k := bits.Len64(uint64(b.From))
			b.From, b.To = 1<<k>>1, 1<<k
		}
		if n := len(out); n > 0 && out[n-1].From == b.From {
			out[n-1].Count += b.Count
		} else {
			out = append(out, b)
		}
	}
	return out
}
