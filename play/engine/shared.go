package engine

import (
	"context"
	"sync"
	"time"

	"talbot/play/player"
)

// Shared has networks that several players use at the same time. Each is loaded once, and compiled once. It is safe for
// concurrent use.
type Shared struct {
	mu   sync.Mutex
	open map[Config]*Network
	took map[*Network]time.Duration
}

// Open returns the network of a configuration, which is opened when it is first asked for.
func (s *Shared) Open(c Config) (*Network, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.open[c]; n != nil {
		return n, nil
	}
	n, err := Open(c)
	if err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open, s.took = map[Config]*Network{}, map[*Network]time.Duration{}
	}
	s.open[c] = n
	return n, nil
}

// Close closes all networks. Nothing is to use them any more.
func (s *Shared) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.open {
		n.Close()
	}
	s.open, s.took = nil, nil
}

// use returns a network for a player to open and close as if it were its own.
func (s *Shared) use(c Config) (player.Network, error) {
	n, err := s.Open(c)
	return sharedNetwork{n, s}, err
}

// sharedNetwork is a network that others use too.
type sharedNetwork struct {
	*Network
	in *Shared
}

// Warm makes the network ready, unless another player has done so.
func (n sharedNetwork) Warm(ctx context.Context) (time.Duration, error) {
	n.in.mu.Lock()
	defer n.in.mu.Unlock()
	if took, ok := n.in.took[n.Network]; ok {
		return took, nil
	}
	took, err := n.Network.Warm(ctx)
	if err == nil {
		n.in.took[n.Network] = took
	}
	return took, err
}

// Close leaves the network to the others.
func (sharedNetwork) Close() {}
