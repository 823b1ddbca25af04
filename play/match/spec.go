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
			return bad("a number")
		}
	case "error":
		if s.Error, err = strconv.ParseFloat(value, 64); err != nil || !(s.Error >= 0 && s.Error < 10_000) {
			return bad("a number from 0")
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
