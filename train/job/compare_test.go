package job

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train/loader"
)

// runOfSeed trains a tiny network.
func runOfSeed(t *testing.T, seed int64, steps int64, recipe string, data loader.Spec) string {
	t.Helper()
	job := tiny(t, data)
	job.Steps, job.Recipe = steps, recipe
	job.Adjust = func(c *run.Config) error {
		c.Batch, c.Seed = 16, seed
		small(c, 1)
		return nil
	}
	mustTrain(t, job)
	return job.Dir
}

// compare compares runs on the go backend and returns the warnings too.
func compare(t *testing.T, data loader.Spec, c Compare) (*Compared, []string) {
	t.Helper()
	var warnings []string
	c.Measure = on("test", data)
	c.Warn = collect(&warnings)
	found, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found, warnings
}

func differs(c *Compared) (names []string) {
	for _, d := range c.Differing {
		names = append(names, d.Name)
	}
	return names
}

func TestCompareRuns(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 300})
	a, b := runOfSeed(t, 1, 2, "", games), runOfSeed(t, 2, 3, "", games)
	page := filepath.Join(t.TempDir(), "page.html")
	found, warnings := compare(t, games, Compare{Settings: [][]string{{a}, {b}}, Page: page})
	if len(warnings)+len(found.Unknown)+len(found.Notes) > 0 || found.Unseen == nil {
		t.Errorf("%q, %+v", warnings, found)
	}
	// the figures and intervals of an evaluation
	for i, dir := range []string{a, b} {
		alone := mustEval(t, Eval{Dir: dir, Measure: on("test", games)})
		for _, m := range found.Shown() {
			x, y := found.Runs[i].Figures.Of(m.Name), alone.Report.Figures.Of(m.Name)
			u, v := found.Runs[i].Unseen.Of(m.Name), alone.Unseen.Of(m.Name)
			if *x != *y || (u == nil) != (v == nil) || u != nil && *u != *v {
				t.Errorf("%s of %s: %g, alone %g", m.Name, dir, *x, *y)
			}
			p, q := found.Runs[i].Intervals[m.Name], alone.Intervals[m.Name]
			if math.Abs(p[0]-q[0])+math.Abs(p[1]-q[1]) > 1e-9 {
				t.Errorf("%s of %s: %v, alone %v", m.Name, dir, p, q)
			}
		}
	}
	names := differs(found)
	if !slices.Contains(names, "steps") || !slices.Contains(names, "seed") || slices.Contains(names, "recipe") ||
		slices.Contains(names, "data") {
		t.Errorf("%q differ", names)
	}
	text, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(text), "talbot comparison") {
		t.Errorf("%v", err)
	}

	// a checkpoint of a run is that network, and its folder tells what it was trained on
	same, warnings := compare(t, games, Compare{Settings: [][]string{{a}, {found.Runs[0].Checkpoint}}})
	if len(warnings) > 0 || len(same.Differing) > 0 {
		t.Errorf("%q, %+v", warnings, same.Differing)
	}
	for _, d := range same.Differences {
		if d.Difference != 0 || d.Verdict == evaluate.Better || d.Verdict == evaluate.Worse {
			t.Errorf("against itself: %+v", d)
		}
	}
	for _, d := range same.On("all", 1) {
		if d.Interval == nil && d.Measure != "mate_in_one" {
			t.Errorf("no interval: %+v", d)
		}
	}

	// several seeds
	c, d := runOfSeed(t, 3, 2, "", games), runOfSeed(t, 4, 3, "", games)
	many, warnings := compare(t, games, Compare{Settings: [][]string{{a, c}, {b, d}}})
	if len(warnings) > 0 {
		t.Errorf("%q", warnings)
	}
	for _, d := range many.Differences {
		if (d.Seeds == nil) != (d.Interval == nil) || d.Seeds != nil && (d.Seeds.Interval[0] > d.Interval[0] ||
			d.Seeds.Interval[1] < d.Interval[1]) {
			t.Errorf("%+v, %+v", d, d.Seeds)
		}
	}
	mixed, warnings := compare(t, games, Compare{Settings: [][]string{{a, b}, {d}}})
	if len(warnings) != 1 || !strings.Contains(warnings[0], "differ in more than their seeds: ") ||
		!slices.Equal(mixed.Notes, warnings) || mixed.Differences[0].Seeds != nil {
		t.Errorf("%q, %+v", warnings, mixed.Differences[0])
	}
	twice := Compare{Settings: [][]string{{a, a}, {b}}, Measure: on("test", games)}
	if _, err := twice.Run(t.Context()); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "same network") {
		t.Errorf("%v", err)
	}
}

