package dataset

import (
	"slices"

	"talbot/board"
)

// WithoutHistory returns the part of a line that was not reconstructed: the position after the reconstructed plies,
// and the moves from there. The slice is the line's. A line whose reconstructed plies are illegal, which happens only
// in damaged data, is returned as a whole.
func (l *Line) WithoutHistory() (start board.Position, moves []board.Move) {
	start = l.Start
	for _, m := range l.Moves[:l.Reconstructed] {
		if !start.IsLegal(m) {
			return l.Start, l.Moves
		}
		start.Play(m)
	}
	return start, l.Moves[l.Reconstructed:]
}

// Prepend puts reconstructed history in front of a line that has none: moves that lead from start to the line's start.
// The samples stay the same positions.
func (l *Line) Prepend(start board.Position, moves []board.Move) {
	n := len(l.Moves)
	if kind, _ := l.Samples.Kind(); kind != KindLastPosition {
		bitmap := make([]byte, (n+len(moves))/8+1)
		for _, ply := range l.Samples.Plies(nil, n) {
			ply += len(moves)
			bitmap[ply/8] |= 1 << (ply % 8)
		}
		l.Samples = SomePlies(bitmap)
	}
	if l.Clocks != nil {
		l.Clocks = append(slices.Repeat([]int32{NoClock}, len(moves)), l.Clocks...)
	}
	l.Start, l.Reconstructed = start, len(moves)
	l.Moves = append(append(make([]board.Move, 0, n+len(moves)), moves...), l.Moves...)
}
