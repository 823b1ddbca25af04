package binpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"talbot/board"
)

// NoScore is the score of a position that has none: Stockfish's VALUE_NONE.
const NoScore = 32002

// MaxPly is the greatest ply that a chain can begin at.
const MaxPly = 1<<14 - 1

// Chain is consecutive positions of a game.
type Chain struct {
	Start  board.Position // its counters are those of the chain: full moves are counted from ply 0
	Ply    int            // of Start; 0 is the first position of a game from the standard start position
	Result int8           // for the side to move at Start: 1 won, 0 drawn, -1 lost
	Moves  []board.Move   // legal moves, one after the other from Start
	// Scores has one for each position that a move of Moves is played from, seen by its side to move. A chain whose
	// only move is unknown has no moves and one score.
	Scores []int16

	// passed is the en passant square that the file names though no capture there is legal; NoSquare if there is none.
	passed board.Square
}

const (
	stemSize  = 34 // bytes of a chain without further positions
	leastBits = 5  // that a further position takes: those of its score
)

var (
	errPieces    = errors.New("a board that is not a position of chess")
	errPadding   = errors.New("bits behind the last move that are not 0")
	errCutOff    = errors.New("the chunk ends within a chain")
	errIllegal   = errors.New("an illegal move")
	errNoMove    = errors.New("moves behind a position without move")
	errDelta     = errors.New("a score of more than 16 bits")
	errPieceless = errors.New("a piece that the side to move does not have")
	errSquare    = errors.New("a destination that the piece does not have")
)

// decode reads the chain that data begins with into c, whose memory it uses again, and returns its size.
func (c *Chain) decode(data []byte) (size int, err error) {
	if len(data) < stemSize {
		return 0, errCutOff
	}
	if err := c.decodeStem(data); err != nil {
		return 0, err
	}
	further := int(binary.BigEndian.Uint16(data[32:]))
	move := binary.BigEndian.Uint16(data[24:])
	c.Scores = append(c.Scores[:0], int16(unzigzag(binary.BigEndian.Uint16(data[26:]))))
	c.Moves = c.Moves[:0]
	p := c.Start
	if move == 0 {
		if further > 0 {
			return 0, errNoMove
		}
		return stemSize, nil
	}
	m, err := unpackMove(move)
	if err != nil {
		return 0, err
	}
	if !p.IsLegal(m) || packMove(&p, m) != move {
		return 0, fmt.Errorf("%w %v", errIllegal, m)
	}
	p.Play(m)
	r := bitReader{data: data[stemSize:]}
	if further > 8*len(r.data)/leastBits {
		return 0, errCutOff
	}
	c.Moves = slices.Grow(c.Moves, further+1)[:further+1]
	c.Scores = slices.Grow(c.Scores, further)[:further+1]
	c.Moves[0] = m
	moves, scores, score := c.Moves[1:], c.Scores[1:further+1], c.Scores[0]
	for i := range moves {
		word := r.next()
		m, used, err := playNext(word, &p)
		if err == nil {
			var more int
			score, more, err = readScore(word<<(used&63), -score)
			used += more
		}
		if r.at += used; r.beyond() {
			return 0, errCutOff
		}
		if err != nil {
			return 0, err
		}
		moves[i], scores[i] = m, score
	}
	tail, err := r.align()
	if err != nil {
		return 0, err
	}
	return stemSize + tail, nil
}

// The stem's special pieces.
const (
	passedPawn      = 12
	whiteCastleRook = 13
	blackCastleRook = 14
	blackKingToMove = 15
)

