package encode

import (
	"math/bits"

	"talbot/board"
	"talbot/dataset"
)

// The sizes of the napoleon encoding.
const (
	NapoleonPlanes = 34
	NapoleonWords  = boardWords // 32 bytes, packed

	napoleonSize = NapoleonPlanes * 64 // of one input
)

// Planes of napoleon that are no piece's or piece type's own.
const (
	attacksPlane  = 12 // 12 … 17 own pawns to king, 18 … 23 the opponent's
	typesPlane    = 24 // 24 … 29
	allPlane      = 30
	attackedPlane = 31 // by own pieces, 32 by the opponent's
	reachPlane    = 33
)

// Napoleon is the encoding of the recipe napoleon: 34 planes of signed counts of pieces and attacks, and a value.
type Napoleon struct{}

// Name returns "napoleon".
func (Napoleon) Name() string { return "napoleon" }

// Layout reports that there are no moves, and that the only float is the value.
func (Napoleon) Layout() Layout {
	return Layout{Words: NapoleonWords, Shape: []int{NapoleonPlanes, 8, 8}, Floats: []string{ValueFloat}}
}

// Pack writes what stands on each square, in the frame of the side to move: for Black, ranks are mirrored. All 34
// planes follow from the board alone (see [Napoleon.Unpack]), so castling rights, en passant, past and counters are not
// there, and a position and its mirror image are packed alike.
//
// Packing the attacks instead would take 43 words: no more than 2 pawns, 8 knights, 4 bishops, 4 rooks, 8 queens and 1
// king of a side attack a square (a slider is the nearest piece in its direction), that is 17 bits a side, and no piece
// attacks more than 27 squares, 5 bits. It takes the host several times as long as this, whereas on the device finding
// the attacks with shifts costs less than spreading the words over the squares, which comes after it either way.
func (Napoleon) Pack(dst []uint64, v *View) { packBoard(dst, v.Position(), v.Position().Turn()) }

// Unpack writes every number of the input, [plane][rank][file] from a1 in the frame of the side to move:
//
//	 0 …  5  +1 where an own P N B R Q K stands
//	 6 … 11  -1 where one of the opponent's stands
//	12 … 17  how many own pawns, knights, … attack the square
//	18 … 23  minus how many of the opponent's
//	24 … 29  plane 12+k plus plane 18+k
//	30       the sum of planes 24 … 29
//	31       how many own pieces attack the square
//	32       minus how many of the opponent's
//	33       how many squares the piece on the square attacks, whosever it is; 0 on an empty square
//
// Attacks are those of [board.Attacks]: the first piece in the way, of either side, is attacked and ends the reach,
// pins do not count, and pawns attack diagonally only. The numbers are whole, from -16 to 27.
func (Napoleon) Unpack(dst []float32, packed []uint64) {
	n := (*[napoleonSize]float32)(dst)
	*n = [napoleonSize]float32{}
	w := (*[NapoleonWords]uint64)(packed)
	occupied := w[0] | w[1] | w[2]
	for left := occupied; left != 0; left &= left - 1 {
		s := bits.TrailingZeros64(left)
		kind := w[0]>>s&1 | w[1]>>s&1<<1 | w[2]>>s&1<<2
		side := w[3] >> s & 1
		sign := 1 - 2*float32(side)
		attacks := board.Attacks(board.Color(side), board.PieceType(kind), board.Square(s), board.Bitboard(occupied))
		plane := 6*int(side) + int(kind) - 1
		n[64*plane+s] = sign
		n[64*reachPlane+s] = float32(attacks.Len())
		ofType, ofSide := n[64*(attacksPlane+plane):][:64], n[64*(attackedPlane+int(side)):][:64]
		for ; attacks != 0; attacks &= attacks - 1 {
			to := attacks.First()
			ofType[to] += sign
			ofSide[to] += sign
		}
	}
	for i := range 6 * 64 {
		sum := n[64*attacksPlane+i] + n[64*(attacksPlane+6)+i]
		n[64*typesPlane+i] = sum
		n[64*allPlane+i%64] += sum
	}
}

// EncodeMove writes nothing: the recipe knows no moves.
func (Napoleon) EncodeMove([]int32, *View, board.Move) {}

// Target gives the value.
func (e Napoleon) Target(dst *Target, v *View, t Targets) bool {
	value, ok := t.ValueOf(e, v)
	if ok {
		dst.Floats[0] = value
	}
	return ok
}

// Value returns cp/1000 of at most ten pawns; mates and greater advantages have none.
func (Napoleon) Value(s dataset.Score) (float32, bool) {
	cp, ok := s.Centipawns()
	if !ok || cp < -1000 || cp > 1000 {
		return 0, false
	}
	return float32(cp) / 1000, true
}

// ValueFormula returns the formula of [Napoleon.Value].
func (Napoleon) ValueFormula() string { return "cp/1000; no mates, no advantages over ±1000" }

// Centipawns returns 1000·value, the inverse of [Napoleon.Value].
func (Napoleon) Centipawns(value float32) float64 { return 1000 * float64(value) }

// NumberNames implements [Encoder].
func (Napoleon) NumberNames() []NumberGroup {
	men := menNames("PNBRQK")
	return append(bothMen("PNBRQK"), NumberGroup{"Own attackers", men}, NumberGroup{"The other side's attackers", men},
		NumberGroup{"Attackers together", append(append([]string{}, men...), "all")},
		NumberGroup{"Sums", []string{"own attackers", "their attackers", "mobility"}})
}
