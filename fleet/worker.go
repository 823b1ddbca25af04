package fleet

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"talbot/fleet/wire"
	"time"

	"github.com/nats-io/nats.go"
)

// Slots is a worker's side of a kind of jobs.
type Slots interface {
	// Prove makes what the coordinator's [Kind] judges of its welcome, or, with challenge, of what it said to the last
	// proof. After a restart of the coordinator it is called again.
	Prove(ctx context.Context, said []byte, challenge bool) (proof []byte, err error)
	// Open makes one slot, which does one job at a time. It is called after Prove.
	Open(ctx context.Context) (Slot, error)
}

// Slot does jobs.
type Slot interface {
	// Do returns the answer to a job. When ctx ends it returns soon, with what there is. After an error the slot is
	// closed and another one opened.
	Do(ctx context.Context, asked, payload []byte) (answer []byte, err error)
	Close() error
}

// WorkerConfig is what a worker is made of.
type WorkerConfig struct {
	Join    Join
	Cluster Cluster // that carries the messages, if its URL is not empty
	KeyFile string  // of the worker's own key, made if it is not there
	Kind    string  // of the jobs that Slots does
	Slots   Slots
	Count   int    // of slots
	Name    string // of this machine, for people
	Version string // of this program, for people
	Log     func(string, ...any)
}

// Errors with which a worker ends.
var (
	// ErrRefused: the coordinator does not want this worker, and says why.
	ErrRefused = errors.New("the coordinator refuses this worker")
	// ErrToken: the token of the join string is not the coordinator's, or the worker's key is banned.
	ErrToken = errors.New("the coordinator refuses the token or the key of this worker")
)

var errFinished = errors.New("the work is finished")

const (
	requestTimeout = 5 * time.Second
	answerTimeout  = 20 * time.Second
	dialTimeout    = 3 * time.Second
	reconnectWait  = 200 * time.Millisecond
	leaveTimeout   = 700 * time.Millisecond
	openAttempts   = 3
	inFlight       = 2 // answers of a slot that are under way
)

// worker is a running one.
type worker struct {
	WorkerConfig
	nc       *nats.Conn
	key      string
	instance string

	ctx  context.Context // ends with the work, for whatever reason
	stop context.CancelCauseFunc

	mu      sync.Mutex
	ready   chan struct{} // closed while the worker is joined
	session int           // how often it has joined
	lease   time.Duration
	held    map[*task]bool

	rejoin chan int      // the session that is over
	claim  chan struct{} // something is held that the coordinator does not know of
	wake   *broadcast    // of reconnections
}

// task is a job that is held.
type task struct {
	job
	session int
	begun   bool
	gone    chan struct{} // closed when it is not wanted any more
}

// Run does jobs until the work is finished, which is no error, or ctx ends, whose cause it returns. It waits for a
// coordinator that is not there, for as long as it takes. Other errors: [ErrPin], [ErrToken], [ErrRefused], and those
// of Slots.
func (cfg WorkerConfig) Run(ctx context.Context) error {
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	w := &worker{WorkerConfig: cfg, ready: make(chan struct{}), lease: defaultLease, held: map[*task]bool{},
		rejoin: make(chan int, 1), claim: make(chan struct{}, 1), wake: newBroadcast()}
	w.ctx, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	if err := w.connect(); err != nil {
		return err
	}
	defer w.nc.Close()
	err := w.work()
	if errors.Is(err, errFinished) {
		w.Log("the work is finished")
		err = nil
	}
	w.leave()
	return err
}

