package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"math"
	mathrand "math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"talbot/dataset"
	"talbot/stockfish"
)

// Share says how a pool's work is shared. Listen or Cluster has to be given.
type Share struct {
	Listen    string  // HOST:PORT to listen on for workers
	Advertise string  // host name for workers; empty: that of Listen, or the machine's address
	Cluster   Cluster // carries the messages in place of Listen, if its URL is not empty
	JoinFile  string  // where the join string is written
	// StatusListen is a loopback address to serve the status on, for browsers and Prometheus; its token is written to
	// JoinFile + [statusSuffix]. Empty: none.
	StatusListen string
	AllowBuilds  bool          // workers may have another build of the engine if its labels of eight positions agree
	Lease        time.Duration // after which a silent worker's jobs are lost; 0 means 15 s
	BatchTime    time.Duration // engine time that a batch is worth at most; 0 means 5 s
	CheckShare   float64       // of the workers' labels that are searched again; 0 means 1 %

	Log func(string, ...any) `json:"-"` // what happens to workers; may be nil
}

// statusSuffix ends the name of the file with the token for the status.
const statusSuffix = ".status"

// checkShare is the share of the workers' labels that is searched again, and ownChecks that of these for the pool's own
// engines.
const (
	checkShare = 0.01
	ownChecks  = 0.5
	// maxOwnChecks is the number of checks that may wait for the pool's own engines before others get their share too.
	maxOwnChecks = 1024
	// maxRefused invalid answers are proof enough.
	maxRefused = 3
)

// WithdrawnError says that a worker gave wrong labels. All its labels are to be searched again.
type WithdrawnError struct {
	Worker int
	Reason string
}

func (e *WithdrawnError) Error() string {
	return fmt.Sprintf("the labels of worker %d are withdrawn: %s", e.Worker, e.Reason)
}

// Pool labels positions with its own engines and those of workers elsewhere. One Label runs at a time; Abort and Stats
// may be called from anywhere.
type Pool struct {
	config stockfish.Config
	prints []dataset.Fingerprint
	share  Share
	own    []*stockfish.Pool // of one engine each
	fleet  *coordinator
	canary []byte // labels of the canaries, with AllowBuilds
	random *mathrand.Rand
	now    func() time.Time

	running sync.Mutex // held by Label and Close
	abort   context.Context
	doAbort context.CancelCauseFunc

	workers func() (slots, workers int) // of joined workers
	ban     func(worker int, reason string) error
	banned  func(worker int) bool
	batch   map[uint64]*batch // that are offered
	checks  map[int64]*openLine
	refused map[int]int     // invalid answers, by worker
	mean    float64         // seconds of an engine for a position; 0: not known yet
	means   map[int]float64 // the same by worker

	lastCheck int64 // number

	counts                     sync.Mutex
	byWorker                   map[int]*tally
	figures                    stockfish.Figures
	remote, checked, disagreed atomic.Int64
	outstanding                atomic.Int64
}

// newPool returns a pool without engines.
func newPool(share Share) *Pool {
	if share.Log == nil {
		share.Log = func(string, ...any) {}
	}
	share.BatchTime = cmp.Or(share.BatchTime, batchTime)
	share.CheckShare = cmp.Or(share.CheckShare, checkShare)
	var seed [32]byte // nobody else knows which labels will be searched again
	_, _ = rand.Read(seed[:])
	p := &Pool{share: share, batch: map[uint64]*batch{}, refused: map[int]int{}, byWorker: map[int]*tally{},
		checks: map[int64]*openLine{}, now: time.Now, random: mathrand.New(mathrand.NewChaCha8(seed)),
		workers: func() (int, int) { return 0, 0 }, banned: func(int) bool { return false }}
	p.abort, p.doAbort = context.WithCancelCause(context.Background())
	return p
}

// NewPool starts the pool's own engines. No worker is admitted before [Pool.Serve].
func NewPool(ctx context.Context, config stockfish.Config, workers int, share Share) (*Pool, error) {
	if workers < 1 {
		return nil, fmt.Errorf("%d workers", workers)
	}
	p := newPool(share)
	p.own = make([]*stockfish.Pool, workers)
	errs := make([]error, workers)
	var starting sync.WaitGroup
	for i := range p.own {
		starting.Go(func() { p.own[i], errs[i] = stockfish.NewPool(ctx, config, 1) })
	}
	starting.Wait()
	for _, err := range errs {
		if err != nil {
			_ = p.Close()
			return nil, err
		}
	}
	p.prints, p.config = p.own[0].Fingerprints(), p.own[0].Config()
	for _, other := range p.own {
		if other.Fingerprints()[0].ID() != p.prints[0].ID() {
			_ = p.Close()
			return nil, errors.New("the engine changed while it was started")
		}
	}
	return p, nil
}

// Serve lets workers in. The key, the list of workers and all else that must outlive the process is kept in dir, which
// no other process uses.
func (p *Pool) Serve(ctx context.Context, dir string) error {
	var err error
	terms := termsOf(p.config, p.prints)
	if p.share.AllowBuilds {
		terms.Canaries = canaries
		if p.canary, err = canaryLabels(ctx, p.own[0], canaries); err != nil {
			return fmt.Errorf("searching the canary positions: %w", err)
		}
	}
	if p.fleet, err = openCoordinator(ctx, coordinatorConfig{Dir: dir, Share: p.share, terms: encodeJSON(terms),
		prove: p.prove, status: p.status}); err != nil {
		return err
	}
	p.workers, p.ban = p.fleet.Slots, p.fleet.Ban
	p.banned = func(worker int) bool { return p.fleet.Banned(worker) != "" }
	if p.share.StatusListen != "" {
		address, token, err := p.fleet.ServeStatus(p.abort, p.share.StatusListen)
		if err != nil {
			return err
		}
		p.share.Log("status: http://%s/status and /metrics; the token is in %q", address, p.share.JoinFile+statusSuffix)
		if err := writeSecret(p.share.JoinFile+statusSuffix, token, os.Rename); err != nil {
			return err
		}
	}
	if p.share.JoinFile == "" {
		return nil
	}
	return p.fleet.WriteJoin(p.share.JoinFile)
}

