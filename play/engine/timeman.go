package engine

import (
	"math"
	"sync"
	"time"

	"talbot/play/mcts"
)

// Budget is how long a search may take, from its beginning.
type Budget struct {
	Target time.Duration // about this long
	Limit  time.Duration // never longer, as far as the duration of a batch can be foreseen
	// Last is when the first batch must have ended at the latest: a move that the network was asked about is worth more
	// time than Limit, but not the game.
	Last time.Duration
	// Early says that a search may end before Target when nothing is left to decide.
	Early bool
}

// Clock is what the clock of the side to move shows.
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

// first is how long the first batch of a search takes, a small one.
func (b *BatchTimes) first() time.Duration {
	if b.Smallest > 0 {
		return min(b.Smallest, b.Slow)
	}
	return b.Slow
}

// refuse is called where a batch was not begun for fear of a slow one: without it a single one would keep the search
// away from the network for ever.
func (b *BatchTimes) refuse() {
	b.Slow = max(b.Slow-b.Slow/4, min(b.Slow, b.Usual))
	b.Smallest -= b.Smallest / 4
}

// TimeManager holds a search to a budget. Its methods may be called by several goroutines.
type TimeManager struct {
	mu     sync.Mutex
	now    func() time.Time
	asked  time.Time // when the search began
	begun  time.Time // when its time began, which is later after pondering
	budget *Budget   // nil: no limit yet
	batch  BatchTimes
	seen   bool // a batch has ended
	ended  bool // by End
}

// New returns a pacer of a search that begins now and has no limit of time until [TimeManager.Begin].
func NewTimeManager(batch BatchTimes) *TimeManager {
	return &TimeManager{now: time.Now, asked: time.Now(), batch: batch}
}

// Begin limits the search; its time counts from at.
func (p *TimeManager) Begin(at time.Time, b Budget) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begun, p.budget = at, &b
}

// End ends the search, but not before its first batch: see [TimeManager.Stop]. It reports whether that has ended already.
func (p *TimeManager) End() (seen bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	return p.seen
}

// Batch is how long batches take.
func (p *TimeManager) Batch() BatchTimes {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.batch
}

// Stop reports whether the search is to end: another batch would end after Limit, or closer to Target than it would
// begin; or, if it may end early, nothing can change any more, or the best move cannot be overtaken until Target at the
// present speed. It is the ShouldStop of [mcts.Limits].
func (p *TimeManager) Stop(g mcts.Progress) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g.Batch > 0 {
		p.batch.add(g.Batch, g.Smallest)
	}
	p.seen = p.seen || g.Nodes > 0 || g.Batch > 0
	if p.budget == nil || p.ended {
		return p.ended && p.seen
	}
	now := p.now()
	spent := now.Sub(p.begun)
	if !p.seen {
		if p.batch.first()*3/2 <= p.budget.Last-spent { // half as long again: batches are not all alike
			return false
		}
		p.batch.refuse()
		return true
	}
	next := max(p.batch.Slow, time.Duration(g.Growth*float64(g.Batch)))
	if spent+next > p.budget.Limit || spent+next/2 > p.budget.Target {
		return true
	}
	if !p.budget.Early {
		return false
	}
	searched := now.Sub(p.asked)
	if g.Settled || searched <= 0 {
		return g.Settled
	}
	ahead := float64(g.Nodes) * float64(p.budget.Target-spent) / float64(searched)
	return float64(g.Best-g.Second) > ahead
}

// VisitsLeft is how many visits there is time for until Target if each is a batch of its own: about the least there
// will be. It is the function of that name in [mcts.Limits].
func (p *TimeManager) VisitsLeft() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.budget == nil {
		return math.MaxInt64
	}
	left := max(0, p.budget.Target-p.now().Sub(p.begun))
	return int64(left / max(p.batch.first(), time.Microsecond))
}
