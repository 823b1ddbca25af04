package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"talbot/internal/fault"
)

// engineSet starts a worker's engines: [stockfishSet], or a fake of the tests.
type engineSet interface {
	// Prove returns the proof for the coordinator from its welcome. After a restart of the coordinator it is called
	// again.
	Prove(ctx context.Context, welcome []byte) (proof []byte, err error)
	// Open starts one engine. It is called after Prove.
	Open(ctx context.Context) (engine, error)
}

// engine does one job at a time.
type engine interface {
	// Do returns the answer to a job. When ctx ends it returns soon, with what there is. After an error the engine is
	// closed and another one opened.
	Do(ctx context.Context, query, payload []byte) (answer []byte, err error)
	Close() error
}

// WorkerConfig has the settings of a worker.
type WorkerConfig struct {
	Join    Join
	Cluster Cluster // that carries the messages, if its URL is not empty
	KeyFile string  // of the worker's key, made if missing
	Engine  string  // path, or a name to look up
	Count   int     // of engines
	Name    string  // of this machine, for people
	Version string  // of this program, for people
	Log     func(string, ...any)

	engines engineSet // nil: Stockfish, of Engine
}

// Errors that end a worker.
var (
	// ErrRefused: the coordinator refuses this worker; the reason follows.
	ErrRefused = errors.New("the coordinator refuses this worker")
	// ErrToken: the token of the join string is not the coordinator's, or the worker's key is banned.
	ErrToken = fault.New(fault.ExitFailed, "the coordinator refuses the token or the key of this worker",
		"copy the file of --join-file again; a worker that was banned stays banned")
)

var errFinished = errors.New("the work is finished")

const (
	requestTimeout = 5 * time.Second
	answerTimeout  = 20 * time.Second
	dialTimeout    = 3 * time.Second
	reconnectWait  = 200 * time.Millisecond
	leaveTimeout   = 700 * time.Millisecond
	openAttempts   = 3
	inFlight       = 2               // answers of a slot that are under way
	maxAhead       = 2 * time.Second // after the begin of a job, before the next one is asked for
)

// worker is a running worker.
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
	again   chan struct{} // closed when the worker is connected again

	rejoin chan int      // the session that has ended
	claim  chan struct{} // signals a job that the coordinator does not know of
}

// task is a job that the worker holds.
type task struct {
	job
	begun bool
	gone  chan struct{} // closed when the job is not wanted any more
	over  chan struct{} // closed when a slot is done with it
}

// Run does jobs until the work is finished, which is no error, or ctx ends, whose cause it returns. It waits for a
// missing coordinator for as long as it takes. Other errors: [ErrPin], [ErrToken], [ErrRefused], and those
// of the engine.
func (cfg WorkerConfig) Run(ctx context.Context) error {
	if cfg.Log == nil {
		cfg.Log = func(string, ...any) {}
	}
	if cfg.engines == nil {
		cfg.engines = &stockfishSet{path: cfg.Engine}
	}
	w := &worker{WorkerConfig: cfg, ready: make(chan struct{}), lease: defaultLease, held: map[*task]bool{},
		again: make(chan struct{}), rejoin: make(chan int, 1), claim: make(chan struct{}, 1)}
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
	options, key, err := w.Join.options(w.Cluster, w.KeyFile)
	if err != nil {
		return err
	}
	w.key = key
	options = append(options, nats.CustomInboxPrefix(inboxRoot+key+"."+w.instance+".r"), nats.Name(w.Name),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.ReconnectJitter(0, reconnectWait/2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if w.ctx.Err() == nil {
				w.Log("the connection is lost: %v", err)
			}
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { w.Log("%v", err) }),
		nats.ReconnectHandler(w.reconnected),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			if errors.Is(err, ErrPin) {
				w.stop(ErrPin)
			}
		}),
		nats.ClosedHandler(func(nc *nats.Conn) {
			w.stop(fmt.Errorf("the connection is closed: %w", refusal(nc.LastError())))
		}))
	said := false
	for {
		if w.nc, err = nats.Connect(w.Join.url(w.Cluster), options...); err == nil {
			w.Log("connected")
			return nil
		}
		if err = refusal(err); errors.Is(err, ErrPin) || errors.Is(err, ErrToken) {
			return err
		}
		if !said {
			w.Log("waiting for the coordinator: %v", err)
			said = true
		}
		if err := sleep(w.ctx, reconnectWait); err != nil {
			return err
		}
	}
}

// url returns the address of a coordinator, or of the cluster that carries its messages.
func (j Join) url(cluster Cluster) string { return cmp.Or(cluster.URL, "tls://"+j.Address) }

// refusal returns the error of a worker whose connection ended with an error.
func refusal(err error) error {
	switch {
	case errors.Is(err, ErrPin):
		return ErrPin
	case errors.Is(err, nats.ErrAuthorization):
		return ErrToken
	}
	return err
}

// options returns the options of every connection to a coordinator, or to its cluster; key is the public one.
func (j Join) options(cluster Cluster, keyFile string) (options []nats.Option, key string, err error) {
	s, err := loadSeed(keyFile)
	if err != nil {
		return nil, "", err
	}
	pair, key, err := s.user()
	if err != nil || cluster.URL != "" {
		return cluster.options(), key, err
	}
	return []nats.Option{
		nats.Secure(clientTLS(j.Pin)), nats.TLSHandshakeFirst(), nats.Token(hex.EncodeToString(j.Token[:])),
		nats.Nkey(key, pair.Sign), nats.Timeout(dialTimeout), nats.PingInterval(pingInterval),
		nats.MaxPingsOutstanding(maxPings), nats.ReconnectBufSize(-1), nats.IgnoreDiscoveredServers(),
	}, key, nil
}

// work joins, again if it must, and does jobs until the end.
func (w *worker) work() error {
	if _, err := w.nc.Subscribe(inboxRoot+w.key+"."+w.instance+".note", func(m *nats.Msg) {
		switch c, text, err := decodeReply(m.Data); {
		case err != nil:
		case c == codeFinished:
			w.stop(errFinished)
		case c == codeRefused:
			w.stop(fmt.Errorf("%w: %s", ErrRefused, clip(string(text), maxReason)))
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
			if err := w.runSlot(i); err != nil {
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
			w.endSession()
			if err := w.join(); err != nil {
				return err
			}
		}
	}
}

func (w *worker) subject(verb string) string {
	return subjectRoot + w.key + "." + w.instance + "." + verb
}
