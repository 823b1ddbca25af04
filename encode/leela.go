package encode

import (
	"fmt"
	"math"

	"talbot/board"
	"talbot/dataset"
)

// The sizes of the encoding of lc0's networks.
const (
	LeelaPlanes = 112
	LeelaWords  = boardWords*leelaFrames + 1
)

const (
	leelaFrames    = 8  // boards, the present one first
	leelaBoard     = 13 // planes of a board: the pieces and whether it was a repetition
	leelaFlags     = LeelaWords - 1
	leelaRepeated  = 8  // first of the bits of the flags that tell for each board whether it was a repetition
	leelaClock     = 16 // first of the eight bits of the halfmove clock
	leelaPassed    = 24 // first of the eight bits, by file, of the square that a pawn has passed
	leelaClockSpan = 100
)

// Leela is the encoding of lc0's networks in one of its five forms of input, 112 planes, and its 1858 moves.
//
//	planes 13k … 13k+5    own P N B R Q K, k plies ago, k = 0 … 7
//	planes 13k+6 … 13k+11 the opponent's
//	plane  13k+12         ones if that board had occurred before, at its time
//	planes 104 … 107      ones or zeros: own right to castle on the queen's side, on the king's side; the opponent's
//	plane  108            ones when Black moves
//	plane  109            half-moves since a capture or a pawn's move, on all squares
//	planes 110, 111       zeros; ones
//
// "Own" is the side that moves now, in every plane, and ranks are mirrored for Black. Where a line does not reach back
// that far its first board stands in all older ones, with the pawn that can be captured en passant back where it came
// from; before the usual start of the game they are empty. So lc0 has it where nothing else is set.
//
// From input 2 on plane 104 has the rooks of both sides that may castle on the queen's side, plane 105 those on the
// king's side, and 106 and 107 are empty. From input 3 on (canonical) plane 108 is the square behind a pawn that can be
// captured en passant; older boards end with the first whose rights to castle are others, or in which a pawn could be
// captured en passant, and behind one that a capture or pawn's move led to; and where nobody may castle, the board is
// turned: see [board.LeelaTurn]. From input 4 on plane 109 is divided by 100. Input 5 leaves out older boards that were
// no repetitions.
//
// A move is a number of [board.LeelaNumber] in the mover's frame, turned as the board is. Castling is the king's move
// to its rook's square.
//
// The value is win less loss, and the chances are the label's, or else the result's.
type Leela struct {
	Input int // 1 to 5
}

// Name returns "leela".
func (Leela) Name() string { return "leela" }

// canonical reports whether the board may be turned.
func (e Leela) canonical() bool { return e.Input >= 3 }

var leelaOtherColour = func() InputTransform {
	all := InputTransform{make([]uint64, LeelaWords), make([]uint64, LeelaWords)}
	for i := range all.And {
		all.And[i] = ^uint64(0)
	}
	all.Xor[leelaFlags] = blackFlag
	return all
}()

// Layout reports that all legal moves are listed, each by its number, and that the floats are value, chances and the
// plies that are left.
func (e Leela) Layout() Layout {
	l := Layout{Words: LeelaWords, Shape: []int{LeelaPlanes, 8, 8}, Moves: LegalMoves, Codes: 1,
		Indices: board.LeelaMoves,
		Floats:  []string{ValueFloat, WinFloat, DrawFloat, PliesFloat}, Chances: true}
	if !e.canonical() {
		l.OtherColour = &leelaOtherColour
	}
	return l
}

// Pack writes the boards as [TalbotBot.Pack] does, four words for each of the eight, and flags: bits 0 … 3 castling
// rights in the order of planes 104 … 107, bit 4 Black moves, bits 8 … 15 which boards were repetitions, bits 16 … 23
// the halfmove clock, and bits 24 … 31 the file of a pawn that can be captured en passant.
func (e Leela) Pack(dst []uint64, v *View) {
	g, w := v.Game, (*[LeelaWords]uint64)(dst)
	*w = [LeelaWords]uint64{}
	now := g.Position()
	us, them := now.Turn(), now.Turn().Other()
	flags := bit(0, now.CanCastle(us, false)) | bit(1, now.CanCastle(us, true)) |
		bit(2, now.CanCastle(them, false)) | bit(3, now.CanCastle(them, true)) |
		bit(4, us == board.Black) | uint64(min(now.HalfmoveClock(), 255))<<leelaClock
	if ep := now.EnPassant(); ep != board.NoSquare {
		flags |= 1 << (leelaPassed + ep.File())
	}
	frame := 0
	for k := 0; frame < leelaFrames; k++ {
		p, filled := g.Previous(k), false
		if p == nil {
			p, filled = g.Previous(g.Ply()), true
			if *p == board.StartPosition() {
				break
			}
		}
		at := min(k, g.Ply())
		repeated := g.RepetitionsAt(at) > 0
		if e.canonical() && k > 0 && (rights(p) != rights(now) || p.EnPassant() != board.NoSquare) {
			break
		}
		if e.Input < 5 || k == 0 || repeated {
			leelaBoardWords(w[boardWords*frame:], p, us, filled)
			flags |= bit(leelaRepeated+frame, repeated)
			frame++
		}
		if e.canonical() && p.HalfmoveClock() == 0 || e.Input == 5 && filled {
			break
		}
	}
	w[leelaFlags] = flags
	if turn := e.turn(now); turn != 0 {
		for i := range w[:leelaFlags] {
			w[i] = uint64(turn.Show(board.Bitboard(w[i])))
		}
		passed := uint64(turn.Show(board.Bitboard(flags >> leelaPassed << 56)))
		w[leelaFlags] = flags&(1<<leelaPassed-1) | passed>>56<<leelaPassed
	}
}

