package encode

import (
	"fmt"

	"talbot/board"
	"talbot/dataset"
)

// The sizes of the tahl encoding.
const (
	TahlPlanes = 28
	TahlLayers = 12 // of the board after a move
	TahlWords  = 9  // 72 bytes, packed

	tahlSize    = TahlPlanes * 64 // of one input
	tahlChanges = 4               // bits that a move changes at most: castling
)

// Words of a packed input after the board, and bits of the last one.
const (
	tahlPast  = boardWords // 4 words
	tahlFlags = tahlPast + 4

	tahlEnPassant = 32 // ranks 5 and 6, two bytes
)

// Planes of tahl after those of the pieces.
const (
	tahlRights         = 12 // own right K, right Q, available K, available Q; 16 … 19 the opponent's
	tahlEnPassantPlane = 20 // own target square, capturing pawns; 22, 23 the opponent's
	tahlHistory        = 24
)

// tahlOrder are the piece types in the order of the input's planes. Those of the board after a move have the order of
// [board.PieceType].
var tahlOrder = [6]board.PieceType{board.Pawn, board.Rook, board.Knight, board.Bishop, board.Queen, board.King}

// Tahl is the encoding of the recipe tahl: 28 planes, and moves as the bits that they change on the board.
//
//	planes  0 …  5  own P R N B Q K
//	planes  6 … 11  the opponent's P R N B Q K
//	planes 12 … 15  ones or zeros: the own right to castle king side, queen side; castling is possible now, king side,
//	                queen side
//	planes 16 … 19  the same of the opponent
//	planes 20, 21   the square on which the mover can capture en passant; the pawns that can
//	planes 22, 23   the same of the opponent: always zeros, since it is not to move
//	planes 24 … 27  the square that was left and the one that was reached 1, 2, 3 and 4 plies ago
//
// Everything is in the mover's frame: for Black, ranks are mirrored, and "own" is the side that moves now, in the past
// too. Castling is possible now where it is legal, and for the opponent where it would be if it were to move on this
// board. In the past it is the king's move; plies before the start of the line are zeros.
//
// The board after a move is 12 layers of bits, own P N B R Q K, then the opponent's, in the frame and from the view of
// the side to move. Its pieces are in the order of all other recipes, which is not that of the planes.
//
// Source: the README of Tahl, whose planes name White and Black, not the side to move. That White is the mover
// here, what stands on planes 20 … 27, and all of the target is our choice.
type Tahl struct{}

// Name returns "tahl".
func (Tahl) Name() string { return "tahl" }

// Layout reports that all legal moves are listed, each in four words, and that the only float is the value.
func (Tahl) Layout() Layout {
	return Layout{Words: TahlWords, Shape: []int{TahlPlanes, 8, 8}, Moves: LegalMoves, Codes: tahlChanges,
		Indices: 2 * 64 * TahlLayers, Floats: []string{ValueFloat}, NoHistory: &tahlNoHistory}
}

var tahlNoHistory = func() InputTransform {
	d := InputTransform{make([]uint64, TahlWords), make([]uint64, TahlWords)}
	for i := range d.And {
		if i < tahlPast || i == tahlFlags {
			d.And[i] = ^uint64(0)
		}
	}
	return d
}()

// Pack writes the position and its past to dst[:9]:
//
//	words 0 … 3  what stands on each square, and which squares are the opponent's, as [packBoard] writes them
//	words 4 … 7  planes 24 … 27
//	word  8      flags: bits 0 … 7 planes 12 … 19; bits 32 … 39 (rank 5) plane 21, bits 40 … 47 (rank 6) plane 20; the
//	             others are 0
func (Tahl) Pack(dst []uint64, v *View) {
	w := (*[TahlWords]uint64)(dst)
	p := v.Position()
	us := p.Turn()
	packBoard(w[:boardWords], p, us)
	for k := range 4 {
		w[tahlPast+k] = uint64(movedSquares(v.Game, k))
	}
	passed := enPassantSquares(p)
	if us == board.Black {
		passed = passed.Mirror()
		for k, b := range w[tahlPast:tahlFlags] {
			w[tahlPast+k] = uint64(board.Bitboard(b).Mirror())
		}
	}
	w[tahlFlags] = uint64(passed)
	for i, c := range [2]board.Color{us, us.Other()} {
		for wing, kingSide := range [2]bool{true, false} {
			if p.CanCastle(c, kingSide) {
				w[tahlFlags] |= 1 << (4*i + wing)
				w[tahlFlags] |= bit(4*i+2+wing, castlesNow(p, c, kingSide))
			}
		}
	}
}

