//go:build unix

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish"
)

// simulated is a pool without its own engines; its workers' engines only sleep.
func simulated(t testing.TB, limit stockfish.Limit) *Pool {
	t.Helper()
	p := newPool(Share{Listen: "127.0.0.1:0", Log: t.Logf})
	p.config, p.share.CheckShare = stockfish.Config{Limit: limit, Hash: 1, Path: "none"}, 0 // no engine checks labels
	p.prints = []dataset.Fingerprint{{Engine: "asleep", Limit: limit.String()}}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// sleepers are slots whose engines sleep for each position, and say that the first legal move is best.
type sleepers struct {
	prints []dataset.Fingerprint
	each   time.Duration

	mu    sync.Mutex
	slept time.Duration
	begun time.Time // of the first job
}

func (s *sleepers) Prove(context.Context, []byte) ([]byte, error) {
	return json.Marshal(proof{Fingerprints: s.prints})
}

// Open makes an engine that is up to 40 % faster or slower than the mean.
func (s *sleepers) Open(context.Context) (engine, error) {
	return &sleeper{s, time.Duration((0.6 + 0.8*rand.Float64()) * float64(s.each))}, nil
}

type sleeper struct {
	*sleepers
	own time.Duration // for a position
}

func (s *sleeper) Close() error { return nil }

func (s *sleeper) Do(_ context.Context, query, lines []byte) ([]byte, error) {
	begun := time.Now()
	list, err := decodeQuestions(query, lines)
	if err != nil {
		return nil, err
	}
	var outcomes []outcome
	for _, q := range list {
		for _, labels := range firstLegal(&q.start, q.moves, q.Plies) {
			outcomes = append(outcomes, outcome{Labels: labelBytes(labels)})
		}
	}
	work := time.Duration(len(outcomes)) * s.own
	time.Sleep(work - time.Since(begun))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun.IsZero() {
		s.begun = begun
	}
	s.slept += work
	return encodeJSON(answer{time.Since(begun), outcomes}), nil
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

// load is what the process with the workers does.
type load struct {
	Join, Dir string
	Slots     int
	Each      time.Duration
	Prints    []dataset.Fingerprint
}

// loadReport is what it measured.
type loadReport struct {
	Slept time.Duration // all engines together
	Span  time.Duration // from the start of the first job to the end of the workers
}

const loadVar = "TALBOT_LOAD"

// TestLoadWorkers is not a test: it is the process with the workers of [TestLoad], each with its own connection.
func TestLoadWorkers(t *testing.T) {
	text := os.Getenv(loadVar)
	if text == "" {
		t.Skip("it is run by TestLoad")
	}
	var l load
	testkit.OK(t, json.Unmarshal([]byte(text), &l))
	join := testkit.Value(ParseJoin(l.Join))(t)
	s := &sleepers{prints: l.Prints, each: l.Each}
	var workers sync.WaitGroup
	for i := range l.Slots {
		workers.Go(func() {
			key := filepath.Join(l.Dir, fmt.Sprint("key", i%50))
			if err := (WorkerConfig{Join: join, KeyFile: key, engines: s, Count: 1}).Run(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	workers.Wait()
	report := testkit.Value(json.Marshal(loadReport{Slept: s.slept, Span: time.Since(s.begun)}))(t)
	testkit.OK(t, os.WriteFile(filepath.Join(l.Dir, "report"), report, 0o600))
}

// TestLoad: a pool keeps many workers, which are in a separate process, at work, and gets every label once. With
// TALBOT_FULL=1 there are 1,000 connections; TALBOT_SLOTS has another number.
func TestLoad(t *testing.T) {
	l := load{Dir: t.TempDir(), Slots: 8, Each: 2 * time.Millisecond}
	positions := 12_000
	full := os.Getenv("TALBOT_FULL") != ""
	if full {
		l.Slots, l.Each = 1000, 100*time.Millisecond
		_, _ = fmt.Sscan(os.Getenv("TALBOT_SLOTS"), &l.Slots)
		positions = 1050 * l.Slots
	}
	p := simulated(t, stockfish.Nodes(1))
	l.Prints = p.prints
	testkit.OK(t, p.Serve(t.Context(), t.TempDir()))
	join := testkit.Value(p.fleet.Join())(t)
	l.Join = join.String()
	ended := l.start(t)
	until(t, "all slots", func() bool { n, _ := p.workers(); return n == l.Slots })
	positions -= positions % linePlies
	got := make([]bool, positions)
	if err := p.Label(t.Context(), jobsOf(t, positions), func(r stockfish.Result) error {
		at := int(r.Index)*linePlies + r.Sample
		if r.Err != nil || r.Worker == 0 || got[at] || len(r.Labels) != 1 || r.Labels[0].Lines[0].Depth != 1 {
			t.Errorf("position %d: %+v", at, r)
		}
		got[at] = true
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	p.Finish()
	testkit.OK(t, <-ended)
	for at, there := range got {
		if !there {
			t.Fatalf("position %d has no label", at)
		}
	}
	text := testkit.Value(os.ReadFile(filepath.Join(l.Dir, "report")))(t)
	var rep loadReport
	testkit.OK(t, json.Unmarshal(text, &rep))
	busy := rep.Slept.Seconds() / rep.Span.Seconds() / float64(l.Slots)
	t.Logf("%d connections, %d positions in %v: engines busy %.1f %%", l.Slots, positions,
		rep.Span.Round(time.Millisecond), 100*busy)
	if full && busy < 0.8 {
		t.Errorf("the engines are busy %.1f %% of the time", 100*busy)
	}
}

// start starts the process with the workers.
func (l *load) start(t *testing.T) chan error {
	t.Helper()
	text := testkit.Value(json.Marshal(l))(t)
	self := testkit.Value(os.Executable())(t)
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestLoadWorkers$")
	cmd.Env = append(os.Environ(), loadVar+"="+string(text))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	testkit.OK(t, cmd.Start())
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
	join, err := p.fleet.Join()
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	workers.Go(func() {
		_ = WorkerConfig{Join: join, KeyFile: filepath.Join(b.TempDir(), "key"),
			engines: &sleepers{prints: p.prints}, Count: 4}.Run(ctx)
	})
	until(b, "four slots", func() bool { n, _ := p.workers(); return n == 4 })
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
