package fleet

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// handClock is a clock that only the test moves.
type handClock struct {
	mu sync.Mutex
	at time.Time
}

func (h *handClock) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *handClock) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

// A job whose holder falls silent is lost when the lease is over and not before, and what a worker returns is lost at
// once.
func TestLeases(t *testing.T) {
	clock := handClock{at: time.Now()}
	c := testCoordinator(t, t.TempDir(), func(cfg *coordinatorConfig) { cfg.Lease, cfg.now = time.Hour, clock.now })
	s := newStranger(t, joinOf(t, c), filepath.Join(t.TempDir(), "a"))
	s.join()
	take := func() job { return s.take(c, "q") }
	kept := func() {
		t.Helper()
		c.endLeases()
		if list := c.LostJobs(); len(list) > 0 {
			t.Errorf("a job is lost within the lease: %+v", list)
		}
	}
	lost := func(number uint64, blame bool) {
		t.Helper()
		select {
		case <-c.changed:
		case <-time.After(time.Minute):
			t.Fatal("it is not lost")
		}
		list := c.LostJobs()
		if len(list) != 1 || list[0].number != number || list[0].blame != blame {
			t.Errorf("%+v", list)
		}
	}
	<-c.changed // the stranger came
	j := take()
	hold := func() byte {
		t.Helper()
		got, codes := s.ask(verbHold, encodeJSON([]heldJob{j.heldJob}))
		if got != codeDone || len(codes) != 1 {
			t.Fatalf("%v %q", got, codes)
		}
		return codes[0]
	}
	for range 4 {
		if hold() != byte(codeDone) {
			t.Fatal("a job that is held is gone")
		}
		clock.advance(c.cfg.Lease)
		kept()
	}
	clock.advance(1)
	lost(j.Number, true)
	if hold() != byte(codeGone) {
		t.Error("a lost job is still wanted")
	}
	j = take()
	hold()
	j.Failed = "no"
	s.ask(verbAnswer, encodeJSON(j))
	lost(j.Number, true)
	j = take()
	hold()
	s.ask(verbLeave, nil)
	lost(j.Number, false)
}

// A job that was handed out and that no worker claims goes to another one.
func TestUnclaimed(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), func(cfg *coordinatorConfig) { cfg.Lease = 200 * time.Millisecond })
	s := newStranger(t, joinOf(t, c), filepath.Join(t.TempDir(), "silent"))
	s.join()
	s.take(c, "q")
	testWorker(t, joinOf(t, c), "a", &echo{}, 1)
	a := <-c.answers
	if string(a.query) != "q" || a.worker != 2 {
		t.Errorf("%+v", a)
	}
	a.reply(nil)
}

// A worker that is stopped returns what it has, whatever it is doing.
func TestStop(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), func(cfg *coordinatorConfig) { cfg.Lease = time.Hour })
	stop := testWorker(t, joinOf(t, c), "a", &echo{delay: time.Hour}, 2)
	put(t, c, questions(6)...)
	until(t, "two jobs under way, two ahead", func() bool { return c.Status().Held == 4 })
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	lost := c.LostJobs()
	if len(lost) != 4 || lost[0].blame || c.Status().Held != 0 {
		t.Errorf("%+v of %+v", lost, c.Status())
	}
}

// A job that a worker cannot do comes back with the reason, and the worker continues.
func TestFailingJobs(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), nil)
	var tries atomic.Int64
	e := &echo{fail: func(asked []byte) error {
		if bytes.HasSuffix(asked, []byte("7")) && tries.Add(1) <= 3 {
			return errors.New("not this one")
		}
		return nil
	}}
	testWorker(t, joinOf(t, c), "a", e, 2)
	serve(t, c, questions(10))
	if tries.Load() != 4 {
		t.Errorf("%d tries", tries.Load())
	}
}

// A worker whose slot cannot be opened again ends with the error, and the job it had ahead goes to others.
func TestNoSlot(t *testing.T) {
	c := testCoordinator(t, t.TempDir(), func(cfg *coordinatorConfig) { cfg.Lease = time.Minute })
	put(t, c, questions(6)...)
	broken := errors.New("the engine is gone")
	s := &opensOnce{echo: echo{fail: func([]byte) error { return broken }}, err: broken}
	err := <-startWorker(t.Context(), t, joinOf(t, c), filepath.Join(t.TempDir(), "key"), s, 1)
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	if n := c.Status().Held; n != 0 {
		t.Errorf("%d jobs are held", n)
	}
}

// opensOnce has one slot, once.
type opensOnce struct {
	echo
	err  error
	open atomic.Bool
}

func (s *opensOnce) Open(context.Context) (engine, error) {
	if s.open.Swap(true) {
		return nil, s.err
	}
	return &s.echo, nil
}

// When the coordinator is restarted the workers are back within seconds, and an answer to what the old one asked
// counts.
func TestRestart(t *testing.T) {
	const soon = 20 * time.Second
	dir := t.TempDir()
	c := testCoordinator(t, dir, nil)
	j := joinOf(t, c)
	e := &echo{gate: make(chan struct{})}
	testWorker(t, j, "a", e, 2)
	put(t, c, questions(2)...)
	until(t, "two jobs are held", func() bool { return c.Status().Held == 2 })
	c.close()
	e.gate <- struct{}{} // one answer is there before the next coordinator, the other one after it
	begun := time.Now()
	c = testCoordinator(t, dir, func(cfg *coordinatorConfig) { cfg.Listen = j.Address })
	late := time.After(soon)
	var other sync.Once // an answer may come twice
	for come := map[string]bool{}; len(come) < 2; {
		select {
		case a := <-c.answers:
			if a.number != 0 || !bytes.Equal(a.answer, reversed(a.query)) || a.worker != 1 {
				t.Errorf("%+v", a)
			}
			come[string(a.query)] = true
			a.reply(nil)
			other.Do(func() { e.gate <- struct{}{} })
		case <-late:
			t.Fatal("the late answers do not come")
		}
	}
	t.Logf("late answers after %v", time.Since(begun))
	if e.done.Load() != 2 {
		t.Errorf("%d jobs were done before any was offered again", e.done.Load())
	}
	close(e.gate)
	serve(t, c, questions(6)[2:])
	if e.done.Load() != 6 {
		t.Errorf("%d jobs were done", e.done.Load())
	}
}

// An answer to which the coordinator has not replied when it ends is sent to the next one as soon as that is there.
func TestRestartBeforeReply(t *testing.T) {
	dir := t.TempDir()
	c := testCoordinator(t, dir, nil)
	j := joinOf(t, c)
	testWorker(t, j, "a", &echo{}, 1)
	put(t, c, "question")
	<-c.answers
	c.close()
	c = testCoordinator(t, dir, func(cfg *coordinatorConfig) { cfg.Listen = j.Address })
	select {
	case a := <-c.answers:
		a.reply(nil)
	case <-time.After(answerTimeout / 2):
		t.Error("the worker waits for a reply that cannot come any more")
	}
}