// movedSquares are the squares that the ply k+1 plies ago left and reached, none before the start of the game.
func movedSquares(g *board.Game, k int) board.Bitboard {
	before, after := g.Previous(k+1), g.Previous(k)
	if before == nil {
		return 0
	}
	mover := before.Turn()
	if kings := before.Pieces(mover, board.King) ^ after.Pieces(mover, board.King); kings != 0 {
		return kings
	}
	return before.ByColor(mover) ^ after.ByColor(mover)
}

// enPassantSquares are the square on which the side to move can capture en passant and those of the pawns that can.
func enPassantSquares(p *board.Position) board.Bitboard {
	to := p.EnPassant()
	if to == board.NoSquare {
		return 0
	}
	squares := to.Bitboard()
	// the pawns are where one of the other side on the target square would capture
	pawns := board.Attacks(p.Turn().Other(), board.Pawn, to, 0) & p.Pieces(p.Turn(), board.Pawn)
	for ; pawns != 0; pawns &= pawns - 1 {
		if from := pawns.First(); p.IsLegal(board.NewMove(from, to)) {
			squares |= from.Bitboard()
		}
	}
	return squares
}

// castlesNow reports whether side c, which has the right, could castle on a wing if it were to move: nothing stands in
// between, and no square that the king leaves, crosses or reaches is attacked.
func castlesNow(p *board.Position, c board.Color, kingSide bool) bool {
	king := p.Pieces(c, board.King)
	crossed := king<<1 | king<<2
	between := crossed
	if !kingSide {
		crossed = king>>1 | king>>2
		between = crossed | king>>3
	}
	occupied := p.Occupied()
	if occupied&between != 0 {
		return false
	}
	for crossed |= king; crossed != 0; crossed &= crossed - 1 {
		for pt := board.Pawn; pt <= board.King; pt++ {
			if board.Attacks(c, pt, crossed.First(), occupied)&p.Pieces(c.Other(), pt) != 0 {
				return false
			}
		}
	}
	return true
}

// Planes writes the 28 planes of the present position of g to dst[:28], as bits: bit i of a plane is square i.
func (e Tahl) Planes(dst []uint64, g *board.Game) {
	var words [TahlWords]uint64
	e.Pack(words[:], &View{Game: g})
	tahlPlanes((*[TahlPlanes]uint64)(dst), &words)
}

// tahlPlanes are the planes of a packed input.
func tahlPlanes(planes *[TahlPlanes]uint64, w *[TahlWords]uint64) {
	var pieces [TahlLayers]uint64
	unpackPieces(&pieces, w[:])
	for i, pt := range tahlOrder {
		planes[i], planes[6+i] = pieces[pt-board.Pawn], pieces[6+pt-board.Pawn]
	}
	flags := w[tahlFlags]
	for i := range 8 {
		planes[tahlRights+i] = ones(flags>>i&1 != 0)
	}
	planes[tahlEnPassantPlane] = flags & (0xff << (tahlEnPassant + 8))
	planes[tahlEnPassantPlane+1] = flags & (0xff << tahlEnPassant)
	planes[tahlEnPassantPlane+2], planes[tahlEnPassantPlane+3] = 0, 0
	copy(planes[tahlHistory:], w[tahlPast:tahlFlags])
}

