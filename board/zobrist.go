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

// MirrorKeys makes keys of mirrored positions, [Position.Mirror], from how each position differs from the one before.
// For positions of one game that is faster than to mirror them. The zero value is ready.
type MirrorKeys struct {
	bit0, bit1, bit2 Bitboard // the types of the position before: see [Position.TypeBits]
	black            Bitboard // its black pieces
	pieces           uint64   // its mirrored pieces' part of the key
}

// Key returns the key of p.Mirror().
func (k *MirrorKeys) Key(p *Position) uint64 {
	bit0, bit1, bit2 := p.TypeBits()
	black := p.colors[Black]
	changed := (bit0 ^ k.bit0) | (bit1 ^ k.bit1) | (bit2 ^ k.bit2) | (black ^ k.black)
	for b := changed; b != 0; b &= b - 1 {
		s := b.First() & 63
		before := k.bit0>>s&1 | k.bit1>>s&1<<1 | k.bit2>>s&1<<2 // 0, whose keys are 0, if the square was empty
		now := bit0>>s&1 | bit1>>s&1<<1 | bit2>>s&1<<2
		k.pieces ^= zobrist.piece[k.black>>s&1^1][before][s^56] ^ zobrist.piece[black>>s&1^1][now][s^56]
	}
	k.bit0, k.bit1, k.bit2, k.black = bit0, bit1, bit2, black
	key := k.pieces ^ zobrist.castle[(p.castling>>2|p.castling<<2)&15]
	if p.ep != NoSquare {
		key ^= zobrist.file[p.ep&7]
	}
	if p.turn == White {
		key ^= zobrist.black
	}
	return key
}
