package loop

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/output"
	"talbot/internal/testkit"
)

const rich = file + `stages:
- {from: 2, games: {nodes: 20}}
measure: {data: tests}
gate: {accept: 0.55, match: {games: 4}}
`

// TestSkipDone: a loop is done if each setting is the same that decided a generation; one that did is named. More
// generations, and stages of those to come, are no other loop.
func TestSkipDone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "loop")
	f := &fake{t: t}
	run := func(text string, existing output.Existing) error {
		f.calls = nil
		return Loop{Dir: dir, Text: []byte(text), Command: f.run, Existing: existing}.Run(t.Context())
	}
	skip := output.Skip
	f.failAt = 6
	if err := run(rich, skip); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	f.failAt = 0
	if err := run(rich, skip); err != nil || strings.Contains(f.calls[0], "--init") {
		t.Fatalf("an interrupted loop: %q, %v", f.calls, err)
	}
	if err := run(rich, skip); !errors.Is(err, output.ErrDone) || f.calls != nil {
		t.Errorf("a finished loop: %q, %v", f.calls, err)
	}
	for _, x := range [][3]string{
		{"window: 2", "window: 3", "window: 2, not 3"},
		{"blocks: 1", "blocks: 2", "start: blocks: 1, not 2"},
		{"nodes: 8", "nodes: 9", "games: nodes: 8, not 9"},
		{"batch: 32", "batch: 64", "train: batch: 32, not 64"},
		{"{nodes: 20}", "{nodes: 30}", "games: nodes: 20, not 30"},
		{"from: 2", "from: 3", "games: nodes: 20, not 8"},
		{"data: tests", "data: others", "measure: data: tests, not others"},
		{"measure: {data: tests}\n", "", "measure: data: tests, not none"},
		{"accept: 0.55", "accept: 0.5", "gate: accept: 0.55, not 0.5"},
		{"match: {games: 4}", "first: true, match: {games: 4}", "gate: first: false, not true"},
		{"match: {games: 4}", "match: {games: 6}", "gate: match: games: 4, not 6"},
		{"gate: {accept: 0.55, match: {games: 4}}\n", "", "gate: accept: 0.55, not none"},
		{"generations: 3", "generations: 2", "generations: 3, not 2"},
	} {
		other := strings.Replace(rich, x[0], x[1], 1)
		if err := run(other, skip); !errors.Is(err, output.ErrDifferent) || !strings.Contains(err.Error(), x[2]) ||
			f.calls != nil {
			t.Errorf("%s: %q, %v", x[1], f.calls, err)
		}
	}
	more := strings.NewReplacer("generations: 3", "generations: 4", "measure:",
		"- {from: 4, games: {nodes: 30}}\nmeasure:").Replace(rich)
	if err := run(more, skip); err != nil || !strings.Contains(f.calls[0], "--nodes=30") {
		t.Errorf("one more generation: %q, %v", f.calls, err)
	}

	for _, lost := range []string{"gen-002/run/checkpoints", "gen-003/games/shard-00000.talbot.zst", "gen-001"} {
		path := filepath.Join(dir, lost)
		testkit.OK(t, os.Rename(path, path+"~"))
		if err := run(more, skip); !errors.Is(err, output.ErrDifferent) || !strings.Contains(err.Error(), lost[:7]) {
			t.Errorf("without %s: %v", lost, err)
		}
		testkit.OK(t, os.Rename(path+"~", path))
	}

	other := strings.Replace(rich, "accept: 0.55", "accept: 0.5", 1)
	testkit.WriteFile(t, filepath.Join(dir, "letter.txt"), "")
	if err := run(other, output.Replace); !errors.Is(err, output.ErrForeign) {
		t.Errorf("a folder with a letter: %v", err)
	}
	testkit.OK(t, os.Remove(filepath.Join(dir, "letter.txt")))
	f.failAt = 3
	if err := run(other, output.Replace); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	f.failAt = 0
	testkit.OK(t, run(other, output.Replace))
	if err := run(other, skip); !errors.Is(err, output.ErrDone) {
		t.Error(err)
	}
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil || len(entries) != 1 {
		t.Errorf("left over: %v, %v", entries, err)
	}
}

