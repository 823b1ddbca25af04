package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"talbot/board"
	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/network/builtin"
	"talbot/network/predict"
	"talbot/play/mcts"
)

// Benchmark measures a network on several backends and at several batch sizes.
type Benchmark struct {
	Path     string                             // of the network
	Backends []string                           // nil: all that this machine has
	Sizes    []int                              // of batches, beside the default one; nil: some
	Each     time.Duration                      // time for each figure
	Print    func(format string, values ...any) // gets the figures as text; may be nil
}

// Benchmarks are the figures of a [Benchmark].
type Benchmarks struct {
	Evaluations []Speed `json:"evaluations"`
	// NodesPerSecond is that of the search on the first backend at its default batch.
	NodesPerSecond float64 `json:"nodes_per_second"`
	// Choices are those of the network that comes with talbot, on each backend.
	Choices []Choices `json:"choices,omitempty"`
}

// Speed is the speed of a network on a backend at a batch size.
type Speed struct {
	Backend string `json:"backend"`
	Batch   int    `json:"batch"`
	// PerSecond is the number of positions that the network evaluates in a second, in prepared full batches.
	PerSecond float64 `json:"per_second"`
	// InSearch is the number that it evaluates in a search that begins with an empty tree and keeps no answers; Nodes
	// are that search's visits a second, and Fill is how full its batches are, which grow with the search.
	InSearch float64 `json:"in_search"`
	Nodes    float64 `json:"nodes_per_second"`
	Fill     float64 `json:"fill"`
	Searcher string  `json:"searcher"`
}

// Choices are a network's moves in fixed positions with fixed nodes: the same on every machine with the same
// backend, unless two moves are so close that the last digits decide.
type Choices struct {
	Backend   string `json:"backend"`
	Batch     int    `json:"batch"` // the default one
	Searcher  string `json:"searcher"`
	Positions int    `json:"positions"`
	Nodes     int64  `json:"nodes"` // of all searches
	// Hash is the first 16 hex digits of the SHA-256 of the moves chosen, in UCI notation with spaces between them.
	Hash           string  `json:"hash"`
	NodesPerSecond float64 `json:"nodes_per_second"`
}

// Backends lists the backends that this machine has, as [backend.OpenForInference] takes them.
func Backends() []string {
	list := []string{"go"}
	found := backend.Discover()
	if found.Runtime != "" {
		list = append(list, "onnx", "onnx:int8")
	}
	if _, ok := found.Plugin("cpu"); ok && found.Compiled {
		list = append(list, "xla:cpu")
	}
	if _, ok := found.Plugin("cuda"); ok && found.Compiled && len(found.GPUs) > 0 {
		list = append(list, "xla:cuda")
	}
	return list
}

// Run measures.
func (b Benchmark) Run(ctx context.Context) (result Benchmarks, err error) {
	if b.Backends == nil {
		b.Backends = Backends()
	}
	if b.Sizes == nil {
		b.Sizes = []int{1, 4, 8, 16, 32}
	}
	if b.Print == nil {
		b.Print = func(string, ...any) {}
	}
	for i, name := range b.Backends {
		b.Print("%-10s %5s  %12s  %12s  %8s  %5s\n", name, "batch", "positions/s", "in search", "nodes/s", "fill")
		err := b.backend(ctx, &result, name, i == 0)
		if errors.Is(err, predict.ErrNoInt8) && len(b.Backends) > 1 {
			b.Print("%-10s not for this network: nothing in it is computed in 8 bits\n", "")
			continue
		}
		if err != nil {
			return result, err
		}
	}
	return result, nil
}

// backend measures one backend.
func (b *Benchmark) backend(ctx context.Context, result *Benchmarks, name string, first bool) error {
	usual := defaultBatch(name)
	sizes := append([]int{usual}, b.Sizes...)
	slices.Sort(sizes)
	for _, size := range slices.Compact(sizes) {
		s, err := measure(ctx, Config{Path: b.Path, Backend: name, Batch: size}, b.Each)
		if err != nil {
			return err
		}
		result.Evaluations = append(result.Evaluations, s)
		if first && size == usual {
			result.NodesPerSecond = s.Nodes
		}
		b.Print("%-10s %5d  %12.0f  %12.0f  %8.0f  %4.0f%%\n", "", s.Batch, s.PerSecond, s.InSearch, s.Nodes,
			100*s.Fill)
	}
	if b.Path != builtin.Name {
		return nil
	}
	c, err := choose(ctx, Config{Path: b.Path, Backend: name})
	if err != nil {
		return err
	}
	result.Choices = append(result.Choices, c)
	b.Print("%-10s choices %s: %s, %s at %.0f nodes/s\n", "", c.Hash, humanize.Count(int64(c.Positions), "position"),
		humanize.Count(c.Nodes, "node"), c.NodesPerSecond)
	return nil
}

// benchLines lead to the positions that are evaluated: openings, a middlegame and an endgame.
var benchLines = []string{
	"e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 f8e7 d1f3 d8c7 e1c1 b8d7 g2g4 b7b5 g5f6 d7f6 " +
		"g4g5 f6d7 f4f5 d7c5 f5f6 g7f6 g5f6 e7f8 h1g1 h7h5",
	"d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8g8 f1d3 d7d5 g1f3 c7c5 e1g1 b8c6 a2a3 b4c3 b2c3 d5c4 d3c4 d8c7 c4d3 e6e5 " +
		"d1c2 f8e8 d4e5 c6e5 f3e5 c7e5 f2f3 c8e6 e3e4 a8d8",
	"e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f6e4 d2d4 e4d6 b5c6 d7c6 d4e5 d6f5 d1d8 e8d8 b1c3 d8e8 h2h3 h7h5 f1e1 f8e7 " +
		"c3e4 f5h4 f3h4 e7h4 e4g5 h4g5 c1g5 c8e6 b2b3 c6c5",
}

