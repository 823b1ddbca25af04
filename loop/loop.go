package loop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/network/run"
)

// Step is what is done next.
type Step string

// The steps of a generation; generation 0 has the first alone.
const (
	StepStart Step = "start" // the first network is made
	StepGames Step = "games"
	StepTrain Step = "train"
	StepDone  Step = "done" // all generations are there
)

// State says how far a loop is: what state.json keeps.
type State struct {
	Version    int  `json:"version"`
	Generation int  `json:"generation"`
	Step       Step `json:"step"`
}

const stateVersion = 1

// Loop runs the commands of a configuration.
type Loop struct {
	Dir  string
	Text []byte // the configuration's file
	// Command runs a command of talbot, without "talbot" before it, to its end.
	Command func(ctx context.Context, args []string) error
	// Begun, if not nil, is told of each step before it begins.
	Begun func(s State, of int)
}

// The files of a loop's folder.
const (
	ConfigName = "loop.yaml"
	StateName  = "state.json"
	lockName   = "loop.lock"
)

// ErrOther says that a folder has a loop of another configuration, or something else.
var ErrOther = errors.New("the folder has something else")

// Run makes the generations that are not there yet. The errors are those of the commands, [ErrConfig], [ErrOther],
// [durable.ErrLocked] and [dataset.ErrDamaged] where state.json is damaged. Repeated after any end, it goes on where it
// was.
func (l Loop) Run(ctx context.Context) error {
	c, err := Parse(l.Text)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(l.Dir, 0o777); err != nil {
		return err
	}
	lock, err := durable.Lock(filepath.Join(l.Dir, lockName))
	if err != nil {
		return fmt.Errorf("%q: %w", l.Dir, err)
	}
	defer lock.Close()
	s, err := l.open(&c)
	for err == nil && s.Step != StepDone {
		if err = ctx.Err(); err != nil {
			break
		}
		if l.Begun != nil {
			l.Begun(s, c.Generations)
		}
		if err = l.step(ctx, &c, s); err != nil {
			return fmt.Errorf("generation %d, %s: %w", s.Generation, s.Step, err)
		}
		s = s.next(&c)
		err = l.keep(s)
	}
	return err
}

