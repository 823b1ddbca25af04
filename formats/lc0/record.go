package lc0

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"talbot/board"
	"talbot/dataset"
)

// layout is where a version of records has what.
type layout struct {
	size          int
	probabilities int
	planes        int
	castling      int // with what follows it up to the result
	values        int // root_q, best_q, root_d, best_d; 0: none
}

// layouts are those of the versions that are read.
var layouts = map[uint32]layout{
	3: {8276, 4, 7436, 8268, 0},
	4: {8292, 4, 7436, 8268, 8276},
	5: {8308, 8, 7440, 8272, 8280},
	6: {8356, 8, 7440, 8272, 8280},
}

const (
	maxSize     = 8356 // of a record
	resultAt    = 8308 // result_q, result_d
	visitsAt    = 8340
	playedAt    = 8344
	bestAt      = 8346
	boardPlanes = 13
)

// Bits beside those of [board.LeelaTurn].
const (
	overlong   = 1 << 4 // the game was ended for its length, and its result is none
	deleted    = 1 << 6 // by lc0's rescorer
	blackMoves = 1 << 7
)

var (
	errVersion  = errors.New("versions 3 to 6 are read")
	errRecord   = errors.New("no record of training data")
	errPosition = errors.New("a board that is not a position of chess")
	errRights   = errors.New("castling rights of Chess960")
	errCut      = errors.New("the chunk ends within a record")
)

// record is a position of a game.
type record struct {
	version   uint32
	layout    layout
	canonical bool
	mover     board.Color
	transform board.LeelaTurn
	data      []byte
}

// newRecord reads what says how to read the rest.
func newRecord(data []byte) (r record, err error) {
	if len(data) < 8 {
		return r, errCut
	}
	r.version = binary.LittleEndian.Uint32(data)
	known := false
	if r.layout, known = layouts[r.version]; !known {
		return r, fmt.Errorf("a record of version %d; %w", r.version, errVersion)
	}
	if len(data) < r.layout.size {
		return r, errCut
	}
	r.data = data[:r.layout.size]
	format := uint32(1)
	if r.version >= 5 {
		format = binary.LittleEndian.Uint32(data[4:])
	}
	aux := r.aux()
	switch format {
	case 1, 2:
		if aux[4] > 1 {
			return r, fmt.Errorf("%w: %d for the side to move", errRecord, aux[4])
		}
		r.mover = board.Color(aux[4])
	case 3, 4, 5, 132, 133:
		r.canonical, r.transform = true, board.LeelaTurn(aux[6]&7)
		if aux[6]&blackMoves != 0 {
			r.mover = board.Black
		}
	default:
		return r, fmt.Errorf("%w: input format %d", errRecord, format)
	}
	return r, nil
}

// aux returns the eight bytes from castling to result.
func (r *record) aux() []byte { return r.data[r.layout.castling:][:8] }

// flags returns the bits that say what became of a position; 0 where a version has none.
func (r *record) flags() byte {
	if r.version < 6 {
		return 0
	}
	return r.aux()[6]
}

func (r *record) float(at int) float64 {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(r.data[at:])))
}

// hasPast reports whether the record has a board before its own, and not its own again, as lc0 may fill up.
func (r *record) hasPast() bool {
	any, other := board.Bitboard(0), false
	for i := range 12 {
		before := r.plane(boardPlanes + i)
		any, other = any|before, other || before != r.plane(i)
	}
	return any != 0 && other
}

// plane returns a plane of one of the eight boards, of the side to move's frame turned back to the board's.
func (r *record) plane(n int) board.Bitboard {
	b := board.Bitboard(bits.Reverse64(binary.LittleEndian.Uint64(r.data[r.layout.planes+8*n:]))).Mirror() // files
	if b = r.transform.Undo(b); r.mover == board.Black {
		b = b.Mirror()
	}
	return b
}

// pieces has the squares of each type and colour.
type pieces [2][board.King + 1]board.Bitboard

// board returns the pieces on the board.
func (r *record) board() (b pieces) {
	for i := range 12 {
		side := r.mover
		if i >= 6 {
			side = side.Other()
		}
		b[side][board.Pawn+board.PieceType(i%6)] = r.plane(i)
	}
	return b
}

