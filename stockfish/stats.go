package stockfish

import "time"

// Stats are a pool's figures since it was made.
type Stats struct {
	Workers  int
	Labelled int64 // positions handed on that an engine searched
	Terminal int64 // positions handed on that needed none
	Failed   int64 // positions handed on that two engines failed at, or that were impossible
	Retried  int64 // searches that went wrong once
	Restarts int64 // engines started in place of lost ones

	Elapsed time.Duration   // inside Label
	Busy    []time.Duration // per worker, on lines: searching, starting engines, waiting to restart
	Limit   Limit
}

// Stats returns the figures so far. Busy counts a line or position when it has ended.
func (p *Pool) Stats() Stats {
	s := Stats{
		Workers:  len(p.workers),
		Labelled: p.labelled.Load(),
		Terminal: p.terminal.Load(),
		Failed:   p.failed.Load(),
		Retried:  p.retried.Load(),
		Restarts: p.restarts.Load(),
		Elapsed:  time.Duration(p.elapsed.Load()),
		Limit:    p.cfg.Limit,
	}
	if since := p.since.Load(); since != 0 {
		s.Elapsed += time.Since(time.Unix(0, since))
	}
	for _, w := range p.workers {
		s.Busy = append(s.Busy, time.Duration(w.busy.Load()))
	}
	return s
}

// Rate is labelled positions per second.
func (s Stats) Rate() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Labelled) / s.Elapsed.Seconds()
}

// Utilisation is the time that was asked to be searched over the time there
// was: labelled × time limit ÷ (workers × seconds). ok is false when the limit
// is not a time.
func (s Stats) Utilisation() (share float64, ok bool) {
	if s.Limit.Time() == 0 || s.Elapsed <= 0 {
		return 0, false
	}
	return float64(s.Labelled) * s.Limit.Time().Seconds() / (float64(s.Workers) * s.Elapsed.Seconds()), true
}

// BusyShare is the time the workers spent on jobs over the time there was.
func (s Stats) BusyShare() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	var busy time.Duration
	for _, b := range s.Busy {
		busy += b
	}
	return busy.Seconds() / (float64(s.Workers) * s.Elapsed.Seconds())
}
