package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// lastSearch is how long a search that is under way may go on when the worker stops.
const lastSearch = 400 * time.Millisecond

// stockfishSet starts Stockfish, or another UCI engine, with the coordinator's settings.
type stockfishSet struct {
	path string // or a name to look up

	mu     sync.Mutex
	terms  string // the last welcome
	config stockfish.Config
	prints []dataset.Fingerprint
}

// Prove starts the engine with the coordinator's settings and returns its fingerprints.
func (s *stockfishSet) Prove(ctx context.Context, said []byte, again bool) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := proof{}
	switch {
	case again:
		var c challenge
		if err := decodeJSON(said, maxTerms, &c); err != nil {
			return nil, err
		}
		labels, err := s.answerChallenge(ctx, c)
		if err != nil {
			return nil, err
		}
		p.Labels = labels
	case string(said) != s.terms:
		if err := s.begin(ctx, said); err != nil {
			return nil, err
		}
	}
	p.Fingerprints = s.prints
	return json.Marshal(p)
}

// begin takes over the coordinator's terms. Those of another run at the same address end the worker, as its slots have
// other engines.
func (s *stockfishSet) begin(ctx context.Context, said []byte) error {
	if s.terms != "" {
		return errors.New("the coordinator has other terms than before: it is another run")
	}
	if err := s.read(said); err != nil {
		return err
	}
	e, err := stockfish.Start(ctx, s.config)
	if err != nil {
		return err
	}
	defer e.Close()
	if s.prints, err = e.Fingerprints(); err != nil {
		return err
	}
	s.terms = string(said)
	return nil
}

// read takes over the settings of the coordinator's engines.
func (s *stockfishSet) read(said []byte) error {
	var t terms
	err := decodeJSON(said, maxTerms, &t)
	if err == nil {
		s.config, err = t.config(s.path)
	}
	return err
}

// maxCanaries is how many positions a challenge may have.
const maxCanaries = 64

// answerChallenge searches the positions of a challenge.
func (s *stockfishSet) answerChallenge(ctx context.Context, c challenge) ([]byte, error) {
	if len(c.Positions) > maxCanaries {
		return nil, errMessage
	}
	pool, err := stockfish.NewPool(ctx, s.config, 1)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	return canaryLabels(ctx, pool, c.Positions)
}

// canaryLabels are the labels of positions as bytes, each searched as a line of its own.
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
	return &stockfishEngine{pool: pool, columns: len(pool.Fingerprints())}, nil
}

// stockfishEngine is one engine.
type stockfishEngine struct {
	pool    *stockfish.Pool
	columns int
}

// Close ends the engine.
func (s *stockfishEngine) Close() error { return s.pool.Close() }

// Do searches the positions of a job. When ctx ends the rest of them is left out of the answer.
func (s *stockfishEngine) Do(ctx context.Context, query, lines []byte) ([]byte, error) {
	list, err := decodeQuestions(query, lines)
	if err != nil {
		return nil, err
	}
	var jobs []stockfish.Job
	first := make([]int, len(list)) // outcome of each question's first position
	all := 0
	for i, q := range list {
		jobs = append(jobs, stockfish.Job{Index: int64(i), Start: q.start, Moves: q.moves, Plies: q.plies})
		first[i] = all
		all += len(q.plies)
	}
	outcomes := make([]outcome, all)
	begun := time.Now()
	over := context.AfterFunc(ctx, func() {
		time.AfterFunc(lastSearch, s.pool.Abort)
	})
	defer over()
	err = s.pool.Label(ctx, slices.Values(jobs), func(r stockfish.Result) error {
		o := &outcomes[first[r.Index]+r.Sample]
		if r.Err != nil {
			o.failed = r.Err.Error()
		} else {
			o.labels = r.Labels
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return appendAnswer(nil, time.Since(begun), s.columns, outcomes), nil
}
