package loop

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/dataset"
	"talbot/internal/cache"
	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// inspect reports what exists in a folder, compared with the loop of a configuration. More generations are no other loop, and
// neither are other stages of those to come.
func inspect(dir string, want *Config) (found output.Found, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	for _, e := range entries {
		switch name := durable.WithoutTemp(e.Name()); {
		case name == ConfigName, name == StateName, name == PageName, name == lockName, strings.HasPrefix(name, "gen-"):
		default:
			found.Foreign = append(found.Foreign, name)
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
		return found, damagedConfig(path, err)
	}
	found.State, found.Busy = output.Interrupted, durable.Locked(filepath.Join(dir, lockName))
	l := Loop{Dir: dir}
	s, err := l.state(&was)
	if err != nil {
		return found, err
	}
	now, err := want.inputs()
	if err != nil {
		return found, err
	}
	found.Differences = l.differences(&was, want, s, now)
	if s.Step == StepDone && s.Generation >= want.Generations {
		found.State = output.Done
		lost, err := l.lost(want, s.Generation)
		if err != nil {
			return found, err
		}
		found.Differences = append(found.Differences, lost...)
	}
	if s.Generation > want.Generations {
		found.Differences = append(found.Differences, output.Difference{Name: "generations",
			Have: fmt.Sprint(s.Generation), Want: fmt.Sprint(want.Generations)})
	}
	return found, nil
}

// lost says what is no longer there of the generations up to a given one: shards that are missing or have another size,
// networks that cannot be read.
func (l *Loop) lost(c *Config, last int) (list []output.Difference, err error) {
	name := func(path string) string {
		if rel, err := filepath.Rel(l.Dir, path); err == nil {
			return rel
		}
		return path
	}
	for g := range last + 1 {
		if g > 0 || !c.Start.Has("run") {
			switch loaded, err := run.Checkpoints(l.Network(g)).BestOrNewest(); {
			case err == nil && len(loaded.Damaged) == 0:
			case err == nil, errors.Is(err, checkpoint.ErrNone), errors.Is(err, checkpoint.ErrDamaged):
				list = append(list, output.Difference{Name: name(l.Network(g)), Have: "missing or damaged",
					Want: "a network"})
			default:
				return nil, err
			}
		}
		if g == 0 {
			continue
		}
		m, err := dataset.ReadManifest(l.Games(g))
		if errors.Is(err, dataset.ErrNoDataset) || errors.Is(err, dataset.ErrDamaged) {
			list = append(list, output.Difference{Name: name(l.Games(g)), Have: "missing or damaged",
				Want: "a dataset"})
			continue
		}
		if err != nil {
			return nil, err
		}
		lost, err := output.Lost(l.Games(g), m)
		if err != nil {
			return nil, err
		}
		for _, d := range lost {
			d.Name = name(filepath.Join(l.Games(g), d.Name))
			list = append(list, d)
		}
	}
	return list, nil
}

// differences are the settings in which a loop that has come that far was another one. What no step has used yet, such
// as the flags of the match before there was one, may differ: so what is wrong there can be corrected. now are the
// inputs of the one that is wanted.
func (l *Loop) differences(was, want *Config, s State, now map[string]string) []output.Difference {
	used := func(part string, generation int) bool {
		if s.Generation != generation {
			return s.Generation > generation
		}
		_, err := os.Stat(l.generation(generation, part))
		return err == nil
	}
	before, after := map[string]string{}, map[string]string{}
	for value, sum := range now { // what is gone, or was not noted, is as it was
		if had, ok := s.Inputs[value]; ok {
			before[value], after[value] = had, sum
		}
	}
	return output.Compare(was.facts(used, before), want.facts(used, after))
}

// inputs returns the sums of what the flags' values name.
func (c *Config) inputs() (map[string]string, error) {
	all := []Flags{c.Start, c.Games, c.Train, c.Measure}
	for _, s := range c.Stages {
		all = append(all, s.Games, s.Train)
	}
	if c.Gate != nil {
		all = append(all, c.Gate.Match)
	}
	sums := map[string]string{}
	for _, f := range slices.Concat(all...) {
		var parts []string
		for part := range strings.SplitSeq(f.Value, ",") { // as datasets are named, with or without a weight
			sum, err := sumOf(part)
			if i := strings.LastIndexByte(part, ':'); sum == "" && err == nil && i > 0 {
				sum, err = sumOf(part[:i])
			}
			if err != nil {
				return nil, fmt.Errorf("%q: %w", part, err)
			}
			if sum != "" {
				parts = append(parts, sum)
			}
		}
		if len(parts) > 0 {
			sums[f.Value] = strings.Join(parts, ", ")
		}
	}
	return sums, nil
}

// sumOf returns the beginning of the SHA-256 of a file, a dataset's manifest or a run's network; "" for all else.
func sumOf(path string) (sum string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", nil
	}
	if info.IsDir() {
		if m, err := dataset.ReadManifest(path); err == nil {
			return m.Hash()[:12], nil
		}
		loaded, err := run.Checkpoints(path).BestOrNewest()
		if err != nil {
			return "", nil
		}
		path = loaded.Path
	}
	_, sum, err = cache.User().FileSum(path)
	if err != nil {
		return "", err
	}
	return sum[:12], nil
}

// facts are the settings that decide what was made: used says whether there is such a part of a generation. The number
// of generations decides nothing. sums are those of inputs.
func (c *Config) facts(used func(part string, generation int) bool, sums map[string]string) []output.Fact {
	var all []output.Fact
	add := func(name string, flags Flags) {
		for _, f := range flags {
			value := cmp.Or(f.Value, `""`)
			if sum := sums[f.Value]; sum != "" {
				value += " (SHA-256 " + sum + ")"
			}
			all = append(all, output.Fact{Name: name + ": " + f.Name, Value: value})
		}
	}
	all = append(all, output.Fact{Name: "seed", Value: fmt.Sprint(c.Seed)})
	games, train := used("games", 1), used("run", 1)
	if games || used("run", 0) || used("measure.json", 0) {
		add("start", c.Start)
	}
	if games {
		all = append(all, output.Fact{Name: "split", Value: c.Split})
		add("games", c.Games)
	}
	if train {
		all = append(all, output.Fact{Name: "window", Value: fmt.Sprint(c.Window)},
			output.Fact{Name: "reuse", Value: fmt.Sprint(c.Reuse)})
		add("train", c.Train)
	}
	for _, s := range c.Stages {
		if used("games", s.From) {
			add(fmt.Sprintf("stage from %d: games", s.From), s.Games)
		}
		if used("run", s.From) {
			add(fmt.Sprintf("stage from %d: train", s.From), s.Train)
		}
	}
	if games || used("measure.json", 0) {
		add("measure", c.Measure)
	}
	if g := c.Gate; g != nil && (used("match", 1) || used("gate.json", 1)) {
		all = append(all, output.Fact{Name: "gate: accept", Value: fmt.Sprint(g.Accept)},
			output.Fact{Name: "gate: first", Value: fmt.Sprint(g.First)})
		add("gate: match", g.Match)
	}
	return all
}
