package loop

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/internal/remake"
)

// look says what stands in a folder, compared with the loop of a configuration. More generations are no other loop, and
// neither are other stages of those to come.
func look(dir string, want *Config) (found remake.Found, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	for _, e := range entries {
		switch name := strings.TrimSuffix(e.Name(), durable.TempSuffix); {
		case name == ConfigName, name == StateName, name == PageName, name == lockName, strings.HasPrefix(name, "gen-"):
		default:
			found.Strangers = append(found.Strangers, name)
		}
	}
	path := filepath.Join(dir, ConfigName)
	text, err := durable.ReadFile(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	was, err := Parse(text)
	if err != nil {
		return found, fmt.Errorf("%q: %w: %w", path, dataset.ErrDamaged, err)
	}
	found.State, found.Busy = remake.Interrupted, durable.Locked(filepath.Join(dir, lockName))
	var s State
	if err := durable.ReadSealed(filepath.Join(dir, StateName), 1<<16, stateVersion, &s); err != nil {
		return found, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	}
	found.Differences = remake.Compare(was.facts(s.Generation), want.facts(s.Generation))
	if s.Step == StepDone && s.Generation >= want.Generations {
		found.State = remake.Done
	}
	if s.Generation > want.Generations {
		found.Differences = append(found.Differences, remake.Difference{Name: "generations",
			Have: fmt.Sprint(s.Generation), Want: fmt.Sprint(want.Generations)})
	}
	return found, nil
}

// facts are the settings that decide the generations up to a given one: all but the number of generations and the
// stages to come.
func (c *Config) facts(generation int) []remake.Fact {
	all := []remake.Fact{{Name: "window", Value: fmt.Sprint(c.Window)}, {Name: "reuse", Value: fmt.Sprint(c.Reuse)},
		{Name: "seed", Value: fmt.Sprint(c.Seed)}, {Name: "split", Value: c.Split}}
	add := func(name string, flags Flags) {
		for _, f := range flags {
			all = append(all, remake.Fact{Name: name + ": " + f.Name, Value: cmp.Or(f.Value, `""`)})
		}
	}
	add("start", c.Start)
	add("games", c.Games)
	add("train", c.Train)
	for _, s := range c.Stages {
		if s.From <= generation {
			add(fmt.Sprintf("stage from %d: games", s.From), s.Games)
			add(fmt.Sprintf("stage from %d: train", s.From), s.Train)
		}
	}
	add("measure", c.Measure)
	if g := c.Gate; g != nil {
		all = append(all, remake.Fact{Name: "gate: accept", Value: fmt.Sprint(g.Accept)},
			remake.Fact{Name: "gate: first", Value: fmt.Sprint(g.First)})
		add("gate: match", g.Match)
	}
	return all
}
