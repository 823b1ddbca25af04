package fleet

import (
	"context"
	"encoding/hex"
	"fmt"
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
func (w *worker) requestRejoin(session int) { signal(w.rejoin, session) }

// try asks the coordinator once. It does not wait beyond a reconnection: question or reply may have been lost with the
// connection before.
func (w *worker) try(ctx context.Context, verb string, data []byte, timeout time.Duration) (*nats.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	again := w.reconnection()
	go func() {
		select {
		case <-again:
			cancel()
		case <-ctx.Done():
		}
	}()
	return w.nc.RequestWithContext(ctx, w.subject(verb), data)
}

// request asks the coordinator until it replies, and again while it is busy.
func (w *worker) request(ctx context.Context, verb string, data []byte, timeout time.Duration) (code, []byte, error) {
	for {
		if m, err := w.try(ctx, verb, data, timeout); err == nil {
			if c, text, err := decodeReply(m.Data); err != nil || c != codeBusy {
				return c, text, err
			}
		}
		if err := sleep(ctx, reconnectWait); err != nil {
			return 0, nil, err
		}
	}
}

// sleep waits for a time. If ctx ends before it returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// heed does what a reply to a worker that joined in a session asks for, and reports whether its request was done.
func (w *worker) heed(c code, text []byte, session int) bool {
	switch c {
	case codeFinished:
		w.stop(errFinished)
	case codeStranger:
		w.requestRejoin(session)
	case codeRefused:
		w.Log("refused: %s", clip(string(text), maxReason))
	}
	return c == codeDone
}

// join introduces the worker and proves that its engine is fit.
func (w *worker) join() error {
	h := hello{Protocol: protocol, Version: clip(w.Version, 64), Name: clip(w.Name, 256), Slots: w.Count}
	if w.Cluster.URL != "" {
		h.Token = hex.EncodeToString(w.Join.Token[:])
	}
	data, err := w.introduce(h)
	if err != nil {
		return err
	}
	welcome, err := decodeJSON[welcome](data, maxPayload)
	if err != nil {
		return err
	}
	if h.Proof, err = w.engines.Prove(w.ctx, welcome.Terms); err != nil {
		return err
	}
	if _, err = w.introduce(h); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lease = welcome.Lease
	w.session++
	close(w.ready)
	w.Log("joined, for %d jobs at a time", w.Count)
	return nil
}

// introduce takes a step of joining.
func (w *worker) introduce(h hello) (reply []byte, err error) {
	switch c, data, err := w.request(w.ctx, verbJoin, encodeJSON(h), requestTimeout); {
	case err != nil:
		return nil, err
	case c == codeFinished:
		return nil, errFinished
	case c == codeRefused:
		return nil, fmt.Errorf("%w: %s", ErrRefused, clip(string(data), maxRefusal))
	default:
		return data, nil
	}
}

// hold reports the worker's jobs to the coordinator: at once when there is a new one, and periodically.
func (w *worker) hold() {
	w.mu.Lock()
	every := max(w.lease/4, 20*time.Millisecond)
	w.mu.Unlock()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case <-w.claim:
		case <-w.reconnection():
		case <-tick.C:
		}
		w.mu.Lock()
		session := w.session
		var tasks []*task
		list := []heldJob{}
		for t := range w.held {
			tasks = append(tasks, t)
			list = append(list, t.heldJob)
		}
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(w.ctx, min(requestTimeout, every))
		m, err := w.nc.RequestWithContext(ctx, w.subject(verbHold), encodeJSON(list))
		cancel()
		if err != nil {
			continue
		}
		c, codes, err := decodeReply(m.Data)
		if err != nil || !w.heed(c, codes, session) || len(codes) != len(tasks) {
			continue
		}
		w.mu.Lock()
		for i, t := range tasks {
			if code(codes[i]) == codeGone && !t.begun {
				w.forget(t)
			}
		}
		w.mu.Unlock()
	}
}

// leave returns the worker's jobs, if the coordinator can be reached.
func (w *worker) leave() {
	_, _ = w.nc.Request(w.subject(verbLeave), nil, leaveTimeout) // otherwise the leases end
}

// reconnection returns a channel that is closed when the worker is connected again.
func (w *worker) reconnection() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.again
}

// reconnected wakes all that wait for a reconnection.
func (w *worker) reconnected(*nats.Conn) {
	w.Log("connected again")
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.again)
	w.again = make(chan struct{})
}
