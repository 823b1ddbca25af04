package match

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"talbot/stockfish"
)

// Entrant is a player of a match before any game.
type Entrant struct {
	Name string // in tables and PGN; no two of a match have the same
	Text string // how it was named on the command line
	// Identity is all that decides how the player plays, in words that are the same when the match is continued. A
	// player that has changed meanwhile must differ in it.
	Identity string
	Files    Files // that it reads and that Identity says nothing of
	Limits   Limits
	Instant  bool // it does not search, and plays without limits as well
	// Rating is the known rating of the player, nil: none. Error is half of that figure's 95 % interval.
	Rating *float64
	Error  float64
	// New makes a new instance of the player, for one game at a time; seat numbers them from 0, for logs. It is called
	// from several goroutines.
	New func(seat int, log *EngineLog) (Player, error)
}

// Enter makes an entrant of a player that is named on a command line, with limits for one that names none. An engine is
// started once, to learn its name and whether it takes its options. Networks are made by network; nil: there are none.
func Enter(ctx context.Context, s Spec, limits Limits, network func(Spec) (Entrant, error)) (Entrant, error) {
	var e Entrant
	var err error
	switch s.Kind {
	case "random":
		e = Entrant{Name: "random", Identity: "random", Instant: true,
			New: func(int, *EngineLog) (Player, error) { return &Random{}, nil }}
	case "cmd":
		e, err = enterEngine(ctx, s)
	case "run":
		if network == nil {
			return e, fmt.Errorf("player %q: %w", s.Text, ErrNoNetworks)
		}
		e, err = network(s)
	default:
		err = errors.New("not a kind of player")
	}
	if err != nil {
		return e, fmt.Errorf("player %q: %w", s.Text, err)
	}
	e.Text, e.Rating, e.Error, e.Limits = s.Text, s.Rating, s.Error, s.Limits.Or(limits)
	if s.Name != "" {
		e.Name = s.Name
	}
	if s.Kind == "random" && s.Limits == (Limits{}) {
		e.Limits = Limits{} // it draws its moves at once; it needs no clock
	}
	if err := e.Limits.Check(); err != nil && !(e.Instant && e.Limits == (Limits{})) {
		return e, fmt.Errorf("player %q: %w", s.Text, err)
	}
	return e, nil
}

// ErrNoNetworks: a player is a trained network, and the caller cannot play networks.
var ErrNoNetworks = errors.New("trained networks cannot play here")

// enterEngine makes an entrant of a UCI engine.
func enterEngine(ctx context.Context, s Spec) (Entrant, error) {
	path, err := findEngine(s.Path)
	if err != nil {
		return Entrant{}, err
	}
	if info, err := os.Stat(s.Dir); s.Dir != "" && (err != nil || !info.IsDir()) {
		return Entrant{}, fmt.Errorf("dir=%s: no such folder", s.Dir)
	}
	build, err := stockfish.HashFile(path)
	if err != nil {
		return Entrant{}, err
	}
	cfg := EngineConfig{Path: path, Args: s.Args, Dir: s.Dir, Options: s.Options}
	probe := NewEngine(cfg)
	if err := probe.Start(ctx); err != nil {
		return Entrant{}, err
	}
	name, offered := probe.Name(), probe.Offered()
	if err := probe.Close(); err != nil {
		return Entrant{}, err
	}
	files, err := engineFiles(cfg, offered)
	if err != nil {
		return Entrant{}, err
	}
	if name == "" {
		name = filepath.Base(path)
	}
	var id strings.Builder
	fmt.Fprintf(&id, "engine %q build %s args %q dir %q", name, build, s.Args, s.Dir)
	for _, o := range s.Options {
		fmt.Fprintf(&id, " %q=%q", o.Name, o.Value)
	}
	e := Entrant{Name: name, Identity: id.String(), Files: files}
	e.New = func(seat int, log *EngineLog) (Player, error) {
		cfg := cfg
		cfg.Seat, cfg.Log = seat, log
		return NewEngine(cfg), nil
	}
	return e, nil
}

// findEngine returns the absolute path of an engine's executable; "stockfish" is also looked for where distributions
// put it.
func findEngine(name string) (string, error) {
	if name == "stockfish" {
		return stockfish.Find(name)
	}
	found, err := exec.LookPath(name)
	if e, ok := errors.AsType[*exec.Error](err); ok {
		err = e.Err
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if err != nil {
		return "", fmt.Errorf("%q: %w", name, err)
	}
	return filepath.Abs(found)
}

// distinguish gives entrants of the same name numbers.
func distinguish(all []Entrant) {
	taken := map[string]bool{}
	for i := range all {
		name := all[i].Name
		for n := 2; taken[all[i].Name]; n++ {
			all[i].Name = fmt.Sprintf("%s #%d", name, n)
		}
		taken[all[i].Name] = true
	}
}
