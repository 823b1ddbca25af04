package stockfish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish/uci"
)

func newPool(t *testing.T, cfg Config, workers int) *Pool {
	t.Helper()
	p, err := NewPool(t.Context(), cfg, workers)
	testkit.OK(t, err)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// shuffle is n plies of a game in which nothing happens but knights' moves:
// job k has k plies.
func shuffle(n int) []board.Move {
	var moves []board.Move
	pos := board.StartPosition()
	for k := range n {
		s := []string{"g1f3", "g8f6", "f3g1", "f6g8"}[k%4]
		m, err := pos.ParseUCI(s)
		if err != nil {
			panic(err)
		}
		pos.Play(m)
		moves = append(moves, m)
	}
	return moves
}

func shuffleJobs(n int) iter.Seq[Job] {
	moves := shuffle(n)
	return func(yield func(Job) bool) {
		for k := range n {
			if !yield(Job{Index: int64(100 + k), Start: board.StartPosition(), Moves: moves, Plies: []int{k}}) {
				return
			}
		}
	}
}

// gather labels jobs and returns the results by their index and sample, of which
// there must be no two alike.
func gather(ctx context.Context, t *testing.T, p *Pool, jobs iter.Seq[Job]) ([]Result, error) {
	t.Helper()
	var got []Result
	err := p.Label(ctx, jobs, func(r Result) error {
		if len(r.Labels) != len(p.Fingerprints()) {
			t.Fatalf("%d labels", len(r.Labels))
		}
		if (r.Err != nil) != (r.Labels[0].Status == dataset.Failed) {
			t.Errorf("status %v with error %v", r.Labels[0].Status, r.Err)
		}
		got = append(got, r)
		return nil
	})
	slices.SortFunc(got, func(a, b Result) int {
		if a.Index != b.Index {
			return int(a.Index - b.Index)
		}
		return a.Sample - b.Sample
	})
	for i := 1; i < len(got); i++ {
		if a, b := got[i-1], got[i]; a.Index == b.Index && a.Sample == b.Sample {
			t.Errorf("job %d, sample %d: two results", a.Index, a.Sample)
		}
	}
	return got, err
}

func TestPoolOrder(t *testing.T) {
	noLeak(t)
	var want []Result
	for _, workers := range []int{1, 3} {
		p := newPool(t, fakeConfig(t, "uneven"), workers)
		got, err := gather(t.Context(), t, p, shuffleJobs(60))
		if err != nil || len(got) != 60 {
			t.Fatalf("%d results, %v", len(got), err)
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("labels differ with %d workers", workers)
		}
		// Engines live on, and so do the figures.
		if got, err := gather(t.Context(), t, p, shuffleJobs(5)); err != nil || len(got) != 5 {
			t.Errorf("second call: %d results, %v", len(got), err)
		}
		s := p.Stats()
		if s.Labelled != 65 || s.Failed != 0 || s.Restarts != 0 || s.Workers != workers || s.Elapsed <= 0 {
			t.Errorf("stats %+v", s)
		}
		if _, ok := s.Utilisation(); ok {
			t.Error("utilisation of a node limit")
		}
	}
}

func TestPoolRetries(t *testing.T) {
	noLeak(t)
	for _, fault := range []string{"dieonce", "die:7"} {
		p := newPool(t, fakeConfig(t, fault), 2)
		got, err := gather(t.Context(), t, p, shuffleJobs(40))
		if err != nil || len(got) != 40 {
			t.Fatalf("%s: %d results, %v", fault, len(got), err)
		}
		for _, r := range got {
			if r.Labels[0].Status != dataset.Labelled {
				t.Errorf("%s: job %d: %v", fault, r.Index, r.Err)
			}
		}
		if s := p.Stats(); s.Retried == 0 || s.Restarts == 0 || s.Failed != 0 {
			t.Errorf("%s: stats %+v", fault, s)
		}
	}
}

func TestPoolQuarantine(t *testing.T) {
	noLeak(t)
	p := newPool(t, fakeConfig(t, "poison:9"), 2)
	jobs := func(yield func(Job) bool) {
		for j := range shuffleJobs(30) {
			if j.Index == 112 { // not what it claims to be
				j.Moves = append([]board.Move{board.NewMove(0, 63)}, j.Moves...)
			}
			if j.Index == 115 { // needs no engine
				j.Start, j.Moves = line(t, "", "f2f3 e7e5 g2g4 d8h4")
				j.Plies = []int{4}
			}
			if !yield(j) {
				return
			}
		}
	}
	got, err := gather(t.Context(), t, p, jobs)
	if err != nil || len(got) != 30 {
		t.Fatalf("%d results, %v", len(got), err)
	}
	for k, r := range got {
		want := dataset.Labelled
		switch k {
		case 9:
			want = dataset.Failed
			if strings.Count(fmt.Sprint(r.Err), "exit status 3") != 2 {
				t.Errorf("reason %v does not name both ends", r.Err)
			}
		case 12:
			want = dataset.Failed
			if impossible := (*JobError)(nil); !errors.As(r.Err, &impossible) {
				t.Errorf("reason %v", r.Err)
			}
		case 15:
			want = dataset.Terminal
		}
		if r.Labels[0].Status != want {
			t.Errorf("job %d: status %v, %v", k, r.Labels[0].Status, r.Err)
		}
	}
	if s := p.Stats(); s.Labelled != 27 || s.Failed != 2 || s.Terminal != 1 || s.Retried != 1 {
		t.Errorf("stats %+v", s)
	}
}

// TestPoolFailureAtTheEnd: nothing succeeds after it, but it is handed on.
func TestPoolFailureAtTheEnd(t *testing.T) {
	p := newPool(t, fakeConfig(t, "poison:4"), 1)
	got, err := gather(t.Context(), t, p, shuffleJobs(5))
	if err != nil || len(got) != 5 || got[4].Labels[0].Status != dataset.Failed {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPoolJobsLater: jobs may depend on results, of failures, too, which nothing vouches for: until these are handed on
// there are none.
func TestPoolJobsLater(t *testing.T) {
	moves := shuffle(12)
	done := 0
	jobs := func(yield func(Job) bool) {
		for k := range 12 {
			if !yield(Job{Index: int64(k), Start: board.StartPosition(), Moves: moves, Plies: []int{k}}) {
				return
			}
			for done <= k {
				if !yield(Job{}) {
					t.Error("no more is wanted")
					return
				}
			}
		}
	}
	p := newPool(t, fakeConfig(t, "poison:5"), 2)
	if err := p.Label(t.Context(), jobs, func(r Result) error {
		if done++; (r.Err != nil) != (r.Index == 5) {
			t.Errorf("job %d: %v", r.Index, r.Err)
		}
		return nil
	}); err != nil || done != 12 {
		t.Errorf("%d results, %v", done, err)
	}
}

// TestPoolBreaker: an engine that always fails ends the run, and none of its
// failures is blamed on the positions.
func TestPoolBreaker(t *testing.T) {
	noLeak(t)
	p := newPool(t, fakeConfig(t, "stderr"), 2)
	got, err := gather(t.Context(), t, p, shuffleJobs(1000))
	if err == nil || len(got) != 0 {
		t.Fatalf("%d results, %v", len(got), err)
	}
	for _, want := range []string{"8 positions in a row", "exit status 1", "cannot load the network"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}

func TestPoolCannotStart(t *testing.T) {
	noLeak(t)
	if _, err := NewPool(t.Context(), fakeConfig(t, "flood"), 2); err == nil {
		t.Error("a pool without an engine")
	}
	p := newPool(t, fakeConfig(t, "once"), 1)
	_, err := gather(t.Context(), t, p, shuffleJobs(10))
	if err == nil || !strings.Contains(err.Error(), "licence expired") || !strings.Contains(err.Error(), "3 attempts") {
		t.Errorf("error %v", err)
	}
	p = newPool(t, fakeConfig(t, "renamed"), 1)
	_, err = gather(t.Context(), t, p, shuffleJobs(10))
	if err == nil || !strings.Contains(err.Error(), `was "Fake 1"`) || !strings.Contains(err.Error(), `is "Fake 2"`) {
		t.Errorf("error %v", err)
	}
}

func TestPoolDrains(t *testing.T) {
	noLeak(t)
	cfg := fakeConfig(t, "slow:200")
	p := newPool(t, cfg, 2)
	jobs := shuffleJobs(1000)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("first signal")
	begun := make(chan int, 1) // searches, when no further one is to begin
	go func() {
		awaitCount(cfg, "slow", 4, t.Context().Done())
		cancel(why)
		begun <- countOf(cfg, "slow")
	}()
	got, err := gather(ctx, t, p, jobs)
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	if n := len(got); n < 2 || n > 990 {
		t.Errorf("%d results", n)
	}
	if n, before := countOf(cfg, "slow"), <-begun; n != len(got) ||
		n > before+2 { // each worker may have begun just then
		t.Errorf("%d searches, %d of them before the end, and %d results", n, before, len(got))
	}
	if s := p.Stats(); s.Retried != 0 || s.Labelled != int64(len(got)) {
		t.Errorf("stats %+v for %d results", s, len(got))
	}
	// The engines are still good.
	if got, err := gather(t.Context(), t, p, shuffleJobs(2)); err != nil || len(got) != 2 {
		t.Errorf("%d results, %v", len(got), err)
	}
}

func TestPoolAbort(t *testing.T) {
	noLeak(t)
	cfg := fakeConfig(t, "hang")
	p := newPool(t, cfg, 2)
	jobs := shuffleJobs(1000)
	ctx, drain := context.WithCancel(t.Context())
	go func() {
		awaitCount(cfg, "silent", 2, t.Context().Done())
		drain()
		time.Sleep(100 * time.Millisecond) // for Label to see that no more is to be searched
		p.Abort()
	}()
	got, err := gather(ctx, t, p, jobs)
	if !errors.Is(err, ErrAborted) || len(got) != 0 {
		t.Errorf("%d results, %v", len(got), err)
	}
	if err := p.Label(t.Context(), shuffleJobs(1), nil); !errors.Is(err, ErrAborted) {
		t.Errorf("after Abort: %v", err)
	}
}

func TestPoolDoneFails(t *testing.T) {
	noLeak(t)
	p := newPool(t, fakeConfig(t, "good"), 2)
	full := errors.New("disk full")
	n := 0
	err := p.Label(t.Context(), shuffleJobs(1000), func(Result) error {
		if n++; n == 5 {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) || n != 5 {
		t.Errorf("%d calls, %v", n, err)
	}
}

func TestPoolNoJobs(t *testing.T) {
	p := newPool(t, fakeConfig(t, "good"), 2)
	if got, err := gather(t.Context(), t, p, shuffleJobs(0)); err != nil || len(got) != 0 {
		t.Errorf("%d results, %v", len(got), err)
	}
}

// longLines are jobs of many positions, of unequal length.
func longLines(n int) iter.Seq[Job] {
	moves := shuffle(20)
	return func(yield func(Job) bool) {
		for k := range n {
			j := Job{Index: int64(k), Start: board.StartPosition(), Moves: moves}
			for ply := k % 3; ply <= 5+3*(k%5); ply += 1 + k%2 {
				j.Plies = append(j.Plies, ply)
			}
			if !yield(j) {
				return
			}
		}
	}
}

// TestPoolLines: with the memory kept for a line, labels are the same at any
// number of workers, and also when engines die in the middle of lines: the
// engine that goes on searches the line again from its start.
func TestPoolLines(t *testing.T) {
	noLeak(t)
	var want []Result
	for _, c := range []struct {
		fault   string
		workers int
	}{{"memory", 1}, {"memory", 3}, {"dieonce", 2}, {"shot:20", 2}} {
		cfg := fakeConfig(t, c.fault)
		cfg.Scope = LineScope
		p := newPool(t, cfg, c.workers)
		got, err := gather(t.Context(), t, p, longLines(12))
		if err != nil {
			t.Fatal(c, err)
		}
		if want == nil {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: other labels", c)
		}
		if s := p.Stats(); c.fault != "memory" && (s.Restarts == 0 || s.Retried == 0) || s.Failed != 0 {
			t.Errorf("%+v: stats %+v", c, s)
		}
	}
	if len(want) < 60 {
		t.Errorf("%d results", len(want))
	}
}

// TestPoolLinePoison: the position that cannot be searched is left out of the
// line, for whoever searches it.
func TestPoolLinePoison(t *testing.T) {
	cfg := fakeConfig(t, "poison:4")
	cfg.Scope = LineScope
	p := newPool(t, cfg, 2)
	got, err := gather(t.Context(), t, p, longLines(6))
	testkit.OK(t, err)
	failed := 0
	for _, r := range got {
		if r.Labels[0].Status == dataset.Failed {
			failed++
		}
	}
	want := 0
	for j := range longLines(6) {
		if slices.Contains(j.Plies, 4) {
			want++
		}
	}
	if failed != want || want == 0 {
		t.Errorf("%d failed, want %d", failed, want)
	}
}

// TestPoolShotAt: positions are not blamed for strangers who kill engines.
func TestPoolShotAt(t *testing.T) {
	p := newPool(t, fakeConfig(t, "shotat:4"), 1)
	got, err := gather(t.Context(), t, p, shuffleJobs(3))
	if err != nil || len(got) != 3 || got[0].Err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if s := p.Stats(); s.Restarts != 4 || s.Retried != 4 || s.Failed != 0 {
		t.Errorf("stats %+v", s)
	}
}

// TestPoolShotStarting: nor is the run ended by those who kill engines that are starting.
func TestPoolShotStarting(t *testing.T) {
	p := newPool(t, fakeConfig(t, "shotstarting:3"), 2)
	if got, err := gather(t.Context(), t, p, shuffleJobs(5)); err != nil || len(got) != 5 {
		t.Errorf("%d results, %v", len(got), err)
	}
}

// TestPoolShot: an engine that strangers kill at every search is given up after a
// while, with the reason.
func TestPoolShot(t *testing.T) {
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("NOT TESTED without TALBOT_FULL=1: many waits before restarts")
	}
	p := newPool(t, fakeConfig(t, "shot:1"), 1)
	got, err := gather(t.Context(), t, p, shuffleJobs(1))
	if err != nil || len(got) != 1 || got[0].Err == nil ||
		!strings.Contains(got[0].Err.Error(), "killed from outside") {
		t.Errorf("%+v, %v", got, err)
	}
	if s := p.Stats(); s.Restarts < uci.MaxKilled {
		t.Errorf("stats %+v", s)
	}
}

// TestPoolShallower: one search, a label for each depth, under its fingerprint.
func TestPoolShallower(t *testing.T) {
	cfg := fakeConfig(t, "good")
	cfg.Limit, cfg.Shallower = Depth(3), []int{1, 2}
	p := newPool(t, cfg, 2)
	prints := p.Fingerprints()
	for k, want := range []string{"depth 1", "depth 2", "depth 3"} {
		if prints[k].Limit != want {
			t.Errorf("fingerprint %d: %v", k, prints[k])
		}
	}
	got, err := gather(t.Context(), t, p, shuffleJobs(10))
	if err != nil || len(got) != 10 {
		t.Fatal(len(got), err)
	}
	for _, r := range got {
		for k, l := range r.Labels {
			if l.Lines[0].Depth != k+1 {
				t.Errorf("label %d of depth %d", k, l.Lines[0].Depth)
			}
		}
	}
}

// TestPoolLongestFirst: when no more jobs come, the longest lines that wait go
// first.
func TestPoolLongestFirst(t *testing.T) {
	q := &queue{pool: &Pool{cfg: Config{Limit: MoveTime(1)}, workers: make([]*worker, 2)}}
	lengths := []int{3, 9, 0, 1, 7}
	q.next = func() (Job, bool) {
		if len(lengths) == 0 {
			return Job{}, false
		}
		j := Job{Plies: make([]int, lengths[0])}
		lengths = lengths[1:]
		return j, true
	}
	if !q.fill() || len(q.ready) != 2 { // there are none for now
		t.Fatalf("%d tasks", len(q.ready))
	}
	if !q.fill() || len(q.ready) != 4 {
		t.Fatalf("%d tasks", len(q.ready))
	}
	for i, want := range []int{9, 7, 3, 1} {
		if q.ready[i].to != want {
			t.Errorf("task %d of %d positions", i, q.ready[i].to)
		}
	}
}

// TestPoolTooFewNodes: where the nodes do not suffice for the lines that were asked for, that is said, once, and
// neither the engine nor its protocol is blamed for it; the other positions have their labels.
func TestPoolTooFewNodes(t *testing.T) {
	for _, scope := range []HashScope{PositionScope, LineScope} {
		cfg := fakeConfig(t, "short:3")
		cfg.MultiPV, cfg.Scope = 2, scope
		p := newPool(t, cfg, 1)
		results, err := gather(t.Context(), t, p, longLines(1))
		testkit.OK(t, err)
		failed := 0
		for _, r := range results {
			if r.Err == nil {
				continue
			}
			failed++
			var short *ShortError
			if !errors.As(r.Err, &short) || short.Lines != 2 || strings.Contains(r.Err.Error(), "protocol violation") ||
				!strings.Contains(r.Err.Error(), "--multipv") || r.Labels[0].Status != dataset.Failed {
				t.Errorf("%v: %+v", scope, r)
			}
		}
		if s := p.Stats(); failed != 1 || s.Retried != 0 || len(results) < 5 {
			t.Errorf("%v: %d of %d failed, %+v", scope, failed, len(results), s)
		}
	}
}
