package board

// The hash keys are drawn by SplitMix64 (Steele, Lea, Flood 2014) from a fixed
// seed, so keys are the same in every build and on every machine.
var (
	zobristPiece  [2][7][64]uint64
	zobristCastle [16]uint64
	zobristFile   [8]uint64
	zobristBlack  uint64
)

func fillZobrist() {
	state := uint64(0x74616c626f74) // "talbot"
	next := func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	for c := range 2 {
		for pt := Pawn; pt <= King; pt++ {
			for s := range 64 {
				zobristPiece[c][pt][s] = next()
			}
		}
	}
	var right [4]uint64
	for i := range right {
		right[i] = next()
	}
	for rights := range 16 {
		for i := range right {
			if rights>>i&1 != 0 {
				zobristCastle[rights] ^= right[i]
			}
		}
	}
	for f := range 8 {
		zobristFile[f] = next()
	}
	zobristBlack = next()
}

// computeKey hashes the position from nothing; [Position.Play] keeps the key
// up to date incrementally.
func (p *Position) computeKey() uint64 {
	key := zobristCastle[p.castling]
	for c := White; c <= Black; c++ {
		for pt := Pawn; pt <= King; pt++ {
			for b := p.Pieces(c, pt); b != 0; b &= b - 1 {
				key ^= zobristPiece[c][pt][b.First()]
			}
		}
	}
	if p.ep != NoSquare {
		key ^= zobristFile[p.ep&7]
	}
	if p.turn == Black {
		key ^= zobristBlack
	}
	return key
}