// Unpack writes the planes as 0 and 1.
func (Tahl) Unpack(dst []float32, packed []uint64) {
	var planes [TahlPlanes]uint64
	tahlPlanes(&planes, (*[TahlWords]uint64)(packed))
	spread(dst, planes[:])
}

// EncodeMove writes the bits of the board that a move changes to dst[:4], each as 2·(64·layer + square), plus 1 where
// it is cleared, and −1 after the last: the square that is left, the one that is reached, then what is captured, or the
// rook's squares.
func (Tahl) EncodeMove(dst []int32, v *View, m board.Move) {
	p := v.Position()
	us := p.Turn()
	n := 0
	change := func(c board.Color, pt board.PieceType, s board.Square, cleared int) {
		layer := int(pt - board.Pawn)
		if c != us {
			layer += 6
		}
		if us == board.Black {
			s = s.Mirror()
		}
		dst[n] = int32(2*(64*layer+int(s)) + cleared)
		n++
	}
	from, to := m.From(), m.To()
	kind := p.PieceAt(from).Type()
	change(us, kind, from, 1)
	if pt := m.Promotion(); pt != board.NoPieceType {
		change(us, pt, to, 0)
	} else {
		change(us, kind, to, 0)
	}
	switch captured := p.PieceAt(to); {
	case captured != board.NoPiece:
		change(us.Other(), captured.Type(), to, 1)
	case kind == board.Pawn && from.File() != to.File():
		change(us.Other(), board.Pawn, board.NewSquare(to.File(), from.Rank()), 1)
	case kind == board.King && to == from+2:
		change(us, board.Rook, from+3, 1)
		change(us, board.Rook, from+1, 0)
	case kind == board.King && to+2 == from:
		change(us, board.Rook, from-4, 1)
		change(us, board.Rook, from-1, 0)
	}
	for ; n < tahlChanges; n++ {
		dst[n] = -1
	}
}

// value is what the value learns: the result of the game, or with another target that of the label.
func (e Tahl) value(v *View, t Targets) (float32, bool) {
	if t.Value == RecipeValue {
		return v.Result()
	}
	return t.ValueOf(e, v)
}

// Target gives the legal moves with the weights of the policy target, and the value.
func (e Tahl) Target(dst *Target, v *View, t Targets) bool {
	learns := legalPolicy(dst, e, v, t)
	value, ok := e.value(v, t)
	if ok {
		dst.Floats[0] = value
	}
	return ok || learns
}

// legalPolicy lists all legal moves with the weights of the policy target; false if there is none.
func legalPolicy(dst *Target, e Valuer, v *View, t Targets) bool {
	dst.Moves = Policy(dst.Moves, e, t, v)
	learnt := len(dst.Moves)
	for _, m := range v.Legal() {
		weight := float32(0)
		for _, l := range dst.Moves[:learnt] {
			if l.Move == m {
				weight += l.Weight
			}
		}
		dst.Moves = append(dst.Moves, dataset.WeightedMove{Move: m, Weight: weight})
	}
	dst.Moves = dst.Moves[:copy(dst.Moves, dst.Moves[learnt:])]
	return learnt > 0
}

// Value returns false: the recipe learns results of games, and makes no value of a score.
func (Tahl) Value(dataset.Score) (float32, bool) { return 0, false }

// ResultFormula is the [Encoder.ValueFormula] of a recipe whose value learns results of games.
const ResultFormula = "the result of the game: 1, 0 or -1"

// ValueFormula says what the value learns.
func (Tahl) ValueFormula() string { return ResultFormula }

// NumberNames implements [Encoder].
func (Tahl) NumberNames() []NumberGroup {
	list := append(bothMen("PRNBQK"), NumberGroup{"Castling", sides([]string{"right O-O", "right O-O-O", "can O-O",
		"can O-O-O"})},
		NumberGroup{"En passant", sides([]string{"target", "pawns"})}, NumberGroup{Name: "Moves before"})
	last := &list[len(list)-1]
	for k := range 4 {
		last.Names = append(last.Names, fmt.Sprintf("%d plies ago", k+1))
	}
	return list
}
