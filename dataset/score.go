package dataset

import "fmt"

// Score is an engine's exact score of a position from the side to move's view: centipawns in ±[MaxCentipawns], or mate
// in n moves as ±(32767 − |n|), n up to [MaxMate]. Scores compare as the engine means them: a sooner mate is more than
// a later one, and that more than any centipawns. No score is −32768.
type Score int16

// The limits of a score.
const (
	MaxCentipawns = 30000
	MaxMate       = 2000
	mateZero      = 32767
)

// Centipawns returns the score of cp hundredths of a pawn. A value beyond ±[MaxCentipawns] saturates there; a caller
// to whom that matters compares [Score.Centipawns] with what it gave.
func Centipawns(cp int) Score { return Score(max(-MaxCentipawns, min(MaxCentipawns, cp))) }

// MateIn returns the score of mating in n moves, or for n < 0 of being mated in −n moves; n = 0 is being mated now.
// Beyond ±[MaxMate] it saturates there.
func MateIn(n int) Score {
	if n > 0 {
		return Score(mateZero - min(n, MaxMate))
	}
	return Score(-mateZero - max(n, -MaxMate))
}

// Mate returns n if the score is a mate in n moves: n > 0 mates, n ≤ 0 is mated.
func (s Score) Mate() (n int, ok bool) {
	switch {
	case s >= mateZero-MaxMate && s < mateZero:
		return mateZero - int(s), true
	case s <= -(mateZero-MaxMate) && s >= -mateZero:
		return -mateZero - int(s), true
	}
	return 0, false
}

// Centipawns returns the centipawns of a score that is no mate.
func (s Score) Centipawns() (cp int, ok bool) {
	if s < -MaxCentipawns || s > MaxCentipawns {
		return 0, false
	}
	return int(s), true
}

// Valid reports whether the score is centipawns or a mate: the numbers between the two mean nothing.
func (s Score) Valid() bool {
	_, cp := s.Centipawns()
	_, mate := s.Mate()
	return cp || mate
}

// Pawns returns the score for people: in pawns, "+0.31", or a mate as "#3" or "#-3".
func (s Score) Pawns() string {
	if n, ok := s.Mate(); ok {
		return fmt.Sprintf("#%d", n)
	}
	return fmt.Sprintf("%+.2f", float64(s)/100)
}

// String returns the score as UCI writes it: "cp 31" or "mate -2".
func (s Score) String() string {
	if n, ok := s.Mate(); ok {
		return fmt.Sprintf("mate %d", n)
	}
	if cp, ok := s.Centipawns(); ok {
		return fmt.Sprintf("cp %d", cp)
	}
	return fmt.Sprintf("Score(%d)", int16(s))
}
