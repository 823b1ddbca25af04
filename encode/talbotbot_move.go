package encode

import "talbot/board"

// movePlanes is the number of moves that the encoding knows from each square.
const movePlanes = 73

const (
	knightPlane    = 56
	underpromotion = 64
	noPlane        = 0xff
)

// rankFile is a step in ranks and files.
type rankFile struct{ rank, file int }

// The steps in plane order: N, NE, E, SE, S, SW, W, NW, and the knight's, clockwise from north-north-east.
var (
	queenSteps  = [8]rankFile{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}
	knightSteps = [8]rankFile{{2, 1}, {1, 2}, {-1, 2}, {-2, 1}, {-2, -1}, {-1, -2}, {1, -2}, {2, -1}}
)

// planeOf holds the plane below 64 of each pair of squares (from + 64·to), noPlane where no piece goes; moveOf the move
// of each index in the mover's frame, [board.NoMove] where it leaves the board.
var (
	planeOf [64 * 64]uint8
	moveOf  [TalbotBotMoves]board.Move
)

func init() {
	var stepOf [movePlanes]rankFile
	for d, s := range queenSteps {
		for n := 1; n <= 7; n++ {
			stepOf[d*7+n-1] = rankFile{n * s.rank, n * s.file}
		}
	}
	copy(stepOf[knightPlane:], knightSteps[:])
	for n := range movePlanes - underpromotion {
		stepOf[underpromotion+n] = rankFile{1, n%3 - 1}
	}
	for i := range planeOf {
		planeOf[i] = noPlane
	}
	for from := range board.Square(64) {
		for plane, s := range stepOf {
			to, ok := step(from, s)
			if !ok {
				continue
			}
			m := board.NewMove(from, to)
			if plane < underpromotion {
				planeOf[m] = uint8(plane)
			} else {
				m = board.NewPromotion(from, to, board.Knight+board.PieceType(plane-underpromotion)/3)
			}
			moveOf[int(from)*movePlanes+plane] = m
		}
	}
}

// step returns the square reached from a square; false if it is off the board.
func step(from board.Square, s rankFile) (board.Square, bool) {
	rank, file := from.Rank()+s.rank, from.File()+s.file
	if rank < 0 || rank > 7 || file < 0 || file > 7 {
		return board.NoSquare, false
	}
	return board.NewSquare(file, rank), true
}

// MoveIndex returns from × 73 + plane, squares a1 = 0 … h8 = 63 in the mover's frame.
//
//	planes  0 … 55  direction × 7 + distance - 1, with the directions N, NE, E, SE, S, SW, W, NW
//	planes 56 … 63  knight (rank, file) steps (+2,+1) (+1,+2) (-1,+2) (-2,+1) (-2,-1) (-1,-2) (+1,-2) (+2,-1)
//	planes 64 … 72  underpromotions: 64 + 3 × piece (knight, bishop, rook) + file step + 1
//
// A promotion to a queen is the sliding move, castling the king's move over two squares.
func (TalbotBot) MoveIndex(p *board.Position, m board.Move) int {
	m = orientMove(p.Turn(), m)
	from, to := m.From(), m.To()
	if pt := m.Promotion(); pt != board.NoPieceType && pt != board.Queen {
		side := to.File() - from.File()
		if pt > board.Rook || pt < board.Knight || from.Rank() != 6 || to.Rank() != 7 || side < -1 || side > 1 {
			return -1
		}
		return int(from)*movePlanes + underpromotion + 3*int(pt-board.Knight) + side + 1
	}
	plane := planeOf[board.NewMove(from, to)]
	if plane == noPlane {
		return -1
	}
	return int(from)*movePlanes + int(plane)
}

// Move returns the legal move of p with the index, the inverse of [TalbotBot.MoveIndex].
func (TalbotBot) Move(p *board.Position, index int) (board.Move, bool) {
	if index < 0 || index >= TalbotBotMoves {
		return board.NoMove, false
	}
	m := moveOf[index]
	if m == board.NoMove {
		return board.NoMove, false
	}
	queen := m.Promotion() == board.NoPieceType && m.To().Rank() == 7
	m = orientMove(p.Turn(), m)
	if queen && p.TypeAt(m.From()) == board.Pawn {
		m = board.NewPromotion(m.From(), m.To(), board.Queen)
	}
	if !p.IsLegal(m) {
		return board.NoMove, false
	}
	return m, true
}
