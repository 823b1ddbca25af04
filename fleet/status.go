package fleet

import (
	"cmp"
	"slices"
)

// Status is the progress of a coordinator's work.
type Status struct {
	Workers []WorkerStatus `json:"workers"`
	Open    int            `json:"open"`    // jobs that are offered
	Held    int            `json:"held"`    // of these, with a worker
	Done    int64          `json:"done"`    // jobs that workers answered
	Refused int64          `json:"refused"` // connections and requests that were turned away
	Banned  int            `json:"banned"`  // workers whose labels were wrong
	Idle    string         `json:"idle"`    // why no worker is busy; "" if one is
	// PositionsPerSecond is the rate of all, the coordinator's own part included; SecondsLeft is null if it is not
	// known.
	PositionsPerSecond float64  `json:"positions_per_second"`
	Positions          int64    `json:"positions"` // so far, in this process
	SecondsLeft        *float64 `json:"seconds_left"`
}

// WorkerStatus is one process of a worker, or the coordinator's own part, number 0.
type WorkerStatus struct {
	Number             int     `json:"number"`
	Process            int     `json:"process"` // of this worker, from 1: the lowest number that was free
	Name               string  `json:"name"`
	Version            string  `json:"version"`
	Slots              int     `json:"slots"`
	Held               int     `json:"held"`
	Done               int64   `json:"done"`
	Lost               int64   `json:"lost"`
	Positions          int64   `json:"positions"`
	PositionsPerSecond float64 `json:"positions_per_second"` // of all processes of this worker
	SilentSeconds      float64 `json:"silent_seconds"`
}

// Status returns how far the work is.
func (c *coordinator) Status() Status {
	now := c.cfg.now()
	s := Status{Done: c.done.Load(), Refused: c.refused.Load(), Workers: []WorkerStatus{}}
	if c.gate != nil {
		s.Refused += c.gate.refusals()
	}
	s.Banned = len(c.roster.allBanned())
	c.mu.Lock()
	s.Open = len(c.offers)
	for _, o := range c.offers {
		if o.holder != nil {
			s.Held++
		}
	}
	for _, m := range c.members {
		if m.proved {
			s.Workers = append(s.Workers, WorkerStatus{Number: m.worker, Process: m.process, Name: m.hello.Name,
				Version: m.hello.Version, Slots: m.hello.Slots, Held: len(m.held), Done: m.done, Lost: m.lost,
				SilentSeconds: now.Sub(m.heard).Seconds()})
		}
	}
	finished := c.finished
	c.mu.Unlock()
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return cmp.Or(a.Number-b.Number, a.Process-b.Process) })
	switch {
	case finished:
		s.Idle = "the work is finished"
	case len(s.Workers) == 0:
		s.Idle = "no worker has joined"
	case s.Open == 0:
		s.Idle = "no jobs are offered: the coordinator reads its input, or waits for its own engines"
	}
	if c.cfg.status != nil {
		c.cfg.status(&s)
	}
	return s
}
