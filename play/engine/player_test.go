package engine_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/fakenet"
	"talbot/play/engine"
	"talbot/play/mcts"
)

func setup(searcher string) engine.Setup {
	return engine.Setup{Searcher: searcher, Options: mcts.Defaults()}
}

func prepared(t *testing.T, n *fakenet.Network, s engine.Setup) *engine.Player {
	t.Helper()
	p := engine.NewPlayer(n.Open)
	testkit.OK(t, p.Prepare(t.Context(), s))
	return p
}

// TestPrepare: the network is opened once, and again only for another batch.
func TestPrepare(t *testing.T) {
	n := &fakenet.Network{}
	p := prepared(t, n, setup(""))
	other := setup("talbotbot")
	wide := setup("talbotbot")
	wide.Batch = 6
	for _, s := range []engine.Setup{setup(engine.AutoSearcher), other, wide, setup("policy"), setup("value")} {
		testkit.OK(t, p.Prepare(t.Context(), s))
		if !p.Ready(s) {
			t.Errorf("%+v is not ready", s)
		}
	}
	if !slices.Equal(n.Opened, []int{0, 6, 1, 0}) || n.Closed.Load() != 3 {
		t.Errorf("opened %v, closed %d times", n.Opened, n.Closed.Load())
	}
	if p.Searcher() != "value" || p.Title() != "fake network, searcher value" {
		t.Error(p.Title())
	}
	p.Close()
	if p.Ready(setup("value")) || n.Closed.Load() != 4 {
		t.Error("a closed player is ready")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	slow := &fakenet.Network{Load: time.Hour}
	err := engine.NewPlayer(slow.Open).Prepare(ctx, setup(""))
	if !errors.Is(err, context.Canceled) || slow.Closed.Load() != 1 {
		t.Errorf("stopped: %v, closed %d times", err, slow.Closed.Load())
	}
	blind := engine.NewPlayer((&fakenet.Network{Blind: true}).Open)
	err = blind.Prepare(t.Context(), setup("puct"))
	if !errors.Is(err, engine.ErrSearcher) || blind.Ready(setup("puct")) {
		t.Errorf("a searcher that does not fit: %v", err)
	}
	if err := blind.Prepare(t.Context(), setup("")); err != nil || blind.Searcher() != "policy" {
		t.Errorf("%s: %v", blind.Searcher(), err)
	}
}

// TestNoTime: without the time for a batch no searcher asks the network, and each has a legal move with a score.
func TestNoTime(t *testing.T) {
	for _, name := range mcts.Names() {
		n := &fakenet.Network{Delay: 5 * time.Millisecond}
		p := prepared(t, n, setup(name))
		start := board.StartPosition()
		for _, only := range [][]board.Move{nil, {board.NewMove(12, 28)}} {
			p.Position(&start, nil)
			timeman := engine.NewTimeManager(engine.BatchTimes{Slow: time.Second, Usual: time.Second})
			timeman.Begin(time.Now(), engine.Clock{Left: 100 * time.Millisecond}.Budget(0))
			before := n.Batches.Load()
			r, err := p.Search(t.Context(), mcts.Limits{SearchMoves: only}, timeman, nil)
			if err != nil || len(r.Lines) == 0 || !start.IsLegal(r.Lines[0].PV[0]) || n.Batches.Load() > before {
				t.Errorf("%s: %+v, %v after %d batches", name, r, err, n.Batches.Load()-before)
			}
			if !p.Scored(r, &r.Lines[0]) {
				t.Errorf("%s: no score: %+v", name, r.Lines[0])
			}
			if only != nil && r.Lines[0].PV[0] != only[0] {
				t.Errorf("%s plays %s", name, r.Lines[0].PV[0])
			}
		}
	}
}

// TestNoTimeButThought: without the time for a batch what an earlier search has found is used.
func TestNoTimeButThought(t *testing.T) {
	p := prepared(t, &fakenet.Network{}, setup("puct"))
	start := board.StartPosition()
	p.Position(&start, nil)
	first, err := p.Search(t.Context(), mcts.Limits{Nodes: 60}, nil, nil)
	testkit.OK(t, err)
	timeman := engine.NewTimeManager(engine.BatchTimes{Slow: time.Second, Usual: time.Second})
	timeman.Begin(time.Now(), engine.Clock{Left: 50 * time.Millisecond}.Budget(0))
	p.Position(&start, nil)
	r, err := p.Search(t.Context(), mcts.Limits{}, timeman, nil)
	if err != nil || r.Nodes != 0 || r.Lines[0].PV[0] != first.Lines[0].PV[0] || !p.Scored(r, &r.Lines[0]) {
		t.Errorf("%+v, before %+v: %v", r.Lines[0], first.Lines[0], err)
	}
}

// TestScored: there is no score without a value or a result.
func TestScored(t *testing.T) {
	mate := [2]string{"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "8/8/8/3k4/8/3K4/4p3/8 w - - 0 1"} // and a draw
	for _, c := range []struct {
		searcher string
		blind    bool
		fen      string
		again    bool // the tree has the result already
		want     bool
	}{
		{"puct", false, "", false, true}, {"policy", false, "", false, true}, {"policy", true, "", false, false},
		{"rollouts", true, "", false, true}, {"puct", false, mate[0], false, true},
		{"puct", false, mate[0], true, true}, {"puct", false, mate[1], true, true},
		{"napoleon", false, "7k/R7/8/8/8/8/8/K7 b - - 0 1", false, false}, // the only move is not searched
		{"puct", false, "", true, true},                                   // nor is a tree that has its nodes already
	} {
		p := prepared(t, &fakenet.Network{Blind: c.blind}, setup(c.searcher))
		start := board.StartPosition()
		if c.fen != "" {
			start = testkit.Must(board.ParseFEN(c.fen))
		}
		p.Position(&start, nil)
		r, err := p.Search(t.Context(), mcts.Limits{Nodes: 50}, nil, nil)
		if c.again {
			p.Position(&start, nil)
			r, err = p.Search(t.Context(), mcts.Limits{Nodes: 50}, nil, nil)
		}
		if err != nil || p.Scored(r, &r.Lines[0]) != c.want {
			t.Errorf("%+v: %+v, %v", c, r.Lines[0], err)
		}
	}
}

// TestSlow: what a move of the searcher value takes is what its next one is expected to take, not a batch of it.
func TestSlow(t *testing.T) {
	p := prepared(t, &fakenet.Network{Delay: 5 * time.Millisecond}, setup("value")) // 5 batches of 4
	start := board.StartPosition()
	for range 3 {
		p.Position(&start, nil)
		timeman := engine.NewTimeManager(p.Batch())
		timeman.Begin(time.Now(), engine.Clock{Left: time.Hour}.Budget(0))
		if _, err := p.Search(t.Context(), mcts.Limits{}, timeman, nil); err != nil {
			t.Fatal(err)
		}
	}
	if slow := p.Batch().Slow; slow < 20*time.Millisecond {
		t.Errorf("a move of five batches of 5 ms takes %s", slow)
	}
}

// TestFirstAppraisal: before one was timed, a simulation of the searcher rollouts is expected to take as long as an
// engine's search, and others a batch.
func TestFirstAppraisal(t *testing.T) {
	p := prepared(t, &fakenet.Network{}, setup("puct"))
	for _, c := range []struct {
		searcher string
		long     bool
	}{{"puct", false}, {"rollouts", true}, {"rollouts", true}, {"puct", false}} {
		testkit.OK(t, p.Prepare(t.Context(), setup(c.searcher)))
		if took := p.Batch(); took.Slow >= 500*time.Millisecond != c.long || took.Usual != took.Slow {
			t.Errorf("%s: %+v", c.searcher, took)
		}
	}
}

// TestRatings: the network is told who has which colour, and what it answered for others is forgotten.
func TestRatings(t *testing.T) {
	n := &fakenet.Network{}
	s := setup("puct")
	s.Ratings = [2]int{1500, 2500}
	p := prepared(t, n, s)
	start := board.StartPosition()
	e4 := []board.Move{board.NewMove(12, 28)}
	for _, c := range []struct {
		moves []board.Move
		rated [2]int
		fresh bool
	}{{nil, [2]int{1500, 2500}, true}, {nil, [2]int{1500, 2500}, false}, {e4, [2]int{2500, 1500}, true}} {
		before := n.Batches.Load()
		p.Position(&start, c.moves)
		if _, err := p.Search(t.Context(), mcts.Limits{Nodes: 1}, nil, nil); err != nil {
			t.Fatal(err)
		}
		if n.Rated != c.rated || c.fresh && n.Batches.Load() == before {
			t.Errorf("%v: rated %v, asked %v", c.moves, n.Rated, n.Batches.Load() > before)
		}
	}
}

func TestScores(t *testing.T) {
	p := prepared(t, &fakenet.Network{}, setup(""))
	for _, c := range []struct {
		line mcts.Line
		want dataset.Score
	}{
		{mcts.Line{Value: 0.25}, dataset.Centipawns(25)},
		{mcts.Line{Value: -1, Proven: true}, dataset.Centipawns(-100)},
		{mcts.Line{Value: 1, Mate: 3, Proven: true}, dataset.MateIn(3)},
		{mcts.Line{Value: -1, Mate: -2, Proven: true}, dataset.MateIn(-2)},
	} {
		if got := p.Score(&c.line); got != c.want {
			t.Errorf("%+v: %v, want %v", c.line, got, c.want)
		}
	}
	for chances, want := range map[[3]float32][3]int{
		{1, 0, 0}: {1000, 0, 0}, {0, 0, 1}: {0, 0, 1000}, {0, 1, 0}: {0, 1000, 0},
		{0.3333, 0.3334, 0.3333}: {333, 334, 333}, {0.5005, 0, 0.4996}: {501, 0, 499}, {2, -1, 0}: {1000, 0, 0},
		{0.0004, 0.9992, 0.0004}: {0, 1000, 0},
	} {
		if got := engine.PerMille(chances); got != want {
			t.Errorf("%v: %v, want %v", chances, got, want)
		}
	}
}
