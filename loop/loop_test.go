package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/internal/durable"
	"talbot/network/run"
)

const file = `# a loop
generations: 3
window: 2
reuse: 2
seed: 7
start: {recipe: tahl, blocks: 1}
games: {games: 10, nodes: 8, set: [c-visit=20, c-scale=0.5]}
train:
  batch: 32
  value-target: "result:0.5"
  deterministic: true
`

var errKilled = errors.New("killed")

// fake stands in for the commands: it makes what they make, and fails at a call, before its work or behind it.
type fake struct {
	t         *testing.T
	calls     []string
	failAt    int // counted from 1; 0: never
	afterWork bool
}

func (f *fake) run(_ context.Context, args []string) error {
	f.calls = append(f.calls, strings.Join(args, " "))
	fails := len(f.calls) == f.failAt
	if fails && !f.afterWork {
		return errKilled
	}
	of := func(name string) string { return args[slices.Index(args, name)+1] }
	switch {
	case args[0] == "selfplay":
		m := dataset.Manifest{Splits: dataset.DefaultSplits, Counts: dataset.Counts{Samples: 100, GamesRead: 1,
			GamesKept: 1, Positions: 101},
			Shards: []dataset.ShardInfo{{File: "x", Samples: 100, Lines: 1, Positions: 101}}}
		if err := os.MkdirAll(of("--out"), 0o777); err != nil {
			f.t.Fatal(err)
		}
		if err := dataset.WriteManifest(of("--out"), &m); err != nil {
			f.t.Fatal(err)
		}
	case !slices.Contains(args, "--resume"):
		c, err := run.New("tahl", "")
		if err == nil {
			err = os.MkdirAll(of("--run"), 0o777)
		}
		if err == nil {
			err = c.Write(of("--run"))
		}
		if err != nil {
			f.t.Fatal(err)
		}
	}
	if fails {
		return errKilled
	}
	return nil
}

func (f *fake) loop(dir, text string) error {
	return Loop{Dir: dir, Text: []byte(text), Command: f.run}.Run(f.t.Context())
}

