// Package synth draws synthetic endgames: random legal positions of three to seven pieces, each with a past of legal
// moves that lead to it.
//
// From a [Config] it draws lines of [Plies] moves whose last position is the sample. The position is drawn first and
// its past is found backwards, by retro-moves, so that what was drawn is what is stored. Every draw is a pure function
// of seed and number, so draws may be made in any order and on any worker. [Reconstructor] also makes up a past for
// other positions. The package starts no goroutines.
package synth

import (
	"math/rand/v2"

	"talbot/board"
	"talbot/dataset"
)

// Plies is the length of the history in front of every endgame.
const Plies = 4

// Why something that was drawn was thrown away and drawn again; or why it was not.
const (
	dead             = iota // neither side can mate with this material, or these bishops
	unbalanced              // material that differs by more than asked for
	illegalPlacement        // the side not to move stood in check
	checkmate
	stalemate
	noPast    // no legal moves lead to it, with the weights and bounds asked for
	Duplicate // it was drawn before, as the caller finds too
	accepted  = -1
)

// Reasons are the names of those.
var Reasons = [...]dataset.Reason{dead: "dead", unbalanced: "unbalanced", illegalPlacement: "illegal_placement",
	checkmate: "checkmate", stalemate: "stalemate", noPast: "no_past", Duplicate: dataset.Duplicate}

// Rejects counts what was thrown away, by the places of [Reasons].
type Rejects [len(Reasons)]int64

// Draw is an endgame with what is needed to draw on: drawing continues with the same random numbers.
type Draw struct {
	Line    dataset.Line
	Key     uint64         // of the sampled position, the same for its mirror image
	Class   board.Material // of the sampled position, folded
	Rejects Rejects        // on the way to it
	OK      bool           // whether a position was found

	material board.Material
	source   rand.PCG
}

// Drawer draws endgames. It is not safe for concurrent use: each worker has its own.
type Drawer struct {
	choice        *choice
	config        Config
	source        rand.PCG
	rng           *rand.Rand
	reconstructor *Reconstructor
}

// NewDrawer returns a drawer, or why nothing can be drawn as asked for.
func NewDrawer(c Config) (*Drawer, error) {
	if c.Patience <= 0 {
		c.Patience = 10_000
	}
	choice, err := newChoice(&c)
	if err != nil {
		return nil, err
	}
	d := &Drawer{choice: choice, config: c}
	d.rng = rand.New(&d.source)
	if d.reconstructor, err = NewReconstructor(c.Past); err != nil {
		return nil, err
	}
	return d, nil
}

// Clone returns another drawer of the same endgames.
func (d *Drawer) Clone() *Drawer {
	c := *d
	c.rng = rand.New(&c.source)
	c.reconstructor = d.reconstructor.clone()
	return &c
}

// Draw returns the endgame of that number: a start position without castling rights, [Plies] legal moves, which are
// marked as reconstructed, and the sampled position at the end, which is neither mate, stalemate nor dead. It is not OK
// only where the class has no such position.
//
// The number of pieces comes first, then the material, then the squares and the side to move until they are legal: the
// shares of numbers and materials are those asked for, regardless of what is rejected, and all legal positions of a
// material are equally likely. The numbers of pieces are spread evenly over consecutive draws, so that their shares are
// exact to a few endgames.
func (d *Drawer) Draw(number int64) (x Draw) {
	d.source.Seed(d.config.Seed, uint64(number))
	x.Line = dataset.Line{
		Source: dataset.SourceEndgame, Number: number, Reconstructed: Plies, Samples: dataset.LastPosition(),
		Moves: make([]board.Move, Plies),
	}
	pieces := d.choice.counts.at(lowDiscrepancy(d.config.Seed, number))
	for {
		x.material = pick(d.rng, d.choice.materials[pieces])
		if i := d.choice.rejectReason(x.material); i != accepted {
			x.Rejects[i]++
			continue
		}
		break
	}
	d.place(&x, nil)
	x.source = d.source
	return x
}

