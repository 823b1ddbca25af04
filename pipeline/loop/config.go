package loop

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"talbot/dataset"

	"go.yaml.in/yaml/v3"
)

// ErrConfig says that a configuration is invalid.
var ErrConfig = errors.New("cannot be followed")

// Config is the configuration of a loop, as its file has it.
type Config struct {
	Generations int     `yaml:"generations"`  // to be made; more may be asked for later
	Window      int     `yaml:"window"`       // generations of games that a network is trained on
	ReplayRatio float64 `yaml:"replay-ratio"` // samples trained for each sample that was played
	Seed        uint64  `yaml:"seed"`         // of everything
	Split       string  `yaml:"split"`        // percentages of games, as of selfplay --split

	Start Flags `yaml:"start"` // of train --init; or run alone: the network to begin with
	Games Flags `yaml:"games"` // of selfplay
	Train Flags `yaml:"train"` // of train

	Stages []Stage `yaml:"stages"` // changes to these flags, in the order of generations

	Measure Flags `yaml:"measure"` // of eval, which measures each network; without them nothing does
	Gate    *Gate `yaml:"gate"`    // nil: each network plays the next games
}

// Gate lets a network play the next games only if it is good enough in a match with the one that played the last.
type Gate struct {
	Accept float64 `yaml:"accept"` // the least score, in points a game
	First  bool    `yaml:"first"`  // it also plays a match with the first network, which decides nothing
	Match  Flags   `yaml:"match"`  // of match
}

// Stage changes flags from a generation on: those that it names take the place of the ones before.
type Stage struct {
	From  int   `yaml:"from"` // generation, from 2
	Games Flags `yaml:"games"`
	Train Flags `yaml:"train"`
}

// Of returns the flags of the games and of the training of a generation.
func (c *Config) Of(generation int) (games, train Flags) {
	games, train = c.Games, c.Train
	for _, s := range c.Stages {
		if s.From <= generation {
			games, train = games.with(s.Games), train.with(s.Train)
		}
	}
	return games, train
}

// Flags are the flags of a command with their values, read from a mapping: a list repeats its flag.
type Flags []dataset.Tag

// UnmarshalYAML reads a mapping of scalars and lists of them.
func (f *Flags) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: flags with their values are expected, such as nodes: 16", node.Line)
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		list := []*yaml.Node{value}
		if value.Kind == yaml.SequenceNode {
			list = value.Content
		}
		if f.Has(name.Value) {
			return fmt.Errorf("line %d: %s appears twice", name.Line, name.Value)
		}
		for _, v := range list {
			if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
				return fmt.Errorf("line %d: %s needs a value or a list of values", v.Line, name.Value)
			}
			*f = append(*f, dataset.Tag{Name: name.Value, Value: v.Value})
		}
	}
	return nil
}

// Has reports whether a flag is given.
func (f Flags) Has(name string) bool {
	return slices.ContainsFunc(f, func(x dataset.Tag) bool { return x.Name == name })
}

// without refuses flags that the loop sets itself.
func (f Flags) without(part string, own []string) error {
	for _, x := range f {
		if slices.Contains(own, x.Name) {
			return fmt.Errorf("%s: the loop sets --%s itself", part, x.Name)
		}
	}
	return nil
}

// with returns the flags with others in place of those of the same name.
func (f Flags) with(others Flags) Flags {
	if len(others) == 0 {
		return f
	}
	kept := slices.DeleteFunc(slices.Clone(f), func(x dataset.Tag) bool { return others.Has(x.Name) })
	return append(kept, others...)
}

// Of returns the value of a flag; "" without it.
func (f Flags) Of(name string) string {
	for _, x := range f {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// Args returns the flags as arguments of a command line.
func (f Flags) Args() (list []string) {
	for _, x := range f {
		list = append(list, "--"+x.Name+"="+x.Value)
	}
	return list
}

// The flags that a loop sets itself.
var (
	ownOfGames = []string{"run", "out", "seed", "split", "part", "json", "strict", "skip-done", "replace"}
	ownOfEval  = []string{"run", "json", "report"}
	ownOfMatch = []string{"out", "json", "resume", "gauntlet", "skip-done", "replace"}
	ownOfTrain = []string{"data", "run", "out", "seed", "from", "after", "resume", "init", "steps", "until", "json",
		"skip-done", "replace"}
)

// Parse reads a file of YAML without unknown names. Errors are [ErrConfig], with the line where YAML reports one.
func Parse(text []byte) (Config, error) {
	c := Config{Window: 4, ReplayRatio: 4, Split: "98,1,1"}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	err := d.Decode(&c)
	if err == nil {
		if more := d.Decode(new(yaml.Node)); more != io.EOF {
			err = errors.New("there is a second document")
		}
	} else if err == io.EOF {
		err = errors.New("it is empty")
	}
	var tree yaml.Node
	if err == nil {
		err = cmp.Or(yaml.Unmarshal(text, &tree), wholeNumbers(&tree))
	}
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrConfig, inWords(err))
	}
	return c, nil
}