// connect waits for the coordinator.
func (w *worker) connect() error {
	var id [instanceSize / 2]byte
	if _, err := rand.Read(id[:]); err != nil {
		return err
	}
	w.instance = hex.EncodeToString(id[:])
	options, key, err := w.Join.options(w.KeyFile)
	if err != nil {
		return err
	}
	w.key = key
	address := "tls://" + w.Join.Address
	if w.Cluster.URL != "" {
		options, address = w.Cluster.options(), w.Cluster.URL
	}
	options = append(options, nats.CustomInboxPrefix(inboxRoot+key+"."+w.instance+".r"), nats.Name(w.Name),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(0, reconnectWait/2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if w.ctx.Err() == nil {
				w.Log("the connection is lost: %v", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { w.Log("connected again"); w.wake.send() }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if errors.Is(err, ErrPin) {
				w.stop(ErrPin)
			}
		}),
		nats.ClosedHandler(func(nc *nats.Conn) {
			err := nc.LastError()
			if errors.Is(err, nats.ErrAuthorization) {
				err = ErrToken
			}
			w.stop(fmt.Errorf("the connection is closed: %w", err))
		}))
	said := false
	for {
		if w.nc, err = nats.Connect(address, options...); err == nil {
			w.Log("connected")
			return nil
		}
		switch {
		case errors.Is(err, ErrPin):
			return ErrPin
		case errors.Is(err, nats.ErrAuthorization):
			return ErrToken
		case !said:
			w.Log("waiting for the coordinator: %v", err)
			said = true
		}
		select {
		case <-w.ctx.Done():
			return context.Cause(w.ctx)
		case <-time.After(reconnectWait):
		}
	}
}

// options are those of every connection to a coordinator; key is the public one.
func (j Join) options(keyFile string) (options []nats.Option, key string, err error) {
	s, err := loadSeed(keyFile)
	if err != nil {
		return nil, "", err
	}
	pair, key, err := s.user()
	if err != nil {
		return nil, "", err
	}
	return []nats.Option{
		nats.Secure(clientTLS(j.Pin)), nats.TLSHandshakeFirst(), nats.Token(hex.EncodeToString(j.Token[:])),
		nats.Nkey(key, pair.Sign), nats.Timeout(dialTimeout), nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(maxPings), nats.ReconnectBufSize(-1), nats.IgnoreDiscoveredServers(),
	}, key, nil
}

// work joins, again if it must, and does jobs until the end.
func (w *worker) work() error {
	if _, err := w.nc.Subscribe(subjectAll, func(m *nats.Msg) {
		if string(m.Data) == allFinished {
			w.stop(errFinished)
		}
	}); err != nil {
		return err
	}
	if _, err := w.nc.Subscribe(inboxRoot+w.key+"."+w.instance+".note", func(m *nats.Msg) {
		if c, text, err := decodeReply(m.Data); err == nil && c == codeRefused {
			w.stop(fmt.Errorf("%w: %s", ErrRefused, wire.Clip(string(text), maxReason)))
		}
	}); err != nil {
		return err
	}
	if err := w.join(); err != nil {
		return err
	}
	var slots sync.WaitGroup
	defer slots.Wait()
	defer w.stop(nil)
	slots.Go(w.hold)
	for i := range w.Count {
		slots.Go(func() {
			if err := w.slot(i); err != nil {
				w.stop(err)
			}
		})
	}
	for {
		select {
		case <-w.ctx.Done():
			return context.Cause(w.ctx)
		case session := <-w.rejoin:
			if session != w.current() {
				continue
			}
			w.lapse()
			if err := w.join(); err != nil {
				return err
			}
		}
	}
}

func (w *worker) current() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.session
}

// lapse says that the worker is not joined, and lets go of jobs that are not begun: whoever offered them offers them
// again.
func (w *worker) lapse() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready = make(chan struct{})
	for t := range w.held {
		if !t.begun {
			w.forget(t)
		}
	}
}

// forget lets go of a job; w.mu is held.
func (w *worker) forget(t *task) {
	if w.held[t] {
		delete(w.held, t)
		close(t.gone)
	}
}

// lapsed has the worker join again if that session is still the present one.
func (w *worker) lapsed(session int) {
	select {
	case w.rejoin <- session:
	default:
	}
}

