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
)

// The queue's own leases go by the wall clock. Set an hour ahead, all jobs that are held are handed out once more; set
// an hour back, those of the dead are not. Neither loses a job or counts an answer twice. The clock of this machine is
// left alone: the queue is told that its leases have just ended, and that they do not end.
func TestWallClock(t *testing.T) {
	for name, wait := range map[string]time.Duration{"an hour ahead": time.Millisecond, "an hour back": time.Hour} {
		t.Run(name, func(t *testing.T) {
			c := testCoordinator(t, t.TempDir(), shortLease)
			stream, err := c.js.Stream(t.Context(), streamName)
			if err != nil {
				t.Fatal(err)
			}
			old, err := stream.Consumer(t.Context(), consumerName)
			if err != nil {
				t.Fatal(err)
			}
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
		t.Skip("it is run by TestOutages")
	}
	join, err := ParseJoin(text)
	if err != nil {
		t.Fatal(err)
	}
	err = WorkerConfig{Join: join, KeyFile: key, engines: &echo{delay: 100 * time.Millisecond}, Count: 4,
		Name: filepath.Base(key), Log: t.Logf}.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
}

// outageWorker starts one; prefix is a command that starts it.
func outageWorker(t *testing.T, c *coordinator, name string, prefix ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := append(prefix, self, "-test.run=^TestOutageWorker$")
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", outageVar, joinOf(t, c), filepath.Join(t.TempDir(), name)))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
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

// TestOutages measures how soon the work goes on after a coordinator, a worker and a network were gone. It takes a
// minute, and its bounds are those of a machine that has time.
func TestOutages(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("TALBOT_FULL is not set")
	}
	busy := func(c *coordinator) func() bool {
		return func() bool { return c.Status().Held == 24 } // four slots of three workers, and as many ahead
	}
	t.Run("coordinator", func(t *testing.T) {
		dir := t.TempDir()
		c := testCoordinator(t, dir, shortLease)
		j := joinOf(t, c)
		for i := range 3 {
			outageWorker(t, c, fmt.Sprint("w", i))
		}
		put(t, c, questions(24)...)
		within(t, "the first time", time.Minute, busy(c))
		c.close()
		time.Sleep(2 * time.Second)
		c = testCoordinator(t, dir, func(cfg *coordinatorConfig) { shortLease(cfg); cfg.Listen = j.Address })
		put(t, c, questions(40)...)
		go func() {
			for a := range c.answers { // of the jobs of before, too
				a.reply(nil)
			}
		}()
		within(t, "all slots are busy after a restart", 3*time.Second, busy(c))
	})
	t.Run("worker", func(t *testing.T) {
		c := testCoordinator(t, t.TempDir(), shortLease)
		w := outageWorker(t, c, "killed")
		put(t, c, "0")
		within(t, "the first job", time.Minute, func() bool { return c.Status().Held == 1 })
		if err := w.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		outageWorker(t, c, "other")
		<-c.changed
		for len(c.LostJobs()) == 0 {
			time.Sleep(time.Millisecond)
		}
		put(t, c, "0")
		within(t, "a killed worker's job is with another, besides the wait for the lease", c.cfg.Lease+time.Second-
			time.Since(begun), func() bool { return c.Status().Held == 1 })
		t.Logf("in all %v, with a lease of %v", time.Since(begun), c.cfg.Lease)
	})
	t.Run("network", func(t *testing.T) { cutNetwork(t) })
}

// cutNetwork cuts the only link to a worker in a network namespace for 20 seconds, without a word to either side.
func cutNetwork(t *testing.T) {
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
		if err := ip(arguments); err != nil {
			t.Fatal(err)
		}
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
	outageWorker(t, c, "far", "ip", "netns", "exec", space)
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
	if err := errors.Join(ip("link set "+here+" down"), ip("-n "+space+" link set "+there+" down")); err != nil {
		t.Fatal(err)
	}
	lost := ask("lost") // to a connection that is thought to be there
	time.Sleep(20 * time.Second)
	if lost() {
		t.Fatal("the network is not cut")
	}
	if err := errors.Join(ip("link set "+here+" up"), ip("-n "+space+" link set "+there+" up")); err != nil {
		t.Fatal(err)
	}
	within(t, "the first job after a cut of 20 s", 3*time.Second, ask("after"))
}