// decodeStem reads the position, its ply and the result.
func (c *Chain) decodeStem(data []byte) error {
	switch word := binary.BigEndian.Uint16(data[28:]); word >> 14 {
	case 0:
		c.Result, c.Ply = 0, int(word)
	case 1:
		c.Result, c.Ply = -1, int(word&MaxPly)
	case 2:
		c.Result, c.Ply = 1, int(word&MaxPly)
	default:
		return errors.New("a result that is none")
	}
	if c.Ply == 0 && string(data[:24]) == startStem && data[30]|data[31] == 0 {
		c.Start, c.passed = board.StartPosition(), board.NoSquare // as nearly all games begin
		return nil
	}
	occupied := board.Bitboard(binary.BigEndian.Uint64(data))
	if occupied.Len() > 32 {
		return errPieces
	}
	var (
		setup  board.Setup
		rights []board.Square
		passed = board.NoSquare
	)
	for i, left := 0, occupied; left != 0; i, left = i+1, left&(left-1) {
		on := left.First()
		nibble := data[8+i/2] >> (i % 2 * 4) & 15
		piece := board.NewPiece(board.Color(nibble&1), board.Pawn+board.PieceType(nibble>>1))
		switch nibble {
		case passedPawn:
			color, behind := board.White, on-8
			switch {
			case passed != board.NoSquare:
				return errPieces
			case on.Rank() == 3:
			case on.Rank() == 4:
				color, behind = board.Black, on+8
			default:
				return errPieces
			}
			piece, passed = board.NewPiece(color, board.Pawn), behind
		case whiteCastleRook:
			piece = board.NewPiece(board.White, board.Rook)
			rights = append(rights, on)
		case blackCastleRook:
			piece = board.NewPiece(board.Black, board.Rook)
			rights = append(rights, on)
		case blackKingToMove:
			piece, setup.Turn = board.NewPiece(board.Black, board.King), board.Black
		}
		setup.Put(piece, on)
	}
	if n := occupied.Len(); !zero(data[8+(n+1)/2:24]) || n%2 == 1 && data[8+n/2]>>4 != 0 {
		return errPieces
	}
	for _, on := range rights {
		if !setup.AllowCastlingWith(on) {
			return errPieces
		}
	}
	if passed != board.NoSquare {
		setup.Passed(passed)
	}
	setup.HalfmoveClock, setup.FullmoveNumber = int(binary.BigEndian.Uint16(data[30:])), c.Ply/2+1
	p, err := setup.Position()
	if err != nil {
		return fmt.Errorf("%w: %w", errPieces, err)
	}
	c.passed = board.NoSquare
	if p.EnPassant() != passed {
		c.passed = passed
	}
	c.Start = p
	return nil
}

// startStem is the board of the standard start position in a stem.
var startStem = func() string {
	c := Chain{Start: board.StartPosition(), passed: board.NoSquare}
	return string(c.appendPosition(nil))
}()

func zero(data []byte) bool { return len(bytes.Trim(data, "\x00")) == 0 }

// unzigzag undoes zigzag: 0, 1, 2, 3, 4 are 0, -1, 1, -2, 2. All is modulo 2^16.
func unzigzag(v uint16) uint16 { return v>>1 ^ -(v & 1) }

func zigzag(v uint16) uint16 { return v<<1 ^ uint16(int16(v)>>15) }

// The types of moves in a stem.
const (
	normal = iota
	promotion
	castling
	enPassant
)

// unpackMove reads the move of a stem. Whether it is legal, and of the type named, is for the position to say.
func unpackMove(word uint16) (board.Move, error) {
	from, to := board.Square(word>>8&63), board.Square(word>>2&63)
	switch word >> 14 {
	case promotion:
		return board.NewPromotion(from, to, board.Knight+board.PieceType(word&3)), nil
	case castling:
		king := from&^7 | 6
		if to < from {
			king = from&^7 | 2
		}
		if word&3 != 0 || to&^7 != from&^7 || to&7 != 0 && to&7 != 7 {
			return 0, errIllegal
		}
		return board.NewMove(from, king), nil
	}
	if word&3 != 0 {
		return 0, errIllegal
	}
	return board.NewMove(from, to), nil
}

// packMove is the inverse of unpackMove for a legal move.
func packMove(p *board.Position, m board.Move) uint16 {
	from, to := m.From(), m.To()
	word := uint16(from)<<8 | uint16(to)<<2
	switch {
	case m.Promotion() != board.NoPieceType:
		return word | promotion<<14 | uint16(m.Promotion()-board.Knight)
	case p.IsCastling(m):
		rook := from&^7 | 7
		if to < from {
			rook = from &^ 7
		}
		return castling<<14 | uint16(from)<<8 | uint16(rook)<<2
	case p.IsEnPassant(m):
		return word | enPassant<<14
	}
	return word
}

// width is the number of bits of a number below k.
func width(k int) int { return int(widths[uint8(k)]) }

// widths has those of all numbers that there are: a piece has at most 28 moves.
var widths = func() (t [256]uint8) {
	for k := 2; k < len(t); k++ {
		t[k] = uint8(bits.Len(uint(k - 1)))
	}
	return t
}()

