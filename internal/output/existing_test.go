package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"talbot/internal/durable"
)

// The outputs of these tests are folders with a file "facts" of words NAME=VALUE and, when they are done, a file
// "done".

func put(t *testing.T, dir, facts string, done bool) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "facts"), []byte(facts), 0o666); err != nil {
		t.Fatal(err)
	}
	if done {
		if err := os.WriteFile(filepath.Join(dir, "done"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func has(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "facts"))
	if err != nil {
		return "nothing"
	}
	if _, err := os.Stat(filepath.Join(dir, "done")); err != nil {
		return string(text) + " begun"
	}
	return string(text)
}

func inspects(want string) func(dir string) (Found, error) {
	parse := func(text string) (facts []Fact) {
		for part := range strings.FieldsSeq(text) {
			name, value, _ := strings.Cut(part, "=")
			facts = append(facts, Fact{name, value})
		}
		return facts
	}
	return func(dir string) (f Found, err error) {
		if f.Foreign, err = ForeignFiles(dir, func(name string) bool {
			return name == "facts" || name == "done"
		}); err != nil {
			return f, err
		}
		text, err := os.ReadFile(filepath.Join(dir, "facts"))
		if errors.Is(err, os.ErrNotExist) {
			return f, nil
		}
		f.State, f.Differences, f.Result = Interrupted, Compare(parse(string(text)), parse(want)), string(text)
		if _, err := os.Stat(filepath.Join(dir, "done")); err == nil {
			f.State = Done
		}
		return f, err
	}
}

func TestCompare(t *testing.T) {
	have := []Fact{{"a", "1"}, {"b", "2"}, {"in", "x"}, {"in", "y"}, {"old", "1"}, {"empty", ""}}
	want := []Fact{{"a", "1"}, {"b", "3"}, {"in", "y"}, {"in", "x"}, {"new", "1"}, {"none", ""}}
	got := Compare(have, want)
	expect := []Difference{{"b", "2", "3"}, {"in", "x", "y"}, {"in 2", "y", "x"}, {"new", "", "1"}, {"old", "1", ""}}
	if !reflect.DeepEqual(got, expect) {
		t.Errorf("%q, not %q", got, expect)
	}
	if text := fmt.Sprint(got[3], "; ", got[0]); text != "new: none, not 1; b: 2, not 3" {
		t.Error(text)
	}
	if d := Compare(want, want); len(d) > 0 {
		t.Error(d)
	}
}

func TestFactsOf(t *testing.T) {
	facts, err := FactsOf(struct {
		Name  string         `json:"name"`
		Inner map[string]int `json:"inner"`
		List  []int          `json:"list"`
		Zero  float64        `json:"zero"`
	}{"x", map[string]int{"a": 1}, []int{1, 2}, 0})
	expect := Facts{{"name", "x"}, {"inner.a", "1"}, {"list", "[1,2]"}, {"zero", "0"}}
	if err != nil || !reflect.DeepEqual(facts, expect) {
		t.Errorf("%q, %v", facts, err)
	}
	if _, err := FactsOf([]int{1}); err == nil {
		t.Error("a list is no object")
	}
}

// Each state of an output, and of what is beside it, with each policy.
func TestResolve(t *testing.T) {
	const want = "n=1"
	for _, x := range []struct {
		name, at, beside string // "" nothing; facts; with ! done
		policy           Existing
		place            string // base name; "" with err
		err              error
		leaves           string // what is beside it afterwards
	}{
		{"nothing asked", "n=2!", "", Refuse, "out", nil, ""},
		{"absent", "", "", Skip, "out", nil, ""},
		{"done", "n=1!", "", Skip, "", ErrDone, ""},
		{"done, and a replacement of before", "n=1!", "n=2!", Skip, "", ErrDone, ""},
		{"done, and one that was begun", "n=1!", "n=2", Skip, "", ErrDone, "n=2 begun"},
		{"interrupted", "n=1", "", Skip, "out", nil, ""},
		{"different", "n=2!", "", Skip, "", ErrDifferent, ""},
		{"different, interrupted", "n=2", "", Skip, "", ErrDifferent, ""},
		{"replaced", "n=2!", "", Replace, "out.talbot-new", nil, ""},
		{"replaced, interrupted", "n=2", "", Replace, "out.talbot-new", nil, ""},
		{"replaced, resumed", "n=2!", "n=1", Replace, "out.talbot-new", nil, "n=1 begun"},
		{"replaced, something else was begun", "n=2!", "n=3", Replace, "out.talbot-new", nil, ""},
		{"replaced, something else was done", "n=2!", "n=3!", Replace, "out.talbot-new", nil, ""},
		{"replaced, but for the swap", "n=2!", "n=1!", Replace, "", ErrDone, ""},
		{"done, asked to replace", "n=1!", "", Replace, "", ErrDone, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			for path, facts := range map[string]string{out: x.at, out + newSuffix: x.beside} {
				if text, done := strings.CutSuffix(facts, "!"); facts != "" {
					put(t, path, text, done)
				}
			}
			before := has(out)
			at, err := x.policy.Resolve(out, inspects(want))
			if !errors.Is(err, x.err) || at != "" && filepath.Base(at) != x.place {
				t.Fatalf("%q, %v", at, err)
			}
			if x.leaves == "" {
				x.leaves = "nothing"
			}
			if got := has(out + newSuffix); got != x.leaves {
				t.Errorf("beside it: %s", got)
			}
			if after := has(out); x.name == "replaced, but for the swap" && after != "n=1" ||
				x.name != "replaced, but for the swap" && after != before {
				t.Errorf("it was %s and is %s", before, after)
			}
		})
	}
}

