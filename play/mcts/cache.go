package mcts

import (
	"math/bits"

	"talbot/board"
	"talbot/internal/splitmix"
)

const (
	cachedBytes  = 32 // of an answer without its priors
	cachedPriors = 40 // that there is room for, for each answer
	pieceAnswers = pieceBytes / cachedBytes
)

// cached is the network's evaluation of a position.
type cached struct {
	key          uint64
	at           uint64 // place of the priors, counted since the beginning; see cache.priors
	value, drawn float32
	left         float32
	count        uint8
}

// cache keeps the network's last answers. A new answer takes the place of an older one whose key shares its slot;
// priors lie in a ring, where the newest overwrite the oldest. Memory is taken when it is first needed, so that a cache
// may be as large as is allowed on a machine with less.
type cache struct {
	answers []*[pieceAnswers]cached // nil: nothing was put there
	slots   uint64                  // of all answers
	priors  []uint16                // the beginning of the ring; what is after it was not needed yet
	ring    uint64                  // the length of the ring
	head    uint64                  // place of the next priors, beginning at 1
	filled  int                     // answers
	past    int                     // earlier positions that the key includes, -1: nothing but the position
}

// newCache returns a cache of at most this many answers and bytes.
func newCache(answers int, limit int64, past int) *cache {
	n := min(int64(answers), limit/(cachedBytes+2*cachedPriors))
	return &cache{answers: make([]*[pieceAnswers]cached, (n+pieceAnswers-1)/pieceAnswers), slots: uint64(n),
		ring: uint64(n) * cachedPriors, head: 1, past: past}
}

func (c *cache) clear() {
	for _, piece := range c.answers {
		if piece != nil {
			clear(piece[:])
		}
	}
	c.head, c.filled = 1, 0
}

// bytes is the memory that answers lie in at most.
func (c *cache) bytes() int64 { return int64(c.slots) * (cachedBytes + 2*cachedPriors) }

// used is the part of it that answers lie in.
func (c *cache) used() int64 { return int64(c.filled) * (cachedBytes + 2*cachedPriors) }

// key hashes all that an answer about the present position depends on.
func (c *cache) key(g *board.Game) uint64 {
	key := g.Position().Key()
	if c.past < 0 {
		return key
	}
	key = splitmix.Mix(key + uint64(min(g.Repetitions(), 2)))
	for k := 1; k <= c.past; k++ {
		p := g.Previous(k)
		if p == nil {
			break
		}
		key = splitmix.Mix(key ^ p.Key())
	}
	return key
}

// slot returns the piece and the place in it where the answer of a key lies.
func (c *cache) slot(key uint64) (piece **[pieceAnswers]cached, at uint64) {
	i, _ := bits.Mul64(splitmix.Mix(key), c.slots)
	return &c.answers[i/pieceAnswers], i % pieceAnswers
}

// get returns the answer about a position with this number of legal moves, and its priors in the order of the legal
// moves; nil where it is not known. Both are good until the next put.
func (c *cache) get(key uint64, legal int) (*cached, []uint16) {
	if len(c.answers) == 0 {
		return nil, nil
	}
	piece, i := c.slot(key)
	if *piece == nil {
		return nil, nil
	}
	e := &(*piece)[i]
	if e.at == 0 || e.key != key || int(e.count) != legal || e.at+c.ring < c.head {
		return nil, nil
	}
	at := e.at % c.ring
	return e, c.priors[at : at+uint64(legal)]
}

// put keeps an answer.
func (c *cache) put(key uint64, value, drawn, left float32, priors []uint16) {
	if c.ring < maxEdges {
		return
	}
	if at := c.head % c.ring; at+uint64(len(priors)) > c.ring {
		c.head += c.ring - at
	}
	piece, i := c.slot(key)
	if *piece == nil {
		*piece = new([pieceAnswers]cached)
	}
	e := &(*piece)[i]
	if e.at == 0 {
		c.filled++
	}
	*e = cached{key: key, at: c.head, value: value, drawn: drawn, left: left, count: uint8(len(priors))}
	at := c.head % c.ring
	c.reach(at + uint64(len(priors)))
	copy(c.priors[at:], priors)
	c.head += uint64(len(priors))
}

// reach makes the places of the ring before end usable.
func (c *cache) reach(end uint64) {
	if have := uint64(len(c.priors)); end > have {
		all := make([]uint16, min(max(end, 2*have, pieceBytes), c.ring))
		copy(all, c.priors)
		c.priors = all
	}
}
