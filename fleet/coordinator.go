package fleet

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// coordinatorConfig has the settings of a coordinator.
type coordinatorConfig struct {
	// Dir is a folder that only this coordinator uses. Its key, the list of its workers and the server's store are
	// files there, whose names begin with [FilePrefix].
	Dir string
	Share

	terms []byte // sent to a worker that joins
	// prove checks a worker's engine by its reply to the terms; a refused worker prints the error.
	prove  func(proof []byte) error
	status func(*Status) // adds figures of the labels; may be nil

	now func() time.Time // by which leases end, for tests; nil: the machine's clock
}

const (
	defaultLease = 15 * time.Second
	streamName   = "TALBOT"
	consumerName = "workers"
	// clusterAddress is the address in join strings of coordinators that do not listen.
	clusterAddress = "nats.invalid:4222"
	apiTimeout     = 10 * time.Second
	// nextExpires limits a worker's wait for a job, and nextBeat is the interval at which it is reminded that it still
	// does.
	nextExpires = 20 * time.Second
	nextBeat    = 5 * time.Second
	// maxInstances limits the processes of one key, and maxMembers those of all keys.
	maxInstances = 256
	maxMembers   = 4096
)

// coordinator offers jobs to workers and gets their answers. Its methods may be called from any goroutine.
type coordinator struct {
	cfg    coordinatorConfig
	seed   seed
	gate   *gate
	roster *roster
	nc     *nats.Conn
	js     jetstream.JetStream
	ticket [sha256.Size]byte // the secret of tickets

	answers chan *delivery // of workers. No other message is handled between two of them, so reply to each soon
	changed chan struct{}  // signals that jobs were lost or that workers joined or left
	ended   context.Context
	end     context.CancelFunc
	work    sync.WaitGroup
	closing sync.Once

	mu       sync.Mutex
	number   uint64 // of the last job
	offers   map[uint64]*offer
	lost     []lostJob
	members  map[string]*member // by key and instance
	finished bool

	done, refused, slots, workers atomic.Int64
}

// member is a process of a worker that has joined.
type member struct {
	key, instance string
	worker        int // number of the key
	process       int // number among the worker's joined processes, from 1
	name, version string
	slots         int
	heard         time.Time
	openRequests  []time.Time // requests for jobs that were handed to the queue and are not known to be served
	held          map[uint64]*offer
	done, lost    int64
}

// delivery is a worker's answer to a job.
type delivery struct {
	worker int    // number of its key, from 1
	number uint64 // of the job, if it is still offered; else 0
	query  []byte
	answer []byte
	reply  func(error) // tells the worker that the answer is filed, or why not; to be called once
}