// destinations returns the squares that the piece on a square reaches, pins and checks ignored, without castling.
func destinations(p *board.Position, pt board.PieceType, from board.Square) board.Bitboard {
	us := p.Turn()
	occupied := p.Occupied()
	reach := board.Attacks(us, pt, from, occupied)
	if pt != board.Pawn {
		return reach &^ p.ByColor(us)
	}
	targets := p.ByColor(us.Other())
	if ep := p.EnPassant(); ep != board.NoSquare {
		targets |= ep.Bitboard()
	}
	reach &= targets
	step, home := from+8, 1
	if us == board.Black {
		step, home = from-8, 6
	}
	if !occupied.Has(step) {
		reach |= step.Bitboard()
		if on := 2*step - from; from.Rank() == home && !occupied.Has(on) {
			reach |= on.Bitboard()
		}
	}
	return reach
}

// promotes reports whether a pawn on a square promotes by its next move.
func promotes(us board.Color, from board.Square) bool {
	return us == board.White && from.Rank() == 6 || us == board.Black && from.Rank() == 1
}

// counts returns how many squares of a set are on each rank and those below, in a byte each.
func counts(b board.Bitboard) uint64 {
	s := uint64(b)
	s -= s >> 1 & 0x5555555555555555
	s = s&0x3333333333333333 + s>>2&0x3333333333333333
	return (s + s>>4) & 0x0f0f0f0f0f0f0f0f * ones
}

