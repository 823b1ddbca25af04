package stats

import (
	"slices"

	"talbot/dataset"
)

// Unique counts different positions. Two are the same if pieces, side to move, castling rights and en passant square
// are; mirrored figures also take a position for its mirror image with the colours swapped.
type Unique struct {
	Positions         int64     `json:"positions"`          // among all positions of the lines
	PositionsMirrored int64     `json:"positions_mirrored"` //
	Samples           int64     `json:"samples"`            // among the samples
	SamplesMirrored   int64     `json:"samples_mirrored"`   //
	Copies            []CopyBin `json:"copies"`             // unique samples by their number of copies
	MostCopies        int64     `json:"most_copies"`        // of one sample
}

// CopyBin counts positions that occur From to To − 1 times as a sample.
type CopyBin struct {
	From    int64 `json:"from"`
	To      int64 `json:"to"`
	Unique  int64 `json:"unique"`
	Samples int64 `json:"samples"` // copies of them all
}

// Overlap says how much of the val and test splits occurs in the train split.
type Overlap struct {
	Val  SplitOverlap `json:"val"`
	Test SplitOverlap `json:"test"`
}

// SplitOverlap is how many samples of a split have a position that is also a train sample.
type SplitOverlap struct {
	Samples       int64   `json:"samples"`
	Seen          int64   `json:"seen"`           // the same position is a train sample
	SeenMirrored  int64   `json:"seen_mirrored"`  // it or its mirror image is
	Share         float64 `json:"share"`          // Seen / Samples, 0 … 1
	ShareMirrored float64 `json:"share_mirrored"` // SeenMirrored / Samples
}

// Copies is what the keys of positions count.
type Copies struct {
	Unique  Unique
	Overlap Overlap
}

// copyEdges are the lower bounds of the bins of copies.
var copyEdges = [...]int64{1, 2, 3, 4, 6, 11, 31, 101, 1001, 10001, 100001}

// CountCopies counts different positions, their copies, and those that splits have in common. Its goroutines end before
// it returns.
func CountCopies(keys *dataset.Keys, workers int) (*Copies, error) {
	parts := make([]Copies, max(workers, 1))
	for i := range parts {
		parts[i].Unique.Copies = make([]CopyBin, len(copyEdges))
	}
	err := keys.Each(workers, func(w int, sorted []uint64) error {
		dataset.EachPosition(sorted, parts[w].add)
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := &parts[0]
	for i := range parts[1:] {
		most := max(c.Unique.MostCopies, parts[i+1].Unique.MostCopies)
		addAll(c, &parts[i+1])
		c.Unique.MostCopies = most
	}
	for i, from := range copyEdges {
		c.Unique.Copies[i].From = from
		if c.Unique.Copies[i].To = c.Unique.MostCopies + 1; i+1 < len(copyEdges) {
			c.Unique.Copies[i].To = copyEdges[i+1]
		}
	}
	c.Unique.Copies = slices.DeleteFunc(c.Unique.Copies, func(b CopyBin) bool { return b.Unique == 0 })
	for _, s := range []*SplitOverlap{&c.Overlap.Val, &c.Overlap.Test} {
		if s.Samples > 0 {
			s.Share = float64(s.Seen) / float64(s.Samples)
			s.ShareMirrored = float64(s.SeenMirrored) / float64(s.Samples)
		}
	}
	return c, nil
}

// add counts one position and its mirror image.
func (t *Copies) add(c *dataset.Copies) {
	u := &t.Unique
	u.PositionsMirrored++
	either := false
	for side := range 2 {
		n := c.Samples(side)
		if n+c[4*side+int(dataset.NoSample)] > 0 {
			u.Positions++
		}
		if n == 0 {
			continue
		}
		either = true
		u.Samples++
		u.MostCopies = max(u.MostCopies, n)
		above, _ := slices.BinarySearch(copyEdges[:], n+1)
		u.Copies[above-1].Unique++
		u.Copies[above-1].Samples += n
	}
	if either {
		u.SamplesMirrored++
	}
	t.Overlap.Val.add(c, dataset.Val)
	t.Overlap.Test.add(c, dataset.Test)
}

func (s *SplitOverlap) add(c *dataset.Copies, split dataset.Split) {
	white, black := c[dataset.Train], c[4+dataset.Train]
	for side := range 2 {
		n := c[4*side+int(split)]
		s.Samples += n
		if c[4*side+int(dataset.Train)] > 0 {
			s.Seen += n
		}
		if white+black > 0 {
			s.SeenMirrored += n
		}
	}
}