// goType finds what the decoder says of a value of the wrong type, and of a name that is not known.
var goType = regexp.MustCompile("cannot unmarshal !!\\w+ (?:(`.*`) )?into (\\S+)|field (\\S+) not found in type \\S+")

// inWords says what the decoder says without the names of types in Go.
func inWords(err error) error {
	wrong, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return err
	}
	var all []string
	for _, said := range wrong.Errors {
		all = append(all, goType.ReplaceAllStringFunc(said, func(said string) string {
			m := goType.FindStringSubmatch(said)
			if m[3] != "" {
				return "unknown name " + m[3]
			}
			form, ok := map[string]string{"int": "a whole number", "uint64": "a whole number above or equal to 0",
				"float64": "a number", "bool": "true or false", "[]loop.Stage": "a list of stages"}[m[2]]
			if !ok {
				form = "a mapping, such as {name: value}"
			}
			if m[1] == "" {
				return form + " is expected"
			}
			return m[1] + " is not " + form
		}))
	}
	return errors.New(strings.Join(all, "; "))
}

// wholeNumbers refuses fractions, which the decoder would cut to whole numbers.
func wholeNumbers(n *yaml.Node) error {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && child.Tag == "!!float" &&
			slices.Contains([]string{"generations", "window", "seed", "from"}, n.Content[i-1].Value) {
			return fmt.Errorf("line %d: %s must be a whole number: %s", child.Line, n.Content[i-1].Value, child.Value)
		}
		if err := wholeNumbers(child); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) check() error {
	switch {
	case c.Generations < 1 || c.Generations > 999:
		return fmt.Errorf("generations must be from 1 to 999: %d", c.Generations)
	case c.Window < 1:
		return fmt.Errorf("window must be at least 1: %d", c.Window)
	case !(c.ReplayRatio > 0 && c.ReplayRatio <= 1000):
		return fmt.Errorf("replay-ratio must be above 0 and at most 1000: %v", c.ReplayRatio)
	case len(c.Start) == 0:
		return errors.New("start is missing: flags of talbot train --init, or run: NETWORK")
	case c.Start.Has("run") && len(c.Start) > 1:
		return errors.New("start: run, the network to begin with, takes no other flags")
	case !c.Games.Has("games"):
		return errors.New("games: the number of games of a generation is missing, such as games: 400")
	}
	if err := c.checkStages(); err != nil {
		return err
	}
	if c.Measure != nil && !c.Measure.Has("data") {
		return errors.New("measure: data is missing, the datasets to measure the networks with")
	}
	if err := c.Measure.without("measure", ownOfEval); err != nil {
		return err
	}
	if g := c.Gate; g != nil {
		if !(g.Accept > 0 && g.Accept <= 1) {
			return fmt.Errorf("gate: accept must be a score above 0 and at most 1, such as 0.55: %v", g.Accept)
		}
		if err := g.Match.without("gate", ownOfMatch); err != nil {
			return err
		}
	}
	if c.Start.Has("run") { // alone
		return nil
	}
	return c.Start.without("start", ownOfTrain)
}

// checkStages checks the flags of games and trainings.
func (c *Config) checkStages() error {
	last := 1
	for i, s := range append([]Stage{{From: 1, Games: c.Games, Train: c.Train}}, c.Stages...) {
		if i > 0 && s.From <= last {
			return fmt.Errorf("stages: from must be a generation after %d: %d", last, s.From)
		}
		last = s.From
		_, train := c.Of(s.From)
		if n, err := strconv.Atoi(train.Of("batch")); err != nil || n < 1 {
			return fmt.Errorf("train: batch must be a number above 0, such as batch: 128: %q", train.Of("batch"))
		}
		if err := cmp.Or(s.Games.without("games", ownOfGames), s.Train.without("train", ownOfTrain)); err != nil {
			return err
		}
	}
	return nil
}
