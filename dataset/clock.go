package dataset

import (
	"fmt"
	"time"
)

// Tenth is the unit of [Line.Clocks].
const Tenth = time.Second / 10

// NoClock stands in [Line.Clocks] for a move after which the time left is not known.
const NoClock = -1

// MaxClock is the longest time in [Line.Clocks], some 1,240 days.
const MaxClock = 1<<30 - 1

// ClockBefore returns the time that the side to move had left, in tenths of a second, before the move at a ply: what it
// had after its move before. ok is false where that is not known.
func (l *Line) ClockBefore(ply int) (tenths int32, ok bool) { return l.clock(ply - 2) }

// ClockAfter returns the time that the side to move had left after the move at a ply.
func (l *Line) ClockAfter(ply int) (tenths int32, ok bool) { return l.clock(ply) }

func (l *Line) clock(ply int) (tenths int32, ok bool) {
	if ply < 0 || ply >= len(l.Clocks) || l.Clocks[ply] == NoClock {
		return 0, false
	}
	return l.Clocks[ply], true
}

// ShortOfTime reports whether the side to move at a ply had less than a time left. Without a clock it had not.
func (l *Line) ShortOfTime(ply int, least time.Duration) bool {
	tenths, ok := l.ClockBefore(ply)
	return ok && time.Duration(tenths)*Tenth < least
}

// checkClocks returns an error unless the line has one clock for each move, or none, and each is in its range.
func (l *Line) checkClocks() error {
	if l.Clocks != nil && len(l.Clocks) != len(l.Moves) {
		return fmt.Errorf("%d clocks for %d moves", len(l.Clocks), len(l.Moves))
	}
	for ply, c := range l.Clocks {
		if c < NoClock || c > MaxClock {
			return fmt.Errorf("ply %d: clock of %d tenths", ply, c)
		}
	}
	return nil
}
