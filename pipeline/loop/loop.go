// Package loop lets a network learn from its own games: it plays, is trained on the games, plays again, and so on.
//
// A [Config], read from a file, gives the flags of the commands that do the work; a [Loop] runs them, one after the
// other, in a folder:
//
//	loop.yaml          the file
//	gen-000/run        the first network, unless it lies elsewhere
//	gen-001/games      a dataset: games of the network before
//	gen-001/run        a training on the games of the last generations, from the network before
//	gen-001/STEP.json  the note of a step that is done, with a checksum
//
// The notes say how far a loop is. Every step is a command that resumes, so a loop that is killed anywhere ends with
// the same bytes. The package starts no goroutines.
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
	"strconv"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/internal/output"
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
	StepDone    Step = "done" // all generations are whole
)

// steps are all that leave a note, in their order.
var steps = []Step{StepStart, StepGames, StepTrain, StepMeasure, StepGate}

// Loop runs the commands of a configuration.
type Loop struct {
	Dir  string
	Text []byte // the configuration's file
	// Command runs a command of talbot with --json, without "talbot" before it, to its end, and returns its result.
	Command func(ctx context.Context, args []string) (json.RawMessage, error)
	// Begun, if not nil, is told of each step before it begins.
	Begun func(generation int, step Step)
	// Ended, if not nil, is told of each generation that is whole.
	Ended    func(g Generation)
	Existing output.Existing // what to do with a loop in Dir
}

// The files of a loop's folder.
const (
	ConfigName = "loop.yaml"
	PageName   = "index.html"
	lockName   = "loop.lock"
)

// ErrOther says that a folder has a loop of another configuration, or something else.
var ErrOther = fault.New(fault.ExitUsage, "the folder has something else",
	"choose another --out, or use the settings in its loop.yaml")