// Builds are the builds of the engine that workers had, other than the pool's own.
func (p *Pool) Builds() []string {
	if p.fleet == nil {
		return nil
	}
	return p.fleet.roster.builds()
}

// Banned reports whether a worker's labels do not count.
func (p *Pool) Banned(worker int) bool {
	return worker > 0 && p.banned(worker)
}

// Fingerprints are the identities of the labels, in the order of a result's.
func (p *Pool) Fingerprints() []dataset.Fingerprint { return p.prints }

// Abort kills the running searches of the pool's own engines; Label returns soon after.
func (p *Pool) Abort() {
	p.doAbort(stockfish.ErrAborted)
	for _, own := range p.own {
		own.Abort()
	}
}

// Finish tells the workers that the work is done.
func (p *Pool) Finish() {
	if p.fleet != nil {
		p.fleet.Finish()
	}
}

// Close ends all engines and the server.
func (p *Pool) Close() error {
	p.doAbort(errors.New("pool is closed"))
	p.running.Lock()
	defer p.running.Unlock()
	var errs []error
	for _, own := range p.own {
		if own != nil {
			errs = append(errs, own.Close())
		}
	}
	if p.fleet != nil {
		p.fleet.close()
	}
	return errors.Join(errs...)
}

// Label labels the positions of the jobs, as [stockfish.Pool.Label] does; results say whose they are. It returns when
// no label waits to be searched again. In addition it may end with a [WithdrawnError].
func (p *Pool) Label(ctx context.Context, jobs iter.Seq[stockfish.Job], done func(stockfish.Result) error) error {
	p.running.Lock()
	defer p.running.Unlock()
	if p.abort.Err() != nil {
		return fmt.Errorf("labelling: %w", context.Cause(p.abort))
	}
	defer p.figures.Begin()()
	next, stop := iter.Pull(jobs)
	defer stop()
	r := &run{Pool: p, next: next, done: done, open: map[int64]*openLine{}}
	for _, l := range p.checks {
		r.beginCheck(l)
	}
	return r.loop(ctx)
}

// tally counts the labels of one worker.
type tally struct {
	positions int64
	rate      rate
}

// Stats are the figures so far.
func (p *Pool) Stats() stockfish.Stats {
	s := p.figures.Stats()
	s.Workers, s.Limit = len(p.own), p.config.Limit
	for _, own := range p.own {
		o := own.Stats()
		s.Retried, s.Restarts = s.Retried+o.Retried, s.Restarts+o.Restarts
	}
	slots, _ := p.workers()
	s.Workers += slots
	return s
}

// Remote returns the number of labels from workers, of those searched again, and of these that disagreed.
func (p *Pool) Remote() (labels, checked, disagreed int64) {
	return p.remote.Load(), p.checked.Load(), p.disagreed.Load()
}

// status fills in the figures that the coordinator does not have.
func (p *Pool) status(s *Status) {
	p.counts.Lock()
	defer p.counts.Unlock()
	now := p.now()
	own := WorkerStatus{Name: "the labelling itself", Slots: len(p.own)}
	for worker, t := range p.byWorker {
		rate := t.rate.at(now)
		s.Positions += t.positions
		s.PositionsPerSecond += rate
		if worker == 0 {
			own.Positions, own.PositionsPerSecond = t.positions, rate
		}
		for i := range s.Workers {
			if s.Workers[i].Number == worker {
				s.Workers[i].Positions, s.Workers[i].PositionsPerSecond = t.positions, rate
			}
		}
	}
	if left := p.outstanding.Load(); left >= 0 && s.PositionsPerSecond > 0 {
		seconds := float64(left) / s.PositionsPerSecond
		s.SecondsLeft = &seconds
	}
	s.Workers = append([]WorkerStatus{own}, s.Workers...)
}

// SetRemaining sets how many positions are left, for the status.
func (p *Pool) SetRemaining(left int64) { p.outstanding.Store(left) }

// count counts a result.
func (p *Pool) count(r *stockfish.Result) {
	p.figures.Count(r)
	if r.Worker > 0 {
		p.remote.Add(1)
	}
	p.counts.Lock()
	defer p.counts.Unlock()
	t := p.byWorker[r.Worker]
	if t == nil {
		t = &tally{}
		p.byWorker[r.Worker] = t
	}
	t.positions++
	t.rate.add(p.now())
}

// rate counts events per second, over about the last minute.
type rate struct {
	value float64
	last  time.Time
	first time.Time
}

const rateSpan = 20 * time.Second

func (r *rate) add(now time.Time) {
	if r.first.IsZero() {
		r.first, r.last = now, now
	}
	r.value = r.decayed(now) + 1/rateSpan.Seconds()
	r.last = now
}

func (r *rate) decayed(now time.Time) float64 {
	return r.value * math.Exp(-now.Sub(r.last).Seconds()/rateSpan.Seconds())
}

// at is the rate now, made up for the time before the first one.
func (r *rate) at(now time.Time) float64 {
	if r.first.IsZero() {
		return 0
	}
	full := 1 - math.Exp(-max(now.Sub(r.first).Seconds(), 1)/rateSpan.Seconds())
	return r.decayed(now) / full
}