// request asks the coordinator until it replies.
func (w *worker) request(verb string, data []byte, timeout time.Duration) (code, []byte, error) {
	for {
		ctx, cancel := context.WithTimeout(w.ctx, timeout)
		m, err := w.nc.RequestWithContext(ctx, w.subject(verb), data)
		cancel()
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

func (w *worker) subject(verb string) string {
	return subjectRoot + w.key + "." + w.instance + "." + verb
}

func (w *worker) sleep(d time.Duration) error {
	select {
	case <-w.ctx.Done():
		return context.Cause(w.ctx)
	case <-time.After(d):
		return nil
	}
}

// join introduces the worker and proves that it is fit.
func (w *worker) join() error {
	introduction := hello{Protocol: protocol, Version: wire.Clip(w.Version, 64), Name: wire.Clip(w.Name, 256),
		Kind: w.Kind, Slots: w.Count}
	if w.Cluster.URL != "" {
		introduction.Token = hex.EncodeToString(w.Join.Token[:])
	}
	text, err := json.Marshal(introduction)
	if err != nil {
		return err
	}
	verb, challenge, said := verbJoin, false, []byte(nil)
	for {
		c, data, err := w.request(verb, text, requestTimeout)
		switch {
		case err != nil:
			return err
		case c == codeFinished:
			return errFinished
		case c == codeRefused:
			return fmt.Errorf("%w: %s", ErrRefused, wire.Clip(string(data), maxHello))
		case c == codeBusy:
			if err := w.sleep(reconnectWait); err != nil {
				return err
			}
			continue
		case c == codeStranger:
			return w.join() // the coordinator was started anew meanwhile
		case c == codeDone && verb == verbProve:
			w.joined()
			return nil
		case c == codeDone:
			hello, err := decodeWelcome(data)
			if err != nil {
				return err
			}
			w.mu.Lock()
			w.lease = hello.lease
			w.mu.Unlock()
			said = hello.text
		default:
			said, challenge = data, true
		}
		if text, err = w.Slots.Prove(w.ctx, said, challenge); err != nil {
			return err
		}
		verb = verbProve
	}
}

func (w *worker) joined() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.session++
	close(w.ready)
	w.Log("joined with %d slots", w.Count)
}

// hold tells the coordinator what the worker has: at once when there is something new, and again and again.
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
		var list []held
		for t := range w.held {
			tasks = append(tasks, t)
			list = append(list, held{t.number, t.ticket})
		}
		w.mu.Unlock()
		ctx, cancel := context.WithTimeout(w.ctx, min(requestTimeout, every))
		m, err := w.nc.RequestWithContext(ctx, w.subject(verbHold), appendHeld(nil, list))
		cancel()
		if err != nil {
			continue
		}
		switch c, codes, err := decodeReply(m.Data); {
		case err != nil:
		case c == codeStranger:
			w.lapsed(session)
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

// slot does jobs, one at a time and one ahead.
func (w *worker) slot(i int) error {
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
	defer others.Wait()
	others.Go(func() { w.fetch(inbox, messages, tasks) })
	under := make(chan struct{}, inFlight)
	for {
		select {
		case <-w.ctx.Done():
			return nil
		case t := <-tasks:
			if !w.begin(t) {
				continue
			}
			answer, err := s.Do(w.ctx, t.asked, t.payload)
			if err == nil && len(answer)+len(t.asked) > MaxMessage {
				err = fmt.Errorf("an answer of %d bytes is too large", len(answer))
			}
			if err != nil {
				w.giveBack(t, err)
				_ = s.Close()
				s = nil
				if w.ctx.Err() != nil {
					return nil
				}
				if s, err = w.open(); err != nil {
					return err
				}
				continue
			}
			under <- struct{}{}
			others.Go(func() {
				w.answer(t, answer)
				<-under
			})
		}
	}
}

// open makes a slot, if it does not work at first then once more.
func (w *worker) open() (Slot, error) {
	for attempt := 1; ; attempt++ {
		s, err := w.Slots.Open(w.ctx)
		if err == nil || attempt == openAttempts || w.ctx.Err() != nil {
			return s, err
		}
		w.Log("%v", err)
		if err := w.sleep(time.Duration(attempt) * time.Second); err != nil {
			return nil, err
		}
	}
}

// begin reports whether a job is still wanted, and marks it as begun.
func (w *worker) begin(t *task) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	t.begun = w.held[t]
	return t.begun
}

// fetch asks for jobs, one at a time, and hands them on.
func (w *worker) fetch(inbox string, messages <-chan *nats.Msg, tasks chan<- *task) {
	for w.ctx.Err() == nil {
		w.mu.Lock()
		ready, session := w.ready, w.session
		w.mu.Unlock()
		select {
		case <-ready:
		case <-w.ctx.Done():
			return
		}
		again := w.wake.wait()
		if w.nc.PublishRequest(w.subject(verbNext), inbox, nil) != nil {
			_ = w.sleep(reconnectWait)
			continue
		}
		if t := w.await(messages, again, session); t != nil {
			select {
			case tasks <- t:
			case <-t.gone:
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
					_ = w.sleep(reconnectWait)
				}
				return nil
			}
			if !strings.HasPrefix(m.Reply, "$JS.ACK.") {
				w.told(m.Data, session)
				return nil
			}
			j, err := decodeJob(m.Data)
			if err != nil || j.kind != w.Kind {
				w.Log("a job that cannot be read: kind %q, %v", j.kind, err)
				continue
			}
			t := &task{job: j, session: session, gone: make(chan struct{})}
			w.mu.Lock()
			w.held[t] = true
			w.mu.Unlock()
			select {
			case w.claim <- struct{}{}:
			default:
			}
			return t
		}
	}
}

