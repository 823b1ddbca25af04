package studio

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"talbot/board"
	"talbot/inspect/samples"
	"talbot/network/backend"
	"talbot/play/engine"
	"talbot/play/mcts"
	"talbot/stockfish"
)

// networks keeps the networks that pages asked last open, and the engine that judges moves.
type networks struct {
	backend, engine string
	turn            turns // of one: what is open belongs to whoever has it

	open   recent[*openNetwork]
	judges recent[*stockfish.Pool]
}

type openNetwork struct {
	*engine.Network
	evaluator *engine.Evaluator
}

// maxNetworks is the number of networks that are kept open: those of Maia and a few more.
const maxNetworks = 12

func newNetworks(backend, engine string) *networks {
	return &networks{backend: backend, engine: engine, turn: make(turns, 1),
		open:   recent[*openNetwork]{most: maxNetworks, close: func(n *openNetwork) { n.Close() }},
		judges: recent[*stockfish.Pool]{most: 1, close: func(p *stockfish.Pool) { _ = p.Close() }}}
}

func (n *networks) close() {
	n.turn <- struct{}{}
	n.open.end()
	n.judges.end()
	<-n.turn
}

// atOnce is the backend for an answer that does not wait for a compiler.
func atOnce(kind string) string {
	if kind == "auto" {
		return backend.AtOnce
	}
	return kind
}

// of returns the network of a run, with that of a weigher if there is one. The caller has the turn.
func (n *networks) of(ctx context.Context, run, weigher *folder) (*openNetwork, error) {
	c := engine.Config{Path: run.Path, Backend: atOnce(n.backend), Engine: n.engine, Batch: len(ratings),
		Threads: max(1, runtime.GOMAXPROCS(0)/2)}
	key := run.Path + "\n" + run.stamp
	if weigher != nil {
		c.Probability = weigher.Path
		key += "\n" + weigher.Path + "\n" + weigher.stamp
	}
	return n.open.get(key, func() (*openNetwork, error) {
		opened, err := engine.Open(c)
		if err != nil {
			return nil, err
		}
		if err := opened.Compile(ctx); err != nil {
			opened.Close()
			return nil, err
		}
		evaluator, _ := opened.Evaluator().(*engine.Evaluator)
		return &openNetwork{opened, evaluator}, nil
	})
}

// judge returns the engine that searches so many nodes for each move. The caller has the turn.
func (n *networks) judge(ctx context.Context, nodes int64) (*stockfish.Pool, error) {
	return n.judges.get(strconv.FormatInt(nodes, 10), func() (*stockfish.Pool, error) {
		return stockfish.NewPool(ctx, stockfish.Config{Path: n.engine, Limit: stockfish.Nodes(nodes)}, 1)
	})
}

// prediction is a network's answer about a sample.
type prediction struct {
	Run    *folder
	Moves  map[string]float64 // by UCI, among the legal ones; nil: the network gives none
	Value  *float64           // for the side to move, −1 to 1; nil: the network gives none
	Notice string             // why there is none; "" = there is one
}

// predictionTime limits an answer, with the loading of the network.
const predictionTime = 20 * time.Second

var errTimeOut = errors.New("the networks are busy: try again in a moment")

// predict asks the network of a run. Positions of the reconstructed past are the sample's, as in training.
func (n *networks) predict(ctx context.Context, run *folder, one *samples.Sample) *prediction {
	ctx, cancel := context.WithTimeoutCause(ctx, predictionTime, errTimeOut)
	defer cancel()
	p := &prediction{Run: run}
	if err := n.turn.do(ctx, func() error { return n.answer(ctx, one, p) }); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		p.Notice = run.within(err)
	}
	return p
}

func (n *networks) answer(ctx context.Context, one *samples.Sample, p *prediction) error {
	network, err := n.of(ctx, p.Run, nil)
	if err != nil {
		return err
	}
	start, moves := one.Past()
	g := board.NewGame(start, moves...)
	legal := g.Position().LegalMoves(nil)
	if len(legal) == 0 {
		return errors.New("the game is over here, so no network is asked")
	}
	e := network.evaluator
	white, black := one.WhiteElo, one.BlackElo
	if one.Band != nil {
		white, black = bandRating(one.Band), bandRating(one.Band)
	}
	e.Rate(white, black)
	e.Put(0, g, legal)
	answers := make([]mcts.Evaluation, 1)
	if err := e.Evaluate(ctx, answers); err != nil {
		return fmt.Errorf("asking the network: %w", err)
	}
	knows, answer := e.Capabilities(), &answers[0]
	if knows.Prior {
		p.Moves = map[string]float64{}
		for i, m := range legal {
			p.Moves[m.String()] = math.Exp(float64(answer.Prior[i]))
		}
	}
	value := float64(answer.Value)
	if !knows.Value && knows.WDL {
		value = float64(answer.WDL[0] - answer.WDL[2])
	}
	if knows.Value || knows.WDL {
		p.Value = &value
	}
	return nil
}

// bandRating is a rating within a band, 250 from its end.
func bandRating(b *samples.Band) int {
	if b.To > 0 {
		return max(b.From, b.To-250)
	}
	return b.From + 250
}
