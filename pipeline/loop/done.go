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
	"talbot/network/run"
)

// inspect reports what exists in a folder, compared with the loop of a configuration. More generations are no other
// loop, and neither are other settings of what no step has used yet.
func (l *Loop) inspect(want *Config) (found output.Found, err error) {
	if found.Foreign, err = output.ForeignFiles(l.Dir, owns); err != nil {
		return found, err
	}
	s, err := l.read()
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err != nil {
		return found, err
	}
	found.State, found.Busy = output.Interrupted, durable.Locked(filepath.Join(l.Dir, lockName))
	if found.Differences, err = differences(s, want); err != nil {
		return found, err
	}
	if s.Step == StepDone && s.Generation >= want.Generations {
		found.State = output.Done
		if at, err := l.walk(want, s.Generation, false); err != nil {
			return found, err
		} else if at.Step != StepDone {
			found.Differences = append(found.Differences, output.Difference{
				Name: filepath.Base(l.generation(at.Generation, "")) + ", " + string(at.Step),
				Have: "missing or damaged", Want: "whole"})
		}
	}
	if s.Generation > want.Generations {
		found.Differences = append(found.Differences, output.Difference{Name: "generations",
			Have: fmt.Sprint(s.Generation), Want: fmt.Sprint(want.Generations)})
	}
	return found, nil
}

// owns reports whether a name in a loop's folder is one of its files.
func owns(name string) bool {
	return name == ConfigName || name == StateName || name == PageName || name == lockName ||
		strings.HasPrefix(name, "gen-")
}

// contentSuffix ends the name of a fact that is the content of a file, a dataset or a run which a setting names.
const contentSuffix = " (content)"

// differences are the settings in which a loop that has come that far was another one. What a step that is done has not
// used may differ, so that mistakes can be corrected. What a setting names counts by its content, as far as that was
// noted and is still known.
func differences(s State, want *Config) ([]output.Difference, error) {
	now, err := want.used(s)
	if err != nil {
		return nil, err
	}
	both := func(facts, others output.Facts) (kept output.Facts) {
		for _, f := range facts {
			if !strings.HasSuffix(f.Name, contentSuffix) || others.Has(f.Name) {
				kept = append(kept, f)
			}
		}
		return kept
	}
	return output.Compare(both(s.Used, now), both(now, s.Used)), nil
}

// note adds to what a loop has used what the step before this state used.
func (s *State) note(c *Config) error {
	all, err := c.used(*s)
	if err != nil {
		return err
	}
	before := s.Used
	for _, f := range all {
		if !before.Has(f.Name) {
			s.Used = append(s.Used, f)
		}
	}
	return nil
}

// used returns the settings that the steps before a state used. The number of generations decides nothing.
func (c *Config) used(s State) (all output.Facts, err error) {
	done := func(step Step, generation int) bool {
		return generation < s.Generation || generation == s.Generation &&
			slices.Index(steps, step) < slices.Index(steps, s.Step)
	}
	add := func(part string, flags Flags) {
		for _, f := range flags {
			name := part + ": " + f.Name
			all.Add(name, "%s", cmp.Or(f.Value, `""`))
			content, e := contentOf(f.Value)
			if e != nil {
				err = e
			}
			if content != "" {
				all.Add(name+contentSuffix, "SHA-256 %s", content)
			}
		}
	}
	if done(StepStart, 0) {
		all.Add("seed", "%d", c.Seed)
		add("start", c.Start)
	}
	if done(StepGames, 1) {
		all.Add("split", "%s", c.Split)
		add("games", c.Games)
	}
	if done(StepTrain, 1) {
		all.Add("window", "%d", c.Window)
		all.Add("replay-ratio", "%g", c.ReplayRatio)
		add("train", c.Train)
	}
	for _, stage := range c.Stages {
		if done(StepGames, stage.From) {
			add(fmt.Sprintf("stage from %d: games", stage.From), stage.Games)
		}
		if done(StepTrain, stage.From) {
			add(fmt.Sprintf("stage from %d: train", stage.From), stage.Train)
		}
	}
	if done(StepMeasure, 0) {
		add("measure", c.Measure)
	}
	if g := c.Gate; g != nil && done(StepGate, 1) {
		all.Add("gate: accept", "%g", g.Accept)
		all.Add("gate: first", "%t", g.First)
		add("gate: match", g.Match)
	}
	return all, err
}

// contentOf returns the sums of what a flag's value names: a file, datasets or runs, separated by commas and with or
// without a weight; "" if it names none.
func contentOf(value string) (string, error) {
	var sums []string
	for part := range strings.SplitSeq(value, ",") {
		sum, err := sumOf(part)
		if i := strings.LastIndexByte(part, ':'); sum == "" && err == nil && i > 0 {
			sum, err = sumOf(part[:i])
		}
		if err != nil {
			return "", fmt.Errorf("%q: %w", part, err)
		}
		if sum != "" {
			sums = append(sums, sum)
		}
	}
	return strings.Join(sums, ","), nil
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