// nth returns the n-th square of a set with these counts in ascending order; the set has more than n.
func nth(b board.Bitboard, counts uint64, n int) board.Square {
	// Without a loop over its squares, which ends where no processor foresees it.
	below := ((uint64(n)*ones | highs) - counts) & highs // bit 7 of the ranks below, whose counts are at most n
	at := 8 * bits.OnesCount64(below)                    // where the rank of the n-th square begins
	n -= int(counts << 8 >> (at & 63) & 255)
	return board.Square(at) + board.Square(nthInByte[n&7][uint8(b>>(at&63))])
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// nthInByte has the n-th bit of each byte.
var nthInByte = func() (t [8][256]uint8) {
	for b := range 256 {
		for n, left := 0, b; left != 0; n, left = n+1, left&(left-1) {
			t[n][b] = uint8(bits.TrailingZeros(uint(left)))
		}
	}
	return t
}()

// playNext reads a move of the movetext from the bits to come, plays it, and returns how many bits it took.
func playNext(bits uint64, p *board.Position) (m board.Move, used int, err error) {
	us := p.Turn()
	pieces := p.ByColor(us)
	number := counts(pieces)
	count := pieces.Len()
	used = width(count)
	i := first(bits, used)
	if i >= count {
		return 0, used, errPieceless
	}
	from := nth(pieces, number, i)
	pt := p.TypeAt(from)
	reach := destinations(p, pt, from)
	number = counts(reach)
	steps := reach.Len()
	count = steps
	choice := 0 // bits of the index that name a piece to promote to
	queenSide, kingSide := false, false
	switch {
	case pt == board.Pawn && promotes(us, from):
		choice = 2
	case pt == board.King:
		queenSide, kingSide = p.CanCastle(us, false), p.CanCastle(us, true)
		if queenSide {
			count++
		}
		if kingSide {
			count++
		}
	}
	count <<= choice
	size := width(count)
	i = first(bits<<(used&63), size)
	used += size
	if i >= count {
		return 0, used, errSquare
	}
	n := i >> choice
	if n >= steps {
		to := from + 2
		if queenSide && n == steps {
			to = from - 2
		}
		if m = board.NewMove(from, to); !p.IsLegal(m) {
			return 0, used, fmt.Errorf("%w: castling", errIllegal)
		}
		p.Play(m)
		return m, used, nil
	}
	m = board.NewMove(from, nth(reach, number, n))
	if choice > 0 {
		m = board.NewPromotion(from, m.To(), board.Knight+board.PieceType(i%4))
	}
	if !p.PlayIfSafe(pt, m) {
		return 0, used, fmt.Errorf("%w %v", errIllegal, m)
	}
	return m, used, nil
}

// writeMove writes a legal move of the movetext.
func writeMove(w *bitWriter, p *board.Position, m board.Move) {
	us := p.Turn()
	from, to := m.From(), m.To()
	pieces := p.ByColor(us)
	w.put(below(pieces, from), width(pieces.Len()))
	pt := p.PieceAt(from).Type()
	reach := destinations(p, pt, from)
	index, count := below(reach, to), reach.Len()
	switch {
	case pt == board.Pawn && promotes(us, from):
		index, count = 4*index+int(m.Promotion()-board.Knight), 4*count
	case pt == board.King:
		queenSide := p.CanCastle(us, false)
		if p.IsCastling(m) {
			if index = count; to > from && queenSide {
				index++
			}
		}
		if queenSide {
			count++
		}
		if p.CanCastle(us, true) {
			count++
		}
	}
	w.put(index, width(count))
}

// below counts the squares of a set below one.
func below(b board.Bitboard, s board.Square) int { return (b & (s.Bitboard() - 1)).Len() }

// readScore reads the difference of a score to another from the bits to come, and returns how many it took: up to four
// groups of a bit, which says that another group follows, and four bits of the number, the lowest first.
func readScore(to uint64, other int16) (score int16, used int, err error) {
	const more = 0b10000_10000_10000_10000
	groups := uint32(to >> 44)
	others := bits.LeadingZeros32(^groups & more << 12) // bits of the groups before the last one
	if others > 15 {
		return 0, 0, errDelta
	}
	groups &^= 1<<(15-others) - 1 // what is behind the last one
	delta := groups>>15&15 | groups>>10&15<<4 | groups>>5&15<<8 | groups&15<<12
	return other + int16(unzigzag(uint16(delta))), others + 5, nil
}

func writeDelta(w *bitWriter, value uint16) {
	for value > 15 {
		w.put(int(16|value&15), 5)
		value >>= 4
	}
	w.put(int(value), 5)
}

// append appends the chain to data.
func (c *Chain) append(data []byte) ([]byte, error) {
	switch n := len(c.Scores); {
	case n == 0 || n > 1<<16 || len(c.Moves) != n && (n != 1 || len(c.Moves) != 0):
		return data, fmt.Errorf("binpack: a chain of %d moves and %d scores", len(c.Moves), n)
	case c.Ply < 0 || c.Ply > MaxPly:
		return data, fmt.Errorf("binpack: ply %d is not from 0 to %d", c.Ply, MaxPly)
	}
	p := c.Start
	data = c.appendPosition(data)
	move := uint16(0)
	if len(c.Moves) > 0 {
		move = packMove(&p, c.Moves[0])
	}
	result := zigzag(uint16(c.Result))
	data = binary.BigEndian.AppendUint16(data, move)
	data = binary.BigEndian.AppendUint16(data, zigzag(uint16(c.Scores[0])))
	data = binary.BigEndian.AppendUint16(data, result<<14|uint16(c.Ply))
	data = binary.BigEndian.AppendUint16(data, uint16(p.HalfmoveClock()))
	data = binary.BigEndian.AppendUint16(data, uint16(len(c.Scores)-1))
	w := bitWriter{data: data}
	for i, m := range c.Moves {
		if !p.IsLegal(m) {
			return data, fmt.Errorf("binpack: %w %v at %s", errIllegal, m, p.FEN())
		}
		if i > 0 {
			writeMove(&w, &p, m)
			writeDelta(&w, zigzag(uint16(c.Scores[i]+c.Scores[i-1])))
		}
		p.Play(m)
	}
	return w.align(), nil
}

// appendPosition appends occupied squares and pieces of the start.
func (c *Chain) appendPosition(data []byte) []byte {
	p := &c.Start
	data = binary.BigEndian.AppendUint64(data, uint64(p.Occupied()))
	at := len(data)
	data = append(data, make([]byte, 16)...)
	passed := p.EnPassant()
	if passed == board.NoSquare {
		passed = c.passed
	}
	for i, left := 0, p.Occupied(); left != 0; i, left = i+1, left&(left-1) {
		on := left.First()
		piece := p.PieceAt(on)
		nibble := byte(piece.Type()-board.Pawn)<<1 | byte(piece.Color())
		home := board.Square(56 * int(piece.Color()))
		switch {
		case piece.Type() == board.Pawn && passed != board.NoSquare && on == passed^8:
			nibble = passedPawn
		case piece.Type() == board.Rook && (on == home && p.CanCastle(piece.Color(), false) ||
			on == home+7 && p.CanCastle(piece.Color(), true)):
			nibble = whiteCastleRook + byte(piece.Color())
		case piece == board.NewPiece(board.Black, board.King) && p.Turn() == board.Black:
			nibble = blackKingToMove
		}
		data[at+i/2] |= nibble << (i % 2 * 4)
	}
	return data
}
