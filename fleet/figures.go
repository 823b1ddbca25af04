package fleet

import (
	"math"
	"time"

	"talbot/stockfish"
)

// tally counts the labels of one worker.
type tally struct {
	positions int64
	rate      rate
}

// Stats are the figures so far. Busy times are those of the pool's own engines.
func (p *Pool) Stats() stockfish.Stats {
	s := p.figures.Stats()
	s.Workers, s.Limit = len(p.own), p.config.Limit
	for _, own := range p.own {
		o := own.Stats()
		s.Retried, s.Restarts, s.Busy = s.Retried+o.Retried, s.Restarts+o.Restarts, append(s.Busy, o.Busy...)
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
