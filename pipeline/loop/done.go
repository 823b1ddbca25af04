package loop

import (
	"cmp"
	"fmt"
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
	notes, err := l.notes()
	if err != nil {
		return found, err
	}
	if len(notes) == 0 {
		return found, nil
	}
	found.State, found.Busy = output.Interrupted, durable.Locked(filepath.Join(l.Dir, lockName))
	if found.Differences, err = want.differences(notes); err != nil {
		return found, err
	}
	last := want.next(notes)
	if last.Step == StepDone {
		found.State = output.Done
		lost, err := l.lost(want, last.Generation)
		if err != nil {
			return found, err
		}
		if lost != "" {
			found.Differences = append(found.Differences, output.Difference{Name: lost, Have: "missing or damaged",
				Want: "whole"})
		}
	}
	if last.Generation > want.Generations {
		found.Differences = append(found.Differences, output.Difference{Name: "generations",
			Have: fmt.Sprint(last.Generation), Want: fmt.Sprint(want.Generations)})
	}
	return found, nil
}

// lost names the first dataset or run of the generations up to a last one that is not whole; "" if all are.
func (l *Loop) lost(c *Config, last int) (string, error) {
	for g := range last + 1 {
		name := filepath.Base(l.generation(g, ""))
		if g > 0 {
			m, err := dataset.ReadManifest(l.Games(g))
			if err != nil {
				return name + ", games", nil
			}
			if lost, err := output.Lost(l.Games(g), m); err != nil || len(lost) > 0 {
				return name + ", games", err
			}
		}
		if g > 0 || !c.Start.Has("run") {
			if loaded, err := run.Checkpoints(l.Network(g)).BestOrNewest(); err != nil || len(loaded.Damaged) > 0 {
				return name + ", run", nil
			}
		}
	}
	return "", nil
}

// owns reports whether a name in a loop's folder is one of its files.
func owns(name string) bool {
	return name == ConfigName || name == PageName || name == lockName || strings.HasPrefix(name, "gen-")
}

// contentSuffix ends the name of a fact that is the content of a file, a dataset or a run which a setting names.
const contentSuffix = " (content)"

// differences are the settings that some step which is done used and that are others now. What none has used may
// differ, so that mistakes can be corrected. What a setting names counts by its content, as far as that was noted and
// is still known.
func (c *Config) differences(notes []note) (all []output.Difference, err error) {
	both := func(facts, others output.Facts) (kept output.Facts) {
		for _, f := range facts {
			if !strings.HasSuffix(f.Name, contentSuffix) || others.Has(f.Name) {
				kept = append(kept, f)
			}
		}
		return kept
	}
	for _, n := range notes {
		now, err := c.used(n.Generation, n.Step)
		if err != nil {
			return nil, err
		}
		for _, d := range output.Compare(both(n.Used, now), both(now, n.Used)) {
			if !slices.Contains(all, d) { // each generation says it
				all = append(all, d)
			}
		}
	}
	return all, nil
}

// used returns the settings that a step of a generation uses. The number of generations decides nothing.
func (c *Config) used(generation int, step Step) (all output.Facts, err error) {
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
	games, train := c.Of(generation)
	switch step {
	case StepStart:
		all.Add("seed", "%d", c.Seed)
		add("start", c.Start)
	case StepGames:
		all.Add("split", "%s", c.Split)
		add("games", games)
	case StepTrain:
		all.Add("window", "%d", c.Window)
		all.Add("replay-ratio", "%g", c.ReplayRatio)
		add("train", train)
	case StepMeasure:
		add("measure", c.Measure)
	case StepGate:
		if c.Gate != nil {
			all.Add("gate: accept", "%g", c.Gate.Accept)
			all.Add("gate: first", "%t", c.Gate.First)
			add("gate: match", c.Gate.Match)
		}
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
