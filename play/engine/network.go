package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/predict"
	"talbot/network/run"
	"talbot/play/mcts"
	"talbot/stockfish"
)

// Config says which network is opened, and how.
type Config struct {
	Path    string // of the network, as of [predict.Load]
	Backend string // as of `--backend`: see [backend.OpenForInference]; "" is auto
	Batch   int    // positions that are evaluated at once, at most; 0: [defaultBatch], or 1 of a network without values
	Bulk    bool   // many positions are asked about and none is searched: always full batches, also without values
	Threads int    // of ONNX Runtime; 0: one for each processor that Go may use
	// Fast computes in 8 bits where ONNX Runtime is chosen, not asked for, the processor has instructions for that and
	// the network has convolutions: see [backend.Backend.Int8].
	Fast bool

	// Of the searcher rollouts: the engine that values moves, as [stockfish.Find] takes it, and a network of the recipe
	// probability, like Path; "" = none.
	Engine      string
	Probability string
}

// Network is a trained network that is ready to answer.
type Network struct {
	*predict.Predictor
	Backend string // what it computes on: "go", "xla:cpu"
	Why     string // it was chosen

	opened     *backend.Backend
	config     Config
	likely     *predict.Predictor // of Config.Probability; nil: none
	mu         sync.Mutex
	engines    []*stockfish.Engine // that evaluators started
	centipawns func(float32) float64

	warming        sync.Mutex
	full, smallest time.Duration // times of batches when it was made ready; 0: it is not
}

// Identity names the network and what computes it, as datasets record it.
func (n *Network) Identity() dataset.Network {
	knows := n.Capabilities()
	return dataset.Network{Recipe: n.Config.Recipe, Checkpoint: n.Sum, Step: n.Step, Averaged: n.Averaged,
		Backend: n.Backend, Batch: n.Batch(), Prior: knows.Prior, Value: knows.Value || knows.WDL}
}

// defaultBatch returns the number of positions that are evaluated at once on a kind of backend. A larger batch computes
// more positions a second, and a search that is deciding on many at once decides on them knowing less.
func defaultBatch(kind string) int {
	switch {
	case kind == "go" || strings.HasPrefix(kind, "onnx"):
		return 8
	case kind == "xla:cpu":
		return 16
	}
	return 128
}

// sizes are the numbers of positions that a network is made ready for: a search begins with small batches. On a
// processor one position takes less than many; a GPU takes about as long for 16.
func sizes(kind string, largest int) (list []int) {
	first, step := 1, 2
	switch kind {
	case "go", "onnx", "onnx:int8":
	case "xla:cpu": // which compiles each for seconds
		step = 4
	default:
		first, step = 16, 8
	}
	for n := first; n < largest; n *= step {
		list = append(list, n)
	}
	return append(list, largest)
}

// MaxBatch is the largest batch that may be asked for.
const MaxBatch = 1024

// Open loads a network. It compiles nothing yet: see [Network.Warm]. Errors are those of [predict.Open] and
// [backend.OpenForInference].
func Open(c Config) (*Network, error) {
	if c.Backend == "" {
		c.Backend = "auto"
	}
	b, err := backend.OpenForInference(c.Backend)
	if err != nil {
		return nil, err
	}
	chosen := b
	if c.Fast && c.Backend != b.Kind && b.OnRuntime() && backend.VNNI() {
		b = b.WithInt8()
	}
	batch := c.Batch
	if batch == 0 {
		batch = defaultBatch(b.Kind)
	}
	batches := sizes(b.Kind, batch)
	if c.Bulk {
		batches = []int{batch}
	}
	p, err := open(b, c.Path, batches, c.Threads)
	if errors.Is(err, predict.ErrNoInt8) && b != chosen {
		b = chosen
		p, err = open(b, c.Path, batches, c.Threads)
	}
	if err == nil && c.Batch == 0 && !c.Bulk && !p.Capabilities().Value && !p.Capabilities().WDL {
		p.Close() // such a network is asked about one position for each move
		p, err = open(b, c.Path, []int{1}, c.Threads)
	}
	if err != nil {
		b.Finalize()
		return nil, err
	}
	n := &Network{Predictor: p, Backend: b.Kind, Why: b.Why, opened: b, config: c}
	if p.Encoder().Layout().Candidates > 0 {
		n.Close()
		return nil, fmt.Errorf("%q: %w", c.Path, ErrCandidates)
	}
	if err := n.openProbability(); err != nil {
		n.Close()
		return nil, err
	}
	target, err := encode.ParseValueTarget(p.Config.ValueTarget)
	if err != nil {
		n.Close()
		return nil, err
	}
	n.centipawns = target.Centipawns(p.Encoder())
	return n, nil
}

func open(b *backend.Backend, path string, batches []int, threads int) (*predict.Predictor, error) {
	return predict.Open(b, path, predict.Options{Batches: batches, LegalIfMasked: true, Threads: threads})
}

// Close frees the network. Nothing is to use it any more.
func (n *Network) Close() {
	n.closeEngines()
	if n.likely != nil {
		n.likely.Close()
	}
	n.Predictor.Close()
	n.opened.Finalize()
}

// Centipawns returns the score that a value of a searcher stands for, in ±1500: see [encode.ValueTarget.Centipawns],
// and where values are an engine's, [encode.CandidateCentipawns].
func (n *Network) Centipawns(searcher string, value float32) int {
	if m, err := mcts.MethodOf(searcher); err == nil && m.Engine {
		return int(math.Round(encode.CandidateCentipawns(value)))
	}
	return int(math.Round(n.centipawns(value)))
}

// Warm compiles the network, unless that is done, and returns how long it takes to answer a full batch and one of the
// smallest size.
func (n *Network) Warm(ctx context.Context) (full, smallest time.Duration, err error) {
	n.warming.Lock()
	defer n.warming.Unlock()
	if n.full > 0 {
		return n.full, n.smallest, nil
	}
	if err := n.Compile(ctx); err != nil {
		return 0, 0, err
	}
	e := n.Evaluator()
	g := board.NewGame(board.StartPosition())
	legal := g.Position().LegalMoves(nil)
	for i := range e.Batch() {
		e.Put(i, g, legal)
	}
	timed := func(size int) (took time.Duration, err error) {
		answers := make([]mcts.Evaluation, size)
		for range 2 { // what a first run still makes ready is not counted
			begun := time.Now()
			if err := e.Evaluate(ctx, answers); err != nil {
				return 0, err
			}
			took = time.Since(begun)
		}
		return took, nil
	}
	if smallest, err = timed(e.Sizes()[0]); err == nil {
		full, err = timed(e.Batch())
	}
	if err == nil {
		n.full, n.smallest = full, smallest
	}
	return full, smallest, err
}

// DefaultSearcher returns the searcher that is used unless another one is chosen.
func (n *Network) DefaultSearcher() string { return mcts.DefaultFor(n.parts()) }

// Title names the network in a line: recipe, size and step, backend and batch.
func (n *Network) Title() string {
	return fmt.Sprintf("%s, step %d, on %s, batch %d", size(n.Config), n.Step, n.Backend, n.Batch())
}

// size is recipe and size of a network, such as "talbotbot 6x64".
func size(c run.Config) string {
	var size []string
	values := c.Settings.Values()
	for _, name := range []string{"blocks", "filters", "encoders", "features"} {
		if v := values[name]; v != "" && v != "0" {
			size = append(size, v)
		}
	}
	if len(size) == 0 {
		return c.Recipe
	}
	return c.Recipe + " " + strings.Join(size, "x")
}

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
