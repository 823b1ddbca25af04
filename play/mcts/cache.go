package mcts

import (
	"math/bits"

	"talbot/board"
)

const (
	cachedBytes  = 32 // of an answer without its priors
	cachedPriors = 40 // that there is room for, for each answer
)

// cached is what the network said about a position.
type cached struct {
	key          uint64
	at           uint64 // place of the priors, counted since the beginning; see cache.priors
	value, drawn float32
	count        uint8
}

// cache keeps the network's last answers. A new answer takes the place of an older one with a like key; priors lie in a
// ring, where the newest overwrite the oldest.
type cache struct {
	answers []cached
	priors  []uint16
	head    uint64 // place of the next priors, beginning at 1
	filled  int    // answers
	past    int    // earlier positions that the key includes, -1: nothing but the position
}

// newCache returns a cache of so many answers, at most so many bytes.
func newCache(answers int, limit int64, past int) *cache {
	n := min(int64(answers), limit/(cachedBytes+2*cachedPriors))
	return &cache{answers: make([]cached, n), priors: make([]uint16, n*cachedPriors), head: 1, past: past}
}

func (c *cache) clear() {
	clear(c.answers)
	c.head, c.filled = 1, 0
}

// bytes is the memory that answers lie in.
func (c *cache) bytes() int64 { return int64(len(c.answers)) * (cachedBytes + 2*cachedPriors) }

// key hashes all that an answer about the present position depends on.
func (c *cache) key(g *board.Game) uint64 {
	key := g.Position().Key()
	if c.past < 0 {
		return key
	}
	key = mix(key + uint64(min(g.Repetitions(), 2)))
	for k := 1; k <= c.past; k++ {
		p := g.Previous(k)
		if p == nil {
			break
		}
		key = mix(key ^ p.Key())
	}
	return key
}

// mix spreads a key's bits, with the finish of SplitMix64 (Steele, Lea, Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (c *cache) slot(key uint64) *cached {
	i, _ := bits.Mul64(mix(key), uint64(len(c.answers)))
	return &c.answers[i]
}

// get returns the answer about a position with so many legal moves, and its priors in the order of the legal moves; nil
// where it is not known. Both are good until the next put.
func (c *cache) get(key uint64, legal int) (*cached, []uint16) {
	if len(c.answers) == 0 {
		return nil, nil
	}
	e := c.slot(key)
	if e.at == 0 || e.key != key || int(e.count) != legal || e.at+uint64(len(c.priors)) < c.head {
		return nil, nil
	}
	at := e.at % uint64(len(c.priors))
	return e, c.priors[at : at+uint64(legal)]
}

// put keeps an answer.
func (c *cache) put(key uint64, value, drawn float32, priors []uint16) {
	size := uint64(len(c.priors))
	if size < maxEdges {
		return
	}
	if at := c.head % size; at+uint64(len(priors)) > size {
		c.head += size - at
	}
	e := c.slot(key)
	if e.at == 0 {
		c.filled++
	}
	*e = cached{key: key, at: c.head, value: value, drawn: drawn, count: uint8(len(priors))}
	copy(c.priors[c.head%size:], priors)
	c.head += uint64(len(priors))
}
