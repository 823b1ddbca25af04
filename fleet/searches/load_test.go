//go:build unix

package searches

import (
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
	"talbot/pipeline/label"
	"talbot/pipeline/output"
	"talbot/stockfish"
)

// simulated is a pool without engines of its own; its workers' engines only sleep.
func simulated(t testing.TB, limit stockfish.Limit) *Pool {
	t.Helper()
	p := &Pool{config: stockfish.Config{Limit: limit, Hash: 1, Path: "none"},
		prints: []dataset.Fingerprint{{Engine: "asleep", Limit: limit.String()}}, batch: map[uint64]*batch{},
		share:   Share{Listen: "127.0.0.1:0", BatchTime: batchTime, Log: t.Logf}, // nobody could check labels
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
	gaps  []time.Duration // between two jobs of a slot
}

func (s *sleepers) Prove(context.Context, []byte, bool) ([]byte, error) {
	return json.Marshal(proof{Fingerprints: s.prints})
}

// Open makes an engine that is up to 40 % faster or slower than the mean.
func (s *sleepers) Open(context.Context) (fleet.Slot, error) {
	return &sleeper{sleepers: s, own: time.Duration((0.6 + 0.8*rand.Float64()) * float64(s.each))}, nil
}

type sleeper struct {
	*sleepers
	own  time.Duration // for a position
	last time.Time
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
		p, at := q.start, 0
		for _, ply := range q.plies {
			for ; at < ply; at++ {
				p.Play(q.moves[at])
			}
			m := p.LegalMoves(nil)[0]
			outcomes = append(outcomes, outcome{labels: []dataset.Label{{Status: dataset.Labelled, Best: m,
				Lines: []dataset.Searched{{Score: 1, Depth: 1, Nodes: 1, PV: []board.Move{m}}}}}})
		}
	}
	work := time.Duration(len(outcomes)) * s.own
	time.Sleep(work - time.Since(begun))
	spent := time.Since(begun)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() {
		s.gaps = append(s.gaps, begun.Sub(s.last))
	}
	s.slept += work
	s.last = time.Now()
	return appendAnswer(nil, spent, 1, outcomes), nil
}

// randomLine is a game of random moves that goes on for so long.
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

// jobsOf are so many positions on the same line.
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

// randomGames writes a dataset of so many shards with about so many positions each.
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

// load is what the other process is to do, and loadReport what it says: how long all its engines slept, and the 99th
// percentiles of what they and their connections waited.
type load struct {
	Join, Dir string
	Slots     int
	Each      time.Duration
	Prints    []dataset.Fingerprint
}

type loadReport struct {
	Slept, Between, Job, Reply, Processor time.Duration
	Jobs                                  int
}

const loadVar = "TALBOT_LOAD"

// TestLoadWorkers is not a test: it is the process with the workers of [TestLoad], each with a connection of its own.
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
	waits := map[fleet.Wait][]time.Duration{}
	var workers sync.WaitGroup
	for i := range l.Slots {
		workers.Go(func() {
			begun := false
			waited := func(what fleet.Wait, d time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				if begun { // the first job comes when the last worker is there
					waits[what] = append(waits[what], d)
				}
				begun = true
			}
			key := filepath.Join(l.Dir, fmt.Sprint("key", i%50))
			if err := (fleet.WorkerConfig{Join: join, KeyFile: key, Kind: Kind, Slots: s, Count: 1,
				Waited: waited}).Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	p99 := func(list []time.Duration) time.Duration {
		slices.Sort(list)
		return list[len(list)*99/100]
	}
	report, err := json.Marshal(loadReport{s.slept, p99(s.gaps), p99(waits[fleet.WaitJob]), p99(waits[fleet.WaitReply]),
		processorTime(), len(waits[fleet.WaitReply])})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.Dir, "report"), report, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLoad: a labelling of three shards keeps many workers at work, which are in a process of their own. With
// TALBOT_FULL=1 there are 1,000 connections; TALBOT_SLOTS has another number.
func TestLoad(t *testing.T) {
	l := load{Dir: t.TempDir(), Slots: 8, Each: 2 * time.Millisecond}
	positions := 4_000
	if os.Getenv("TALBOT_FULL") != "" {
		l.Slots, l.Each = 1000, 100*time.Millisecond
		_, _ = fmt.Sscan(os.Getenv("TALBOT_SLOTS"), &l.Slots)
		positions = 150 * l.Slots
	}
	const shards = 3
	in := randomGames(t, shards, positions)
	var ended chan error
	var begun time.Time
	var processor time.Duration
	limit := stockfish.Nodes(1)
	sum, err := label.Request{In: in, Out: filepath.Join(t.TempDir(), "out"), Workers: 1,
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
				for n := 0; n < l.Slots; n, _ = p.crowd() {
					time.Sleep(10 * time.Millisecond)
				}
				begun, processor = time.Now(), processorTime()
			}}, nil
		}}.Run(t.Context())
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
	var r loadReport
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	seconds := wall.Seconds()
	t.Logf("%d connections, %d positions in %d jobs, %v: engines busy %.1f %%; 99 %% of waits: between two jobs %v, "+
		"for a job %v, for the reply to an answer %v; cores: coordinator %.2f, workers %.2f", l.Slots, sum.Labelled,
		r.Jobs, wall.Round(time.Millisecond), 100*r.Slept.Seconds()/(seconds*float64(l.Slots)), r.Between, r.Job,
		r.Reply, processor.Seconds()/seconds, r.Processor.Seconds()/seconds)
	if sum.Labelled != sum.Remote || sum.Labelled+sum.Reused != sum.Samples ||
		sum.Samples < shards*int64(positions)*9/10 {
		t.Errorf("%+v", sum)
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
	for n := 0; n < 4; n, _ = p.crowd() {
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