// told is what the coordinator says instead of giving a job.
func (w *worker) told(data []byte, session int) {
	switch c, text, err := decodeReply(data); {
	case err != nil:
	case c == codeFinished:
		w.stop(errFinished)
	case c == codeStranger:
		w.lapsed(session)
		_ = w.sleep(reconnectWait)
	case c == codeRefused:
		w.Log("refused: %s", wire.Clip(string(text), maxReason))
		_ = w.sleep(time.Second)
	default:
		_ = w.sleep(reconnectWait)
	}
}

// answer sends an answer until the coordinator has it, or does not want it.
func (w *worker) answer(t *task, text []byte) {
	data := (&answer{t.number, t.ticket, t.kind, t.asked, text}).append(nil)
	ctx, cancel := w.ctx, func() {}
	if w.ctx.Err() != nil { // the worker stops: what was done goes out if it goes quickly
		ctx, cancel = context.WithTimeout(context.WithoutCancel(w.ctx), leaveTimeout)
	}
	defer cancel()
	for {
		session := w.current()
		try, end := context.WithTimeout(ctx, answerTimeout)
		m, err := w.nc.RequestWithContext(try, w.subject(verbAnswer), data)
		end()
		c, said := codeBusy, []byte(nil)
		if err == nil {
			c, said, err = decodeReply(m.Data)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && c == codeStranger:
			w.lapsed(session)
		case err == nil && c != codeBusy:
			if c == codeRefused {
				w.Log("an answer was refused: %s", wire.Clip(string(said), maxReason))
			}
			if c == codeFinished {
				w.stop(errFinished)
			}
			w.mu.Lock()
			w.forget(t)
			w.mu.Unlock()
			return
		}
		if w.sleep(reconnectWait) != nil && ctx == w.ctx {
			return
		}
	}
}

// giveBack returns a job that could not be done.
func (w *worker) giveBack(t *task, why error) {
	w.mu.Lock()
	w.forget(t)
	w.mu.Unlock()
	if w.ctx.Err() != nil {
		return // all are given back at the end
	}
	w.Log("a job went wrong: %v", why)
	_, _, _ = w.request(verbBack, (&back{held{t.number, t.ticket}, true, why.Error()}).append(nil), requestTimeout)
}

// leave gives back what the worker has, if the coordinator can be reached.
func (w *worker) leave() {
	_, _ = w.nc.Request(w.subject(verbLeave), nil, leaveTimeout) // otherwise the leases end
}

// broadcast wakes all who wait.
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

// AskStatus asks a coordinator how far the work is. Whoever has the join string may.
func AskStatus(ctx context.Context, j Join, cluster Cluster, keyFile string) (Status, error) {
	var s Status
	options, key, err := j.options(keyFile)
	if err != nil {
		return s, err
	}
	prefix := inboxRoot + key + ".00000000."
	address := "tls://" + j.Address
	if cluster.URL != "" {
		options, address = cluster.options(), cluster.URL
	}
	nc, err := nats.Connect(address, append(options, nats.CustomInboxPrefix(prefix+"s"),
		nats.NoReconnect())...)
	switch {
	case errors.Is(err, ErrPin):
		return s, ErrPin
	case errors.Is(err, nats.ErrAuthorization):
		return s, ErrToken
	case err != nil:
		return s, fmt.Errorf("connecting to %s: %w", j.Address, err)
	}
	defer nc.Close()
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, subjectRoot+key+".00000000."+verbStatus, nil)
	if err != nil {
		return s, fmt.Errorf("asking %s for its status: %w", j.Address, err)
	}
	c, text, err := decodeReply(m.Data)
	if err == nil && c != codeDone {
		err = fmt.Errorf("%w: %s", ErrRefused, wire.Clip(string(text), maxReason))
	}
	if err == nil {
		err = wire.JSON(text, maxPayload, &s)
	}
	return s, err
}
