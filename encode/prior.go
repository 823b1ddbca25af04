package encode

import (
	"math"

	"talbot/board"
	"talbot/dataset"
)

// The sizes of the prior encoding.
const (
	PriorPlanes = 18
	PriorWords  = 5 // 40 bytes, packed

	// PriorRating is the rating that an unknown one is taken for.
	PriorRating = 1500

	priorRatingShift = 8 // of the rating in word 4
)

// PriorBands are the ranges of ratings that the recipe prior is trained on, each at its centre; 1500, 2000 and 2500 are
// in the upper one of two. They are those of `talbot aggregate`.
var PriorBands = []dataset.Band{
	{To: 1500, Elo: 1250}, {From: 1500, To: 2000, Elo: 1750}, {From: 2000, To: 2500, Elo: 2250},
	{From: 2500, Elo: 2750},
}

// Prior is the encoding of the recipe prior: 18 planes, and the 1968 moves of [UCIIndex].
//
//	planes  0 …  5  own K Q R B N P
//	planes  6 … 11  the opponent's
//	planes 12 … 15  all ones for a right to castle: own king side, queen side, the opponent's king side, queen side
//	plane  16       the en passant square, if a capture there is legal
//	plane  17       on all squares the rating of the side to move / 1500 − 1; 0 if it is not known
//
// Squares and moves are in the frame of the side to move: for Black, ranks are mirrored and colours swapped. There are
// no past and no counters.
//
// A rating is that of the player to move: in a dataset of aggregated positions the centre of the band, in games the
// player's own, in play what the settings say. So a network that was trained on aggregated positions has seen four
// ratings only, and makes up what lies between them.
//
// Source: chess-deep-learning, whose planes begin with White's pieces and with rank 8, and whose plane 16 has the
// square behind every double push.
type Prior struct {
	talbotBotValue
	Unrated   bool // plane 17 is 0 for either side
	LegalMask bool // all legal moves are listed, for a softmax over them
}

// Name returns "prior".
func (Prior) Name() string { return "prior" }

// Layout reports that a move is one word, its number.
func (e Prior) Layout() Layout {
	l := Layout{Words: PriorWords, Shape: []int{PriorPlanes, 8, 8}, Moves: TargetMoves, Codes: 1, Indices: UCIMoves}
	if e.LegalMask {
		l.Moves = LegalMoves
	}
	if !e.Unrated {
		l.Ratings, l.Rating = true, &RatingBits{Word: 4, Shift: priorRatingShift}
	}
	return l
}

// Pack writes the position to dst[:5]: words 0 … 3 are a board ([packBoard]). Of word 4 bits 0 … 3 are planes 12 … 15,
// bits 8 … 23 the rating of the side to move, and bits 40 … 47 the sixth rank of plane 16.
func (e Prior) Pack(dst []uint64, v *View) {
	w := (*[PriorWords]uint64)(dst)
	p := v.Position()
	packBoard(w[:], p, p.Turn())
	w[4] = castling(p) | e.rating(v)<<priorRatingShift
	if ep := p.EnPassant(); ep != board.NoSquare {
		w[4] |= 1 << (40 + ep.File())
	}
}

// rating is that of the side to move, in 16 bits.
func (e Prior) rating(v *View) uint64 {
	if own, _ := v.Ratings(); own > 0 && !e.Unrated {
		return uint64(min(own, math.MaxUint16))
	}
	return PriorRating
}

// Unpack writes the planes, [plane][rank][file] from a1.
func (Prior) Unpack(dst []float32, packed []uint64) {
	n := (*[PriorPlanes * 64]float32)(dst)
	w := (*[PriorWords]uint64)(packed)
	*n = [PriorPlanes * 64]float32{}
	rating := (float32(w[4]>>priorRatingShift&0xffff) - PriorRating) / PriorRating
	for s := range 64 {
		if kind := w[0]>>s&1 | w[1]>>s&1<<1 | w[2]>>s&1<<2; kind > 0 { // 1 a pawn … 6 a king
			n[64*(6*(w[3]>>s&1)+6-kind)+uint64(s)] = 1
		}
		for flag := range 4 {
			n[64*(12+flag)+s] = float32(w[4] >> flag & 1)
		}
		n[64*17+s] = rating
	}
	for file := range 8 {
		n[64*16+40+file] = float32(w[4] >> (40 + file) & 1)
	}
}

// EncodeMove writes the number of a move.
func (Prior) EncodeMove(dst []int32, v *View, m board.Move) { NoSearch{}.EncodeMove(dst, v, m) }

// Target gives the share of each move in what was played, of a game the move played. With LegalMask the other legal
// moves have a share of 0.
func (e Prior) Target(dst *Target, v *View, t Targets) bool {
	if e.LegalMask {
		return legalPolicy(dst, e.talbotBotValue, v, t)
	}
	dst.Moves = Policy(dst.Moves, e.talbotBotValue, t, v)
	return len(dst.Moves) > 0
}

// NumberNames implements [Encoder].
func (Prior) NumberNames() []NumberGroup {
	return append(bothMen("KQRBNP"), NumberGroup{"Rights and rating", append(append([]string{}, castlingNames...),
		"en passant", "rating")})
}
