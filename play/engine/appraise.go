package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/network/predict"
	"talbot/play/mcts"
	"talbot/stockfish"
)

// ErrCandidates says that a network chooses among valued candidates: it plays with another one's priors, by the
// searcher rollouts.
var ErrCandidates = errors.New("a network of the recipe probability does not play by itself; give it as probability " +
	"to the searcher rollouts of a network with a policy")

// valuer is an evaluator's engine.
type valuer struct {
	engine *stockfish.Engine // nil: not started
	depth  int               // that it was started for
	order  []int
}

// openProbability opens the network that weighs candidates, if there is one.
func (n *Network) openProbability() error {
	path := n.config.Probability
	if path == "" {
		return nil
	}
	p, err := predict.Open(n.opened.Exact(), path, predict.Options{Moves: encode.ProbabilityMoves,
		Threads: n.config.Threads})
	if err != nil {
		return err
	}
	if p.Encoder().Layout().Candidates != encode.ProbabilityMoves {
		p.Close()
		return fmt.Errorf("probability: %q has a network of the recipe %s", path, p.Config.Recipe)
	}
	n.likely = p
	return nil
}

// closeEngines ends the engines of all evaluators.
func (n *Network) closeEngines() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range n.engines {
		_ = e.Close()
	}
	n.engines = nil
}

// valuesAt starts an engine that values moves at a depth after them, unless it runs. One that is broken is replaced.
func (e *Evaluator) valuesAt(ctx context.Context, depth int) (*stockfish.Engine, error) {
	v := &e.values
	if v.engine != nil && v.depth == depth {
		return v.engine, nil
	}
	c := stockfish.Config{Path: e.network.config.Engine, MultiPV: encode.ProbabilityMoves,
		Limit: stockfish.Depth(depth + 1)}
	if e.network.likely != nil {
		last := len(dataset.CandidateDepths) - 1
		c.Limit = stockfish.Depth(dataset.CandidateDepths[last] + 1)
		for _, d := range dataset.CandidateDepths[:last] {
			c.Shallower = append(c.Shallower, d+1)
		}
	}
	started, err := stockfish.Start(ctx, c)
	if err != nil {
		return nil, err
	}
	n := e.network
	n.mu.Lock()
	defer n.mu.Unlock()
	if v.engine != nil {
		_ = v.engine.Close()
		n.engines = slices.DeleteFunc(n.engines, func(other *stockfish.Engine) bool { return other == v.engine })
	}
	n.engines = append(n.engines, started)
	v.engine, v.depth = started, depth
	return started, nil
}

// CanAppraise implements [mcts.Appraiser]: an engine must be there.
func (e *Evaluator) CanAppraise() error {
	_, err := stockfish.Find(e.network.config.Engine)
	return err
}

// Appraise implements [mcts.Appraiser]: the 20 moves that the network finds most probable, with the engine's values
// after them. Shares are the network's priors among them, or what the network of Config.Probability says. A search
// that goes wrong is repeated once, by another engine.
func (e *Evaluator) Appraise(ctx context.Context, at *mcts.AppraisalInput, dst []mcts.LikelyMove) ([]mcts.LikelyMove,
	error) {
	e.Put(0, at.Game, at.Legal)
	if err := e.network.Predict(ctx, e.questions[:1], e.answers[:1]); err != nil {
		return nil, err
	}
	prior := e.answers[0].Prior
	order := e.values.order[:0]
	for i := range at.Legal {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(prior[j], prior[i]), cmp.Compare(at.Legal[i], at.Legal[j]))
	})
	e.values.order = order
	var only []board.Move
	for _, i := range order[:min(encode.ProbabilityMoves, len(order))] {
		only = append(only, at.Legal[i])
	}
	labels, err := e.searchMoves(ctx, at, only)
	if err != nil {
		return nil, err
	}
	list, err := candidatesOf(only, labels, func(i int) float64 { return float64(prior[order[i]]) })
	if err != nil {
		return nil, err
	}
	shares, err := e.shares(ctx, list)
	if err != nil {
		return nil, err
	}
	last := len(dataset.CandidateDepths) - 1
	for i, c := range list {
		dst = append(dst, mcts.LikelyMove{Move: c.Move, Share: shares[i], Value: encode.CandidateValue(c.Values[last])})
	}
	return dst, nil
}

func (e *Evaluator) searchMoves(ctx context.Context, at *mcts.AppraisalInput, moves []board.Move) ([]dataset.Label,
	error) {
	for again := false; ; again = true {
		engine, err := e.valuesAt(ctx, at.Depth)
		if err != nil {
			return nil, err
		}
		labels, err := engine.Search(ctx, at.Start, at.Moves, moves...)
		if err == nil {
			return labels, nil
		}
		e.values.depth = 0 // another engine
		if again || ctx.Err() != nil {
			return nil, err
		}
	}
}

// candidatesOf puts together what is known of moves. A label for one depth stands for all.
func candidatesOf(moves []board.Move, labels []dataset.Label, logPrior func(i int) float64) ([]dataset.Candidate,
	error) {
	list := make([]dataset.Candidate, len(moves))
	for i, m := range moves {
		list[i] = dataset.Candidate{Move: m, Prior: dataset.QuantizePrior(logPrior(i))}
		for d := range list[i].Values {
			l := &labels[min(d, len(labels)-1)]
			if l.Status == dataset.Terminal { // a dead position: the game cannot be won any more
				continue
			}
			k := slices.IndexFunc(l.Lines, func(s dataset.Searched) bool { return s.PV[0] == m })
			if k < 0 {
				return nil, fmt.Errorf("the engine gave %s no value", m)
			}
			list[i].Values[d] = l.Lines[k].Score
		}
	}
	return list, nil
}

// shares returns the probabilities of candidates, which sum to 1.
func (e *Evaluator) shares(ctx context.Context, list []dataset.Candidate) ([]float64, error) {
	shares, sum := make([]float64, len(list)), 0.0
	for i, c := range list {
		shares[i] = c.Prior.Probability()
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	n := e.network.likely
	if n == nil {
		return shares, nil
	}
	e.view.Labels.Candidates = list
	defer func() { e.view.Labels.Candidates = nil }()
	q := predict.Input{Packed: make([]uint64, encode.ProbabilityWords)}
	n.Encoder().Pack(q.Packed, &e.view)
	for i := range list {
		q.Codes = append(q.Codes, int32(i))
	}
	answer := make([]predict.Output, 1)
	if err := n.Predict(ctx, []predict.Input{q}, answer); err != nil {
		return nil, err
	}
	for i := range shares {
		shares[i] = math.Exp(float64(answer[0].Prior[i]))
	}
	return shares, nil
}
