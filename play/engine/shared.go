package engine

import "sync"

// Shared has networks that several players use at the same time. Each is loaded once, and compiled once; with ONNX
// Runtime once for each seat, as small batches are computed sooner on one core each than on all cores in turns. It is
// safe for concurrent use.
type Shared struct {
	mu   sync.Mutex
	open map[place]*Network
}

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
		s.open = map[place]*Network{}
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
	s.open = nil
}

// use returns a network that the player of a seat may open and close like an unshared one.
func (s *Shared) use(c Config, seat int) (PlayerNetwork, error) {
	n, err := s.Open(c)
	if err == nil && n.opened.OnRuntime() {
		n, err = s.at(place{c, seat})
	}
	return sharedNetwork{n}, err
}

// sharedNetwork is a network that others use too.
type sharedNetwork struct{ *Network }

// Close leaves the network to the others.
func (sharedNetwork) Close() {}
