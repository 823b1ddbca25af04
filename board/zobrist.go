package board

// zobrist holds the hash keys, drawn by SplitMix64 (Steele, Lea, Flood 2014) from a fixed seed, so keys are the same in
// every build and on every machine. Like the attack tables it is initialised in its declaration: the start position
// needs it.
var zobrist = newZobrist()

type zobristKeys struct {
	piece  [2][8][64]uint64 // by colour, type (0 and 7 unused), square
	castle [16]uint64       // by set of rights
	file   [8]uint64        // by en passant file
	black  uint64           // Black to move
}

func newZobrist() (z zobristKeys) {
	state := uint64(0x74616c626f74) // "talbot"
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		x := state
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		return x ^ x>>31
	}
	for c := range z.piece {
		for pt := Pawn; pt <= King; pt++ {
			for s := range z.piece[c][pt] {
				z.piece[c][pt][s] = next()
			}
		}
	}
	var right [4]uint64
	for i := range right {
		right[i] = next()
	}
	for rights := range z.castle {
		for i := range right {
			if rights>>i&1 != 0 {
				z.castle[rights] ^= right[i]
			}
		}
	}
	for f := range z.file {
		z.file[f] = next()
	}
	z.black = next()
	return z
}

// computeKey hashes the position from nothing; [Position.Play] keeps the key up to date incrementally.
func (p *Position) computeKey() uint64 {
	key := zobrist.castle[p.castling]
	for c := White; c <= Black; c++ {
		for pt := Pawn; pt <= King; pt++ {
			for b := p.Pieces(c, pt); b != 0; b &= b - 1 {
				key ^= zobrist.piece[c][pt][b.First()]
			}
		}
	}
	if p.ep != NoSquare {
		key ^= zobrist.file[p.ep&7]
	}
	if p.turn == Black {
		key ^= zobrist.black
	}
	return key
}