// rights are all rights to castle.
func rights(p *board.Position) (r uint64) {
	for _, c := range []board.Color{board.White, board.Black} {
		r = r<<2 | bit(0, p.CanCastle(c, true)) | bit(1, p.CanCastle(c, false))
	}
	return r
}

// leelaBoardWords writes a board in four words in the frame of a side. Of the board in the place of those before the
// line, a pawn that can be captured en passant stands where it came from.
func leelaBoardWords(w []uint64, p *board.Position, us board.Color, filled bool) {
	packBoard(w, p, us)
	ep := p.EnPassant()
	if !filled || ep == board.NoSquare {
		return
	}
	from, to := ep-8, ep+8 // e3: from e2 to e4
	if ep.Rank() == 5 {
		from, to = to, from
	}
	if us == board.Black {
		from, to = from.Mirror(), to.Mirror()
	}
	for _, i := range []int{0, 3} { // that it is a pawn, and whose
		if w[i]>>to&1 != 0 {
			w[i] = w[i]&^(1<<to) | 1<<from
		}
	}
}

// turn returns how a position is shown. Where nobody may castle, files are exchanged if the own king stands on one of
// a to d; without pawns also ranks if it then stands on one of 5 to 8, and the diagonal if it then stands above it. If
// it stands on it, the diagonal is exchanged where that makes the first of these sets of squares that it changes a
// smaller number: all pieces, own pieces, kings, queens, rooks, knights, bishops.
func (e Leela) turn(p *board.Position) (turn board.LeelaTurn) {
	if !e.canonical() || p.HasCastlingRights() {
		return 0
	}
	us := p.Turn()
	own := func(b board.Bitboard) board.Bitboard {
		if us == board.Black {
			b = b.Mirror()
		}
		return b
	}
	king := own(p.Pieces(us, board.King)).First()
	if king.File() < 4 {
		turn |= board.TurnFiles
		king ^= 7
	}
	if (p.Pieces(board.White, board.Pawn) | p.Pieces(board.Black, board.Pawn)) != 0 {
		return turn
	}
	if king.Rank() >= 4 {
		turn |= board.TurnRanks
		king ^= 56
	}
	both := func(pt board.PieceType) board.Bitboard {
		return p.Pieces(board.White, pt) | p.Pieces(board.Black, pt)
	}
	switch above := king.Rank() + king.File() - 7; {
	case above > 0:
		turn |= board.TurnDiagonal
	case above == 0:
		for _, set := range []board.Bitboard{p.Occupied(), p.ByColor(us), both(board.King), both(board.Queen),
			both(board.Rook), both(board.Knight), both(board.Bishop)} {
			straight := turn.Show(own(set))
			if across := board.TurnDiagonal.Show(straight); across != straight {
				if across < straight {
					turn |= board.TurnDiagonal
				}
				break
			}
		}
	}
	return turn
}

// EncodeMove writes the number of a move.
func (e Leela) EncodeMove(dst []int32, v *View, m board.Move) {
	p := v.Position()
	if p.IsCastling(m) {
		rook := board.Square(7)
		if m.To() < m.From() {
			rook = 0
		}
		m = board.NewMove(m.From(), m.From()&^7|rook)
	}
	m = orientMove(p.Turn(), m)
	if t := e.turn(p); t != 0 {
		from, to := t.Square(m.From()), t.Square(m.To())
		if m.Promotion() != board.NoPieceType {
			m = board.NewPromotion(from, to, m.Promotion())
		} else {
			m = board.NewMove(from, to)
		}
	}
	dst[0] = int32(board.LeelaNumber(m))
}