// Run makes the generations that are not there yet. The errors are those of the commands, [ErrConfig], [ErrOther],
// [durable.ErrLocked], and one with a remedy for a damaged note. Repeated after any end, it continues where it was.
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
	notes, err := l.open(c)
	if err != nil {
		return err
	}
	for n := c.next(notes); n.Step != StepDone; n = c.next(notes) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.Begun != nil {
			l.Begun(n.Generation, n.Step)
		}
		err := l.step(ctx, c, &n)
		if err == nil {
			n.Used, err = c.used(n.Generation, n.Step)
		}
		if err != nil {
			return fmt.Errorf("generation %d, %s: %w", n.Generation, n.Step, err)
		}
		notes = append(notes, n)
		if now := c.next(notes); now.Step == StepDone || now.Generation != n.Generation {
			err = l.tell(c, notes)
		}
		if err == nil {
			err = l.write(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tell writes the page once a generation is whole.
func (l *Loop) tell(c *Config, notes []note) error {
	history, err := l.history(notes)
	if err != nil {
		return err
	}
	if l.Ended != nil {
		l.Ended(history[len(history)-1])
	}
	return l.writePage(c, history)
}

// open reads the notes of a loop, or starts one in a folder that has nothing else.
func (l *Loop) open(c *Config) ([]note, error) {
	notes, err := l.notes()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(l.Dir, ConfigName)); errors.Is(err, fs.ErrNotExist) {
		other, err := output.ForeignFiles(l.Dir, func(name string) bool {
			return name == lockName || name == ConfigName
		})
		if err != nil {
			return nil, err
		}
		if len(other) > 0 {
			return nil, fmt.Errorf("%q: %w: %q", l.Dir, ErrOther, other[0])
		}
	}
	other, err := c.differences(notes)
	if err != nil {
		return nil, err
	}
	if len(other) > 0 {
		return nil, fmt.Errorf("%q: %w: a loop of other settings (%s, %s); only generations, stages to come and what "+
			"was not used yet may change", l.Dir, ErrOther, ConfigName, other[0])
	}
	return notes, durable.WriteFile(filepath.Join(l.Dir, ConfigName), l.Text)
}

// next returns the note of the next step, without a result: the first step that has none in the last generation that
// has notes, or else the first one of the generation after it. A network that plays already needs no gate.
func (c *Config) next(notes []note) (n note) {
	done := map[Step]bool{}
	if len(notes) > 0 {
		last := notes[len(notes)-1]
		n.Generation, n.Best = last.Generation, last.Best
	}
	for _, x := range notes {
		if x.Generation == n.Generation {
			done[x.Step] = true
		}
	}
	for _, n.Step = range c.steps(n.Generation) {
		if !done[n.Step] && !(n.Step == StepGate && n.Best == n.Generation) {
			return n
		}
	}
	if n.Generation >= c.Generations {
		n.Step = StepDone
		return n
	}
	n.Generation, n.Step = n.Generation+1, StepGames
	return n
}

// steps are those of a generation, in their order.
func (c *Config) steps(generation int) []Step {
	list := []Step{StepGames, StepTrain}
	if generation == 0 {
		list = []Step{StepStart}
	}
	if c.Measure != nil {
		list = append(list, StepMeasure)
	}
	if c.Gate != nil && generation > 0 {
		list = append(list, StepGate)
	}
	return list
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

// step does one step, or what is left of it, and notes its result and whose network plays the next games.
func (l *Loop) step(ctx context.Context, c *Config, n *note) (err error) {
	g := n.Generation
	seed := strconv.FormatUint(c.Seed+uint64(g), 10)
	games, training := c.Of(g)
	switch n.Step {
	case StepStart:
		if c.Start.Has("run") {
			return nil
		}
		// What is there of it was not finished.
		if err := os.RemoveAll(l.Network(0)); err != nil {
			return err
		}
		n.Result, err = l.Command(ctx, append([]string{"train", "--init", "--run", l.Network(0), "--seed", seed},
			c.Start.Args()...))
	case StepGames:
		if _, err := dataset.ReadManifest(l.Games(g)); err == nil {
			return nil
		}
		n.Result, err = l.Command(ctx, append([]string{"selfplay", "--run", l.network(c, n.Best), "--out", l.Games(g),
			"--seed", seed, "--split", c.Split}, games.Args()...))
	case StepTrain:
		n.Result, err = l.train(ctx, c, g, seed, training)
		if c.Gate == nil {
			n.Best = g
		}
	case StepMeasure:
		n.Result, err = l.Command(ctx, append([]string{"eval", "--run", l.network(c, g)}, c.Measure.Args()...))
	case StepGate:
		var r GateResult
		if r, err = l.gate(ctx, c, g, n.Best); err != nil {
			return err
		}
		if r.Accepted {
			n.Best = g
		}
		n.Result, err = json.Marshal(r)
	}
	return err
}

// gate has the network of a generation play the best one before it, and the first one. It is accepted if its score is
// high enough.
func (l *Loop) gate(ctx context.Context, c *Config, g, best int) (r GateResult, err error) {
	match := func(other int, name string) (*Match, error) {
		m := &Match{Against: other}
		result, err := l.Command(ctx, append([]string{"match",
			"run:" + l.Network(g) + ",name=generation " + strconv.Itoa(g),
			"run:" + l.network(c, other) + ",name=generation " + strconv.Itoa(other),
			"--out", l.generation(g, name), "--resume"}, c.Gate.Match.Args()...))
		if err == nil {
			err = json.Unmarshal(result, m)
		}
		return m, err
	}
	if r.Last, err = match(best, "match"); err != nil {
		return r, err
	}
	r.Accepted = r.Last.Score != nil && *r.Last.Score >= c.Gate.Accept
	switch {
	case best == 0:
		r.First = r.Last
	case c.Gate.First:
		r.First, err = match(0, "match-first")
	}
	return r, err
}

// train trains the network of a generation. A run plays with its best checkpoint, and the few games of a val split do
// not tell which one that is: so that it is the last one, it is the only one that is validated.
func (l *Loop) train(ctx context.Context, c *Config, g int, seed string, flags Flags) (json.RawMessage, error) {
	m, err := dataset.ReadManifest(l.Games(g))
	if err != nil {
		return nil, err
	}
	batch, err := strconv.Atoi(flags.Of("batch"))
	if err != nil {
		return nil, err
	}
	steps := max(1, int64(math.Ceil(c.ReplayRatio*float64(m.Counts.Samples)/float64(batch))))
	var data []string
	for k := max(1, g-c.Window+1); k <= g; k++ {
		data = append(data, l.Games(k))
	}
	if !flags.Has("eval-every") {
		flags = append(Flags{{Name: "eval-every", Value: "0"}}, flags...)
	}
	return l.Command(ctx, append([]string{"train", "--skip-done", "--run", l.Network(g), "--from", l.network(c, g-1),
		"--data", strings.Join(data, ","), "--steps", strconv.FormatInt(steps, 10), "--seed", seed}, flags.Args()...))
}
