package match

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"talbot/dataset"
	"talbot/internal/fault"
	"talbot/network/builtin"
)

// Spec is a player as it is named on a command line:
//
//	cmd:PATH[,SETTING]…   a UCI engine
//	run:RUN[,SETTING]…    a trained network
//	net:[,SETTING]…       the network that comes with talbot: another name of run:net:
//	random:[SETTING]…     a player that draws each legal move with the same chance
//
// Settings are separated by commas, which no value can have: name=N (in tables and PGN), nodes=N, depth=N,
// movetime=50ms, tc=60+0.6, rating=R and error=E (what is known of its strength, for a gauntlet, and half of that
// figure's 95 % interval); for engines option.NAME=VALUE and arg=ARGUMENT, as often as need be, and dir=FOLDER. A name
// that is not known here is a parameter that only networks take.
type Spec struct {
	Kind string // "cmd", "run" or "random"
	Path string
	Name string // "": the player's own
	Limits
	Rating  *float64
	Error   float64
	Args    []string
	Dir     string
	Options []dataset.Tag // UCI options, in order
	Params  []dataset.Tag // of a network, in order
	Text    string        // as it was given
}

// PlayerPrefixes are the prefixes of players on the command line, before the colon.
var PlayerPrefixes = []string{"cmd", "run", "net", "random"}

// ParsePlayer reads a player. Errors quote the text.
func ParsePlayer(text string) (Spec, error) {
	s, err := parsePlayer(text)
	if err != nil {
		return s, fmt.Errorf("player %q: %w", text, err)
	}
	return s, nil
}

func parsePlayer(text string) (Spec, error) {
	s := Spec{Text: text}
	kind, rest, ok := strings.Cut(text, ":")
	if !ok || !slices.Contains(PlayerPrefixes, kind) {
		return s, errors.New("give cmd:PATH for a UCI engine, run:RUN for a trained network, net: for the one that " +
			"comes with talbot, or random: for random moves")
	}
	s.Kind = kind
	settings := strings.Split(rest, ",")
	named := kind == "cmd" || kind == "run"
	if named || settings[0] == "" { // random:name=N is the same as random:,name=N
		s.Path, settings = settings[0], settings[1:]
	}
	if named && s.Path == "" {
		return s, fmt.Errorf("nothing follows %q", kind+":")
	}
	if kind == "net" {
		s.Kind, s.Path = "run", builtin.Name
	}
	seen := map[string]bool{}
	for _, setting := range settings {
		name, value, ok := strings.Cut(setting, "=")
		if !ok || name == "" {
			return s, fmt.Errorf("%q is not a setting: write NAME=VALUE", setting)
		}
		if strings.ContainsAny(setting, "\r\n") {
			return s, fmt.Errorf("setting %q has a line break", name)
		}
		if folded := strings.ToLower(name); name != "arg" {
			if seen[folded] {
				return s, fmt.Errorf("setting %q is given twice", name)
			}
			seen[folded] = true
		}
		if err := s.set(name, value); err != nil {
			return s, err
		}
	}
	if s.Limits != (Limits{}) {
		if err := s.Limits.Check(); err != nil {
			return s, err
		}
	}
	if s.Error > 0 && s.Rating == nil {
		return s, errors.New("error= needs rating=, whose error it is")
	}
	return s, nil
}

// set takes over one setting.
func (s *Spec) set(name, value string) (err error) {
	bad := func(form string) error { return fmt.Errorf("setting %s=%q must be %s", name, value, form) }
	if option, ok := strings.CutPrefix(name, "option."); ok && s.Kind == "cmd" {
		if option == "" {
			return errors.New("an option without a name")
		}
		s.Options = append(s.Options, dataset.Tag{Name: option, Value: value})
		return nil
	}
	switch name {
	case "name":
		if s.Name = value; strings.TrimSpace(value) == "" || len(value) > 100 {
			return bad("a name")
		}
	case "nodes":
		if s.Nodes, err = strconv.ParseInt(value, 10, 64); err != nil || s.Nodes < 1 {
			return bad("a positive number")
		}
	case "depth":
		if s.Depth, err = strconv.Atoi(value); err != nil || s.Depth < 1 {
			return bad("a positive number")
		}
	case "movetime":
		if s.MoveTime, err = time.ParseDuration(value); err != nil || s.MoveTime <= 0 {
			return bad("a time with a unit, such as 50ms")
		}
	case "tc":
		s.Control, err = ParseTimeControl(value)
		return err
	case "rating":
		r, err := strconv.ParseFloat(value, 64)
		if s.Rating = &r; err != nil || !(math.Abs(r) < 10_000) {
			return bad("a number between -10000 and 10000")
		}
	case "error":
		if s.Error, err = strconv.ParseFloat(value, 64); err != nil || !(s.Error >= 0 && s.Error < 10_000) {
			return bad("a number from 0 to below 10000")
		}
	default:
		switch {
		case s.Kind == "cmd" && name == "arg":
			s.Args = append(s.Args, value)
		case s.Kind == "cmd" && name == "dir":
			s.Dir = value
		case s.Kind == "run":
			s.Params = append(s.Params, dataset.Tag{Name: name, Value: value})
		default:
			return fmt.Errorf("unknown setting %q", name)
		}
	}
	return nil
}

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
	moves, rest, ok := strings.Cut(s, "/")
	if !ok {
		moves, rest = "0", s
	}
	base, increment, plus := strings.Cut(rest, "+")
	if !plus {
		increment = "0"
	}
	var errs [3]error
	c.Moves, errs[0] = strconv.Atoi(moves)
	c.Base, errs[1] = seconds(base)
	c.Increment, errs[2] = seconds(increment)
	if errors.Join(errs[:]...) != nil || c.Base == 0 || ok && c.Moves < 1 {
		return TimeControl{}, fmt.Errorf("time control %q: give seconds and an increment, such as 60+0.6, or 40/60 "+
			"for 40 moves", s)
	}
	return c, nil
}

// seconds reads a number of seconds up to a day, in whole milliseconds.
func seconds(s string) (time.Duration, error) {
	d, ok := dataset.ParseSeconds(s)
	if !ok || d > 24*time.Hour {
		return 0, errors.New("not a number of seconds")
	}
	return d, nil
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

// Patience is how long a player with these limits is waited for outside of a match: [DefaultPatience], or with a time
// for each move ten seconds more than that.
func (l Limits) Patience() time.Duration {
	if l.MoveTime > 0 {
		return l.MoveTime + 10*time.Second
	}
	return DefaultPatience
}

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
