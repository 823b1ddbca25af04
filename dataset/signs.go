package dataset

import (
	"fmt"
	"math"

	"talbot/board"
	"talbot/internal/fault"
)

// ErrView: whose view the scores of an input are from was not stated and cannot be known, or they contradict what was.
var ErrView = fault.New(fault.ExitUsage, "view of the scores",
	"state whose view they are from, --eval-view white (as bullet and Lichess have it) or --eval-view mover; where "+
		"the message gives few agreements it is the other one")

// Signs compares the signs of scores with results and material, so that a wrong view of theirs shows. Scores of White's
// view that are read as the mover's are wrong where Black moves, so both sides are counted apart. The zero value is
// ready.
type Signs struct {
	result, material [2]agreement // by the side to move
}

// agreement counts the comparisons of one kind.
type agreement struct{ seen, agree int64 }

// clearMaterial is a difference in pawns that tells who is ahead.
const clearMaterial = 3

// Add counts a position with a score that says clearly who is ahead: the side to move, or the other.
func (s *Signs) Add(p *board.Position, ahead bool, result Result) {
	turn := p.Turn()
	if result == WhiteWins || result == BlackWins {
		won := (result == WhiteWins) == (turn == board.White)
		s.result[turn].add(ahead == won)
	}
	pawns := 0
	for _, piece := range [...]struct {
		board.PieceType
		pawns int
	}{{board.Pawn, 1}, {board.Knight, 3}, {board.Bishop, 3}, {board.Rook, 5}, {board.Queen, 9}} {
		pawns += piece.pawns * (p.Pieces(turn, piece.PieceType).Len() - p.Pieces(turn.Other(), piece.PieceType).Len())
	}
	if pawns >= clearMaterial || pawns <= -clearMaterial {
		s.material[turn].add(ahead == (pawns > 0))
	}
}

func (a *agreement) add(agree bool) {
	a.seen++
	if agree {
		a.agree++
	}
}

// contradicts reports whether more disagree than agree by four standard deviations of a coin.
func (a agreement) contradicts() bool {
	return float64(a.seen-2*a.agree) > 4*math.Sqrt(float64(a.seen))
}

// Enough reports whether so many scores with Black to move are clear that they contradict the view which is wrong.
func (s *Signs) Enough() bool {
	return max(s.result[board.Black].seen, s.material[board.Black].seen) >= 64
}

// Turned returns the counts of the same scores from the other view: White's, if they were read as the mover's.
func (s Signs) Turned() Signs {
	for _, a := range [...]*agreement{&s.result[board.Black], &s.material[board.Black]} {
		a.agree = a.seen - a.agree
	}
	return s
}

// Contradict reports whether the scores of one side or both contradict results or material. Too few scores contradict
// nothing.
func (s *Signs) Contradict() bool {
	for _, a := range [...]agreement{s.result[0], s.result[1], s.material[0], s.material[1]} {
		if a.contradicts() {
			return true
		}
	}
	return false
}

// Check returns [ErrView], with the counts of that many positions, if the scores contradict the view that they were
// read with.
func (s *Signs) Check(view View, positions int) error {
	if !s.Contradict() {
		return nil
	}
	return fmt.Errorf("%w: they cannot be from %s view: of its first %d positions, %v", ErrView, view.Whose(),
		positions, s)
}

// ClearScore is the size of a score, in centipawns, from which it says clearly who is ahead.
const ClearScore = 100

// AddScore counts a position with a score, if that is clear.
func (s *Signs) AddScore(p *board.Position, score Score, result Result) {
	if score >= ClearScore || score <= -ClearScore {
		s.Add(p, score > 0, result)
	}
}

// String gives the counts.
func (s *Signs) String() string {
	side := func(c board.Color, name string) string {
		return fmt.Sprintf("with %s to move %d of %d clear scores have the sign of the result and %d of %d that of "+
			"the material", name, s.result[c].agree, s.result[c].seen, s.material[c].agree, s.material[c].seen)
	}
	return side(board.White, "White") + ", " + side(board.Black, "Black")
}
