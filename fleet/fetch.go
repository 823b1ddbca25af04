package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// runSlot does jobs, one at a time and one ahead. An error ends the work of the others, too.
func (w *worker) runSlot(i int) (err error) {
	s, err := w.open()
	if err != nil {
		return err
	}
	defer func() {
		if s != nil {
			_ = s.Close()
		}
	}()
	inbox := fmt.Sprintf("%s%s.%s.n%d", inboxRoot, w.key, w.instance, i)
	messages := make(chan *nats.Msg, 64)
	sub, err := w.nc.ChanSubscribe(inbox, messages)
	if err != nil {
		return err
	}
	defer func() { _ = sub.Unsubscribe() }()
	tasks := make(chan *task)
	var others sync.WaitGroup
	defer func() {
		if err != nil {
			w.stop(err) // else fetch would wait for its end
		}
		others.Wait()
	}()
	var took atomic.Int64 // by the last job; before the first one, what leaves the whole of maxAhead
	took.Store(int64(2 * maxAhead))
	others.Go(func() { w.fetch(inbox, messages, tasks, &took) })
	under := make(chan struct{}, inFlight)
	for {
		select {
		case <-w.ctx.Done():
			return nil
		case t := <-tasks:
			if !w.begin(t) {
				close(t.over)
				continue
			}
			begun := time.Now()
			done := job{heldJob: t.heldJob, Query: t.Query}
			done.Payload, err = s.Do(w.ctx, t.Query, t.Payload)
			took.Store(int64(time.Since(begun)))
			close(t.over)
			text := encodeJSON(done)
			if err == nil && len(text) > maxJob {
				err = fmt.Errorf("an answer of %d bytes is too large", len(text))
			}
			if err != nil {
				_ = s.Close()
				s = nil
				if w.ctx.Err() != nil {
					return nil // all jobs are given back at the end
				}
				w.Log("a job went wrong: %v", err)
				done.Payload, done.Failed = nil, clip(err.Error(), maxReason)
				text = encodeJSON(done)
			}
			under <- struct{}{}
			others.Go(func() {
				w.answer(t, text)
				<-under
			})
			if s == nil {
				if s, err = w.open(); err != nil {
					return err
				}
			}
		}
	}
}

// open starts an engine, and tries once more if that fails.
func (w *worker) open() (engine, error) {
	for attempt := 1; ; attempt++ {
		s, err := w.engines.Open(w.ctx)
		if err == nil || attempt == openAttempts || w.ctx.Err() != nil {
			return s, err
		}
		w.Log("%v", err)
		if err := sleep(w.ctx, time.Duration(attempt)*time.Second); err != nil {
			return nil, err
		}
	}
}

// begin reports whether a job is still wanted, and marks it as started.
func (w *worker) begin(t *task) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.begun = w.held[t]
	return t.begun
}

// fetch asks for jobs, one at a time, and hands them on. It asks for the next one some time after the current one has
// begun, so that slots that start together do not keep asking together; took is how long the last job took.
func (w *worker) fetch(inbox string, messages <-chan *nats.Msg, tasks chan<- *task, took *atomic.Int64) {
	for w.ctx.Err() == nil {
		w.mu.Lock()
		ready, session := w.ready, w.session
		w.mu.Unlock()
		select {
		case <-ready:
		case <-w.ctx.Done():
			return
		}
		again := w.reconnection()
		if w.nc.PublishRequest(w.subject(verbNext), inbox, nil) != nil {
			_ = sleep(w.ctx, reconnectWait)
			continue
		}
		if t := w.await(messages, again, session); t != nil {
			select {
			case tasks <- t:
			case <-t.gone:
				continue
			case <-w.ctx.Done():
				return
			}
			select {
			case <-time.After(rand.N(min(time.Duration(took.Load())/2, maxAhead) + 1)):
			case <-t.over:
			case <-w.ctx.Done():
				return
			}
		}
	}
}

// await waits for a job; nil means that it is time to ask again.
func (w *worker) await(messages <-chan *nats.Msg, again <-chan struct{}, session int) *task {
	quiet := time.NewTimer(5 * nextBeat / 2)
	defer quiet.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return nil
		case <-again:
			return nil
		case <-quiet.C:
			return nil
		case m := <-messages:
			if m.Header.Get("Status") == "100" { // still waiting
				quiet.Reset(5 * nextBeat / 2)
				continue
			}
			if status := m.Header.Get("Status"); status != "" {
				if status != "408" {
					_ = sleep(w.ctx, reconnectWait)
				}
				return nil
			}
			if !strings.HasPrefix(m.Reply, "$JS.ACK.") { // the coordinator says why there is none
				if c, text, err := decodeReply(m.Data); err == nil {
					w.heed(c, text, session)
				}
				_ = sleep(w.ctx, reconnectWait)
				return nil
			}
			j, err := decodeJSON[job](m.Data, maxPayload)
			if err != nil {
				w.Log("a job that cannot be read: %v", err)
				continue
			}
			t := &task{job: j, gone: make(chan struct{}), over: make(chan struct{})}
			w.mu.Lock()
			w.held[t] = true
			w.mu.Unlock()
			signal(w.claim, struct{}{})
			return t
		}
	}
}

// answer sends an answer until the coordinator has it, or does not want it.
func (w *worker) answer(t *task, data []byte) {
	ctx, cancel := w.ctx, func() {}
	if w.ctx.Err() != nil { // the worker stops: what was done goes out if it goes quickly
		ctx, cancel = context.WithTimeout(context.WithoutCancel(w.ctx), leaveTimeout)
	}
	defer cancel()
	for ctx.Err() == nil {
		session := w.current()
		if c, text, err := w.request(ctx, verbAnswer, data, answerTimeout); err == nil {
			w.heed(c, text, session)
			if c != codeStranger {
				w.mu.Lock()
				w.forget(t)
				w.mu.Unlock()
				return
			}
		}
		_ = sleep(ctx, reconnectWait)
	}
}
