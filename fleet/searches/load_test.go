//go:build unix

package searches

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/fleet"
	"talbot/internal/output"
	"talbot/pipeline/label"
	"talbot/stockfish"
)

// simulated is a pool without its own engines; its workers' engines only sleep.
func simulated(t testing.TB, limit stockfish.Limit) *Pool {
	t.Helper()
	p := &Pool{config: stockfish.Config{Limit: limit, Hash: 1, Path: "none"},
		prints: []dataset.Fingerprint{{Engine: "asleep", Limit: limit.String()}}, batch: map[uint64]*batch{},
		share:   Share{Listen: "127.0.0.1:0", BatchTime: batchTime, Log: t.Logf}, // no engine could check labels
		refused: map[int]int{}, byWorker: map[int]*tally{}, checks: newChecks(), now: time.Now,
		random: rand.New(rand.NewPCG(1, 2))}
	p.abort, p.doAbort = context.WithCancelCause(context.Background())
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// sleepers are slots whose engines sleep for each position, and say that the first legal move is best.
type sleepers struct {
	prints []dataset.Fingerprint
	each   time.Duration

	mu    sync.Mutex
	slept time.Duration
	slots []*sleeper
	begun time.Time       // the first job
	gaps  []time.Duration // between two jobs of a slot
	late  time.Duration   // by which the machine woke the engines too late, in all
}

func (s *sleepers) Prove(context.Context, []byte, bool) ([]byte, error) {
	return json.Marshal(proof{Fingerprints: s.prints})
}

// Open makes an engine that is up to 40 % faster or slower than the mean.
func (s *sleepers) Open(context.Context) (fleet.Slot, error) {
	e := &sleeper{sleepers: s, own: time.Duration((0.6 + 0.8*rand.Float64()) * float64(s.each))}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots = append(s.slots, e)
	return e, nil
}

type sleeper struct {
	*sleepers
	own         time.Duration // for a position
	first, last time.Time     // of its jobs
}

func (s *sleeper) Close() error { return nil }

func (s *sleeper) Do(ctx context.Context, asked, lines []byte) ([]byte, error) {
	begun := time.Now()
	list, err := decodeJob(asked, lines)
	if err != nil {
		return nil, err
	}
	var outcomes []outcome
	for _, q := range list {
		for _, labels := range firstLegal(&q.start, q.moves, q.plies) {
			outcomes = append(outcomes, outcome{labels: labels})
		}
	}
	work := time.Duration(len(outcomes)) * s.own
	time.Sleep(work - time.Since(begun))
	spent := time.Since(begun)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun.IsZero() {
		s.begun = begun
	}
	if s.first.IsZero() {
		s.first = begun
	} else {
		s.gaps = append(s.gaps, begun.Sub(s.last))
	}
	s.slept += work
	s.late += spent - work
	s.last = time.Now()
	return appendAnswer(nil, spent, 1, outcomes), nil
}

// firstLegal are the labels that a sleeping engine gives to positions of a line.
func firstLegal(start *board.Position, moves []board.Move, plies []int) (all [][]dataset.Label) {
	p, at := *start, 0
	for _, ply := range plies {
		for ; at < ply; at++ {
			p.Play(moves[at])
		}
		m := p.LegalMoves(nil)[0]
		all = append(all, []dataset.Label{{Status: dataset.Labelled, Best: m,
			Lines: []dataset.Searched{{Score: 1, Depth: 1, Nodes: 1, PV: []board.Move{m}}}}})
	}
	return all
}

// here is a searcher on this machine that gives the same labels, and does not sleep.
type here struct{ prints []dataset.Fingerprint }

func (h here) Label(_ context.Context, jobs iter.Seq[stockfish.Job], done func(stockfish.Result) error) error {
	for j := range jobs {
		for i, labels := range firstLegal(&j.Start, j.Moves, j.Plies) {
			if err := done(stockfish.Result{Index: j.Index, Sample: i, Labels: labels}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h here) Fingerprints() []dataset.Fingerprint { return h.prints }
func (h here) Stats() stockfish.Stats              { return stockfish.Stats{} }
func (h here) Abort()                              {}
func (h here) Close() error                        { return nil }

// randomLine is a game of random moves of a given length.
func randomLine(t testing.TB, seed uint64, plies int) []board.Move {
	t.Helper()
	for attempt := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, attempt))
		p := board.StartPosition()
		var moves []board.Move
		for range plies {
			legal := p.LegalMoves(nil)
			if len(legal) == 0 || p.IsDead() {
				break
			}
			moves = append(moves, legal[rng.IntN(len(legal))])
			p.Play(moves[len(moves)-1])
		}
		if len(moves) == plies && p.HasLegalMove() && !p.IsDead() {
			return moves
		}
	}
	t.Fatal("no line")
	return nil
}

const linePlies = 80

// jobsOf are n positions on the same line.
func jobsOf(t testing.TB, positions int) iter.Seq[stockfish.Job] {
	moves := randomLine(t, 0, linePlies)
	all := make([]int, linePlies)
	for i := range all {
		all[i] = i
	}
	return func(yield func(stockfish.Job) bool) {
		for i := range positions / linePlies {
			if !yield(stockfish.Job{Index: int64(i), Start: board.StartPosition(), Moves: moves, Plies: all}) {
				return
			}
		}
	}
}

// randomGames writes a dataset of some shards, each with about the given number of positions.
func randomGames(t *testing.T, shards, positions int) string {
	t.Helper()
	output.SmallShards(t, int64(positions))
	dir := filepath.Join(t.TempDir(), "lines")
	f, err := output.Open(dir, dataset.Manifest{Verb: "test", Splits: dataset.Splits{Train: 100},
		Inputs: []dataset.Input{{Name: "random"}}}, nil, output.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := int64(1); len(f.Manifest().Shards) < shards; i++ {
		line := dataset.Line{Number: i, Start: board.StartPosition(), Moves: randomLine(t, uint64(i), linePlies)}
		if err = f.Write(&line); err == nil && f.Full() {
			err = f.EndShard()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Finish(nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// load is what the other process is to do, and loadReport what it says.
type load struct {
	Join, Dir string
	Slots     int
	Each      time.Duration
	Prints    []dataset.Fingerprint
}

type loadReport struct {
	Slept     time.Duration // all engines together
	Span      time.Duration // from the first job's begin to the last answer's reply
	Late      time.Duration // by which engines woke too late
	Processor time.Duration
	Jobs      int
	Idle      [3]time.Duration // of all engines before their first job, between jobs, and after the last
	// What is waited between two jobs of a slot, for a job, and for the reply to an answer: the half, and 99 %, take at
	// most so long.
	Between, Job, Reply [2]time.Duration
	// SteadyJob and SteadyReply leave out the first and the last fifth of the time, in which many engines begin and
	// batches are small.
	SteadyJob, SteadyReply [2]time.Duration
}

const loadVar = "TALBOT_LOAD"

// TestLoadWorkers is not a test: it is the process with the workers of [TestLoad], each with its own connection.
func TestLoadWorkers(t *testing.T) {
	text := os.Getenv(loadVar)
	if text == "" {
		t.Skip("it is run by TestLoad")
	}
	var l load
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	join, err := fleet.ParseJoin(l.Join)
	if err != nil {
		t.Fatal(err)
	}
	s := &sleepers{prints: l.Prints, each: l.Each}
	var mu sync.Mutex
	type wait struct {
		end  time.Time
		took time.Duration
	}
	waits := map[fleet.Wait][]wait{}
	var last time.Time // reply
	var workers sync.WaitGroup
	for i := range l.Slots {
		workers.Go(func() {
			begun := false
			waited := func(what fleet.Wait, d time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				if begun { // the first job comes when the last worker is there
					waits[what] = append(waits[what], wait{time.Now(), d})
				}
				begun = true
				if what == fleet.WaitReply {
					last = time.Now()
				}
			}
			key := filepath.Join(l.Dir, fmt.Sprint("key", i%50))
			if err := (fleet.WorkerConfig{Join: join, KeyFile: key, Kind: Kind, Slots: s, Count: 1,
				OnWait: waited}).Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	r := loadReport{Slept: s.slept, Span: last.Sub(s.begun), Late: s.late, Processor: processorTime(),
		Jobs: len(waits[fleet.WaitReply])}
	for _, e := range s.slots {
		r.Idle[0] += e.first.Sub(s.begun)
		r.Idle[2] += last.Sub(e.last)
	}
	for _, d := range s.gaps {
		r.Idle[1] += d
	}
	shares := func(list []time.Duration) [2]time.Duration {
		if len(list) == 0 {
			return [2]time.Duration{}
		}
		slices.Sort(list)
		return [2]time.Duration{list[len(list)/2], list[len(list)*99/100]}
	}
	between := func(what fleet.Wait, margin time.Duration) [2]time.Duration {
		var list []time.Duration
		for _, w := range waits[what] {
			if w.end.Sub(s.begun) >= margin && last.Sub(w.end) >= margin {
				list = append(list, w.took)
			}
		}
		return shares(list)
	}
	r.Between, r.Job, r.Reply = shares(s.gaps), between(fleet.WaitJob, 0), between(fleet.WaitReply, 0)
	r.SteadyJob, r.SteadyReply = between(fleet.WaitJob, r.Span/5), between(fleet.WaitReply, r.Span/5)
	report, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.Dir, "report"), report, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLoad: a labelling of three shards keeps many workers at work, which are in a separate process. The bytes are
// those of one machine. With TALBOT_FULL=1 there are 1,000 connections; TALBOT_SLOTS has another number.
//
// Engine time is what the engines sleep, of the time from the first job to the reply to the last answer. Waits are all
// but that of a connection for its first job: for a job from the request to the arrival, while the engine has another
// one; for a reply from the sending of the answer.
func TestLoad(t *testing.T) {
	l := load{Dir: t.TempDir(), Slots: 8, Each: 2 * time.Millisecond}
	positions := 4_000
	full := os.Getenv("TALBOT_FULL") != ""
	if full {
		l.Slots, l.Each = 1000, 100*time.Millisecond
		_, _ = fmt.Sscan(os.Getenv("TALBOT_SLOTS"), &l.Slots)
		positions = min(output.ShardPositions, 1050*l.Slots)
	}
	const shards = 3
	var ended chan error
	var begun time.Time
	var processor time.Duration
	limit := stockfish.Nodes(1)
	dir := t.TempDir()
	r := label.Request{In: randomGames(t, shards, positions), Out: filepath.Join(dir, "out"), Workers: 1,
		Engine: stockfish.Config{Limit: limit, Hash: 1},
		Start: func(context.Context, stockfish.Config, int) (label.Searcher, error) {
			p := simulated(t, limit)
			l.Prints = p.prints
			return &loaded{p, func() {
				join, err := p.Join()
				if err != nil {
					t.Fatal(err)
				}
				l.Join = join.String()
				ended = l.start(t)
				for n := 0; n < l.Slots; n, _ = p.workers() {
					time.Sleep(10 * time.Millisecond)
				}
				begun, processor = time.Now(), processorTime()
			}}, nil
		}}
	sum, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wall, processor := time.Since(begun), processorTime()-processor
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(l.Dir, "report"))
	if err != nil {
		t.Fatal(err)
	}
	var rep loadReport
	if err := json.Unmarshal(text, &rep); err != nil {
		t.Fatal(err)
	}
	all := rep.Span.Seconds() * float64(l.Slots)
	busy := rep.Slept.Seconds() / all
	t.Logf("%d connections, %d positions in %d jobs; from the first job to the last reply %v, with what comes before "+
		"and after %v; engines busy %.1f %%; idle before the first job %.1f %%, between jobs %.1f %%, after the last "+
		"%.1f %%, woken too late %.1f %%", l.Slots, sum.Labelled, rep.Jobs, rep.Span.Round(time.Millisecond),
		wall.Round(time.Millisecond), 100*busy, 100*rep.Idle[0].Seconds()/all, 100*rep.Idle[1].Seconds()/all,
		100*rep.Idle[2].Seconds()/all, 100*rep.Late.Seconds()/all)
	t.Logf("waits (50 %%, 99 %%): for a job %v, for the reply to an answer %v, of an engine between two jobs %v; "+
		"without the first and last fifth of the time, for a job %v, for a reply %v; "+
		"cores: coordinator %.2f, workers %.2f",
		rep.Job, rep.Reply, rep.Between, rep.SteadyJob, rep.SteadyReply, processor.Seconds()/wall.Seconds(),
		rep.Processor.Seconds()/wall.Seconds())
	if sum.Labelled != sum.Remote || sum.Labelled+sum.Reused != sum.Samples ||
		sum.Samples < shards*int64(positions)*9/10 {
		t.Errorf("%+v", sum)
	}
	if full && busy < 0.8 {
		t.Errorf("the engines are busy %.1f %% of the time", 100*busy)
	}
	r.Out = filepath.Join(dir, "alone")
	r.Start = func(context.Context, stockfish.Config, int) (label.Searcher, error) { return here{l.Prints}, nil }
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, filepath.Join(dir, "out"), r.Out)
}

// sameFiles compares what two folders hold.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	for _, dirs := range [][2]string{{a, b}, {b, a}} {
		list, err := os.ReadDir(dirs[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			one, errOne := os.ReadFile(filepath.Join(dirs[0], e.Name()))
			other, errOther := os.ReadFile(filepath.Join(dirs[1], e.Name()))
			if errOne != nil || errOther != nil || !bytes.Equal(one, other) {
				t.Errorf("%s differs: %v, %v", e.Name(), errOne, errOther)
			}
		}
	}
}

// loaded is a pool whose workers all come before the work begins.
type loaded struct {
	*Pool
	serving func()
}

func (p *loaded) Serve(ctx context.Context, dir string) error {
	err := p.Pool.Serve(ctx, dir)
	if err == nil {
		p.serving()
	}
	return err
}

// start starts the process with the workers.
func (l *load) start(t *testing.T) chan error {
	t.Helper()
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestLoadWorkers$")
	cmd.Env = append(os.Environ(), loadVar+"="+string(text))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return ended
}

// BenchmarkInstant is how many positions of games go out to an engine that takes no time, and come back.
func BenchmarkInstant(b *testing.B) {
	p := simulated(b, stockfish.Nodes(1))
	if err := p.Serve(b.Context(), b.TempDir()); err != nil {
		b.Fatal(err)
	}
	join, err := p.Join()
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	workers.Go(func() {
		_ = fleet.WorkerConfig{Join: join, KeyFile: filepath.Join(b.TempDir(), "key"), Kind: Kind,
			Slots: &sleepers{prints: p.prints}, Count: 4}.Run(ctx)
	})
	for n := 0; n < 4; n, _ = p.workers() {
		time.Sleep(10 * time.Millisecond)
	}
	done := 0
	b.ResetTimer()
	if err := p.Label(b.Context(), jobsOf(b, 80*(b.N/80+1)), func(r stockfish.Result) error {
		done++
		return r.Err
	}); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "positions/s")
}
