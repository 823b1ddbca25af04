package encode

import (
	"fmt"

	"talbot/board"
)

// The sizes of the nosearch encoding.
const (
	NoSearchTokens = 65 // that have an id from 0 to 13
	NoSearchBits   = 13 // after them
	NoSearchWords  = 5  // 40 bytes, packed
)

// Scores of moves that [NoSearch] learns; that of a legal move which was not played is 0.
const (
	NoSearchIllegal = -10
	NoSearchPlayed  = 4 // by the winner, but for 1/n; the negative of it by the loser
)

// NoSearch is the encoding of the recipe nosearch: 78 tokens, and the 1968 moves of [UCIIndex].
//
//	token   0         id 0; where the network answers
//	tokens  1 … 64    what stands on a8, b8 … h8, a7 … h1:
//	                  1 nothing, 2 … 7 the opponent's P N B R Q K, 8 … 13 an own one
//	tokens 65 … 68    0 or 1: own right to castle king side, queen side, the opponent's king side, queen side
//	token  69         1 if an en passant capture is legal
//	tokens 70 … 77    1 if it is onto the files a … h
//
// Squares and moves are in the frame of the side to move: for Black, ranks are mirrored. There are no past and no
// counters, and a position and its mirror image are the same input.
//
// Source: Heshtin/Chess-Transformer, whose moves are the same in another order.
type NoSearch struct {
	talbotBotValue
	// Scores makes the target a score of each legal move, for games that a network played itself; else it is the move
	// played.
	Scores bool
}

// Name returns "nosearch".
func (NoSearch) Name() string { return "nosearch" }

// Layout reports that a move is one word, its number. With scores all legal moves are listed, those that were played
// with a weight; the network makes scores of them, the result and the plies left.
func (e NoSearch) Layout() Layout {
	l := Layout{Words: NoSearchWords, Shape: []int{NoSearchTokens + NoSearchBits}, Moves: TargetMoves, Codes: 1,
		Indices: UCIMoves}
	if e.Scores {
		l.Moves, l.Floats = LegalMoves, []string{ResultFloat, PliesFloat}
	}
	return l
}

// Pack writes the position to dst[:5]: words 0 … 3 are a board ([packBoard]), and bit i of word 4 is token 65 + i.
func (NoSearch) Pack(dst []uint64, v *View) {
	w := (*[NoSearchWords]uint64)(dst)
	p := v.Position()
	packBoard(w[:], p, p.Turn())
	w[4] = castling(p)
	if ep := p.EnPassant(); ep != board.NoSquare {
		w[4] |= 1<<4 | 1<<(5+ep.File())
	}
}

// Unpack writes the ids of the tokens, then the bits.
func (NoSearch) Unpack(dst []float32, packed []uint64) {
	n := (*[NoSearchTokens + NoSearchBits]float32)(dst)
	w := (*[NoSearchWords]uint64)(packed)
	n[0] = 0
	for s := range 64 {
		id := w[0]>>s&1 | w[1]>>s&1<<1 | w[2]>>s&1<<2
		switch {
		case id == 0:
			id = 1
		case w[3]>>s&1 != 0:
			id++
		default:
			id += 7
		}
		n[1+(s^56)] = float32(id)
	}
	for i := range NoSearchBits {
		n[NoSearchTokens+i] = float32(w[4] >> i & 1)
	}
}

// EncodeMove writes the number of a move.
func (NoSearch) EncodeMove(dst []int32, v *View, m board.Move) {
	dst[0] = int32(UCIIndex(orientMove(v.Position().Turn(), m)))
}

// Target gives the move played, or what [Policy] has in its place.
//
// With scores it gives all legal moves, those of the policy with their weights, the result and the plies left. Nothing
// is to be learnt of a move in a game without a result. A sample without a policy, such as one whose illegal choice was
// taken back, teaches which moves are legal.
func (e NoSearch) Target(dst *Target, v *View, t Targets) bool {
	if !e.Scores {
		dst.Moves = Policy(dst.Moves, e.talbotBotValue, t, v)
		return len(dst.Moves) > 0
	}
	learns := legalPolicy(dst, e.talbotBotValue, v, t)
	result, known := v.Result()
	if learns && !known {
		return false
	}
	if known {
		dst.Floats[0] = result
	}
	if v.Line != nil {
		dst.Floats[1] = float32(len(v.Line.Moves) - v.Game.Ply())
	}
	return len(dst.Moves) > 0
}

// NumberNames implements [Encoder].
func (e NoSearch) NumberNames() []NumberGroup {
	squares := NumberGroup{Name: "Squares"}
	for rank := 8; rank >= 1; rank-- {
		for file := 'a'; file <= 'h'; file++ {
			squares.Names = append(squares.Names, fmt.Sprintf("%c%d", file, rank))
		}
	}
	passant := NumberGroup{"En passant", []string{"possible"}}
	for file := 'a'; file <= 'h'; file++ {
		passant.Names = append(passant.Names, fmt.Sprintf("onto %c", file))
	}
	return []NumberGroup{{"Token", []string{"answer"}}, squares, {"Castling", castlingNames}, passant}
}
