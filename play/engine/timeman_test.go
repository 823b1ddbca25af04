package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"talbot/play/mcts"
)

const ms = time.Millisecond

func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name          string
		clock         Clock
		overhead      time.Duration
		target, limit time.Duration
	}{
		{"five minutes", Clock{Left: 300_000 * ms}, 0, 10_000 * ms, 30_000 * ms},
		{"with increment", Clock{Left: 60_000 * ms, Increment: 600 * ms}, 0, 2450 * ms, 7350 * ms},
		{"overhead", Clock{Left: 60_100 * ms, Increment: 600 * ms}, 100 * ms, 2450 * ms, 7350 * ms},
		{"control in 40", Clock{Left: 40_000 * ms, MovesToGo: 40}, 0, 1000 * ms, 3000 * ms},
		{"control in 100", Clock{Left: 50_000 * ms, MovesToGo: 100}, 0, 1000 * ms, 3000 * ms},
		{"control in 2", Clock{Left: 1000 * ms, MovesToGo: 2}, 0, 500 * ms, 500 * ms},
		{"last before the control", Clock{Left: 1000 * ms, MovesToGo: 1}, 100 * ms, 810 * ms, 810 * ms},
		{"a third is the most", Clock{Left: 90 * ms, Increment: 1000 * ms}, 0, 30 * ms, 30 * ms},
		{"less than the overhead", Clock{Left: 20 * ms}, 30 * ms, 0, 0},
		{"negative", Clock{Left: -50 * ms, Increment: 20 * ms}, 30 * ms, 0, 0},
		{"nonsense", Clock{Left: 300 * ms, Increment: -20 * ms, MovesToGo: -3}, 0, 10 * ms, 30 * ms},
	} {
		got := c.clock.Budget(c.overhead)
		want := Budget{c.target, c.limit, max(0, c.clock.Left-c.overhead), true}
		if got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
	for d, want := range map[time.Duration]time.Duration{
		1000 * ms: 970 * ms, 40 * ms: 20 * ms, 60 * ms: 30 * ms, 0: 0,
	} {
		if got := MoveTimeBudget(d, 30*ms); got != (Budget{want, want, math.MaxInt64, false}) {
			t.Errorf("movetime %s: %+v", d, got)
		}
	}
}

// managerAt is a pacer whose search and time began as long ago as the two times say.
func managerAt(b Budget, batch, searched, spent time.Duration) *TimeManager {
	p := NewTimeManager(BatchTimes{Slow: batch, Usual: batch})
	now := p.started.Add(searched)
	p.now = func() time.Time { return now }
	p.Begin(now.Add(-spent), b)
	return p
}

