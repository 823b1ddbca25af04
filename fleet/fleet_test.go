package fleet

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"talbot/internal/testkit"
)

// echo answers a query with its bytes reversed.
type echo struct {
	delay time.Duration
	gate  chan struct{} // if set, each job waits for something from it, or for its end
	fail  func(asked []byte) error
	done  atomic.Int64
}

func reversed(b []byte) []byte {
	r := make([]byte, len(b))
	for i, c := range b {
		r[len(b)-1-i] = c
	}
	return r
}

func (e *echo) Prove(_ context.Context, welcome []byte) ([]byte, error) {
	return append([]byte("proof of "), welcome...), nil
}

func (e *echo) Open(context.Context) (engine, error) { return e, nil }

func (e *echo) Close() error { return nil }

func (e *echo) Do(ctx context.Context, asked, payload []byte) ([]byte, error) {
	if e.fail != nil {
		if err := e.fail(asked); err != nil {
			return nil, err
		}
	}
	if e.delay > 0 {
		select {
		case <-time.After(e.delay):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	e.done.Add(1)
	return reversed(asked), nil
}

// proveEcho checks the proof of [echo].
func proveEcho(proof []byte) error {
	if string(proof) != "proof of hello" {
		return fmt.Errorf("%q proves nothing", proof)
	}
	return nil
}

// testCoordinator is one that listens on this machine until the end of the test. Its lease is the usual one, which no
// worker loses because the machine is busy.
func testCoordinator(t testing.TB, dir string, change func(*coordinatorConfig)) *coordinator {
	t.Helper()
	cfg := coordinatorConfig{Dir: dir, Share: Share{Listen: "127.0.0.1:0"}, terms: []byte("hello"), prove: proveEcho}
	if change != nil {
		change(&cfg)
	}
	c := testkit.Value(openCoordinator(context.Background(), cfg))(t)
	t.Cleanup(c.close) // twice is harmless
	return c
}

// testWorker runs a worker until the end of the test, or until it is stopped.
func testWorker(t testing.TB, join Join, name string, set engineSet, count int) (stop func() error) {
	t.Helper()
	return testWorkerOf(t, join, filepath.Join(t.TempDir(), name), set, count)
}

// testWorkerOf is testWorker with the key in that file.
func testWorkerOf(t testing.TB, join Join, key string, set engineSet, count int) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := startWorker(ctx, t, join, key, set, count)
	var once sync.Once
	var err error
	stop = func() error {
		once.Do(func() { cancel(); err = <-ended })
		return err
	}
	t.Cleanup(func() { _ = stop() })
	return stop
}

// startWorker runs a worker until ctx ends, or until it ends by itself, and then tells how.
func startWorker(ctx context.Context, t testing.TB, join Join, key string, set engineSet, count int) <-chan error {
	t.Helper()
	ended := make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- WorkerConfig{Join: join, KeyFile: key, engines: set, Count: count,
			Name: filepath.Base(key), Log: t.Logf}.Run(ctx)
	}()
	return ended
}

// shortLease is for tests that wait until leases are over.
func shortLease(cfg *coordinatorConfig) { cfg.Lease = time.Second }

func joinOf(t testing.TB, c *coordinator) Join {
	t.Helper()
	j := testkit.Value(c.Join())(t)
	return j
}

// put offers questions, to nobody in particular.
func put(t testing.TB, c *coordinator, questions ...string) (last uint64) {
	t.Helper()
	for _, q := range questions {
		var err error
		if last, err = c.Offer([]byte(q), []byte("payload of "+q)); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

// until waits for what happens within a minute.
func until(t testing.TB, what string, happened func() bool) {
	t.Helper()
	for begun := time.Now(); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// serve offers the questions and takes answers until all are answered once; lost ones are offered again.
func serve(t testing.TB, c *coordinator, questions []string) {
	t.Helper()
	serveWith(t, c, questions, nil, func(string) {})
}

// serveWith does so beside questions that are offered already, and tells of each answer that counts.
func serveWith(t testing.TB, c *coordinator, questions []string, offered map[uint64]string, answered func(string)) {
	t.Helper()
	open := map[uint64]string{}
	left := map[string]bool{}
	for n, q := range offered {
		open[n], left[q] = q, true
	}
	for _, q := range questions {
		left[q] = true
		open[put(t, c, q)] = q
	}
	timeout := time.After(60 * time.Second)
	for len(left) > 0 {
		select {
		case a := <-c.answers:
			if !bytes.Equal(reversed(a.query), a.answer) {
				a.reply(errors.New("wrong"))
				continue
			}
			if left[string(a.query)] {
				answered(string(a.query))
			}
			delete(left, string(a.query))
			a.reply(nil)
			c.Retract(a.number)
		case <-c.changed:
			for _, l := range c.LostJobs() {
				open[put(t, c, open[l.number])] = open[l.number]
				delete(open, l.number)
			}
		case <-timeout:
			t.Fatalf("%d are not answered: %+v", len(left), c.Status())
		}
	}
}

func questions(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprint("question ", i))
	}
	return list
}

// Jobs go to workers and answers come back, workers are told when all is done and end without an error, and the next
// coordinator of the folder has the same key.
func TestWork(t *testing.T) {
	dir := t.TempDir()
	c := testCoordinator(t, dir, func(cfg *coordinatorConfig) { cfg.Lease = time.Hour }) // nothing ends by that
	e := &echo{}
	ctx, cancel := context.WithCancel(t.Context())
	var workers []<-chan error
	for i, name := range []string{"a", "b"} {
		workers = append(workers, startWorker(ctx, t, joinOf(t, c), filepath.Join(t.TempDir(), name), e, 2+i))
	}
	t.Cleanup(func() {
		cancel()
		for _, ended := range workers {
			<-ended
		}
	})
	serve(t, c, questions(300))
	until(t, "two workers", func() bool { return len(c.Status().Workers) == 2 })
	if s := c.Status(); s.Done != 300 || s.Open != 0 || s.Refused != 0 || e.done.Load() != 300 {
		t.Errorf("%+v, %d jobs done", s, e.done.Load())
	}
	c.Finish()
	join := joinOf(t, c)
	for _, ended := range workers {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error("a worker does not end")
		}
	}
	c.close()
	c = testCoordinator(t, dir, nil)
	if again := joinOf(t, c); again.Pin != join.Pin || again.Token != join.Token {
		t.Error("the key has changed")
	}
}

func base64URL(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
