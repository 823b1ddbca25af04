package encode

import "slices"

// Plane says how a plane follows from the words of a packed input, for programs that are not talbot. With a Number,
// that is on all squares. Else bit i of the plane is square i, and it has the bits of any of its terms.
type Plane struct {
	Terms  []PlaneTerm  `json:"terms,omitempty"`
	Number *PlaneNumber `json:"number,omitempty"`
}

// PlaneTerm is the bits that all words of And have, and the bit that Fill names for all squares, but none of Not;
// shifted to the left by Shift, and of those the ones in Mask.
type PlaneTerm struct {
	And   []int   `json:"and,omitempty"`
	Not   []int   `json:"not,omitempty"`
	Fill  *[2]int `json:"fill,omitempty"` // word, bit
	Shift int     `json:"shift,omitempty"`
	Mask  uint64  `json:"mask,omitempty"` // 0 = all squares
	// Attacks is, if it is not 0, a piece: 1 … 6 an own P N B R Q K, which go up the board, 7 … 12 an opponent's. The
	// bits are then the squares that these attack on the board in words 0 to 3, as [board.Attacks] has them.
	Attacks int `json:"attacks,omitempty"`
}

// PlaneNumber is (x − Less) / Over of the number x in the bits of a word from Shift on.
type PlaneNumber struct {
	Word  int     `json:"word"`
	Shift int     `json:"shift"`
	Bits  int     `json:"bits"`
	Less  float32 `json:"less"`
	Over  float32 `json:"over"`
}

// PlaneEncoder is an [Encoder] whose network reads planes.
type PlaneEncoder interface {
	Encoder
	// PackedPlanes returns what they are made of, in the order of Unpack.
	PackedPlanes() []Plane
}

// fill is a plane of ones where a bit of a word is set.
func fill(word, bit int) Plane { return Plane{Terms: []PlaneTerm{{Fill: &[2]int{word, bit}}}} }

// word is the bits of a mask of a word, 0 for all.
func word(w int, mask uint64) Plane { return Plane{Terms: []PlaneTerm{{And: []int{w}, Mask: mask}}} }

// pieces are the planes of [unpackPieces] for a board that begins at a word.
func pieces(first int) (all []Plane) {
	for side := range 2 {
		for kind := 1; kind <= 6; kind++ {
			var t PlaneTerm
			for i, has := range []bool{kind&1 != 0, kind&2 != 0, kind&4 != 0, side == 1} {
				if has {
					t.And = append(t.And, first+i)
				} else {
					t.Not = append(t.Not, first+i)
				}
			}
			all = append(all, Plane{Terms: []PlaneTerm{t}})
		}
	}
	return all
}

// PackedPlanes implements [PlaneEncoder].
func (TalbotBot) PackedPlanes() []Plane {
	all := pieces(0)
	for i := range 5 {
		all = append(all, fill(flagsWord, i))
	}
	all = append(all, word(flagsWord, rank6), fill(flagsWord, 5), fill(flagsWord, 6))
	for k := range historyFrames {
		all = append(all, pieces(boardWords*(1+k))...)
	}
	return all
}

// PackedPlanes implements [PlaneEncoder].
func (Tahl) PackedPlanes() (all []Plane) {
	men := pieces(0)
	for side := range 2 {
		for _, pt := range tahlOrder {
			all = append(all, men[6*side+int(pt)-1])
		}
	}
	for i := range 8 {
		all = append(all, fill(tahlFlags, i))
	}
	all = append(all, word(tahlFlags, 0xff<<(tahlEnPassant+8)), word(tahlFlags, 0xff<<tahlEnPassant), Plane{}, Plane{})
	for k := range 4 {
		all = append(all, word(tahlPast+k, 0))
	}
	return all
}

// PackedPlanes implements [PlaneEncoder].
func (e Lynx) PackedPlanes() []Plane {
	all := e.Tahl.PackedPlanes()
	for k := range TahlLayers {
		if e.Attacks {
			all = append(all, Plane{Terms: []PlaneTerm{{Attacks: k + 1}}})
		}
	}
	for k := range e.tacticPlanes() {
		all = append(all, word(TahlWords+k, 0))
	}
	return all
}

// PackedPlanes implements [PlaneEncoder].
func (e Leela) PackedPlanes() (all []Plane) {
	for k := range leelaFrames {
		all = append(append(all, pieces(boardWords*k)...), fill(leelaFlags, leelaRepeated+k))
	}
	if e.Input == 1 {
		for i := range 4 {
			all = append(all, fill(leelaFlags, i))
		}
	} else {
		for wing := range 2 { // own rook, the opponent's
			all = append(all, Plane{Terms: []PlaneTerm{{Fill: &[2]int{leelaFlags, wing}, Mask: 1 << (7 * wing)},
				{Fill: &[2]int{leelaFlags, 2 + wing}, Mask: 1 << (56 + 7*wing)}}})
		}
		all = append(all, Plane{}, Plane{})
	}
	if e.canonical() {
		passed := PlaneTerm{And: []int{leelaFlags}, Shift: 56 - leelaPassed, Mask: 0xff << 56}
		all = append(all, Plane{Terms: []PlaneTerm{passed}})
	} else {
		all = append(all, fill(leelaFlags, 4))
	}
	clock := &PlaneNumber{Word: leelaFlags, Shift: leelaClock, Bits: 8, Over: 1}
	if e.Input >= 4 {
		clock.Over = leelaClockSpan
	}
	return append(all, Plane{Number: clock}, Plane{}, Plane{Terms: []PlaneTerm{{}}})
}

// PackedPlanes implements [PlaneEncoder].
func (Prior) PackedPlanes() (all []Plane) {
	men := pieces(0)
	slices.Reverse(men[:6])
	slices.Reverse(men[6:])
	all = men
	for i := range 4 {
		all = append(all, fill(4, i))
	}
	return append(all, word(4, 0xff<<40), Plane{Number: &PlaneNumber{Word: 4, Shift: priorRatingShift, Bits: 16,
		Less: PriorRating, Over: PriorRating}})
}
