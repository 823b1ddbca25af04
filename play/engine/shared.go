package engine

import (
	"context"
	"sync"
	"time"
)

// Shared has networks that several players use at the same time. Each is loaded once, and compiled once; with ONNX
// Runtime once for each seat, as small batches are computed sooner on one core each than on all cores in turns. It is
// safe for concurrent use.
type Shared struct {
	mu   sync.Mutex
	open map[place]*Network
	took map[*Network]warmth
}

// warmth has the times of batches when a network was made ready.
type warmth struct{ full, smallest time.Duration }

// place is a use of a network.
type place struct {
	config Config
	seat   int // 0: of all, unless there is one for each
}

// Open returns the network of a configuration, which is opened when it is first asked for.
func (s *Shared) Open(c Config) (*Network, error) { return s.at(place{config: c}) }

func (s *Shared) at(p place) (*Network, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.open[p]; n != nil {
		return n, nil
	}
	n, err := Open(p.config)
	if err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open, s.took = map[place]*Network{}, map[*Network]warmth{}
	}
	s.open[p] = n
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

// use returns a network that the player of a seat may open and close like an unshared one.
func (s *Shared) use(c Config, seat int) (PlayerNetwork, error) {
	n, err := s.Open(c)
	if err == nil && n.opened.OnRuntime() {
		n, err = s.at(place{c, seat})
	}
	return sharedNetwork{n, s}, err
}

// sharedNetwork is a network that others use too.
type sharedNetwork struct {
	*Network
	in *Shared
}

// Warm makes the network ready, unless another player has done so.
func (n sharedNetwork) Warm(ctx context.Context) (full, smallest time.Duration, err error) {
	n.in.mu.Lock()
	defer n.in.mu.Unlock()
	if took, ok := n.in.took[n.Network]; ok {
		return took.full, took.smallest, nil
	}
	full, smallest, err = n.Network.Warm(ctx)
	if err == nil {
		n.in.took[n.Network] = warmth{full, smallest}
	}
	return full, smallest, err
}

// Close leaves the network to the others.
func (sharedNetwork) Close() {}
