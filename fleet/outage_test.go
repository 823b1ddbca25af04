package fleet

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"talbot/internal/testkit"
)

// The queue's own leases go by the wall clock. Set an hour ahead, all jobs that are held are handed out once more; set
// an hour back, those of the dead are not. Neither loses a job or counts an answer twice. The clock of this machine is
// left alone: the queue is told that its leases have just ended, and that they do not end.
func TestWallClock(t *testing.T) {
	for name, wait := range map[string]time.Duration{"an hour ahead": time.Millisecond, "an hour back": time.Hour} {
		t.Run(name, func(t *testing.T) {
			c := testCoordinator(t, t.TempDir(), shortLease)
			stream := testkit.Value(c.js.Stream(t.Context(), streamName))(t)
			old := testkit.Value(stream.Consumer(t.Context(), consumerName))(t)
			leases := func(d time.Duration) {
				t.Helper()
				cfg := old.CachedInfo().Config
				cfg.AckWait = d
				if _, err := stream.UpdateConsumer(t.Context(), cfg); err != nil {
					t.Fatal(err)
				}
			}
			s := newStranger(t, joinOf(t, c), filepath.Join(t.TempDir(), "dead"))
			s.join()
			dead := s.take(c, "question 0")
			s.ask(verbHold, encodeJSON([]heldJob{dead.heldJob}))
			e := &echo{delay: 5 * time.Millisecond}
			testWorker(t, joinOf(t, c), "a", e, 2)
			testWorker(t, joinOf(t, c), "b", e, 2)
			answers, handed := 0, uint64(0)
			serveWith(t, c, questions(100)[1:], map[uint64]string{dead.Number: "question 0"}, func(string) {
				if answers++; answers != 20 {
					return
				}
				leases(wait)
				if wait < time.Second {
					time.Sleep(20 * time.Millisecond)
					leases(2 * c.cfg.Lease)
				}
			})
			if info, err := old.Info(t.Context()); err != nil {
				t.Error(err)
			} else {
				handed = info.Delivered.Consumer
			}
			if answers != 100 || wait < time.Second && handed <= 100 {
				t.Errorf("%d answers of jobs that were handed out %d times", answers, handed)
			}
			t.Logf("%d jobs were handed out, %d done", handed, e.done.Load())
		})
	}
}

const outageVar = "TALBOT_OUTAGE"

// TestOutageWorker is not a test: it is a worker in a process, or network, of its own.
func TestOutageWorker(t *testing.T) {
	text, key, ok := strings.Cut(os.Getenv(outageVar), " ")
	if !ok {
		t.Skip("it is run by TestCutNetwork")
	}
	join := testkit.Value(ParseJoin(text))(t)
	testkit.OK(t, WorkerConfig{Join: join, KeyFile: key, engines: &echo{delay: 100 * time.Millisecond}, Count: 4,
		Name: filepath.Base(key), Log: t.Logf}.Run(context.Background()))
}

// within waits for what should happen within a time, and tells how long that took.
func within(t *testing.T, what string, most time.Duration, happened func() bool) {
	t.Helper()
	begun := time.Now()
	until(t, what, happened)
	d := time.Since(begun)
	t.Logf("%s: %v", what, d.Round(time.Millisecond))
	if d > most {
		t.Errorf("that is more than %v", most)
	}
}

// TestCutNetwork cuts the only link to a worker in a network namespace for 20 seconds, without a word to either side.
// It takes half a minute, and its bounds are those of a machine that has time.
func TestCutNetwork(t *testing.T) {
	if !testkit.Full() {
		t.Skip("TALBOT_FULL is not set")
	}
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: a network namespace can only be made by root")
	}
	id := os.Getpid() % 10000
	space, here, there := fmt.Sprint("talbot", id), fmt.Sprint("tb", id, "a"), fmt.Sprint("tb", id, "b")
	ip := func(arguments string) error {
		text, err := exec.Command("ip", strings.Fields(arguments)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", arguments, err, text)
		}
		return nil
	}
	if err := ip("netns add " + space); err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	t.Cleanup(func() { _ = ip("netns del " + space); _ = ip("link del " + here) })
	for _, arguments := range []string{
		"link add " + here + " type veth peer name " + there, "link set " + there + " netns " + space,
		"addr add 10.213.7.1/24 dev " + here, "link set " + here + " up",
		"-n " + space + " addr add 10.213.7.2/24 dev " + there, "-n " + space + " link set " + there + " up",
	} {
		testkit.OK(t, ip(arguments))
	}
	c := testCoordinator(t, t.TempDir(), func(cfg *coordinatorConfig) { shortLease(cfg); cfg.Listen = "10.213.7.1:0" })
	var mu sync.Mutex
	answered := map[string]bool{}
	go func() {
		for a := range c.answers {
			mu.Lock()
			answered[string(a.query)] = true
			mu.Unlock()
			a.reply(nil)
			c.Retract(a.number)
		}
	}()
	self := testkit.Value(os.Executable())(t)
	far := exec.Command("ip", "netns", "exec", space, self, "-test.run=^TestOutageWorker$")
	far.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", outageVar, joinOf(t, c), filepath.Join(t.TempDir(), "far")))
	testkit.OK(t, far.Start())
	t.Cleanup(func() { _ = far.Process.Kill(); _ = far.Wait() })
	ask := func(q string) func() bool {
		t.Helper()
		put(t, c, q)
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return answered[q]
		}
	}
	within(t, "the first job", time.Minute, ask("before"))
	testkit.OK(t, errors.Join(ip("link set "+here+" down"), ip("-n "+space+" link set "+there+" down")))
	lost := ask("lost") // to a connection that is thought to be there
	time.Sleep(20 * time.Second)
	if lost() {
		t.Fatal("the network is not cut")
	}
	testkit.OK(t, errors.Join(ip("link set "+here+" up"), ip("-n "+space+" link set "+there+" up")))
	within(t, "the first job after a cut of 20 s", 3*time.Second, ask("after"))
}