// piecesOf returns those of a position.
func piecesOf(p *board.Position) (b pieces) {
	for c := range board.Color(2) {
		for pt := board.Pawn; pt <= board.King; pt++ {
			b[c][pt] = p.Pieces(c, pt)
		}
	}
	return b
}

// is reports whether a record is of a position, as far as it says: counters and a square en passant are not compared.
func (r *record) is(p *board.Position) bool {
	rights, err := r.rights()
	if err != nil || p.Turn() != r.mover || r.board() != piecesOf(p) {
		return false
	}
	for c := range board.Color(2) {
		if p.CanCastle(c, false) != rights[c][0] || p.CanCastle(c, true) != rights[c][1] {
			return false
		}
	}
	return true
}

// rights returns the castling rights of both sides, of the queen side and of the king side.
func (r *record) rights() (rights [2][2]bool, err error) {
	for i, v := range r.aux()[:4] {
		side := r.mover
		if i >= 2 {
			side = side.Other()
		}
		rook := byte(1) << (7 * (i % 2))
		switch {
		case v == 1 || v == rook:
			rights[side][i%2] = true
		case v != 0 && v&(v-1) == 0:
			return rights, errRights
		case v != 0:
			return rights, fmt.Errorf("%w: %d for castling", errRecord, v)
		}
	}
	return rights, nil
}

// position returns the position of a record, as a line may begin with it.
func (r *record) position() (p board.Position, err error) {
	setup := board.Setup{Turn: r.mover, HalfmoveClock: int(r.aux()[5])}
	b := r.board()
	seen := board.Bitboard(0)
	for c := range board.Color(2) {
		for pt := board.Pawn; pt <= board.King; pt++ {
			if seen&b[c][pt] != 0 {
				return p, errPosition
			}
			seen |= b[c][pt]
			setup.PutAll(board.NewPiece(c, pt), b[c][pt])
		}
	}
	rights, err := r.rights()
	if err != nil {
		return p, err
	}
	for c := range board.Color(2) {
		home := board.Square(56 * int(c))
		for side, rook := range []board.Square{home, home + 7} {
			if !rights[c][side] {
				continue
			}
			if !b[c][board.Rook].Has(rook) || !setup.AllowCastlingWith(rook) {
				return p, errRights
			}
		}
	}
	if ep := r.passed(b); ep != board.NoSquare {
		setup.Passed(ep)
	}
	if p, err = setup.Position(); err != nil {
		return p, fmt.Errorf("%w: %w", errPosition, err)
	}
	return p, nil
}

// passed returns the square that a pawn of the other side has just passed: where the record says so, or the board
// before shows it.
func (r *record) passed(b pieces) board.Square {
	them := r.mover.Other()
	home, rank := board.Bitboard(0xff)<<48, 5 // of the square passed
	if them == board.White {
		home, rank = board.Bitboard(0xff)<<8, 2
	}
	file := -1
	if r.canonical {
		mask := r.aux()[4]
		if mask == 0 || mask&(mask-1) != 0 {
			return board.NoSquare
		}
		if file = bits.TrailingZeros8(mask); r.transform&board.TurnFiles != 0 {
			file = 7 - file
		}
	} else {
		now, before := b[them][board.Pawn], r.plane(boardPlanes+6)
		came, gone := now&^before, before&^now
		if came.Len() != 1 || gone.Len() != 1 || gone&home == 0 || came.First()^gone.First() != 16 {
			return board.NoSquare
		}
		file = came.First().File()
	}
	on := board.NewSquare(file, rank)
	pawn := on + 8
	if them == board.Black {
		pawn = on - 8
	}
	if !b[them][board.Pawn].Has(pawn) {
		return board.NoSquare
	}
	return on
}

// share returns the share of the visits of a legal move, and whether the record has it as legal.
func (r *record) share(n int) (float64, bool) {
	if n < 0 {
		return 0, false
	}
	v := r.float(r.layout.probabilities + 4*n)
	return v, v >= 0
}