// lowDiscrepancy returns a number from 0 to 1 for each draw of a seed. Those of consecutive draws are spread more
// evenly than random ones: they are the multiples of the golden ratio modulo 1, from a place that the seed says.
func lowDiscrepancy(seed uint64, number int64) float64 {
	offset := rand.NewPCG(seed, 0).Uint64()
	return float64((uint64(number)*0x9e3779b97f4a7c15+offset)>>11) / (1 << 53)
}

// Redraw replaces the position by another one of the same material that is not
// known. It is not OK if that has hardly any left.
func (d *Drawer) Redraw(x *Draw, known func(key uint64) bool) {
	d.source = x.source
	d.place(x, known)
	x.source = d.source
}

// DrawOtherClass replaces the position by one of a class that is not exhausted, with the same number of pieces where
// there is one. It reports false if there is none at all.
func (d *Drawer) DrawOtherClass(x *Draw, left *Remaining) bool {
	d.source = x.source
	counts := left.counts
	pieces := x.material.Pieces()
	if len(left.materials[pieces].values) == 0 {
		if len(counts.values) == 0 {
			return false
		}
		pieces = pick(d.rng, counts)
	}
	x.material = pick(d.rng, left.materials[pieces])
	d.place(x, nil)
	x.source = d.source
	return true
}

// place draws positions of the material until one is fit, and gives it a past.
func (d *Drawer) place(x *Draw, known func(key uint64) bool) {
	x.Class, x.OK = x.material.Fold(), false
	for misses := 0; misses < d.config.Patience; {
		p, why := d.position(x.material)
		if why == accepted {
			x.Key = Key(&p)
			if known != nil && known(x.Key) {
				why = Duplicate
			} else if x.Line.Start, x.OK = d.reconstructor.Reconstruct(d.rng, p, x.Line.Moves); x.OK {
				return
			} else {
				why = noPast
			}
		}
		x.Rejects[why]++
		if why != illegalPlacement {
			misses++
		}
	}
}

// Key returns a hash of a position without its counters that is the same for
// its mirror image: that of the two in which White is to move.
func Key(p *board.Position) uint64 {
	if p.Turn() == board.White {
		return p.Key()
	}
	q := p.Mirror()
	return q.Key()
}

// position draws squares for a material and the side to move. All placements without two pieces on a square are equally
// likely, except for the second bishop of a side, which stands on squares of the other colour; one that is no fit
// endgame is given with the reason.
func (d *Drawer) position(m board.Material) (p board.Position, why int) {
	setup := board.Setup{Turn: board.Color(d.rng.IntN(2))}
	for !d.squares(&setup, m) {
		setup = board.Setup{Turn: setup.Turn}
	}
	p, err := setup.Position()
	switch {
	case err != nil:
		return p, illegalPlacement
	case p.IsDead():
		return p, dead
	case p.HasLegalMove():
		return p, accepted
	case p.InCheck():
		return p, checkmate
	}
	return p, stalemate
}

// squares puts the pieces on random squares, and reports false if two came on the same one.
func (d *Drawer) squares(s *board.Setup, m board.Material) bool {
	for c := board.White; c <= board.Black; c++ {
		s.Put(board.NewPiece(c, board.King), board.Square(d.rng.IntN(64)))
		for n := m.Count(c, board.Pawn); n > 0; n-- {
			s.Put(board.NewPiece(c, board.Pawn), board.Square(8+d.rng.IntN(48)))
		}
		for pt := board.Knight; pt <= board.Queen; pt++ {
			shade := -1 // of the square of the first bishop
			for n := m.Count(c, pt); n > 0; n-- {
				on := board.Square(d.rng.IntN(64))
				if pt == board.Bishop {
					now := (on.File() + on.Rank()) & 1
					if shade == now {
						on ^= 1 // the next square has the other colour
					}
					shade = now
				}
				s.Put(board.NewPiece(c, pt), on)
			}
		}
	}
	return s.Occupied().Len() == m.Pieces()
}