// searchNodes limits a search that is measured.
const searchNodes = 2000

// bench is a network whose searches are measured.
type bench struct {
	*Network
	evaluator *Evaluator
	searcher  mcts.Searcher
	games     [][]board.Move // benchLines
	searches  int            // done
}

// openBench opens a network with its usual searcher.
func openBench(ctx context.Context, c Config, adjust func(*mcts.Options)) (*bench, error) {
	n, err := Open(c)
	if err != nil {
		return nil, err
	}
	b := &bench{Network: n, evaluator: n.evaluator()}
	o, err := options(n.Config.Recipe)
	if err == nil {
		_, _, err = n.Warm(ctx)
	}
	if err == nil {
		adjust(&o)
		b.searcher, err = mcts.New(n.DefaultSearcher(), b.evaluator, o)
	}
	for _, line := range benchLines {
		p := board.StartPosition()
		moves, illegal := p.PlayUCI(strings.Fields(line)...)
		err = errors.Join(err, illegal)
		b.games = append(b.games, moves)
	}
	if err != nil {
		n.Close()
		return nil, err
	}
	return b, nil
}

// measure measures a network at a batch size for about that long, alone and in a search. The backend and the batch of
// the configuration are given.
func measure(ctx context.Context, c Config, each time.Duration) (Speed, error) {
	b, err := openBench(ctx, c, func(o *mcts.Options) { o.CacheSize = 0 })
	if err != nil {
		return Speed{}, err
	}
	defer b.Close()
	var evaluations, nodes int64
	var alone, search time.Duration
	for search < each { // in turns, since machines change their speed
		n, took, err := b.search(ctx, each-search)
		if err != nil {
			return Speed{}, err
		}
		nodes, search = nodes+n, search+took
		n, took, err = b.full(ctx, took)
		if err != nil {
			return Speed{}, err
		}
		evaluations, alone = evaluations+n, alone+took
	}
	return Speed{Backend: b.Backend, Batch: b.Batch(), Searcher: b.DefaultSearcher(),
		PerSecond: float64(evaluations) / alone.Seconds(),
		InSearch:  float64(b.evaluator.Evaluations) / search.Seconds(), Nodes: float64(nodes) / search.Seconds(),
		Fill: float64(b.evaluator.Evaluations) / float64(max(1, b.evaluator.Slots))}, nil
}

// full evaluates full batches of different positions, which lie ready, for that long.
func (b *bench) full(ctx context.Context, each time.Duration) (evaluations int64, took time.Duration, err error) {
	questions := b.evaluator.questions
	for i := range questions { // the end of a game, a ply earlier each time
		moves := b.games[i%len(b.games)]
		g := board.NewGame(board.StartPosition(), moves[:len(moves)-(i/len(b.games))%len(moves)]...)
		b.evaluator.Put(i, g, g.Position().LegalMoves(nil))
	}
	answers := make([]predict.Output, len(questions))
	begun := time.Now()
	for ; time.Since(begun) < each; evaluations += int64(len(answers)) {
		if err := b.Predict(ctx, questions, answers); err != nil {
			return 0, 0, err
		}
	}
	return evaluations, time.Since(begun), nil
}

// search searches the middle of a line with an empty tree, for that time at most.
func (b *bench) search(ctx context.Context, most time.Duration) (nodes int64, took time.Duration, err error) {
	begun := time.Now()
	moves := b.games[b.searches%len(b.games)]
	b.searches++
	r, err := b.searchFrom(ctx, moves[:(len(moves)+1)/2], mcts.Limits{Nodes: searchNodes,
		ShouldStop: func(p mcts.Progress) bool { return p.Nodes > 0 && time.Since(begun) >= most }})
	if err != nil {
		return 0, 0, err
	}
	return r.Nodes, time.Since(begun), nil
}

// searchFrom searches the position after moves with an empty tree.
func (b *bench) searchFrom(ctx context.Context, moves []board.Move, l mcts.Limits) (*mcts.Report, error) {
	start := board.StartPosition()
	b.searcher.Clear()
	b.searcher.Position(&start, moves)
	r, err := b.searcher.Search(ctx, l, nil)
	if err == nil {
		err = ctx.Err()
	}
	return r, err
}

// The fixed positions of [Choices]: one every so often along the lines, and the nodes of a search.
const (
	chooseEvery = 4
	chooseNodes = 100
)

// choose searches fixed positions, each with an empty tree. The backend of the configuration is given.
func choose(ctx context.Context, c Config) (Choices, error) {
	b, err := openBench(ctx, c, func(*mcts.Options) {})
	if err != nil {
		return Choices{}, err
	}
	defer b.Close()
	r := Choices{Backend: b.Backend, Batch: b.Batch(), Searcher: b.DefaultSearcher()}
	var chosen []string
	begun := time.Now()
	for _, line := range b.games {
		for ply := chooseEvery; ply <= len(line); ply += chooseEvery {
			report, err := b.searchFrom(ctx, line[:ply], mcts.Limits{Nodes: chooseNodes})
			if err != nil {
				return r, err
			}
			chosen = append(chosen, report.Lines[0].PV[0].String())
			r.Nodes += report.Nodes
		}
	}
	r.Positions, r.NodesPerSecond = len(chosen), float64(r.Nodes)/time.Since(begun).Seconds()
	r.Hash = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(chosen, " "))))[:16]
	return r, nil
}
