package aggregate

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"

	"talbot/board"
)

// position is a whole position without its counters: equal ones are the same.
type position struct {
	planes [4]uint64 // bits 0, 1 and 2 of the type of each square's piece, and Black's pieces
	state  uint16
}

// The bits of a position's state.
const (
	blackToMove  = 1 << iota
	firstRight        // and three more: White's king side and queen side, Black's
	passedShift  = 5  // the file of the en passant square plus 1; 0 = none
	stateBits    = 9  // all of them
	packedSquare = 16 // what a square may hold: type and colour
)

var rights = [4]struct {
	color    board.Color
	kingSide bool
}{{board.White, true}, {board.White, false}, {board.Black, true}, {board.Black, false}}

// pack returns a position without its counters.
func pack(p *board.Position) (q position) {
	b0, b1, b2 := p.TypeBits()
	q.planes = [4]uint64{uint64(b0), uint64(b1), uint64(b2), uint64(p.ByColor(board.Black))}
	if p.Turn() == board.Black {
		q.state |= blackToMove
	}
	for i, r := range rights {
		if p.CanCastle(r.color, r.kingSide) {
			q.state |= firstRight << i
		}
	}
	if ep := p.EnPassant(); ep != board.NoSquare {
		q.state |= uint16(ep.File()+1) << passedShift
	}
	return q
}

// occupied returns the squares that hold a piece.
func (q *position) occupied() uint64 { return q.planes[0] | q.planes[1] | q.planes[2] }

// unpack returns the position with the counters of a first move, or why it is not a legal position.
func (q *position) unpack() (board.Position, error) {
	s := board.Setup{Turn: board.Color(q.state & blackToMove)}
	occupied := q.occupied()
	if q.planes[3]&^occupied != 0 || q.state>>stateBits != 0 {
		return board.Position{}, errors.New("a packed position with bits that mean nothing")
	}
	for b := occupied; b != 0; b &= b - 1 {
		on := board.Square(bits.TrailingZeros64(b))
		t, c := q.at(int(on))
		if t > uint8(board.King) {
			return board.Position{}, errors.New("a packed position with an unknown piece")
		}
		s.Put(board.NewPiece(board.Color(c), board.PieceType(t)), on)
	}
	for i, r := range rights {
		if q.state&(firstRight<<i) != 0 {
			s.AllowCastling(r.color, r.kingSide)
		}
	}
	passed := q.state >> passedShift
	if passed > 8 {
		return board.Position{}, errors.New("a packed position with an unknown en passant square")
	}
	if passed > 0 {
		rank := 5
		if s.Turn == board.Black {
			rank = 2
		}
		s.Passed(board.NewSquare(int(passed-1), rank))
	}
	p, err := s.Position()
	if err == nil && pack(&p) != *q {
		err = errors.New("a packed position that no game has")
	}
	return p, err
}

// at returns the type and the colour of the piece on a square.
func (q *position) at(on int) (t, color uint8) {
	t = uint8(q.planes[0]>>on&1 | q.planes[1]>>on&1<<1 | q.planes[2]>>on&1<<2)
	return t, uint8(q.planes[3] >> on & 1)
}

// compare orders positions.
func (q *position) compare(o *position) int {
	for i := range q.planes {
		if q.planes[i] != o.planes[i] {
			return cmp.Compare(q.planes[i], o.planes[i])
		}
	}
	return cmp.Compare(q.state, o.state)
}

// append appends the position as bytes: the occupied squares, four bits for each, and the state.
func (q *position) append(b []byte) []byte {
	occupied := q.occupied()
	b = binary.LittleEndian.AppendUint64(b, occupied)
	half := false
	for ; occupied != 0; occupied &= occupied - 1 {
		t, c := q.at(bits.TrailingZeros64(occupied))
		if code := t | c<<3; half {
			b[len(b)-1] |= code << 4
		} else {
			b = append(b, code)
		}
		half = !half
	}
	return binary.LittleEndian.AppendUint16(b, q.state)
}

// decode takes a position off the front of b; false if it is cut or a square that is occupied has no piece.
func (q *position) decode(b []byte) (rest []byte, ok bool) {
	*q = position{}
	if len(b) < 8 {
		return nil, false
	}
	occupied := binary.LittleEndian.Uint64(b)
	n := bits.OnesCount64(occupied)
	b = b[8:]
	if len(b) < (n+1)/2+2 {
		return nil, false
	}
	for i := 0; occupied != 0; i++ {
		on := bits.TrailingZeros64(occupied)
		code := uint64(b[i/2]>>(4*(i&1))) & (packedSquare - 1)
		if code&7 == 0 { // no piece
			return nil, false
		}
		for k := range q.planes {
			q.planes[k] |= code >> k & 1 << on
		}
		occupied &= occupied - 1
	}
	q.state = binary.LittleEndian.Uint16(b[(n+1)/2:])
	return b[(n+1)/2+2:], true
}
