package loop

import (
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

// look says what stands in a folder, compared with the loop of a configuration. More generations are no other loop.
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
		case name == ConfigName, name == StateName, name == lockName, strings.HasPrefix(name, "gen-"):
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
	found.Differences = remake.Compare(was.facts(), want.facts())
	var s State
	if err := durable.ReadSealed(filepath.Join(dir, StateName), 1<<16, stateVersion, &s); err != nil {
		return found, fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
	}
	if s.Step == StepDone && s.Generation >= want.Generations {
		found.State = remake.Done
	}
	if s.Generation > want.Generations {
		found.Differences = append(found.Differences, remake.Difference{Name: "generations",
			Have: fmt.Sprint(s.Generation), Want: fmt.Sprint(want.Generations)})
	}
	return found, nil
}

// facts are the settings but the number of generations.
func (c *Config) facts() []remake.Fact {
	all := []remake.Fact{{Name: "window", Value: fmt.Sprint(c.Window)}, {Name: "reuse", Value: fmt.Sprint(c.Reuse)},
		{Name: "seed", Value: fmt.Sprint(c.Seed)}, {Name: "split", Value: c.Split}}
	for _, x := range []struct {
		name  string
		flags Flags
	}{{"start", c.Start}, {"games", c.Games}, {"train", c.Train}} {
		for _, f := range x.flags {
			all = append(all, remake.Fact{Name: x.name + ": " + f.Name, Value: f.Value})
		}
	}
	return all
}
