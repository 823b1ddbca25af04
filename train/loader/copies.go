package loader

import (
	"context"

	"talbot/dataset"
	"talbot/internal/splitmix"
)

// A cap on copies costs one more pass over the data, which sorts the keys of all usable train samples on disk
// ([dataset.Keys]), and memory for the positions over the cap (at most one for each cap + 1 samples, about 40 bytes
// each, only during the survey) and for one bit a train sample.

// copyCap decides which copies of a position stay in.
type copyCap struct {
	most   int64
	copies map[uint64]*copyCount // of the positions with more than that
}

// copyCount is how often a position occurs, and how often it occurred so far.
type copyCount struct{ all, before int64 }

// copyKey is the key of what the cap counts: the position, and of an aggregated one also the rating of the side to
// move, for where a recipe sees that, the bands of a position are no copies of each other. Where it does not, ratings
// are not read, and they are.
func (v *visit) copyKey() uint64 {
	if v.line.Source == dataset.SourceAggregate {
		return splitmix.Mix(v.position() ^ uint64(v.line.MoverElo()))
	}
	return v.position()
}

// countCopies counts the positions of all usable train samples by their 64-bit keys (no counters).
func (d *Data) countCopies(ctx context.Context, most int, done func(blocks, of int)) (*copyCap, error) {
	keys := dataset.NewKeys(0, "")
	defer keys.Close()
	buffer := keys.Buffer()
	for found, err := range overBlocks(ctx, d, done, func(set, block int) ([]uint64, error) {
		var found []uint64
		_, err := d.each(d.Sets[set], block, only(dataset.Train), func(v *visit) error {
			found = append(found, v.copyKey())
			return nil
		})
		return found, err
	}) {
		if err != nil {
			return nil, err
		}
		for _, key := range found {
			buffer.Add(key)
		}
	}
	if err := buffer.Flush(); err != nil {
		return nil, err
	}
	c := &copyCap{int64(most), map[uint64]*copyCount{}}
	err := keys.Each(1, func(_ int, sorted []uint64) error {
		for len(sorted) > 0 {
			n := 1
			for n < len(sorted) && sorted[n] == sorted[0] {
				n++
			}
			if n > most {
				c.copies[sorted[0]] = &copyCount{all: int64(n)}
			}
			sorted = sorted[n:]
		}
		return nil
	})
	return c, err
}

// keep says whether the next copy of a position, in the order of the data, stays in: copy k of n does if the cap's
// share of the first k + 1 copies, rounded down, is more than that of the first k. That keeps exactly the cap.
func (c *copyCap) keep(key uint64) bool {
	if c == nil {
		return true
	}
	n := c.copies[key]
	if n == nil {
		return true
	}
	k := n.before
	n.before++
	return (k+1)*c.most/n.all > k*c.most/n.all
}

// mask has a bit for each usable train sample of each block of each dataset: it stays in. Of a block without bits all
// stay in.
type mask [][]bitmap

type bitmap struct {
	bits []uint64
	n    int
}

// add adds the bit of the next train sample of a block.
func (b *bitmap) add(keep bool) {
	if b.n%64 == 0 {
		b.bits = append(b.bits, 0)
	}
	if keep {
		b.bits[b.n/64] |= 1 << (b.n % 64)
	}
	b.n++
}

// keeps reports whether train sample i of a block stays in. A block with fewer samples has changed.
func (m mask) keeps(set, block, i int) bool {
	b := &m[set][block]
	return b.bits == nil || i < b.n && b.bits[i/64]>>(i%64)&1 != 0
}