// policy returns the moves that were visited; none if their shares are not known (NaN). It is an error if moves that
// are not legal have visits, or the shares do not sum to 1.
func (r *record) policy(p *board.Position, legal []board.Move) (list []dataset.WeightedMove, err error) {
	sum := 0.0
	for _, m := range legal {
		castling := p.IsCastling(m)
		v, ok := r.share(r.number(m, castling, true))
		if castling && (!ok || v == 0) { // files may have the king's own squares
			if own, said := r.share(r.number(m, castling, false)); said {
				v, ok = own, true
			}
		}
		if math.IsNaN(v) {
			return nil, nil
		}
		if !ok {
			return nil, fmt.Errorf("%w: no visits of %v", errRecord, m)
		}
		if v > 0 {
			list = append(list, dataset.WeightedMove{Move: m, Weight: float32(v)})
			sum += v
		}
	}
	all := 0.0
	for n := range board.LeelaMoves {
		if v := r.float(r.layout.probabilities + 4*n); v > 0 {
			all += v
		}
	}
	if math.Abs(sum-1) > 0.02 || all > sum+1e-4 {
		return nil, fmt.Errorf("%w: shares of legal moves sum to %.4f, of all to %.4f", errRecord, sum, all)
	}
	return list, nil
}

// move returns the legal move of a number, NoMove if there is none.
func (r *record) move(p *board.Position, legal []board.Move, at int) board.Move {
	n := int(binary.LittleEndian.Uint16(r.data[at:]))
	for _, m := range legal {
		castling := p.IsCastling(m)
		if r.number(m, castling, true) == n || castling && r.number(m, castling, false) == n {
			return m
		}
	}
	return board.NoMove
}

// named reports whether the moves played and best have their numbers in the record.
func (r *record) named() bool {
	return r.version >= 6 && binary.LittleEndian.Uint32(r.data[visitsAt:]) > 0
}

// label returns what the search said of a position; Failed if its numbers are none, Missing if a version has none.
func (r *record) label(p *board.Position, legal []board.Move) (label dataset.Label) {
	if r.layout.values == 0 {
		return label
	}
	q, d := r.float(r.layout.values+4), r.float(r.layout.values+12)
	win, loss := (1+q-d)/2, (1-q-d)/2
	const drift = 0.001
	if !(min(win, d, loss) >= -drift && max(q, -q, d) <= 1+drift) { // NaN too
		label.Status = dataset.Failed
		return label
	}
	q = min(max(q, -1), 1)
	s := dataset.Searched{Score: dataset.Centipawns(int(math.Round(90 * math.Tan(1.5637541897*q))))}
	s.WDL.Win, s.WDL.Loss = perMille(win), perMille(loss)
	s.WDL.Win = min(s.WDL.Win, 1000-s.WDL.Loss)
	s.WDL.Draw = 1000 - s.WDL.Win - s.WDL.Loss
	label.Status = dataset.Labelled
	if r.named() {
		s.Nodes = int64(binary.LittleEndian.Uint32(r.data[visitsAt:]))
		if label.Best = r.move(p, legal, bestAt); label.Best != board.NoMove {
			s.PV = []board.Move{label.Best}
		}
	}
	label.Lines = []dataset.Searched{s}
	return label
}

func perMille(x float64) uint16 { return uint16(math.Round(1000 * min(max(x, 0), 1))) }

// result returns the result of the game.
func (r *record) result() (dataset.Result, error) {
	won := int(int8(r.aux()[7]))
	if r.version >= 6 {
		q, d := r.float(resultAt), r.float(resultAt+4)
		if r.flags()&overlong != 0 {
			return dataset.ResultUnknown, nil
		}
		if won = int(q); math.Abs(q)+d != 1 || float64(won) != q {
			return 0, fmt.Errorf("%w: a result of %v with %v for a draw", errRecord, q, d)
		}
	}
	if won < -1 || won > 1 {
		return 0, fmt.Errorf("%w: a result of %d", errRecord, won)
	}
	if r.mover == board.Black {
		won = -won
	}
	return [...]dataset.Result{dataset.BlackWins, dataset.Draw, dataset.WhiteWins}[won+1], nil
}