func TestStop(t *testing.T) {
	clock := Budget{Target: 100 * ms, Limit: 300 * ms, Last: 900 * ms, Early: true}
	exact := Budget{Target: 100 * ms, Limit: 100 * ms, Last: math.MaxInt64}
	for _, c := range []struct {
		name            string
		budget          Budget
		batch           time.Duration
		searched, spent time.Duration
		progress        mcts.Progress
		stop            bool
	}{
		{"the first batch fits", clock, 600 * ms, 0, 0, mcts.Progress{}, false},
		{"the first batch would may lose the game", clock, 620 * ms, 0, 0, mcts.Progress{}, true},
		{"the first batch of a move time", exact, 150 * ms, 0, 0, mcts.Progress{}, false},
		{"long before", clock, 10 * ms, 50 * ms, 50 * ms,
			mcts.Progress{Nodes: 40, Batch: 10 * ms, Best: 5, Second: 4}, false},
		{"nearer now than after", clock, 10 * ms, 96 * ms, 96 * ms, mcts.Progress{Nodes: 40, Batch: 10 * ms}, true},
		{"a slow batch is remembered", clock, 290 * ms, 50 * ms, 50 * ms,
			mcts.Progress{Nodes: 8, Batch: 10 * ms}, true},
		{"a batch that is slow now", exact, 5 * ms, 50 * ms, 50 * ms, mcts.Progress{Nodes: 8, Batch: 60 * ms}, true},
		{"settled", clock, ms, 10 * ms, 10 * ms, mcts.Progress{Nodes: 8, Batch: ms, Settled: true}, true},
		{"settled but exact", exact, ms, 10 * ms, 10 * ms, mcts.Progress{Nodes: 8, Batch: ms, Settled: true}, false},
		// 90 nodes in 50 ms: 90 more until the target
		{"can be overtaken", clock, ms, 50 * ms, 50 * ms,
			mcts.Progress{Nodes: 90, Batch: ms, Best: 95, Second: 5}, false},
		{"cannot be overtaken", clock, ms, 50 * ms, 50 * ms,
			mcts.Progress{Nodes: 90, Batch: ms, Best: 96, Second: 5}, true},
		{"exact goes on", exact, ms, 50 * ms, 50 * ms,
			mcts.Progress{Nodes: 90, Batch: ms, Best: 96, Second: 5}, false},
		// pondering: 900 nodes in 450 ms, of which 50 count: 100 more
		{"the speed is that of all", clock, ms, 450 * ms, 50 * ms,
			mcts.Progress{Nodes: 900, Batch: ms, Best: 600, Second: 500}, false},
	} {
		p := managerAt(c.budget, c.batch, c.searched, c.spent)
		if got := p.Stop(c.progress); got != c.stop {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	p := NewTimeManager(BatchTimes{Slow: time.Hour, Usual: time.Hour})
	if p.Stop(mcts.Progress{Nodes: 5, Batch: ms, Settled: true}) || p.Batch().Slow != time.Hour*9/10 {
		t.Error("a search without budget ends")
	}
	batch := BatchTimes{Slow: 2 * time.Second, Usual: 100 * ms}
	refused := 0
	for ; refused < 100; refused++ {
		p := NewTimeManager(batch)
		p.Begin(time.Now(), clock)
		if !p.Stop(mcts.Progress{}) {
			break
		}
		batch = p.Batch()
	}
	if refused < 4 || refused > 6 { // 2 s · (3/4)⁵ · 3/2 = 712 ms
		t.Errorf("the network is kept away %d times by one slow batch", refused)
	}
	p = NewTimeManager(BatchTimes{Slow: ms, Usual: ms})
	if p.End() || p.Stop(mcts.Progress{}) || !p.Stop(mcts.Progress{Nodes: 1, Batch: ms}) || !p.End() {
		t.Error("a search that is ended does not end after its first batch")
	}
}

// TestClocksLast: no game is lost on time with batches of which some take twice as long as others, whatever is lost on
// the way up to the overhead.
func TestClocksLast(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		increment := time.Duration(rng.IntN(40)) * ms
		left := 2000*ms + time.Duration(rng.IntN(60_000))*ms
		usual := time.Duration(1+rng.IntN(100)) * ms
		batch := BatchTimes{Slow: usual, Usual: usual}
		for move := range 300 {
			now := time.Unix(0, 0)
			p := NewTimeManager(batch)
			p.started, p.now = now, func() time.Time { return now }
			p.Begin(now, Clock{Left: left, Increment: increment}.Budget(30*ms))
			for g := (mcts.Progress{}); !p.Stop(g); g.Nodes += 8 {
				g.Batch = usual/2 + time.Duration(rng.Int64N(int64(usual/2)+1))
				now = now.Add(g.Batch)
			}
			left -= now.Sub(time.Unix(0, 0)) + time.Duration(rng.IntN(10))*ms
			if batch = p.Batch(); increment < 10*ms && left < 50*ms {
				break // nobody can play for ever in the time that is lost on the way
			}
			if left < 0 {
				t.Fatalf("seed %d: move %d: %s left", seed, move, left)
			}
			left += increment
		}
	}
}
