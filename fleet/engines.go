package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"talbot/board"
	"talbot/stockfish"
)

// lastSearch is the time that a running search still has when the worker stops.
const lastSearch = 400 * time.Millisecond

// stockfishSet starts Stockfish, or another UCI engine, with the coordinator's settings.
type stockfishSet struct {
	path string // or a name to look up

	mu     sync.Mutex
	terms  string // the last welcome
	config stockfish.Config
	proof  proof
}

// Prove starts the engine with the coordinator's settings and returns its fingerprints, and those of another build its
// labels of the canaries. Other terms than before are those of another run at the same address: they end the worker, as
// it has other engines.
func (s *stockfishSet) Prove(ctx context.Context, welcome []byte) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.terms {
	case string(welcome):
		return encodeJSON(s.proof), nil
	case "":
	default:
		return nil, errors.New("the coordinator has other terms than before: it is another run")
	}
	t, err := s.read(welcome)
	if err != nil {
		return nil, err
	}
	pool, err := stockfish.NewPool(ctx, s.config, 1)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	s.proof.Fingerprints = pool.Fingerprints()
	if t.Canaries != nil && s.proof.Fingerprints[0].Build != t.Fingerprints[0].Build {
		if s.proof.Labels, err = canaryLabels(ctx, pool, t.Canaries); err != nil {
			return nil, err
		}
	}
	s.terms = string(welcome)
	return encodeJSON(s.proof), nil
}

// read takes over the settings of the coordinator's engines.
func (s *stockfishSet) read(welcome []byte) (terms, error) {
	t, err := decodeJSON[terms](welcome, maxTerms)
	if err == nil {
		s.config, err = t.config(s.path)
	}
	return t, err
}

// canaryLabels returns the labels of positions as bytes, each searched as a separate line.
func canaryLabels(ctx context.Context, pool *stockfish.Pool, fens []string) ([]byte, error) {
	var jobs []stockfish.Job
	for i, fen := range fens {
		p, err := board.ParseFEN(fen)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errMessage, err)
		}
		jobs = append(jobs, stockfish.Job{Index: int64(i), Start: p, Plies: []int{0}})
	}
	all := make([][]byte, len(fens))
	err := pool.Label(ctx, slices.Values(jobs), func(r stockfish.Result) error {
		all[r.Index] = labelBytes(r.Labels)
		return r.Err
	})
	return slices.Concat(all...), err
}

// Open starts one engine.
func (s *stockfishSet) Open(ctx context.Context) (engine, error) {
	s.mu.Lock()
	config := s.config
	s.mu.Unlock()
	pool, err := stockfish.NewPool(ctx, config, 1)
	if err != nil {
		return nil, err
	}
	return stockfishEngine{pool}, nil
}

// stockfishEngine is a pool of one engine.
type stockfishEngine struct{ *stockfish.Pool }

// Do searches the positions of a job. When ctx ends the rest of them is left out of the answer.
func (s stockfishEngine) Do(ctx context.Context, query, lines []byte) ([]byte, error) {
	list, err := decodeQuestions(query, lines)
	if err != nil {
		return nil, err
	}
	var jobs []stockfish.Job
	first := 0 // of the outcomes of a question
	for _, q := range list {
		jobs = append(jobs, stockfish.Job{Index: int64(first), Start: q.start, Moves: q.moves, Plies: q.Plies})
		first += len(q.Plies)
	}
	outcomes := make([]outcome, first)
	begun := time.Now()
	over := context.AfterFunc(ctx, func() { time.AfterFunc(lastSearch, s.Abort) })
	defer over()
	err = s.Label(ctx, slices.Values(jobs), func(r stockfish.Result) error {
		o := &outcomes[int(r.Index)+r.Sample]
		if r.Err != nil {
			o.Failed = clip(r.Err.Error(), maxReason)
		} else {
			o.Labels = labelBytes(r.Labels)
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return encodeJSON(answer{time.Since(begun), outcomes}), nil
}
