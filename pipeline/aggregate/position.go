package aggregate

import (
	"cmp"
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
	blackToMove = 1 << iota
	firstRight      // and three more: White's king side and queen side, Black's
	passedShift = 5 // the file of the en passant square plus 1; 0 = none
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

// unpack returns the position with the counters of a first move, or why it is not a legal position.
func (q *position) unpack() (board.Position, error) {
	s := board.Setup{Turn: board.Color(q.state & blackToMove)}
	for b := q.planes[0] | q.planes[1] | q.planes[2]; b != 0; b &= b - 1 {
		on := bits.TrailingZeros64(b)
		t := board.PieceType(q.planes[0]>>on&1 | q.planes[1]>>on&1<<1 | q.planes[2]>>on&1<<2)
		if t > board.King {
			return board.Position{}, errPacked
		}
		s.Put(board.NewPiece(board.Color(q.planes[3]>>on&1), t), board.Square(on))
	}
	for i, r := range rights {
		if q.state&(firstRight<<i) != 0 {
			s.AllowCastling(r.color, r.kingSide)
		}
	}
	if passed := q.state >> passedShift & 15; passed > 0 {
		rank := 5
		if s.Turn == board.Black {
			rank = 2
		}
		s.Passed(board.NewSquare(int(passed-1), rank))
	}
	p, err := s.Position()
	if err == nil && pack(&p) != *q { // bits that mean nothing, among others
		err = errPacked
	}
	return p, err
}

var errPacked = errors.New("a packed position that no game has")

// compare orders positions.
func (q *position) compare(o *position) int {
	for i := range q.planes {
		if q.planes[i] != o.planes[i] {
			return cmp.Compare(q.planes[i], o.planes[i])
		}
	}
	return cmp.Compare(q.state, o.state)
}