// TestSteps: the commands of a loop, in order, and that it may go on to further generations and not otherwise.
func TestSteps(t *testing.T) {
	dir := t.TempDir()
	f := &fake{t: t}
	if err := f.loop(dir, file); err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	train := func(g int, from string, data ...string) string {
		return fmt.Sprintf("train --run %s --from %s --data %s --steps 7 --seed %d --eval-every=0 --batch=32 "+
			"--value-target=result:0.5 --deterministic=true", at(fmt.Sprintf("gen-%03d", g), "run"), from,
			strings.Join(data, ","), 7+g)
	}
	play := func(g int) string {
		return fmt.Sprintf("selfplay --run %s --out %s --seed %d --split 98,1,1 --games=10 --nodes=8 --set=c-visit=20 "+
			"--set=c-scale=0.5", at(fmt.Sprintf("gen-%03d", g-1), "run"), at(fmt.Sprintf("gen-%03d", g), "games"), 7+g)
	}
	games := func(g int) string { return at(fmt.Sprintf("gen-%03d", g), "games") }
	want := []string{"train --init --run " + at("gen-000", "run") + " --seed 7 --recipe=tahl --blocks=1",
		play(1), train(1, at("gen-000", "run"), games(1)), play(2), train(2, at("gen-001", "run"), games(1), games(2)),
		play(3), train(3, at("gen-002", "run"), games(2), games(3))}
	if !slices.Equal(f.calls, want) {
		t.Fatalf("%s\nwant\n%s", strings.Join(f.calls, "\n"), strings.Join(want, "\n"))
	}
	f.calls = nil
	if err := f.loop(dir, file); err != nil || f.calls != nil {
		t.Errorf("a finished loop: %q, %v", f.calls, err)
	}
	if err := f.loop(dir, strings.Replace(file, "nodes: 8", "nodes: 9", 1)); !errors.Is(err, ErrOther) {
		t.Errorf("other settings: %v", err)
	}
	if err := f.loop(dir, strings.Replace(file, "generations: 3", "generations: 4", 1)); err != nil ||
		len(f.calls) != 2 || !strings.Contains(f.calls[1], "gen-004") {
		t.Errorf("one more: %q, %v", f.calls, err)
	}
	if err := os.Remove(at(StateName)); err != nil {
		t.Fatal(err)
	}
	if err := f.loop(dir, file); !errors.Is(err, dataset.ErrDamaged) {
		t.Errorf("without %s: %v", StateName, err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "letter.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := f.loop(other, file); !errors.Is(err, ErrOther) {
		t.Errorf("a folder in use: %v", err)
	}
}

// TestGoesOn: a loop that ends at any command, before or behind its work, goes on to the same folders, and does nothing
// twice that was finished but for what says so itself.
func TestGoesOn(t *testing.T) {
	for failAt := 1; failAt <= 7; failAt++ {
		for _, after := range []bool{false, true} {
			dir := t.TempDir()
			f := &fake{t: t, failAt: failAt, afterWork: after}
			if err := f.loop(dir, file); !errors.Is(err, errKilled) {
				t.Fatalf("call %d: %v", failAt, err)
			}
			f.failAt = 0
			if err := f.loop(dir, file); err != nil {
				t.Fatalf("call %d: %v", failAt, err)
			}
			want := 8
			if after && failAt%2 == 0 { // games, which are there
				want = 7
			}
			if len(f.calls) != want {
				t.Errorf("call %d, after its work %v: %d calls\n%s", failAt, after, len(f.calls),
					strings.Join(f.calls, "\n"))
			}
			if resumes := strings.Contains(strings.Join(f.calls, "\n"), "--resume"); resumes != (after && failAt > 1 &&
				failAt%2 == 1) {
				t.Errorf("call %d, after its work %v: resumes %v", failAt, after, resumes)
			}
		}
	}
}

// TestDamage: a flipped byte of the state is noticed, and two loops do not work in one folder.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	f := &fake{t: t}
	if err := f.loop(dir, file); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, StateName)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 5 {
		data[i] ^= 1
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := f.loop(dir, file); !errors.Is(err, dataset.ErrDamaged) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
		data[i] ^= 1
	}
	lock, err := durable.Lock(filepath.Join(dir, lockName))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := f.loop(dir, file); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("a second loop: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(file))
	f.Add([]byte("start: {run: net:}\ngames: {games: 1}\ntrain: {batch: 1}\ngenerations: 1"))
	f.Add([]byte("generations: &a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if err == nil && c.check() != nil || err != nil && !errors.Is(err, ErrConfig) {
			t.Fatal(err)
		}
	})
}

// TestParse: what cannot be followed is refused with the place.
func TestParse(t *testing.T) {
	if _, err := Parse([]byte(file)); err != nil {
		t.Fatal(err)
	}
	for old, now := range map[string]string{
		"generations: 3":   "generations: 0",
		"window: 2":        "window: 0",
		"reuse: 2":         "reuse: -1",
		"seed: 7":          "seed: x",
		"batch: 32":        "lr: 1",
		"games: 10":        "nodes: 9",
		"blocks: 1}":       "run: net:}",
		"nodes: 8":         "seed: 8",
		"# a loop":         "speed: 3",
		"recipe: tahl":     "recipe: {a: b}",
		"c-scale=0.5]":     "[x]]",
		"games: {":         "games: 3 #",
		"  batch: 32\n":    "  batch: 32\n  batch: 33\n",
		"  batch: 32":      "  batch: 32\n  steps: 3",
		"value-target: \"": "value-target: \n",
	} {
		text := strings.Replace(file, old, now, 1)
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrConfig) || text == file {
			t.Errorf("%s for %s: %v", now, old, err)
		}
	}
	for _, text := range []string{"", "[]", "a: b: c", file + "---\nx: y\n"} {
		if _, err := Parse([]byte(text)); !errors.Is(err, ErrConfig) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
