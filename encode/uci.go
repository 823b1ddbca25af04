package encode

import (
	"slices"
	"strings"

	"talbot/board"
)

// UCIMoves is how many moves [UCIIndex] numbers.
const UCIMoves = 1968

// uciNumbers are the numbers of the moves by promotion and squares (from + 64·to), −1 for what is no move.
var uciNumbers [board.Queen + 1][64 * 64]int16

func init() {
	list := make([]board.Move, 0, UCIMoves)
	for from := range board.Square(64) {
		reach := board.Attacks(board.White, board.Queen, from, 0) | board.Attacks(board.White, board.Knight, from, 0)
		for ; reach != 0; reach &= reach - 1 {
			to := reach.First()
			list = append(list, board.NewMove(from, to))
			if side := to.File() - from.File(); side < -1 || side > 1 ||
				!(from.Rank() == 6 && to.Rank() == 7 || from.Rank() == 1 && to.Rank() == 0) {
				continue
			}
			for pt := board.Knight; pt <= board.Queen; pt++ {
				list = append(list, board.NewPromotion(from, to, pt))
			}
		}
	}
	slices.SortFunc(list, func(a, b board.Move) int { return strings.Compare(a.String(), b.String()) })
	for i := range uciNumbers {
		for j := range uciNumbers[i] {
			uciNumbers[i][j] = -1
		}
	}
	for i, m := range list {
		uciNumbers[m.Promotion()][board.NewMove(m.From(), m.To())] = int16(i)
	}
}

// UCIIndex returns the number of a move, 0 to 1967, −1 for one that no piece makes. Castling is the king's move over
// two squares.
//
// The moves are those of a queen and of a knight on an empty board, 1456 and 336, and the promotions of White's and of
// Black's pawns to each of four pieces, 88 each. Their order is that of their UCI notation: a1a2 is 0, a1a3 is 1, a7a8
// is followed by a7a8b, a7a8n, a7a8q and a7a8r, and h8h7 is 1967. In the frame of the side to move, which always moves
// up the board, 88 of them are never legal: Black's promotions.
func UCIIndex(m board.Move) int {
	if pt := m.Promotion(); pt <= board.Queen {
		return int(uciNumbers[pt][board.NewMove(m.From(), m.To())])
	}
	return -1
}
