package encode

import (
	"fmt"

	"talbot/board"
)

// The sizes of the talbotbot encoding.
const (
	TalbotBotPlanes = 68
	TalbotBotMoves  = 64 * movePlanes // 4672
)

// The first planes of each kind.
const (
	castlingPlane   = 12 // own king side, own queen side, opponent's king side, opponent's queen side
	blackPlane      = 16 // ones when Black moves
	enPassantPlane  = 17 // the target square, only if an en passant capture is legal
	repetitionPlane = 18 // ones: occurred before, occurred at least twice before
	historyPlane    = 20 // + 12k: the pieces of the position k+1 plies ago
	historyFrames   = 4
)

// TalbotBot is the encoding of the talbotbot recipe: 68 planes and 64 × 73 moves.
//
//	planes  0 …  5  own P N B R Q K
//	planes  6 … 11  the opponent's P N B R Q K
//	planes 12 … 15  castling rights, ones or zeros: own king side and queen side, the opponent's
//	plane  16       ones when Black moves
//	plane  17       the en passant target square, only if an en passant capture is legal
//	planes 18, 19   ones if the position occurred before in the line; if at least twice before (then both)
//	planes 20 … 67  four times 12 piece planes: the positions 1, 2, 3 and 4 plies ago
//
// "Own" is the side that moves now, in every plane; positions before the start of the line are zeros. All planes are
// in the mover's frame: for Black, ranks are mirrored. See [TalbotBot.MoveIndex] for the moves and [TalbotBot.Pack] for
// the packed form.
type TalbotBot struct {
	LegalMask bool // packed inputs hold the legal moves too: [LegalWords]
}

// Name returns "talbotbot".
func (TalbotBot) Name() string { return "talbotbot" }

// Layout reports that a move is one word, its index, and that the only float is the value.
func (e TalbotBot) Layout() Layout {
	l := Layout{Words: TalbotBotWords, Shape: []int{TalbotBotPlanes, 8, 8}, Moves: TargetMoves, Codes: 1,
		Indices: TalbotBotMoves,
		Floats:  []string{ValueFloat}, NoHistory: &talbotBotNoHistory, OtherColour: &talbotBotOtherColour}
	if e.LegalMask {
		l.Words += LegalWords
	}
	return l
}

// EncodeMove writes the index of a move.
func (e TalbotBot) EncodeMove(dst []int32, v *View, m board.Move) {
	dst[0] = int32(e.MoveIndex(v.Position(), m))
}

// Target gives the sample's policy target and its value.
func (e TalbotBot) Target(dst *Target, v *View, t Targets) bool {
	dst.Moves = Policy(dst.Moves, e, t, v)
	value, ok := t.ValueOf(e, v)
	if ok {
		dst.Floats[0] = value
	}
	return ok || len(dst.Moves) > 0
}

// Planes writes the 68 planes of the present position of g to dst[:68], as bits: bit i of a plane is square i (a1 = 0,
// h8 = 63).
func (TalbotBot) Planes(dst []uint64, g *board.Game) {
	var packed [TalbotBotWords]uint64
	TalbotBot{}.Pack(packed[:], &View{Game: g})
	unpack((*[TalbotBotPlanes]uint64)(dst), packed[:])
}

// NumberNames implements [Encoder].
func (TalbotBot) NumberNames() []NumberGroup {
	list := append(bothMen("PNBRQK"), NumberGroup{"Rights and counts", append(append([]string{}, castlingNames...),
		"Black to move", "en passant", "seen once", "seen twice")})
	for k := range 4 {
		list = append(list, NumberGroup{fmt.Sprintf("%d plies before", k+1), sides(menNames("PNBRQK"))})
	}
	return list
}
