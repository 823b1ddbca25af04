package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"talbot/board"
	"talbot/network/backend"
	"talbot/network/predict"
	"talbot/play/mcts"
)

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

// benchLines lead to the positions that are evaluated: openings, a middlegame and an endgame.
var benchLines = []string{
	"e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6 f2f4 f8e7 d1f3 d8c7 e1c1 b8d7 g2g4 b7b5 g5f6 d7f6 " +
		"g4g5 f6d7 f4f5 d7c5 f5f6 g7f6 g5f6 e7f8 h1g1 h7h5",
	"d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 e2e3 e8g8 f1d3 d7d5 g1f3 c7c5 e1g1 b8c6 a2a3 b4c3 b2c3 d5c4 d3c4 d8c7 c4d3 e6e5 " +
		"d1c2 f8e8 d4e5 c6e5 f3e5 c7e5 f2f3 c8e6 e3e4 a8d8",
	"e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1g1 f6e4 d2d4 e4d6 b5c6 d7c6 d4e5 d6f5 d1d8 e8d8 b1c3 d8e8 h2h3 h7h5 f1e1 f8e7 " +
		"c3e4 f5h4 f3h4 e7h4 e4g5 h4g5 c1g5 c8e6 b2b3 c6c5",
}

// searchNodes limits a search of [Bench].
const searchNodes = 2000

// Bench measures a network at a batch size for about that long, alone and in a search, in turns. The backend and the
// batch of the configuration are given.
func Bench(ctx context.Context, c Config, each time.Duration) (Speed, error) {
	n, err := Open(c)
	if err != nil {
		return Speed{}, err
	}
	defer n.Close()
	if _, _, err := n.Warm(ctx); err != nil {
		return Speed{}, err
	}
	s := Speed{Backend: n.Backend, Batch: n.Batch(), Searcher: n.DefaultSearcher()}
	e := n.evaluator()
	games, err := benchGames()
	if err != nil {
		return s, err
	}
	o, err := options(n.Config.Recipe)
	if err != nil {
		return s, err
	}
	o.CacheSize = 0
	searcher, err := mcts.New(n.DefaultSearcher(), e, o)
	if err != nil {
		return s, err
	}
	var alone, search measured
	for search.took < each { // in turns, since machines change their speed
		before := search.took
		if err := search.one(ctx, searcher, e, games, each-before); err != nil {
			return s, err
		}
		if err := alone.full(ctx, e, games, search.took-before); err != nil {
			return s, err
		}
	}
	s.PerSecond = float64(alone.evaluations) / alone.took.Seconds()
	s.InSearch = float64(search.evaluations) / search.took.Seconds()
	s.Nodes = float64(search.nodes) / search.took.Seconds()
	s.Fill = float64(search.evaluations) / float64(max(1, search.slots))
	return s, nil
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

// Choices of [Choose]: one position every so often along the lines, and the nodes of a search.
const (
	chooseEvery = 4
	chooseNodes = 100
)

// Choose searches fixed positions, each with an empty tree. The backend of the configuration is given.
func Choose(ctx context.Context, c Config) (Choices, error) {
	n, err := Open(c)
	if err != nil {
		return Choices{}, err
	}
	defer n.Close()
	if _, _, err := n.Warm(ctx); err != nil {
		return Choices{}, err
	}
	r := Choices{Backend: n.Backend, Batch: n.Batch(), Searcher: n.DefaultSearcher()}
	o, err := options(n.Config.Recipe)
	if err != nil {
		return r, err
	}
	searcher, err := mcts.New(r.Searcher, n.Evaluator(), o)
	if err != nil {
		return r, err
	}
	games, err := benchGames()
	if err != nil {
		return r, err
	}
	start := board.StartPosition()
	var chosen []string
	begun := time.Now()
	for _, line := range games {
		for ply := chooseEvery; ply <= len(line); ply += chooseEvery {
			searcher.Clear()
			searcher.Position(&start, line[:ply])
			report, err := searcher.Search(ctx, mcts.Limits{Nodes: chooseNodes}, nil)
			if err == nil {
				err = ctx.Err()
			}
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

// measured counts the work done in a time.
type measured struct {
	evaluations, slots, nodes int64
	took                      time.Duration
	searches                  int
}

// benchGames are the moves of [benchLines].
func benchGames() (games [][]board.Move, err error) {
	for _, line := range benchLines {
		p := board.StartPosition()
		var moves []board.Move
		for text := range strings.FieldsSeq(line) {
			m, err := p.ParseUCI(text)
			if err != nil {
				return nil, fmt.Errorf("bench: %w", err)
			}
			p.Play(m)
			moves = append(moves, m)
		}
		games = append(games, moves)
	}
	return games, nil
}

// full measures full batches of different positions that lie ready.
func (m *measured) full(ctx context.Context, e *Evaluator, games [][]board.Move, each time.Duration) error {
	for i := range e.questions { // the end of a game, a ply earlier each time
		moves := games[i%len(games)]
		g := board.NewGame(board.StartPosition())
		for _, m := range moves[:len(moves)-(i/len(games))%len(moves)] {
			g.Push(m)
		}
		e.Put(i, g, g.Position().LegalMoves(nil))
	}
	answers := make([]predict.Output, len(e.questions))
	begun := time.Now()
	for time.Since(begun) < each {
		if err := e.network.Predict(ctx, e.questions, answers); err != nil {
			return err
		}
		m.evaluations += int64(len(answers))
	}
	m.took += time.Since(begun)
	return nil
}

// one measures a search with an empty tree, which ends after that time at the latest.
func (m *measured) one(ctx context.Context, searcher mcts.Searcher, e *Evaluator, games [][]board.Move,
	most time.Duration) error {
	start := board.StartPosition()
	e.Evaluations, e.Slots = 0, 0
	begun := time.Now()
	moves := games[m.searches%len(games)]
	searcher.Clear()
	searcher.Position(&start, moves[:(len(moves)+1)/2]) // in the middle of the line
	r, err := searcher.Search(ctx, mcts.Limits{Nodes: searchNodes, ShouldStop: func(p mcts.Progress) bool {
		return p.Nodes > 0 && time.Since(begun) >= most
	}}, nil)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	m.took += time.Since(begun)
	m.evaluations += int64(e.Evaluations)
	m.slots += e.Slots
	m.nodes += r.Nodes
	m.searches++
	return nil
}
