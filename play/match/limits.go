package match

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"talbot/internal/fault"
)

// Limits say when a player's search ends. Several may hold at once; the first that is reached counts. The zero value is
// no limit.
type Limits struct {
	Nodes    int64
	Depth    int
	MoveTime time.Duration
	Control  TimeControl
}

// TimeControl is a clock: a time for a number of moves, or for the game, and an increment for each move. The zero
// value is no clock.
type TimeControl struct {
	Moves     int // 0: the whole game
	Base      time.Duration
	Increment time.Duration
}

// ParseTimeControl reads "60+0.6", "60" or "40/60+0.6", in seconds.
func ParseTimeControl(s string) (c TimeControl, err error) {
	fail := func() (TimeControl, error) {
		return TimeControl{},
			fmt.Errorf("time control %q: give seconds and an increment, such as 60+0.6, or 40/60 for "+
				"40 moves", s)
	}
	rest := s
	if moves, after, ok := strings.Cut(s, "/"); ok {
		if c.Moves, err = strconv.Atoi(moves); err != nil || c.Moves < 1 {
			return fail()
		}
		rest = after
	}
	base, increment, plus := strings.Cut(rest, "+")
	if c.Base, err = seconds(base); err != nil || c.Base == 0 {
		return fail()
	}
	if plus {
		if c.Increment, err = seconds(increment); err != nil {
			return fail()
		}
	}
	return c, nil
}

// seconds reads a number of seconds up to a day, in whole milliseconds.
func seconds(s string) (time.Duration, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0 && x <= 86400) {
		return 0, errors.New("not a number of seconds")
	}
	return time.Duration(x*1000+0.5) * time.Millisecond, nil
}

// String is the control as [ParseTimeControl] reads it, "" for none.
func (c TimeControl) String() string {
	if c == (TimeControl{}) {
		return ""
	}
	number := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
	s := number(c.Base)
	if c.Moves > 0 {
		s = strconv.Itoa(c.Moves) + "/" + s
	}
	if c.Increment > 0 {
		s += "+" + number(c.Increment)
	}
	return s
}

// Or returns the limits, or others if there are none.
func (l Limits) Or(others Limits) Limits {
	if l == (Limits{}) {
		return others
	}
	return l
}

// Timed reports whether the limits are of time, so that games depend on the machine.
func (l Limits) Timed() bool { return l.MoveTime > 0 || l.Control != TimeControl{} }

// silence is the fault of a player with these limits that does not answer.
func (l Limits) silence() FaultKind {
	if l.Timed() {
		return Overtime
	}
	return Stall
}

// ErrNoLimit: a player that searches has no limit.
var ErrNoLimit = fault.New(fault.ExitUsage, "no limit: give nodes, a depth, a time for each move or a clock",
	"use --nodes 1000, --depth 5, --movetime 100ms or --tc 60+0.6, or add ,nodes=1000 to the player")

// Check reports limits that no engine can be asked for.
func (l Limits) Check() error {
	switch {
	case l == (Limits{}):
		return ErrNoLimit
	case l.Nodes < 0 || l.Depth < 0 || l.MoveTime < 0 || l.Depth > 245:
		return fmt.Errorf("limit %q: nodes and times must be positive, the depth at most 245", l)
	case l.MoveTime%time.Millisecond != 0 || l.MoveTime > 24*time.Hour:
		return fmt.Errorf("the time for a move, %v, must be a whole number of milliseconds and at most a day",
			l.MoveTime)
	case l.MoveTime > 0 && l.Control != TimeControl{}:
		return fmt.Errorf("both a clock (%s) and a time for each move (%v)", l.Control, l.MoveTime)
	}
	return nil
}

// String lists the limits: "nodes 400", "depth 5, movetime 50ms", "60+0.6".
func (l Limits) String() string {
	var all []string
	if l.Control != (TimeControl{}) {
		all = append(all, l.Control.String())
	}
	if l.Depth != 0 {
		all = append(all, fmt.Sprintf("depth %d", l.Depth))
	}
	if l.Nodes != 0 {
		all = append(all, fmt.Sprintf("nodes %d", l.Nodes))
	}
	if l.MoveTime != 0 {
		all = append(all, fmt.Sprintf("movetime %v", l.MoveTime))
	}
	return strings.Join(all, ", ")
}
