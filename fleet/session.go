package fleet

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

func (w *worker) current() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session
}

// endSession marks the worker as not joined and drops jobs that have not started: the coordinator offers them again.
func (w *worker) endSession() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready = make(chan struct{})
	for t := range w.held {
		if !t.begun {
			w.forget(t)
		}
	}
}

// forget drops a job; w.mu is held.
func (w *worker) forget(t *task) {
	if w.held[t] {
		delete(w.held, t)
		close(t.gone)
	}
}

// requestRejoin makes the worker join again if that session is still the present one.
func (w *worker) requestRejoin(session int) {
	select {
	case w.rejoin <- session:
	default:
	}
}

// try asks the coordinator once. It does not wait beyond a reconnection: question or reply may have been lost with the
// connection before.
func (w *worker) try(ctx context.Context, verb string, data []byte, timeout time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	again := w.wake.wait()
	go func() {
		select {
		case <-again:
			cancel()
		case <-ctx.Done():
		}
	}()
	return w.nc.RequestWithContext(ctx, w.subject(verb), data)
}

// request asks the coordinator until it replies.
func (w *worker) request(verb string, data []byte, timeout time.Duration) (code, []byte, error) {
	for {
		m, err := w.try(w.ctx, verb, data, timeout)
		if err == nil {
			return decodeReply(m.Data)
		}
		if w.ctx.Err() != nil {
			return 0, nil, context.Cause(w.ctx)
		}
		if err := w.sleep(reconnectWait); err != nil {
			return 0, nil, err
		}
	}
}

// join introduces the worker and proves that its engine is fit.
func (w *worker) join() error {
	introduction := hello{Protocol: protocol, Version: clip(w.Version, 64), Name: clip(w.Name, 256), Slots: w.Count}
	if w.Cluster.URL != "" {
		introduction.Token = hex.EncodeToString(w.Join.Token[:])
	}
	text, err := json.Marshal(introduction)
	if err != nil {
		return err
	}
	for {
		data, err := w.introduce(verbJoin, text)
		if err != nil {
			return err
		}
		welcome, err := decodeWelcome(data)
		if err != nil {
			return err
		}
		w.mu.Lock()
		w.lease = welcome.lease
		w.mu.Unlock()
		proof, err := w.engines.Prove(w.ctx, welcome.text)
		if err != nil {
			return err
		}
		switch _, err := w.introduce(verbProve, proof); {
		case err == nil:
			w.markJoined()
			return nil
		case !errors.Is(err, errStranger): // else the coordinator was restarted meanwhile
			return err
		}
	}
}

var errStranger = errors.New("the coordinator does not know this worker")

// introduce takes a step of joining, again while the coordinator is busy.
func (w *worker) introduce(verb string, text []byte) (reply []byte, err error) {
	for {
		c, data, err := w.request(verb, text, requestTimeout)
		switch {
		case err != nil:
			return nil, err
		case c == codeDone:
			return data, nil
		case c == codeFinished:
			return nil, errFinished
		case c == codeRefused:
			return nil, fmt.Errorf("%w: %s", ErrRefused, clip(string(data), maxHello))
		case c == codeStranger:
			return nil, errStranger
		}
		if err := w.sleep(reconnectWait); err != nil {
			return nil, err
		}
	}
}

func (w *worker) markJoined() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session++
	close(w.ready)
	w.Log("joined, for %d jobs at a time", w.Count)
}

// hold reports the worker's jobs to the coordinator: at once when there is a new one, and periodically.
func (w *worker) hold() {
	w.mu.Lock()
	every := max(w.lease/4, 20*time.Millisecond)
	w.mu.Unlock()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		again := w.wake.wait()
		select {
		case <-w.ctx.Done():
			return
		case <-w.claim:
		case <-again:
		case <-tick.C:
		}
		w.mu.Lock()
		session := w.session
		var tasks []*task
		var list []heldJob
		for t := range w.held {
			tasks = append(tasks, t)
			list = append(list, heldJob{t.number, t.ticket})
		}
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(w.ctx, min(requestTimeout, every))
		m, err := w.nc.RequestWithContext(ctx, w.subject(verbHold), appendHeldJobs(nil, list))
		cancel()
		if err != nil {
			continue
		}
		switch c, codes, err := decodeReply(m.Data); {
		case err != nil:
		case c == codeStranger:
			w.requestRejoin(session)
		case c == codeFinished:
			w.stop(errFinished)
		case c == codeDone && len(codes) == len(tasks):
			w.mu.Lock()
			for i, t := range tasks {
				if code(codes[i]) == codeGone && !t.begun {
					w.forget(t)
				}
			}
			w.mu.Unlock()
		}
	}
}

// leave returns the worker's jobs, if the coordinator can be reached.
func (w *worker) leave() {
	_, _ = w.nc.Request(w.subject(verbLeave), nil, leaveTimeout) // otherwise the leases end
}

// broadcast wakes all waiting goroutines.
type broadcast struct {
	mu sync.Mutex
	c  chan struct{}
}

func newBroadcast() *broadcast { return &broadcast{c: make(chan struct{})} }

func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.c
}

func (b *broadcast) send() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.c)
	b.c = make(chan struct{})
}