// TestCorrected: what no step has used yet may be corrected, what one has used may not.
func TestCorrected(t *testing.T) {
	for _, x := range []struct {
		failAt           int // the call that the mistake makes fail
		wrong, right     string
		change, refusing string // of what was used
	}{
		{2, "nodes: 8", "nodes: 9", "seed: 7", "seed: 8"},             // after start
		{3, "nodes: 8", "nodes: 9", "blocks: 1", "blocks: 2"},         // after start and measure
		{4, "batch: 32", "batch: 64", "nodes: 8", "nodes: 9"},         // after the games
		{6, "{games: 4}", "{games: 6}", "batch: 32", "batch: 64"},     // after the training and measure
		{7, "{nodes: 20}", "{nodes: 30}", "{games: 4}", "{games: 6}"}, // the stage of generation 2
	} {
		dir := t.TempDir()
		f := &fake{t: t, failAt: x.failAt}
		if err := f.loop(dir, rich); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		f.failAt = 0
		if err := f.loop(dir, strings.Replace(rich, x.change, x.refusing, 1)); !errors.Is(err, ErrOther) {
			t.Errorf("%s after it was used: %v", x.refusing, err)
		}
		if err := f.loop(dir, strings.Replace(rich, x.wrong, x.right, 1)); err != nil {
			t.Errorf("%s: %v", x.right, err)
		}
	}
}

// TestInputs: what the file names counts by its content, once a step has used it; what is gone is as it was.
func TestInputs(t *testing.T) {
	top := t.TempDir()
	f := &fake{t: t}
	openings, tests := filepath.Join(top, "o.epd"), filepath.Join(top, "tests")
	text := strings.Replace(file, "nodes: 8", "nodes: 8, start: "+openings, 1) +
		"measure: {data: '" + tests + ":0.5'}\n"
	write := func(content string) {
		t.Helper()
		testkit.WriteFile(t, openings, content)
	}
	write("one")
	f.writeGames(tests)
	dir := filepath.Join(top, "loop")
	run := func(text string) error {
		f.calls = nil
		return Loop{Dir: dir, Text: []byte(text), Command: f.run, Existing: output.Skip}.Run(t.Context())
	}
	f.failAt = 2 // the first network is measured
	if err := run(text); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	f.failAt = 0
	write("two") // not used yet
	testkit.OK(t, run(text))
	if err := run(text); !errors.Is(err, output.ErrDone) {
		t.Error(err)
	}
	write("three")
	if err := run(text); !errors.Is(err, output.ErrDifferent) ||
		!strings.Contains(err.Error(), "games: start (content): SHA-256 ") {
		t.Errorf("other openings: %v", err)
	}
	more := strings.Replace(text, "generations: 3", "generations: 4", 1)
	if err := run(more); !errors.Is(err, output.ErrDifferent) || f.calls != nil {
		t.Errorf("a further generation from other openings: %v, %q", err, f.calls)
	}
	testkit.OK(t, os.Remove(openings))
	if err := run(more); err != nil {
		t.Errorf("without the openings: %v", err)
	}
	write("two")
	if err := run(more); !errors.Is(err, output.ErrDone) {
		t.Error(err)
	}
	write("three")
	if err := run(more); !errors.Is(err, output.ErrDifferent) {
		t.Errorf("what was gone meanwhile: %v", err)
	}
	write("two")
	testkit.OK(t, os.RemoveAll(tests))
	f.writeGames(tests)
	if err := run(more); !errors.Is(err, output.ErrDone) {
		t.Errorf("the same dataset, made again: %v", err)
	}
	testkit.OK(t, os.RemoveAll(tests))
	f.games = 4
	f.writeGames(tests)
	if err := run(more); !errors.Is(err, output.ErrDifferent) ||
		!strings.Contains(err.Error(), "measure: data (content): ") {
		t.Errorf("another dataset: %v", err)
	}
}
