package studio

import (
	"crypto/rand"
	"errors"
	"runtime"
	"sync"
	"time"
)

// seats are the games that are played. It is safe for concurrent use.
type seats struct {
	backend string
	turns   chan struct{} // has a place for each search that may run

	mu     sync.Mutex
	all    map[string]*seat
	closed bool
}

// Bounds of the games.
const (
	maxSeats  = 16
	gone      = 10 * time.Second // without a request, after which a page counts as closed
	abandoned = time.Minute      // after which its seat may be reused
)

func newSeats(backend string) *seats {
	return &seats{backend: backend, turns: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
		all: map[string]*seat{}}
}

var errFull = errors.New("too many games are open: close the pages of some and try again in a minute")

// add begins a game. Where there are too many, the one that was not asked for the longest time goes, if its page is
// closed.
func (s *seats) add(one *seat) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errFull
	}
	if len(s.all) >= maxSeats {
		var oldest *seat
		for _, other := range s.all {
			if oldest == nil || other.lastAsked().Before(oldest.lastAsked()) {
				oldest = other
			}
		}
		if time.Since(oldest.lastAsked()) < abandoned {
			return errFull
		}
		delete(s.all, oldest.id)
		go oldest.close()
	}
	one.id, one.turns = rand.Text(), s.turns
	s.all[one.id] = one
	return nil
}

// get returns a game; nil if there is none.
func (s *seats) get(id string) *seat {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[id]
}

// close ends all games.
func (s *seats) close() {
	s.mu.Lock()
	all := s.all
	s.all, s.closed = map[string]*seat{}, true
	s.mu.Unlock()
	for _, one := range all {
		one.close()
	}
}
