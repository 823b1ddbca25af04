// Package testkit has what the tests of several packages share: games and rows drawn at random, a UCI engine, children
// that a test kills, and the data beside a checkout.
//
// A test binary is its own engine and its own child: TestMain calls [Main].
package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/dataset"
	"talbot/internal/output"
)

// childVariable names the environment variable that turns a test binary into an engine or into a job.
const childVariable = "TALBOT_TEST_CHILD"

// Main runs the tests of a package; in a child it is the engine, or runs the job.
func Main[Job any](m *testing.M, run func(context.Context, Job) error) {
	switch text := os.Getenv(childVariable); text {
	case "":
		os.Exit(m.Run())
	case "engine":
		engine()
	default:
		var job Job
		err := json.Unmarshal([]byte(text), &job)
		if err == nil {
			err = run(context.Background(), job)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// Forever is a test that never cleans up, for children.
type Forever struct{}

// Cleanup does nothing.
func (Forever) Cleanup(func()) {}

// Child returns the command that runs a job in a child of this test binary.
func Child(t testing.TB, job any) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(job)
	OK(t, err)
	cmd := exec.Command(self(t))
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	return cmd
}

func self(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	OK(t, err)
	return path
}

// KillUntilDone runs a job that makes the dataset out in children until it is done. At random moments, some wait apart,
// it kills the child or one of the child's engines, up to that many times, and counts both. Again runs the job in this
// process. Engines must not outlive the child.
func KillUntilDone(t testing.TB, job any, out string, most int, wait time.Duration, again func(context.Context) error) (
	children, engines int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(most)))
	for runs := 0; ; runs++ {
		cmd := Child(t, job)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		OK(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		var seen []int
		var err error
		for running := true; running; {
			next := wait/4 + time.Duration(rng.Int64N(int64(wait)))
			if children+engines >= most {
				next = time.Minute
			}
			select {
			case err = <-ended:
				running = false
			case <-time.After(next):
				list := ChildrenOf(cmd.Process.Pid)
				seen = append(seen, list...)
				if len(list) > 0 && rng.IntN(2) == 0 {
					if Shoot(list[rng.IntN(len(list))]) == nil {
						engines++
					}
				} else {
					_ = cmd.Process.Kill() // it may just have ended
					children++
				}
			}
		}
		for _, pid := range seen {
			MustBeGone(t, pid)
		}
		if err == nil {
			return children, engines
		}
		if cmd.ProcessState.Exited() {
			t.Fatalf("after %d runs: %v: %s", runs, err, stderr.String())
		}
		if _, err := dataset.ReadManifest(out); err == nil { // killed after the last step
			if err := again(t.Context()); !errors.Is(err, output.ErrFinished) {
				t.Fatal(err)
			}
			return children, engines
		}
	}
}

// Shoot ends a process as kill -9 does.
func Shoot(pid int) error {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	return err
}

// ChildrenOf lists the processes whose parent is that one; none where the system does not tell.
func ChildrenOf(parent int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && len(fields) > 1 &&
			fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// MustBeGone waits for the end of a process, and fails the test if it lives on.
func MustBeGone(t testing.TB, pid int) {
	t.Helper()
	for range 3000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("engine %d lives on", pid)
}