// Planes writes the planes of the present position of g as bits, but for plane 109, which is 1 on all squares: bit i of
// a plane is square i.
func (e Leela) Planes(dst []uint64, g *board.Game) {
	var packed [LeelaWords]uint64
	e.Pack(packed[:], &View{Game: g})
	e.planes(dst, packed[:])
}

// planes writes the planes of a packed input.
func (e Leela) planes(dst, packed []uint64) {
	flags := packed[leelaFlags]
	for k := range leelaFrames {
		frame := dst[leelaBoard*k:]
		unpackPieces((*[12]uint64)(frame), packed[boardWords*k:])
		frame[12] = ones(flags>>(leelaRepeated+k)&1 != 0)
	}
	last := dst[leelaBoard*leelaFrames:]
	for i := range 4 {
		last[i] = ones(flags>>i&1 != 0)
	}
	if e.Input > 1 {
		queens := last[0]&1 | last[2]&(1<<56)
		kings := last[1]&(1<<7) | last[3]&(1<<63)
		last[0], last[1], last[2], last[3] = queens, kings, 0, 0
	}
	last[4] = ones(flags&blackFlag != 0)
	if e.canonical() {
		last[4] = flags >> leelaPassed & 0xff << 56
	}
	last[5], last[6], last[7] = ^uint64(0), 0, ^uint64(0)
}

// Unpack writes the planes.
func (e Leela) Unpack(dst []float32, packed []uint64) {
	var planes [LeelaPlanes]uint64
	e.planes(planes[:], packed)
	spread(dst, planes[:])
	clock := float32(packed[leelaFlags] >> leelaClock & 0xff)
	if e.Input >= 4 {
		clock /= leelaClockSpan
	}
	for i := range 64 {
		dst[64*(leelaBoard*leelaFrames+5)+i] *= clock
	}
}

// Value is win less loss of a score.
func (Leela) Value(s dataset.Score) (float32, bool) {
	win, draw, ok := scoreChances(s)
	return float32(2*win + draw - 1), ok
}

// Centipawns returns the inverse of [Leela.Value], in ±1500.
func (Leela) Centipawns(value float32) float64 {
	v := min(1, math.Abs(float64(value)))
	k := v * math.Cosh(100./60) // v·(cosh(cp/60) + cosh(100/60)) = sinh(cp/60)
	cp := 60 * math.Log((k+math.Sqrt(k*k+1-v*v))/(1-v))
	return math.Copysign(min(mostCentipawns, cp), float64(value))
}

// ValueFormula is Value in one line.
func (Leela) ValueFormula() string {
	return "w-l; w, l as the engine says, else 1/(1+exp((100∓cp)/60))"
}

// chances are what the label says of the game's end, or else the result.
func (e Leela) chances(v *View, t Targets) (win, draw float32, ok bool) {
	if t.Value.rule == resultRule {
		return t.Value.resultChances(v)
	}
	if win, draw, ok := labelChances(&v.Labels.Value); ok {
		return float32(win), float32(draw), true
	}
	if x, ok := Value(e, RecipeValue, v.Position(), v.Labels.Value); ok { // terminal
		return 0, 1 + x, true
	}
	result, ok := v.Result()
	return max(0, result), 1 - max(result, -result), ok
}

// Target gives the legal moves with the weights of the policy target, the chances with the value that they make, and
// the plies that are left of a game whose result is known.
func (e Leela) Target(dst *Target, v *View, t Targets) bool {
	learns := legalPolicy(dst, e, v, t)
	win, draw, ok := e.chances(v, t)
	if ok {
		dst.Floats[0], dst.Floats[1], dst.Floats[2] = 2*win+draw-1, win, draw
	}
	if t.Value != RecipeValue && t.Value.rule != resultRule {
		dst.Floats[0] = unknown
		if x, has := Value(e, t.Value, v.Position(), v.Labels.Value); has {
			dst.Floats[0], ok = x, true
		}
	}
	if _, known := v.Result(); known {
		dst.Floats[3] = float32(len(v.Line.Moves) - v.Game.Ply())
	}
	return ok || learns
}

// NumberNames implements [Namer].
func (e Leela) NumberNames() (list []NumberGroup) {
	for k := range leelaFrames {
		name := "The board"
		if k > 0 {
			name = fmt.Sprintf("%d plies ago", k)
		}
		list = append(list, NumberGroup{name, append(sides(menNames("PNBRQK")), "occurred before")})
	}
	return append(list, NumberGroup{"Rights and counts", []string{"own O-O-O", "own O-O", "their O-O-O", "their O-O",
		"Black to move", "half-moves without capture or pawn's move", "zeros", "ones"}})
}
