package engine

import (
	"math"
	"sync"
	"time"

	"talbot/play/mcts"
)

// Budget is the time of a search, from its start.
type Budget struct {
	Target time.Duration // about this long
	Limit  time.Duration // never longer, as far as the duration of a batch can be foreseen
	// Last is when the first batch must have ended at the latest: a move that the network was asked about is worth more
	// time than Limit, but not the game.
	Last time.Duration
	// Early says that a search may end before Target when nothing is left to decide.
	Early bool
}

// Clock is the clock of the side to move.
type Clock struct {
	Left, Increment time.Duration
	MovesToGo       int // to the next time control; 0: the time is for the whole game
}

const (
	horizon     = 30 // moves that a game is taken to last still
	farthest    = 50 // moves to a time control that are taken into account
	stretch     = 3  // Limit is at most this many Targets
	margin      = 10 // of usable one part is kept, also with one move to go: the next batch may take longer
	incremental = 4  // of the increment three quarters are spent at once
)

// Budget divides the clock's time. overhead is what is lost with each move.
//
//	usable  Left − overhead
//	Target  usable/moves + ¾·Increment, moves being MovesToGo (at most 50) or 30
//	Limit   three times Target, but at most a third of usable, half with two moves to go, nine tenths with one
//	Last    usable
//
// Target is at most Limit. None is negative.
func (c Clock) Budget(overhead time.Duration) Budget {
	usable := max(0, c.Left-overhead)
	moves := time.Duration(horizon)
	if c.MovesToGo > 0 {
		moves = time.Duration(min(c.MovesToGo, farthest))
	}
	target := usable/moves + max(0, c.Increment)*(incremental-1)/incremental
	limit := min(stretch*target, usable/min(moves, stretch), usable-usable/margin)
	return Budget{Target: min(target, limit), Limit: limit, Last: usable, Early: true}
}

// MoveTime is the budget of a search that is to take d: all of it but the overhead, or half of it where that is less
// than the overhead. The network is asked once, whatever that takes: where it takes longer than d, all moves would be
// made without it.
func MoveTimeBudget(d, overhead time.Duration) Budget {
	usable := max(0, d-min(overhead, d/2))
	return Budget{Target: usable, Limit: usable, Last: math.MaxInt64}
}

// BatchTimes says how long batches of the network take.
type BatchTimes struct {
	Slow     time.Duration // the longest lately
	Usual    time.Duration // their mean
	Smallest time.Duration // how long one of the smallest takes; 0: not known
}

// add takes over one. A slow one is remembered for about ten more.
func (b *BatchTimes) add(d time.Duration, smallest bool) {
	b.Slow = max(d, b.Slow-b.Slow/10)
	b.Usual += (d - b.Usual) / 8
	if smallest {
		b.Smallest = max(d, b.Smallest-b.Smallest/10)
	}
}

// first returns the time of the first batch of a search, a small one.
func (b *BatchTimes) first() time.Duration {
	if b.Smallest > 0 {
		return min(b.Smallest, b.Slow)
	}
	return b.Slow
}

// refuse lowers the times after a batch was not started for fear of a slow one: else a single one would keep the search
// away from the network for ever.
func (b *BatchTimes) refuse() {
	b.Slow = max(b.Slow-b.Slow/4, min(b.Slow, b.Usual))
	b.Smallest -= b.Smallest / 4
}

// TimeManager holds a search to a budget. After each batch one of its stoppers may end the search: firstBatchTooLate,
// outOfTime or decided. Its methods may be called by several goroutines.
type TimeManager struct {
	mu      sync.Mutex
	now     func() time.Time
	started time.Time // the search
	counted time.Time // when its time began, which is later after pondering
	budget  *Budget   // nil: no limit yet
	batch   BatchTimes
	seen    bool // a batch has ended
	ended   bool // by End
}

// NewTimeManager returns one for a search that starts now and has no limit of time until [TimeManager.Begin].
func NewTimeManager(batch BatchTimes) *TimeManager {
	return &TimeManager{now: time.Now, started: time.Now(), batch: batch}
}

// Begin limits the search; its time counts from at.
func (t *TimeManager) Begin(at time.Time, b Budget) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counted, t.budget = at, &b
}

// End ends the search, but not before its first batch: see [TimeManager.Stop]. It reports whether that has ended
// already.
func (t *TimeManager) End() (seen bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	return t.seen
}

// Batch returns how long batches take.
func (t *TimeManager) Batch() BatchTimes {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.batch
}

// Stop reports whether the search ends now. It is the ShouldStop of [mcts.Limits].
func (t *TimeManager) Stop(g mcts.Progress) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if g.Batch > 0 {
		t.batch.add(g.Batch, g.Smallest)
	}
	t.seen = t.seen || g.Nodes > 0 || g.Batch > 0
	switch {
	case t.ended:
		return t.seen
	case t.budget == nil:
		return false
	case !t.seen:
		return t.firstBatchTooLate()
	}
	return t.outOfTime(g) || t.budget.Early && t.decided(g)
}

// firstBatchTooLate stops a search whose first batch could lose the game on time.
func (t *TimeManager) firstBatchTooLate() bool {
	if t.batch.first()*3/2 <= t.budget.Last-t.spent() { // half as long again: batches are not all alike
		return false
	}
	t.batch.refuse()
	return true
}

// outOfTime stops a search whose next batch would end after Limit, or closer to Target than now.
func (t *TimeManager) outOfTime(g mcts.Progress) bool {
	spent, next := t.spent(), max(t.batch.Slow, time.Duration(g.Growth*float64(g.Batch)))
	return spent+next > t.budget.Limit || spent+next/2 > t.budget.Target
}

// decided stops a search in which nothing can change any more, or whose best move cannot be overtaken until Target at
// the present speed.
func (t *TimeManager) decided(g mcts.Progress) bool {
	searched := t.now().Sub(t.started)
	if g.Settled || searched <= 0 {
		return g.Settled
	}
	ahead := float64(g.Nodes) * float64(t.budget.Target-t.spent()) / float64(searched)
	return float64(g.Best-g.Second) > ahead
}

// spent is the time that counts so far.
func (t *TimeManager) spent() time.Duration { return t.now().Sub(t.counted) }

// VisitsLeft returns the number of visits that there is time for until Target if each is a batch of its own: about the
// least there will be. It is the function of that name in [mcts.Limits].
func (t *TimeManager) VisitsLeft() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.budget == nil {
		return math.MaxInt64
	}
	left := max(0, t.budget.Target-t.spent())
	return int64(left / max(t.batch.first(), time.Microsecond))
}
