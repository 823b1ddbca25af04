package loader

import (
	"cmp"
	"container/heap"
	"slices"
)

// pick is a sample chosen by its hash.
type pick struct {
	hash               uint64
	set, block, sample int    // sample among those of the splits asked for
	key                uint64 // of the position
}

func (p pick) compare(q pick) int {
	return cmp.Or(cmp.Compare(p.set, q.set), cmp.Compare(p.block, q.block), cmp.Compare(p.sample, q.sample))
}

// picks keeps the samples of the lowest hashes; of equal hashes those that come first. It is a heap with the highest
// on top.
type picks struct {
	limit int
	list  []pick
}

func newPicks(limit int) *picks { return &picks{limit: limit} }

func (p *picks) Len() int { return len(p.list) }

func (p *picks) Less(i, j int) bool {
	a, b := p.list[i], p.list[j]
	return cmp.Or(cmp.Compare(a.hash, b.hash), a.compare(b)) > 0
}

func (p *picks) Swap(i, j int) { p.list[i], p.list[j] = p.list[j], p.list[i] }

func (p *picks) Push(x any) { p.list = append(p.list, x.(pick)) }

func (p *picks) Pop() any {
	last := p.list[len(p.list)-1]
	p.list = p.list[:len(p.list)-1]
	return last
}

// add offers a pick; picks come in order of their place.
func (p *picks) add(q pick) {
	switch {
	case len(p.list) < p.limit:
		heap.Push(p, q)
	case p.limit > 0 && q.hash < p.list[0].hash:
		p.list[0] = q
		heap.Fix(p, 0)
	}
}

// lowest returns the n picks with the lowest hashes, by place.
func (p *picks) lowest(n int) []pick {
	list := slices.SortedFunc(slices.Values(p.list), func(a, b pick) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), a.compare(b))
	})[:n]
	slices.SortFunc(list, pick.compare)
	return list
}

// sorted returns the picks by place.
func (p *picks) sorted() []pick {
	slices.SortFunc(p.list, pick.compare)
	return p.list
}
