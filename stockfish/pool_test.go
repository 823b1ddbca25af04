package stockfish

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
)

func newPool(t *testing.T, cfg Config, workers int) *Pool {
	t.Helper()
	p, err := NewPool(t.Context(), cfg, workers)
	if err != nil {
		t.Fatal(err)
	}
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
			if !yield(Job{Index: int64(100 + k), Start: board.StartPosition(), Moves: moves[:k]}) {
				return
			}
		}
	}
}

// gather labels jobs and checks that results come in order.
func gather(ctx context.Context, t *testing.T, p *Pool, jobs iter.Seq[Job]) ([]Result, error) {
	t.Helper()
	var got []Result
	err := p.Label(ctx, jobs, func(r Result) error {
		if r.Index != int64(100+len(got)) {
			t.Errorf("result %d in place %d", r.Index, len(got))
		}
		if (r.Err != nil) != (r.Label.Status == dataset.Failed) {
			t.Errorf("status %v with error %v", r.Label.Status, r.Err)
		}
		got = append(got, r)
		return nil
	})
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
		if s.Labelled != 65 || s.Failed != 0 || s.Restarts != 0 || len(s.Busy) != workers || s.Rate() <= 0 || s.BusyShare() <= 0 || s.BusyShare() > 1 {
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
			if r.Label.Status != dataset.Labelled {
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
		if r.Label.Status != want {
			t.Errorf("job %d: status %v, %v", k, r.Label.Status, r.Err)
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
	if err != nil || len(got) != 5 || got[4].Label.Status != dataset.Failed {
		t.Errorf("%+v, %v", got, err)
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
	p := newPool(t, fakeConfig(t, "slow:200"), 2)
	jobs := shuffleJobs(1000)
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("first signal")
	time.AfterFunc(700*time.Millisecond, func() { cancel(why) })
	got, err := gather(ctx, t, p, jobs)
	if !errors.Is(err, why) {
		t.Errorf("error %v", err)
	}
	// About three rounds of two; the searches under way at the signal count.
	if n := len(got); n < 2 || n > 10 {
		t.Errorf("%d results", n)
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
	cfg.SearchTimeout = time.Minute
	p := newPool(t, cfg, 2)
	jobs := shuffleJobs(1000)
	ctx, drain := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, drain)
	time.AfterFunc(300*time.Millisecond, p.Abort)
	begin := time.Now()
	got, err := gather(ctx, t, p, jobs)
	if !errors.Is(err, ErrAborted) || len(got) != 0 {
		t.Errorf("%d results, %v", len(got), err)
	}
	if took := time.Since(begin); took < 300*time.Millisecond || took > 2*time.Second {
		t.Errorf("took %v", took)
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
