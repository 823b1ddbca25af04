package encode_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/testkit"
)

// planeNumbers makes the numbers of a plane as its description has it.
func planeNumbers(p encode.Plane, w []uint64) (dst [64]float32) {
	if n := p.Number; n != nil {
		for i := range dst {
			dst[i] = (float32(w[n.Word]>>n.Shift&(1<<n.Bits-1)) - n.Less) / n.Over
		}
		return dst
	}
	var all uint64
	for _, t := range p.Terms {
		x := ^uint64(0)
		for _, i := range t.And {
			x &= w[i]
		}
		for _, i := range t.Not {
			x &^= w[i]
		}
		if t.Fill != nil {
			x &= -(w[t.Fill[0]] >> t.Fill[1] & 1)
		}
		if t.Attacks > 0 {
			x = 0
			side, kind := (t.Attacks-1)/6, (t.Attacks-1)%6+1
			for s := range 64 {
				if w[0]>>s&1|w[1]>>s&1<<1|w[2]>>s&1<<2 == uint64(kind) && w[3]>>s&1 == uint64(side) {
					x |= uint64(board.Attacks(board.Color(side), board.PieceType(kind), board.Square(s),
						board.Bitboard(w[0]|w[1]|w[2])))
				}
			}
		}
		if x <<= t.Shift; t.Mask != 0 {
			x &= t.Mask
		}
		all |= x
	}
	for ; all != 0; all &= all - 1 {
		dst[bits.TrailingZeros64(all)] = 1
	}
	return dst
}

// TestPackedPlanes: the planes as they are described are those that Unpack writes, of every recipe that describes them,
// for positions of random games. All recipes of planes do but napoleon, whose planes count.
func TestPackedPlanes(t *testing.T) {
	all := encoders(t)
	for input := 1; input <= 5; input++ {
		all = append(all, encode.Leela{Input: input})
	}
	described := map[string]bool{}
	for _, e := range all {
		l := e.Layout()
		planes, ok := e.(encode.PlaneEncoder)
		if ok != (len(l.Shape) == 3 && e.Name() != "napoleon") {
			t.Errorf("%s: planes are described: %v", e.Name(), ok)
		}
		if !ok {
			continue
		}
		described[e.Name()] = true
		list := planes.PackedPlanes()
		if len(list) != l.Shape[0] {
			t.Fatalf("%s: %d planes, want %d", e.Name(), len(list), l.Shape[0])
		}
		packed, numbers := make([]uint64, l.Words), make([]float32, l.Numbers())
		starts := []string{board.StartFEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 1",
			"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 90 1"}
		for seed := range uint64(24) {
			rng := rand.New(rand.NewPCG(seed, 1))
			start, err := board.ParseFEN(starts[seed%4])
			testkit.OK(t, err)
			g := board.NewGame(start)
			for range 30 {
				var v encode.View
				v.Play(g, 1400, 1800)
				e.Pack(packed, &v)
				e.Unpack(numbers, packed)
				for i, p := range list {
					if got := planeNumbers(p, packed); got != [64]float32(numbers[64*i:]) {
						t.Fatalf("%s: plane %d of %s is %v, want %v", e.Name(), i, g.Position().FEN(), got,
							numbers[64*i:][:64])
					}
				}
				moves := g.Position().LegalMoves(nil)
				if len(moves) == 0 {
					break
				}
				g.Push(moves[rng.IntN(len(moves))])
			}
		}
	}
	if len(described) < 5 {
		t.Errorf("only %v", described)
	}
}