// openCoordinator starts a coordinator. No other process may have the folder. The caller closes it.
func openCoordinator(ctx context.Context, cfg coordinatorConfig) (*coordinator, error) {
	if cfg.Lease <= 0 {
		cfg.Lease = defaultLease
	}
	if cfg.now == nil {
		cfg.now = time.Now
	}
	c := &coordinator{cfg: cfg, answers: make(chan *delivery, 64), changed: make(chan struct{}, 1),
		offers: map[uint64]*offer{}, members: map[string]*member{}}
	c.ended, c.end = context.WithCancel(context.Background())
	var err error
	if c.seed, err = loadSeed(filepath.Join(cfg.Dir, keyFile)); err != nil {
		return nil, err
	}
	c.ticket = c.seed.derive("talbot tickets")
	if c.roster, err = openRoster(filepath.Join(cfg.Dir, rosterFile)); err != nil {
		return nil, err
	}
	if cfg.Cluster.URL == "" {
		store, err := filepath.Abs(filepath.Join(cfg.Dir, StoreFolder))
		if err != nil {
			return nil, err
		}
		admitted := func(key string) bool { return c.roster.banned(key) == "" }
		if c.gate, err = openGate(c.seed, store, cfg.Listen, admitted); err != nil {
			return nil, err
		}
	}
	if err := c.begin(ctx); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// begin makes the queue and listens to workers.
func (c *coordinator) begin(ctx context.Context) error {
	url, options := c.cfg.Cluster.URL, c.cfg.Cluster.options()
	if c.gate != nil {
		url, options = "", c.gate.options()
	}
	// A message is lost if there are too many: its sender asks again, or floods.
	dropped := func(*nats.Conn, *nats.Subscription, error) { c.refused.Add(1) }
	var err error
	if c.nc, err = nats.Connect(url, append(options, nats.Name("talbot coordinator"), nats.ErrorHandler(dropped),
		nats.ReconnectHandler(func(*nats.Conn) { c.work.Go(c.renew) }))...); err != nil {
		return fmt.Errorf("connecting to the NATS server: %w", err)
	}
	if c.js, err = jetstream.New(c.nc); err != nil {
		return err
	}
	if err := c.queue(ctx); err != nil {
		return err
	}
	for verb, do := range map[string]func(*nats.Msg, string, string){
		verbJoin: c.onJoin, verbNext: c.onNext, verbHold: c.onHold, verbAnswer: c.onAnswer,
		verbLeave: c.onLeave, verbStatus: c.onStatus,
	} {
		if _, err := c.nc.Subscribe(subjectRoot+"*.*."+verb, func(m *nats.Msg) {
			if key, instance, _, ok := parseSubject(m.Subject); ok && ownInbox(m.Reply, key, instance) {
				do(m, key, instance)
			} else {
				c.refused.Add(1)
			}
		}); err != nil {
			return err
		}
	}
	if _, err := c.nc.Subscribe(subjectFiled+"*", c.onStored); err != nil {
		return err
	}
	c.work.Go(c.watch)
	return c.nc.Flush()
}

// ownInbox reports whether a reply goes to the worker that asks. The coordinator may publish anywhere, and a worker
// could abuse that.
func ownInbox(inbox, key, instance string) bool {
	rest, ok := strings.CutPrefix(inbox, inboxRoot+key+"."+instance+".")
	return ok && rest != "" && len(rest) <= 64 && !strings.ContainsFunc(rest, func(r rune) bool {
		return r <= ' ' || r >= 127 || r == '*' || r == '>'
	})
}

// Join returns what workers need to join; its address is empty if no port is open.
func (c *coordinator) Join() (Join, error) {
	j := Join{Token: c.seed.token()}
	var err error
	if c.gate == nil {
		j.Address = clusterAddress
	}
	j.Pin, err = pinOf(c.seed.private().Public().(ed25519.PublicKey))
	if err != nil || c.gate == nil || c.cfg.Listen == "" {
		return j, err
	}
	host := c.cfg.Advertise
	if host == "" {
		if host, _, err = net.SplitHostPort(c.cfg.Listen); err != nil {
			return j, err
		}
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = ownAddress()
	}
	j.Address = net.JoinHostPort(host, strconv.Itoa(c.gate.port()))
	return j, nil
}

// WriteJoin writes the join string into a file of mode 0600.
func (c *coordinator) WriteJoin(path string) error {
	j, err := c.Join()
	if err != nil {
		return err
	}
	return writeSecret(path, j.String(), os.Rename)
}

func (c *coordinator) change() { signal(c.changed, struct{}{}) }

// signal sends a value unless one waits already.
func signal[T any](to chan<- T, value T) {
	select {
	case to <- value:
	default:
	}
}

// Slots returns the number of jobs that the joined workers can do at a time, and the number of workers (keys).
func (c *coordinator) Slots() (slots, workers int) {
	return int(c.slots.Load()), int(c.workers.Load())
}

// recount counts slots and workers after a worker joined or left; c.mu is held.
func (c *coordinator) recount() {
	slots, keys := 0, map[string]bool{}
	for _, m := range c.members {
		slots += m.slots
		keys[m.key] = true
	}
	c.slots.Store(int64(slots))
	c.workers.Store(int64(len(keys)))
	c.change()
}

// Banned returns why a worker's answers do not count; "" if they do.
func (c *coordinator) Banned(worker int) string { return c.roster.bannedNumber(worker) }

// Ban ends a worker for good: its connections are cut, its key is not let in again and its jobs are lost. When it
// returns, that is on the disk.
func (c *coordinator) Ban(worker int, reason string) error {
	key, err := c.roster.ban(worker, reason)
	if err != nil {
		return err
	}
	c.mu.Lock()
	for id, m := range c.members {
		if m.key == key {
			c.sendCode(m, codeRefused, "banned: "+reason)
			c.remove(id, m, false, "banned")
		}
	}
	c.mu.Unlock()
	_ = c.nc.Flush()
	if c.gate != nil {
		c.gate.cut(key)
	}
	return nil
}

// remove takes a member out, whose jobs are lost; c.mu is held.
func (c *coordinator) remove(id string, m *member, blame bool, reason string) {
	delete(c.members, id)
	for _, o := range m.held {
		c.lose(o, blame, reason)
	}
	c.recount()
}

// sendCode sends a code to a member outside of any request.
func (c *coordinator) sendCode(m *member, code code, text string) {
	_ = c.nc.Publish(inboxRoot+m.key+"."+m.instance+".note", reply(code, []byte(text))) // it may be gone
}

// Finish tells the workers that there are no more jobs, and waits a moment for them to leave.
func (c *coordinator) Finish() {
	c.mu.Lock()
	c.finished = true
	for _, m := range c.members {
		c.sendCode(m, codeFinished, "")
	}
	c.mu.Unlock()
	_ = c.nc.Flush()
	for begun := time.Now(); time.Since(begun) < 2*time.Second; time.Sleep(20 * time.Millisecond) {
		c.mu.Lock()
		left := len(c.members)
		c.mu.Unlock()
		if left == 0 {
			return
		}
	}
}

// close ends the server. Workers that were not told that the work is finished wait for another coordinator. Closing
// twice is harmless.
func (c *coordinator) close() {
	c.closing.Do(func() {
		c.end()
		if c.nc != nil {
			c.nc.Close()
		}
		c.work.Wait()
		if c.gate != nil {
			c.gate.close()
		}
	})
}
