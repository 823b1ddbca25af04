package loader

import (
	"cmp"
	"slices"
)

// pick is a sample chosen by its hash.
type pick struct {
	hash       uint64
	set, block int
	at         sampleAt
	key        uint64 // of the position
}

func (p pick) compare(q pick) int {
	return cmp.Or(cmp.Compare(p.set, q.set), cmp.Compare(p.block, q.block), cmp.Compare(p.at.line, q.at.line),
		cmp.Compare(p.at.ply, q.at.ply))
}

// picks keeps the samples of the lowest hashes; of equal hashes those that come first.
type picks struct {
	limit int
	list  []pick // the lowest so far, and some that came after
	full  bool
	bound uint64 // once full: the highest hash of the lowest
}

// len returns how many samples are kept.
func (p *picks) len() int { return min(len(p.list), p.limit) }

// add offers a pick; picks come in order of their place.
func (p *picks) add(q pick) {
	if p.limit == 0 || p.full && q.hash >= p.bound {
		return
	}
	if p.list = append(p.list, q); len(p.list) > p.limit+p.limit/4 {
		p.cut(p.limit)
		p.full, p.bound = true, p.list[p.limit-1].hash
	}
}

// cut leaves the n picks with the lowest hashes.
func (p *picks) cut(n int) {
	slices.SortFunc(p.list, func(a, b pick) int { return cmp.Or(cmp.Compare(a.hash, b.hash), a.compare(b)) })
	p.list = p.list[:n]
}

// lowest returns the n picks with the lowest hashes, by place.
func (p *picks) lowest(n int) []pick {
	p.cut(n)
	slices.SortFunc(p.list, pick.compare)
	return p.list
}
