package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/internal/testkit/fakenet"
	"talbot/play/engine"
	"talbot/play/match"
	"talbot/play/mcts"
)

func begin(t *testing.T, n *fakenet.Network, fen string) *engine.Session {
	t.Helper()
	p := engine.NewPlayer(n.Open)
	t.Cleanup(p.Close)
	testkit.OK(t, p.Prepare(t.Context(), engine.Setup{Options: mcts.Defaults()}))
	start := testkit.Must(board.ParseFEN(fen))
	return &engine.Session{Player: p, Start: start, Nodes: 8}
}

// A game is played, taken back, swapped and given up, and each step is where the next one begins.
func TestGame(t *testing.T) {
	s := begin(t, &fakenet.Network{}, board.StartFEN)
	if s.Last() != board.NoMove || s.Back() {
		t.Error("a move before the first one")
	}
	if err := s.Move("e2e5"); err == nil || len(s.Moves()) != 0 {
		t.Errorf("an illegal move: %v", err)
	}
	if a, err := s.Reply(t.Context()); a != nil || err != nil {
		t.Errorf("the network moves for the person: %v, %v", a, err)
	}
	testkit.OK(t, s.Move("e4"))
	if err := s.Move("e5"); !errors.Is(err, engine.ErrTurn) {
		t.Errorf("a move for the network: %v", err)
	}
	a, err := s.Reply(t.Context())
	if err != nil || a.Lines[0].PV[0] != s.Last() || len(s.Moves()) != 2 || !a.Scored || a.String() == "" {
		t.Fatalf("%+v, %v", a, err)
	}
	if text := s.Movetext(); !strings.HasPrefix(text, "1. e4 ") || strings.Count(text, " ") != 2 {
		t.Errorf("moves %q", text)
	}
	s.Moves()[0] = board.NoMove // a copy
	if !s.Back() || s.Position().FEN() != board.StartFEN {
		t.Error("moves are not taken back")
	}
	s.Swap()
	if a, err := s.Reply(t.Context()); a == nil || err != nil || s.Human != board.Black || s.Back() {
		t.Errorf("the network does not begin: %v, %v", a, err)
	}
	s.Resign()
	if r, end := s.Result(); r != dataset.WhiteWins || end != engine.Resignation {
		t.Errorf("%v, %v", r, end)
	}
	if err := s.Move("e5"); !errors.Is(err, engine.ErrOver) {
		t.Errorf("a move after the end: %v", err)
	}
	if thought, err := s.Think(t.Context()); thought == nil || err != nil {
		t.Errorf("a position that could be played on: %v", err)
	}
	s.Restart()
	if s.Over() || len(s.Moves()) != 0 || s.Human != board.Black {
		t.Error("a new game is none")
	}
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		fen, move string
		want      dataset.Result
		end       match.End
	}{
		{"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "Rd8", dataset.WhiteWins, match.Checkmate},
		{"3r2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 0 1", "d8d1", dataset.BlackWins, match.Checkmate},
		{"k7/8/1K6/8/8/8/8/2Q5 w - - 0 1", "Qc7", dataset.Draw, match.Stalemate},
	} {
		s := begin(t, &fakenet.Network{}, c.fen)
		s.Human = s.Start.Turn()
		testkit.OK(t, s.Move(c.move))
		if r, end := s.Result(); r != c.want || end != c.end {
			t.Errorf("%s: %v, %v", c.fen, r, end)
		}
		if a, err := s.Reply(t.Context()); a != nil || err != nil {
			t.Errorf("%s: an answer: %v", c.fen, err)
		}
		if _, err := s.Think(t.Context()); !errors.Is(err, engine.ErrOver) {
			t.Errorf("%s: %v", c.fen, err)
		}
	}
}

// A network that fails and an end from outside leave the game as it was.
func TestErrors(t *testing.T) {
	n := &fakenet.Network{}
	s := begin(t, n, board.StartFEN)
	s.Human = board.Black
	n.Fails.Store(true)
	if _, err := s.Reply(t.Context()); !errors.Is(err, fakenet.ErrFails) {
		t.Errorf("a network that fails: %v", err)
	}
	n.Fails.Store(false)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Reply(ctx); !errors.Is(err, context.Canceled) || len(s.Moves()) != 0 {
		t.Errorf("an end from outside: %v", err)
	}
}