// open reads how far the loop is, or begins it.
func (l *Loop) open(c *Config) (State, error) {
	s := State{Version: stateVersion, Step: StepStart}
	path := filepath.Join(l.Dir, ConfigName)
	text, err := durable.ReadFile(path, 1<<20)
	switch {
	case errors.Is(err, os.ErrNotExist):
		entries, err := os.ReadDir(l.Dir)
		if err != nil {
			return s, err
		}
		for _, e := range entries {
			if e.Name() != lockName && e.Name() != StateName {
				return s, fmt.Errorf("%q: %w: %q", l.Dir, ErrOther, e.Name())
			}
		}
		if err := l.keep(s); err != nil {
			return s, err
		}
		return s, durable.WriteFile(path, l.Text)
	case err != nil:
		return s, err
	}
	was, err := Parse(text)
	if err != nil {
		return s, fmt.Errorf("%q: %w: %w", path, dataset.ErrDamaged, err)
	}
	name := filepath.Join(l.Dir, StateName)
	if _, err = os.Stat(name); err == nil { // without it there is no telling what is whole
		s = State{}
		err = durable.ReadSealed(name, 1<<16, stateVersion, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%q: %w: %w", name, dataset.ErrDamaged, err)
	}
	if !same(was, *c, s.Generation) {
		return s, fmt.Errorf("%q: %w: a loop of other settings (%s); only generations and stages to come may change",
			l.Dir, ErrOther, ConfigName)
	}
	if s.Step == StepDone && s.Generation < c.Generations {
		s = State{Version: stateVersion, Generation: s.Generation + 1, Step: StepGames}
	}
	return s, durable.WriteFile(path, l.Text)
}

// same reports whether two configurations make the same of generations up to a given one.
func same(a, b Config, generation int) bool {
	for g := range generation + 1 {
		gamesA, trainA := a.of(g)
		gamesB, trainB := b.of(g)
		if !slices.Equal(gamesA, gamesB) || !slices.Equal(trainA, trainB) {
			return false
		}
	}
	a.Generations, a.Games, a.Train, a.Stages = b.Generations, b.Games, b.Train, b.Stages
	return reflect.DeepEqual(a, b)
}

func (l *Loop) keep(s State) error {
	return durable.WriteSealed(filepath.Join(l.Dir, StateName), s)
}

// next is the step behind one.
func (s State) next(c *Config) State {
	n := State{Version: stateVersion, Generation: s.Generation, Step: StepTrain}
	if s.Step != StepGames {
		n.Generation, n.Step = s.Generation+1, StepGames
		if s.Generation >= c.Generations {
			n.Generation, n.Step = s.Generation, StepDone
		}
	}
	return n
}

// Games and Network are the folders of a generation.
func (l *Loop) Games(generation int) string { return l.generation(generation, "games") }

// Network is the run of a generation.
func (l *Loop) Network(generation int) string { return l.generation(generation, "run") }

func (l *Loop) generation(n int, what string) string {
	return filepath.Join(l.Dir, fmt.Sprintf("gen-%03d", n), what)
}

// player is the network that plays the games of a generation.
func (l *Loop) player(c *Config, generation int) string {
	if generation == 1 && c.Start.has("run") {
		return c.Start.Of("run")
	}
	return l.Network(generation - 1)
}

// step does one step, or what is left of it.
func (l *Loop) step(ctx context.Context, c *Config, s State) error {
	g := s.Generation
	seed := strconv.FormatUint(c.Seed+uint64(g), 10)
	switch s.Step {
	case StepStart:
		if c.Start.has("run") {
			return nil
		}
		// What is there of it was not finished.
		if err := os.RemoveAll(l.Network(0)); err != nil {
			return err
		}
		return l.Command(ctx, append([]string{"train", "--init", "--run", l.Network(0), "--seed", seed},
			c.Start.args()...))
	case StepGames:
		if _, err := dataset.ReadManifest(l.Games(g)); err == nil {
			return nil
		}
		games, _ := c.of(g)
		return l.Command(ctx, append([]string{"selfplay", "--run", l.player(c, g), "--out", l.Games(g), "--seed", seed,
			"--split", c.Split}, games.args()...))
	case StepTrain:
		return l.train(ctx, c, g, seed)
	}
	return fmt.Errorf("%w: unknown step %q", dataset.ErrDamaged, s.Step)
}

// train trains the network of a generation. A run plays with its best checkpoint, and the few games of a val split do
// not tell which one that is: so that it is the last one, it is the only one that is validated.
func (l *Loop) train(ctx context.Context, c *Config, g int, seed string) error {
	if run.IsRun(l.Network(g)) {
		return l.Command(ctx, []string{"train", "--run", l.Network(g), "--resume"})
	}
	m, err := dataset.ReadManifest(l.Games(g))
	if err != nil {
		return err
	}
	_, flags := c.of(g)
	batch, err := strconv.Atoi(flags.Of("batch"))
	if err != nil {
		return err
	}
	steps := max(1, int64(math.Ceil(c.Reuse*float64(m.Counts.Samples)/float64(batch))))
	var data []string
	for k := max(1, g-c.Window+1); k <= g; k++ {
		data = append(data, l.Games(k))
	}
	if !flags.has("eval-every") {
		flags = append(Flags{{"eval-every", "0"}}, flags...)
	}
	return l.Command(ctx, append([]string{"train", "--run", l.Network(g), "--from", l.player(c, g), "--data",
		strings.Join(data, ","), "--steps", strconv.FormatInt(steps, 10), "--seed", seed}, flags.args()...))
}
