// Package loop lets a network learn from its own games: it plays, is trained on the games, plays again, and so on.
//
// A [Config], read from a file, gives the flags of the commands that do the work; a [Loop] runs them, one after the
// other, in a folder:
//
//	loop.yaml        the file
//	state.json       the step under way, with a checksum
//	gen-000/run      the first network, unless it lies elsewhere
//	gen-001/games    a dataset: games of the network before
//	gen-001/run      a training on the games of the last generations, from the network before
//
// Every step is a command that resumes, so a loop that is killed anywhere ends with the same bytes. The package
// starts no goroutines.
package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/network/run"
)

// Step is what is done next.
type Step string

// The steps of a generation; generation 0 is made and measured.
const (
	StepStart   Step = "start" // the first network is made
	StepGames   Step = "games"
	StepTrain   Step = "train"
	StepMeasure Step = "measure"
	StepGate    Step = "gate"
	StepDone    Step = "done" // all generations are there
)

// steps are all of them, in their order.
var steps = []Step{StepStart, StepGames, StepTrain, StepMeasure, StepGate, StepDone}

// State says how far a loop is: what state.json keeps.
type State struct {
	Version    int  `json:"version"`
	Generation int  `json:"generation"`
	Step       Step `json:"step"`
	Best       int  `json:"best"` // the generation whose network plays
	// Used are the settings that the steps used, and the content of what they name.
	Used output.Facts `json:"used"`
}

const stateVersion = 1

// Loop runs the commands of a configuration.
type Loop struct {
	Dir  string
	Text []byte // the configuration's file
	// Command runs a command of talbot with --json, without "talbot" before it, to its end, and returns its result.
	Command func(ctx context.Context, args []string) (json.RawMessage, error)
	// Begun, if not nil, is told of each step before it begins.
	Begun func(s State, of int)
	// Ended, if not nil, is told of each generation that is whole.
	Ended func(g Generation)
	// Warn, if not nil, is told what was found wrong and mended.
	Warn     func(err error)
	Existing output.Existing // what to do with a loop in Dir
}

// The files of a loop's folder.
const (
	ConfigName = "loop.yaml"
	PageName   = "index.html"
	StateName  = "state.json"
	lockName   = "loop.lock"
)

// ErrOther says that a folder has a loop of another configuration, or something else.
var ErrOther = fault.New(fault.ExitUsage, "the folder has something else",
	"choose another --out, or use the settings in its loop.yaml")

// damagedFile returns the error for a damaged file that a loop keeps.
func damagedFile(path, remedy string, err error) error {
	return fault.With(fmt.Errorf("%q is damaged: %w", path, err), fault.ExitDamaged, remedy)
}

// Run makes the generations that are not there yet. The errors are those of the commands, [ErrConfig], [ErrOther],
// [durable.ErrLocked], and one with a remedy for a damaged file that the loop keeps. Repeated after any end, it
// continues where it was.
func (l Loop) Run(ctx context.Context) error {
	c, err := Parse(l.Text)
	if err != nil {
		return err
	}
	at, err := l.Existing.Resolve(l.Dir, func(dir string) (output.Found, error) {
		return (&Loop{Dir: dir}).inspect(&c)
	})
	if err == nil {
		l.Dir = output.Target(at)
		err = l.setAside(at)
	}
	if err == nil {
		err = l.advance(ctx, &c)
	}
	if l.Existing != output.Refuse && (err == nil || errors.Is(err, output.ErrDone)) {
		err = errors.Join(err, os.RemoveAll(l.Dir+beforeSuffix))
	}
	return err
}

// beforeSuffix ends the name of a loop that is replaced, until the new one is whole.
const beforeSuffix = ".talbot-before"

// setAside makes room where a loop is to be made beside an existing one: its trainings name each other by their paths,
// so it is made in its own place. Of a second such try the unfinished first one is removed.
func (l *Loop) setAside(at string) error {
	if at == l.Dir {
		return nil
	}
	if _, err := os.Lstat(l.Dir + beforeSuffix); err == nil {
		return os.RemoveAll(l.Dir)
	}
	if err := durable.Rename(l.Dir, l.Dir+beforeSuffix); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(l.Dir))
}

