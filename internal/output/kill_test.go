package output

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"talbot/internal/durable"
)

// A child of these tests makes an output and kills itself before one of the steps of writing.
const (
	childKind  = "TALBOT_TEST_KIND"  // "file" or "folder"
	childPath  = "TALBOT_TEST_PATH"  // of the output
	childValue = "TALBOT_TEST_VALUE" // what it is made with
	childStep  = "TALBOT_TEST_STEP"  // before which it kills itself, from 1; 0 = none
)

// exitLocked is the exit status of a child that found the output locked.
const exitLocked = 11

func TestMain(m *testing.M) {
	if kind := os.Getenv(childKind); kind != "" {
		child(kind)
	}
	os.Exit(m.Run())
}

// inChild is the test of a child.
type inChild struct{}

func (inChild) Helper()        {}
func (inChild) Cleanup(func()) {}

func child(kind string) {
	step, _ := strconv.Atoi(os.Getenv(childStep))
	n := 0
	durable.InjectFaults(inChild{}, func(string, string) error {
		if n++; n == step {
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		}
		return nil
	})
	path, value := os.Getenv(childPath), os.Getenv(childValue)
	var err error
	if kind == "file" {
		err = file(path, value, Replace).make()
	} else {
		err = makeFolder(path, value)
	}
	switch {
	case errors.Is(err, durable.ErrLocked):
		os.Exit(exitLocked)
	case err != nil && !errors.Is(err, ErrDone):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// makeFolder makes or replaces a folder as [inspects] reads it.
func makeFolder(path, value string) error {
	at, err := Replace.Resolve(path, inspects("n="+value))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	for _, file := range [][2]string{{"facts", "n=" + value}, {"done", ""}} {
		if err := durable.WriteFile(filepath.Join(at, file[0]), []byte(file[1])); err != nil {
			return err
		}
	}
	return Swap(at)
}

// start starts a child.
func start(t *testing.T, kind, path, value string, step int) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childKind+"="+kind, childPath+"="+path, childValue+"="+value,
		fmt.Sprintf("%s=%d", childStep, step))
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// check checks what is under an output's name: it is whole, made with one of the values, and done for that one alone.
func check(t *testing.T, kind, path string, values ...string) {
	t.Helper()
	got := ""
	if kind == "file" {
		got = valueOf(t, path)
	} else if has := has(path); has != "nothing" && !strings.HasSuffix(has, "begun") {
		got = strings.TrimPrefix(has, "n=")
	}
	for _, v := range values {
		var err error
		if kind == "file" {
			_, err = file(path, v, Skip).inspect()
		} else if is, _ := inspects("n=" + v)(path); is.State == Done && is.same() {
			err = ErrDone
		}
		if errors.Is(err, ErrDone) && got != v {
			t.Errorf("%s: %q is done, it holds %q", kind, v, got)
		}
	}
	if got == "mixed" {
		t.Errorf("%s: a mixture", kind)
	}
}

// full is whether the large numbers are run.
var full = os.Getenv("TALBOT_FULL") != ""

// TestKilledAnywhere kills a process with SIGKILL before every step of writing: opens, writes, syncs, renamings and
// removals, of a first output and of one that replaces another. Nothing is ever mixed or said to be done that is not,
// and the repeated command ends with the new output alone. With TALBOT_FULL=1 kills follow kills, 300 of each kind.
func TestKilledAnywhere(t *testing.T) {
	for _, kind := range []string{"file", "folder"} {
		t.Run(kind, func(t *testing.T) {
			for _, old := range []string{"", "1"} {
				for step := 1; ; step++ {
					path := filepath.Join(t.TempDir(), "out")
					if old != "" && start(t, kind, path, old, 0).Wait() != nil {
						t.Fatal("the first output was not made")
					}
					killed := start(t, kind, path, "2", step).Wait() != nil
					check(t, kind, path, "1", "2")
					if err := start(t, kind, path, "2", 0).Wait(); err != nil {
						t.Fatalf("after a kill at step %d it is stuck: %v", step, err)
					}
					whole(t, kind, path, "2")
					if !killed {
						break
					}
				}
			}
			if !full {
				return
			}
			path := filepath.Join(t.TempDir(), "out")
			for kills := 0; kills < 300; {
				if start(t, kind, path, strconv.Itoa(1+rand.IntN(3)), 1+rand.IntN(24)).Wait() == nil {
					continue
				}
				kills++
				check(t, kind, path, "1", "2", "3", "8", "9")
				if kills%10 == 0 {
					value := strconv.Itoa(8 + kills/10%2) // another than before
					if err := start(t, kind, path, value, 0).Wait(); err != nil {
						t.Fatalf("after %d kills it is stuck: %v", kills, err)
					}
					whole(t, kind, path, value)
				}
			}
		})
	}
}

// whole checks that an output is made with a value, and that nothing else is beside it but the record of a file.
func whole(t *testing.T, kind, path, value string) {
	t.Helper()
	check(t, kind, path, value)
	left := 1
	if kind == "file" {
		left = 2
		if _, err := file(path, value, Skip).inspect(); !errors.Is(err, ErrDone) {
			t.Errorf("%s: %v", kind, err)
		}
	} else if got := has(path); got != "n="+value {
		t.Errorf("%s: %s, not %s", kind, got, value)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != left {
		t.Errorf("%s: %v, %v", kind, entries, err)
	}
}

// TestAtOnce: of two processes that make one file at once, one wins and the other finds it locked or comes after it.
// With TALBOT_FULL=1 it is 200 pairs.
func TestAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	pairs, locked := 10, 0
	if full {
		pairs = 200
	}
	for range pairs {
		first, second := start(t, "file", path, "1", 0), start(t, "file", path, "2", 0)
		winners := 0
		for _, c := range []*exec.Cmd{first, second} {
			_ = c.Wait()
			switch c.ProcessState.ExitCode() {
			case 0:
				winners++
			case exitLocked:
				locked++
			default:
				t.Error(c.ProcessState)
			}
		}
		if winners == 0 {
			t.Error("none of the two made it")
		}
		check(t, "file", path, "1", "2")
		whole(t, "file", path, valueOf(t, path))
	}
	t.Logf("%d pairs, %d found it locked", pairs, locked)
}
