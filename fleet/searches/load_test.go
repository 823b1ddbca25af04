package searches

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/fleet"
	"talbot/stockfish"
)

// simulated is a pool without engines of its own, which serves; its workers' engines only sleep.
func simulated(t testing.TB, limit stockfish.Limit) *Pool {
	t.Helper()
	p := &Pool{config: stockfish.Config{Limit: limit, Hash: 1, Path: "none"},
		prints: []dataset.Fingerprint{{Engine: "asleep", Limit: limit.String()}}, batch: map[uint64]*batch{},
		share:   Share{Listen: "127.0.0.1:0", CheckShare: checkShare, BatchTime: batchTime, Log: t.Logf},
		refused: map[int]int{}, byWorker: map[int]*tally{}, checks: newChecks(), now: time.Now,
		random: rand.New(rand.NewPCG(1, 2))}
	p.abort, p.doAbort = context.WithCancelCause(context.Background())
	if err := p.Serve(t.Context(), t.TempDir()); err != nil {
		t.Fatal(err)
	}
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

func (s *sleepers) Open(context.Context) (fleet.Slot, error) { return &sleeper{sleepers: s}, nil }

type sleeper struct {
	*sleepers
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
	work := time.Duration(len(outcomes)) * s.each
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
func randomLine(t testing.TB, plies int) []board.Move {
	t.Helper()
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 0))
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

// jobsOf are so many positions on lines of 80.
func jobsOf(t testing.TB, positions int) iter.Seq[stockfish.Job] {
	const plies = 80
	moves := randomLine(t, plies)
	all := make([]int, plies)
	for i := range all {
		all[i] = i
	}
	return func(yield func(stockfish.Job) bool) {
		for i := range positions / plies {
			if !yield(stockfish.Job{Index: int64(i), Start: board.StartPosition(), Moves: moves, Plies: all}) {
				return
			}
		}
	}
}

func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestLoad: many workers are kept at work by one coordinator. With TALBOT_FULL=1 there are 1,000 connections and three
// shards; TALBOT_SLOTS has another number.
func TestLoad(t *testing.T) {
	slots, shards, positions, each := 8, 2, 2_000, 5*time.Millisecond
	if os.Getenv("TALBOT_FULL") != "" {
		slots, shards, positions, each = 1000, 3, 150_000, 100*time.Millisecond
		_, _ = fmt.Sscan(os.Getenv("TALBOT_SLOTS"), &slots)
		positions = positions * slots / 1000
	}
	p := simulated(t, stockfish.Nodes(1))
	join, err := p.Join()
	if err != nil {
		t.Fatal(err)
	}
	s := &sleepers{prints: p.prints, each: each}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var workers sync.WaitGroup
	dir := t.TempDir()
	for i := range slots {
		workers.Go(func() {
			_ = fleet.WorkerConfig{Join: join, KeyFile: filepath.Join(dir, fmt.Sprint("key", i%50)), Kind: Kind,
				Slots: s, Count: 1}.Run(ctx)
		})
	}
	for n := 0; n < slots; n, _ = p.crowd() {
		time.Sleep(10 * time.Millisecond)
	}
	begun, processor, done := time.Now(), processorTime(), 0
	for range shards {
		if err := p.Label(t.Context(), jobsOf(t, positions), func(r stockfish.Result) error {
			done++
			return r.Err
		}); err != nil {
			t.Fatal(err)
		}
	}
	wall := time.Since(begun)
	s.mu.Lock()
	slices.Sort(s.gaps)
	gap := s.gaps[len(s.gaps)*99/100]
	t.Logf("%d slots, %d positions in %v: %.1f %% of the engines' time, 99 %% of jobs begin within %v, %.2f cores for "+
		"coordinator and workers", slots, done, wall, 100*float64(done)*each.Seconds()/(wall.Seconds()*float64(slots)),
		gap, (processorTime()-processor).Seconds()/wall.Seconds())
	s.mu.Unlock()
	if done != shards*positions/80*80 {
		t.Errorf("%d of %d positions", done, shards*positions)
	}
	p.Finish()
	workers.Wait()
}

// BenchmarkInstant is how many positions of games go out to an engine that takes no time, and come back.
func BenchmarkInstant(b *testing.B) {
	p := simulated(b, stockfish.Nodes(1))
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
