package engine

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"talbot/board"
	"talbot/encode"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/train/backend"
	"talbot/train/predict"
)

// Config says which network is opened, and how.
type Config struct {
	Path    string // a run's folder, a checkpoint or an exported network
	Backend string // as of `--backend`: see [backend.OpenToAnswer]; "" is auto
	Batch   int    // positions that are evaluated at once; 0: [DefaultBatch], or 1 of a network without values
	Bulk    bool   // many positions are asked about and none is searched: Batch 0 is DefaultBatch for all networks
	Threads int    // of ONNX Runtime; 0: one for each processor that Go may use

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

	opened     *backend.Opened
	config     Config
	likely     *predict.Predictor // of Config.Probability; nil: none
	mu         sync.Mutex
	engines    []*stockfish.Engine // that evaluators started
	centipawns func(float32) float64
}

// DefaultBatch is how many positions are evaluated at once on a kind of backend. A larger batch computes more positions
// a second, and a search that is deciding on many at once decides on them knowing less.
func DefaultBatch(kind string) int {
	switch {
	case kind == "go" || kind == "onnx":
		return 8
	case kind == "xla:cpu":
		return 16
	}
	return 128
}

// MaxBatch is the largest batch that may be asked for.
const MaxBatch = 1024

// Open loads a network. It compiles nothing yet: see [Network.Warm]. Errors are those of [predict.Open] and
// [backend.OpenToAnswer].
func Open(c Config) (*Network, error) {
	if c.Backend == "" {
		c.Backend = "auto"
	}
	b, err := backend.OpenToAnswer(c.Backend)
	if err != nil {
		return nil, err
	}
	batch := c.Batch
	if batch == 0 {
		batch = DefaultBatch(b.Kind)
	}
	p, err := open(b, c.Path, batch, c.Threads)
	if err == nil && c.Batch == 0 && !c.Bulk && !p.Knows().Value && !p.Knows().Chances {
		p.Close() // such a network is asked about one position for each move
		p, err = open(b, c.Path, 1, c.Threads)
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

func open(b *backend.Opened, path string, batch, threads int) (*predict.Predictor, error) {
	return predict.Open(b, path, predict.Options{Batches: []int{batch}, Deterministic: true, Threads: threads})
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
// and for rollouts, whose values are an engine's, [encode.CandidateCentipawns].
func (n *Network) Centipawns(searcher string, value float32) int {
	if searcher == "rollouts" {
		return int(math.Round(encode.CandidateCentipawns(value)))
	}
	return int(math.Round(n.centipawns(value)))
}

// Warm compiles the network and returns how long it takes to answer a batch.
func (n *Network) Warm(ctx context.Context) (batch time.Duration, err error) {
	if err := n.Compile(ctx); err != nil {
		return 0, err
	}
	e := n.Evaluator()
	g := board.NewGame(board.StartPosition())
	legal := g.Position().LegalMoves(nil)
	answers := make([]mcts.Answer, e.Batch())
	for range 2 { // what a first run still makes ready is not counted
		for i := range answers {
			e.Put(i, g, legal)
		}
		begun := time.Now()
		if err := e.Evaluate(ctx, answers); err != nil {
			return 0, err
		}
		batch = time.Since(begun)
	}
	return batch, nil
}

// Searcher is what a network plays with where nothing else is said: puct with priors and values, the move of the
// highest prior (policy) without values, and napoleon's search without priors.
func (n *Network) Searcher() string {
	switch knows := n.Knows(); {
	case knows.Prior && (knows.Value || knows.Chances):
		return "puct"
	case knows.Prior:
		return "policy"
	}
	return "napoleon"
}

// Title names the network in a line: recipe, size and step, backend and batch.
func (n *Network) Title() string {
	var size []string
	values := n.Config.Settings.Values()
	for _, name := range []string{"blocks", "filters"} {
		if v := values[name]; v != "" {
			size = append(size, v)
		}
	}
	text := n.Config.Recipe
	if len(size) > 0 {
		text += " " + strings.Join(size, "x")
	}
	return fmt.Sprintf("%s, step %d, on %s, batch %d", text, n.Step, n.Backend, n.Batch())
}