// What is unseen is unseen to all: a run that learned what the others are tested on takes it away, wherever its data
// is split; where its data is gone, that is said.
func TestUnseenToAll(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 300})
	other := write(t, traindata.Dataset{Seed: 1, Games: 300, Splits: dataset.Splits{Train: 10, Val: 80, Test: 10}})
	a := runOfSeed(t, 1, 2, "", games)
	b := runOfSeed(t, 1, 2, "", other)
	alone, _ := compare(t, games, Compare{Settings: [][]string{{a}, {a}}})
	both, warnings := compare(t, games, Compare{Settings: [][]string{{a}, {b}}})
	if *both.Unseen > *alone.Unseen || both.Samples != alone.Samples {
		t.Errorf("%d unseen of %d, alone %d", *both.Unseen, both.Samples, *alone.Unseen)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "split 10,80,10") || len(both.Notes) != 1 {
		t.Errorf("%q", warnings)
	}
	tuned := tiny(t, games)
	tuned.From, tuned.Steps = b, 2
	mustTrain(t, tuned)
	after, _ := compare(t, games, Compare{Settings: [][]string{{a}, {tuned.Dir}}})
	if *after.Unseen != *both.Unseen {
		t.Errorf("%d are unseen to a run that went on from another, %d to that", *after.Unseen, *both.Unseen)
	}
	warnings = nil
	e := Eval{Dir: tuned.Dir, Measure: on("test", games)}
	e.Warn = collect(&warnings)
	evaluated := mustEval(t, e)
	if n := evaluated.Unseen.Count("samples"); n != *after.Unseen || len(warnings) != 1 ||
		!strings.Contains(warnings[0], "split 10,80,10") {
		t.Errorf("eval has %d unseen positions, compare %d; %q", n, *after.Unseen, warnings)
	}
	if err := os.Rename(other.Dir, other.Dir+"-gone"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{b, tuned.Dir} {
		gone, warnings := compare(t, games, Compare{Settings: [][]string{{a}, {dir}}})
		if len(warnings) == 0 || !strings.Contains(warnings[0], "no longer in") || len(gone.Unknown) != 1 ||
			!strings.HasPrefix(gone.UnseenTo(), "unseen to "+gone.Runs[0].Name) {
			t.Errorf("%q, %+v, %s", warnings, gone.Unknown, gone.UnseenTo())
		}
	}
	none, _ := compare(t, games, Compare{Settings: [][]string{{b}, {"net:"}}})
	if none.Unseen != nil || len(none.Unknown) != 2 || len(none.On("unseen", 1)) > 0 || len(none.On("all", 1)) == 0 {
		t.Errorf("%+v", none.Unknown)
	}
	for _, d := range none.Heads(1) {
		if text := none.Sentence(d); !strings.Contains(text, "all positions, seen in training or not") {
			t.Errorf("%q", text)
		}
	}
}

// Runs of two recipes are compared on the samples that both can use, in what means the same.
func TestCompareRecipes(t *testing.T) {
	games := write(t, traindata.Dataset{Seed: 1, Games: 300})
	bot, napoleon := runOfSeed(t, 1, 2, "", games), runOfSeed(t, 1, 2, "napoleon", games)
	found, _ := compare(t, games, Compare{Settings: [][]string{{bot}, {napoleon}}})
	reason := map[string]string{}
	for _, i := range found.Incomparable {
		reason[i.Measure] = i.Reason
	}
	if !strings.Contains(reason["top1"], "lacks a policy") || !strings.Contains(reason["value_mse"],
		"different scales") || len(found.On("all", 1)) != 1 {
		t.Errorf("%+v, %+v", reason, found.On("all", 1))
	}
	heads := found.Heads(1)
	if len(heads) != 1 || heads[0].Measure != "value_probability_mse" || !slices.Contains(differs(found), "recipe") {
		t.Errorf("%+v, %q", heads, differs(found))
	}
	alone := mustEval(t, Eval{Dir: napoleon, Measure: on("test", games)})
	if n := alone.Count("samples"); found.Samples == 0 || found.Samples > n {
		t.Errorf("%d samples in common, %d of one", found.Samples, n)
	}
	if d := found.On("all", 1)[0]; d.Samples == 0 || found.Runs[0].Figures.Count("value_samples") !=
		found.Runs[1].Figures.Count("value_samples") {
		t.Errorf("%+v", d)
	}
}