// advance makes the generations in Dir that are not there yet.
func (l *Loop) advance(ctx context.Context, c *Config) error {
	if err := os.MkdirAll(l.Dir, 0o777); err != nil {
		return err
	}
	lock, err := durable.Lock(filepath.Join(l.Dir, lockName))
	if err != nil {
		return fmt.Errorf("%q: %w", l.Dir, err)
	}
	defer lock.Close()
	s, err := l.open(c)
	for err == nil && s.Step != StepDone {
		if err = ctx.Err(); err != nil {
			break
		}
		if l.Begun != nil {
			l.Begun(s, c.Generations)
		}
		accepted, err := l.step(ctx, c, s)
		if err != nil {
			return fmt.Errorf("generation %d, %s: %w", s.Generation, s.Step, err)
		}
		now := s.Generation
		if s = s.next(c, accepted); s.Step == StepDone || s.Generation != now {
			err = l.tell(c, now)
		}
		if err == nil {
			err = s.note(c)
		}
		if err == nil {
			err = l.keep(s)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// tell writes the page once a generation is whole.
func (l *Loop) tell(c *Config, generation int) error {
	history, err := l.history(generation)
	if err != nil {
		return err
	}
	if l.Ended != nil {
		l.Ended(history[len(history)-1])
	}
	return l.writePage(c, history)
}

// open reads how far the loop is, or starts it.
func (l *Loop) open(c *Config) (State, error) {
	s, err := l.read()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		entries, err := os.ReadDir(l.Dir)
		if err != nil {
			return s, err
		}
		for _, e := range entries {
			if name := durable.WithoutTemp(e.Name()); name != lockName && name != StateName && name != ConfigName {
				return s, fmt.Errorf("%q: %w: %q", l.Dir, ErrOther, e.Name())
			}
		}
		s = State{Version: stateVersion, Step: StepStart}
	case err != nil:
		return s, err
	}
	other, err := differences(s, c)
	if err != nil {
		return s, err
	}
	if len(other) > 0 {
		return s, fmt.Errorf("%q: %w: a loop of other settings (%s, %s); only generations, stages to come and what "+
			"was not used yet may change", l.Dir, ErrOther, ConfigName, other[0])
	}
	if s.Step == StepDone && s.Generation < c.Generations {
		s.Generation, s.Step = s.Generation+1, StepGames
	}
	if err := l.keep(s); err != nil {
		return s, err
	}
	return s, durable.WriteFile(filepath.Join(l.Dir, ConfigName), l.Text)
}

// read returns how far the loop in the folder is; [fs.ErrNotExist] without one.
func (l *Loop) read() (s State, err error) {
	path := filepath.Join(l.Dir, ConfigName)
	text, err := durable.ReadFile(path, 1<<20)
	if err != nil {
		return s, err
	}
	c, err := Parse(text)
	if err != nil {
		return s, damagedFile(path, "put back the file with which the loop was started", err)
	}
	return l.state(&c)
}

// state reads how far the loop of a configuration is, from its steps where [StateName] is missing or damaged.
func (l *Loop) state(c *Config) (s State, err error) {
	name := filepath.Join(l.Dir, StateName)
	switch err = durable.ReadSealed(name, 1<<20, stateVersion, &s); {
	case errors.Is(err, durable.ErrVersion):
		return s, fmt.Errorf("%q: %w: %w", name, dataset.ErrVersion, err)
	case err == nil && s.Step != "":
		return s, nil
	case err != nil && !errors.Is(err, durable.ErrChanged):
		return s, fmt.Errorf("%q: %w", name, err)
	}
	if s, err = l.walk(c, c.Generations, true); err != nil {
		return s, err
	}
	if l.Warn != nil {
		next := fmt.Sprintf("generation %d: %s comes next", s.Generation, s.Step)
		if s.Step == StepDone {
			next = "all generations are whole"
		}
		l.Warn(fmt.Errorf("%q is missing or damaged: by what is there, %s", name, next))
	}
	return s, s.note(c)
}

// walk returns the state that follows the steps which are whole, up to the end of a generation. Their notes are asked
// for only if they are to say how far the loop is.
func (l *Loop) walk(c *Config, last int, notes bool) (s State, err error) {
	until := *c
	until.Generations = last
	s = State{Version: stateVersion, Step: StepStart}
	for s.Step != StepDone {
		done, accepted, err := l.whole(c, s, notes)
		if err != nil || !done {
			return s, err
		}
		s = s.next(&until, accepted)
	}
	return s, nil
}

// whole reports whether a step has been done, and its result was kept before the state was.
func (l *Loop) whole(c *Config, s State, notes bool) (done, accepted bool, err error) {
	switch s.Step {
	case StepStart, StepTrain:
		if s.Step == StepStart && c.Start.Has("run") {
			return true, false, nil
		}
		loaded, err := run.Checkpoints(l.Network(s.Generation)).BestOrNewest()
		if err != nil || len(loaded.Damaged) > 0 || s.Step == StepStart {
			return err == nil && len(loaded.Damaged) == 0, false, nil
		}
	case StepGames:
		m, err := dataset.ReadManifest(l.Games(s.Generation))
		if err != nil {
			return false, false, nil
		}
		lost, err := output.Lost(l.Games(s.Generation), m)
		return len(lost) == 0, false, err
	}
	if !notes {
		return true, false, nil
	}
	if _, err := os.Stat(l.resultOf(s.Generation, s.Step)); err != nil {
		return false, false, nil
	}
	var gate GateResult
	if s.Step == StepGate {
		err = l.recorded(s.Generation, s.Step, &gate)
	}
	return true, gate.Accepted, err
}

func (l *Loop) keep(s State) error {
	return durable.WriteSealed(filepath.Join(l.Dir, StateName), s)
}

// next is the step after one, which the gate may have accepted the network at.
func (s State) next(c *Config, accepted bool) State {
	if s.Step == StepTrain && c.Gate == nil || s.Step == StepGate && accepted {
		s.Best = s.Generation
	}
	for _, s.Step = range steps[slices.Index(steps, s.Step)+1:] {
		switch first := s.Generation == 0; {
		case s.Step == StepMeasure && c.Measure != nil, s.Step == StepDone && s.Generation >= c.Generations,
			s.Step == StepGate && c.Gate != nil && !first, s.Step == StepTrain && !first:
			return s
		}
	}
	s.Generation, s.Step = s.Generation+1, StepGames
	return s
}

// Games and Network are the folders of a generation.
func (l *Loop) Games(generation int) string { return l.generation(generation, "games") }

// Network is the run of a generation.
func (l *Loop) Network(generation int) string { return l.generation(generation, "run") }

func (l *Loop) generation(n int, what string) string {
	return filepath.Join(l.Dir, fmt.Sprintf("gen-%03d", n), what)
}

// network is the run of a generation, or the one that the loop began with.
func (l *Loop) network(c *Config, generation int) string {
	if generation == 0 && c.Start.Has("run") {
		return c.Start.Of("run")
	}
	return l.Network(generation)
}

// step does one step, or what is left of it. accepted is what a gate says.
func (l *Loop) step(ctx context.Context, c *Config, s State) (accepted bool, err error) {
	g := s.Generation
	seed := strconv.FormatUint(c.Seed+uint64(g), 10)
	switch s.Step {
	case StepStart:
		if c.Start.Has("run") {
			return false, nil
		}
		// What is there of it was not finished.
		if err := os.RemoveAll(l.Network(0)); err != nil {
			return false, err
		}
		_, err := l.Command(ctx, append([]string{"train", "--init", "--run", l.Network(0), "--seed", seed},
			c.Start.Args()...))
		return false, err
	case StepGames:
		if _, err := dataset.ReadManifest(l.Games(g)); err == nil {
			return false, nil
		}
		games, _ := c.Of(g)
		return false, l.run(ctx, s, append([]string{"selfplay", "--run", l.network(c, s.Best), "--out", l.Games(g),
			"--seed", seed, "--split", c.Split}, games.Args()...))
	case StepTrain:
		return false, l.train(ctx, c, s, seed)
	case StepMeasure:
		return false, l.run(ctx, s, append([]string{"eval", "--run", l.network(c, g)}, c.Measure.Args()...))
	case StepGate:
		return l.gate(ctx, c, s)
	}
	return false, fmt.Errorf("%w: unknown step %q", dataset.ErrDamaged, s.Step)
}

// gate has a network play the one that made its games, and the first one. It is accepted if its score is high enough.
func (l *Loop) gate(ctx context.Context, c *Config, s State) (accepted bool, err error) {
	match := func(other int, name string) (*Match, error) {
		m := &Match{Against: other}
		result, err := l.Command(ctx, append([]string{"match",
			"run:" + l.Network(s.Generation) + ",name=generation " + strconv.Itoa(s.Generation),
			"run:" + l.network(c, other) + ",name=generation " + strconv.Itoa(other),
			"--out", l.generation(s.Generation, name), "--resume"}, c.Gate.Match.Args()...))
		if err == nil {
			err = json.Unmarshal(result, m)
		}
		return m, err
	}
	var r GateResult
	if r.Last, err = match(s.Best, "match"); err != nil {
		return false, err
	}
	r.Accepted = r.Last.Score != nil && *r.Last.Score >= c.Gate.Accept
	switch {
	case s.Best == 0:
		r.First = r.Last
	case c.Gate.First:
		if r.First, err = match(0, "match-first"); err != nil {
			return false, err
		}
	}
	return r.Accepted, l.record(s.Generation, s.Step, r)
}

// run runs the command of a step and keeps its result.
func (l *Loop) run(ctx context.Context, s State, args []string) error {
	result, err := l.Command(ctx, args)
	if err != nil {
		return err
	}
	return l.record(s.Generation, s.Step, result)
}

// train trains the network of a generation. A run plays with its best checkpoint, and the few games of a val split do
// not tell which one that is: so that it is the last one, it is the only one that is validated.
func (l *Loop) train(ctx context.Context, c *Config, s State, seed string) error {
	g := s.Generation
	m, err := dataset.ReadManifest(l.Games(g))
	if err != nil {
		return err
	}
	_, flags := c.Of(g)
	batch, err := strconv.Atoi(flags.Of("batch"))
	if err != nil {
		return err
	}
	steps := max(1, int64(math.Ceil(c.ReplayRatio*float64(m.Counts.Samples)/float64(batch))))
	var data []string
	for k := max(1, g-c.Window+1); k <= g; k++ {
		data = append(data, l.Games(k))
	}
	if !flags.Has("eval-every") {
		flags = append(Flags{{Name: "eval-every", Value: "0"}}, flags...)
	}
	return l.run(ctx, s, append([]string{"train", "--skip-done", "--run", l.Network(g), "--from", l.network(c, g-1),
		"--data", strings.Join(data, ","), "--steps", strconv.FormatInt(steps, 10), "--seed", seed}, flags.Args()...))
}
