package engine

import (
	"errors"
	"math"
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/play/mcts"
	"talbot/stockfish"
)

func appraised(t *testing.T, fen string) *mcts.AppraisalInput {
	t.Helper()
	p := testkit.Must(board.ParseFEN(fen))
	return &mcts.AppraisalInput{Game: board.NewGame(p), Legal: p.LegalMoves(nil), Start: p, Depth: 3}
}

// TestAppraise: the engine's values are those of who plays the move, for both colours; shares sum to 1; an engine that
// is lost is replaced; a search knows the mates; and what is missing is found before any search.
func TestAppraise(t *testing.T) {
	if _, err := stockfish.Find(""); err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	policy := tiny(t, "talbotbot")
	c := tinyrun.Config(t, "probability", "hidden=8")
	probability, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	configs := []Config{{Path: policy, Backend: "go", Batch: 1},
		{Path: policy, Backend: "go", Batch: 1, Probability: probability}}
	if b, err := backend.OpenForInference("onnx:int8"); err == nil { // which the second network cannot be computed with
		b.Finalize()
		configs = append(configs, Config{Path: policy, Backend: "onnx:int8", Batch: 1, Probability: probability})
	}
	for _, config := range configs {
		e := mustOpen(t, config).evaluator()
		for fen, mate := range map[string]string{"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1": "a1a8",
			"r5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1": "a8a1"} {
			list, err := e.Appraise(t.Context(), appraised(t, fen), nil)
			testkit.OK(t, err)
			sum := 0.0
			for _, l := range list {
				sum += l.Share
				if mates := l.Move.String() == mate; mates != (l.Value == 1) || l.Value <= 0 { // a rook up
					t.Errorf("%s: %s is worth %g", fen, l.Move, l.Value)
				}
			}
			if math.Abs(sum-1) > 1e-4 || len(list) != min(20, len(appraised(t, fen).Legal)) {
				t.Errorf("%s: %d moves, shares sum to %g", fen, len(list), sum)
			}
			if config.Probability != "" {
				continue // it always searches to depth 10
			}
			if err := e.values.engine.Close(); err != nil { // as if it had died
				t.Fatal(err)
			}
			o := mcts.Defaults()
			o.ValueDepth, o.MultiPV = 2, 500
			s, err := mcts.New("rollouts", e, o)
			testkit.OK(t, err)
			p, _ := board.ParseFEN(fen)
			s.Position(&p, nil)
			r, err := s.Search(t.Context(), mcts.Limits{Nodes: 10}, nil)
			if err != nil || r.Nodes != 10 || len(r.Lines) != len(list) {
				t.Errorf("%s: %+v, %v", fen, r, err)
			}
			for _, l := range r.Lines {
				if (l.PV[0].String() == mate) != (l.Mate == 1) {
					t.Errorf("%s: %+v", fen, l)
				}
			}
		}
	}
	o := mcts.Defaults()
	e := mustOpen(t, Config{Path: policy, Backend: "go", Batch: 1, Engine: "/no/engine"}).evaluator()
	if _, err := mcts.New("rollouts", e, o); !errors.Is(err, stockfish.ErrNotFound) {
		t.Errorf("an engine that is not there is found in play only: %v", err)
	}
	if _, err := mcts.New("rollouts", mustOpen(t, Config{Path: tiny(t, "napoleon"), Backend: "go"}).evaluator(),
		o); err == nil {
		t.Error("a network without a policy is taken")
	}
	if _, err := Open(Config{Path: probability, Backend: "go"}); !errors.Is(err, ErrCandidates) {
		t.Errorf("a network of candidates plays by itself: %v", err)
	}
	if _, err := Open(Config{Path: policy, Backend: "go", Probability: policy}); err == nil {
		t.Error("a policy is taken for a network of candidates")
	}
}