// An output that holds what the command did not make, or that is being made, is not replaced.
func TestNotReplaced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	put(t, out, "n=2", true)
	if err := os.WriteFile(filepath.Join(out, "notes.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Replace.Resolve(out, inspects("n=1")); !errors.Is(err, ErrForeign) ||
		!strings.Contains(err.Error(), "notes.txt") {
		t.Error(err)
	}
	if _, err := Skip.Resolve(out, inspects("n=2")); !errors.Is(err, ErrDone) {
		t.Error(err)
	}
	busy := func(dir string) (Found, error) {
		return Found{State: Interrupted, Busy: true, Differences: []Difference{{"n", "2", "1"}}}, nil
	}
	if _, err := Replace.Resolve(out, busy); !errors.Is(err, durable.ErrLocked) {
		t.Error(err)
	}
}

// Whatever step of a swap fails, so that nothing after it is done, as after a kill: both outputs exist until the new
// one has the name, and the repeated command, and one without flags, end with the new one alone.
func TestSwapFaults(t *testing.T) {
	for step := 0; ; step++ {
		out := filepath.Join(t.TempDir(), "out")
		put(t, out, "n=1", true)
		put(t, out+newSuffix, "n=2", true)
		n := 0
		durable.InjectFaults(t, func(op, _ string) error {
			if n++; n > step {
				return syscall.ENOSPC // the disk stays full
			}
			return nil
		})
		failed := Swap(out+newSuffix) != nil
		durable.InjectFaults(t, nil)
		if got := has(out); got != "n=2" &&
			(has(out+newSuffix) != "n=2" || got != "n=1" && has(out+oldSuffix) != "n=1") {
			t.Errorf("step %d: %s", step, got)
		}
		if step%2 == 0 {
			if _, err := Refuse.Resolve(out, nil); err != nil {
				t.Errorf("step %d: %v", step, err)
			}
		}
		if at, err := Replace.Resolve(out, inspects("n=2")); !errors.Is(err, ErrDone) {
			t.Errorf("step %d: %q, %v", step, at, err)
		}
		if got := has(out); got != "n=2" {
			t.Errorf("step %d: %s when repeated", step, got)
		}
		if entries, err := os.ReadDir(filepath.Dir(out)); err != nil || len(entries) != 1 {
			t.Errorf("step %d: %v, %v", step, entries, err)
		}
		if !failed {
			break
		}
	}
}

// What a link leads to is replaced, not the link.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	out, link := filepath.Join(dir, "out"), filepath.Join(dir, "link")
	put(t, out, "n=1", true)
	if err := os.Symlink(out, link); err != nil {
		t.Skip("no links: ", err)
	}
	at, err := Replace.Resolve(link, inspects("n=2"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, at, "n=2", true)
	if err := Swap(at); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != out || has(link) != "n=2" || has(out) != "n=2" {
		t.Error(to, err, has(link), has(out))
	}
}
