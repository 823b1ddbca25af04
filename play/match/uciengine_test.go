package match

import (
	"testing"
	"time"

	"talbot/board"
)

// TestSearchCommands: what an engine is told of limits, clocks and the past.
func TestSearchCommands(t *testing.T) {
	p, err := board.ParseFEN("4k3/8/8/8/8/8/4P3/4K3 w - - 3 20")
	if err != nil {
		t.Fatal(err)
	}
	e4, _ := p.ParseUCI("e2e4")
	clock := &Clock{Left: [2]time.Duration{61500 * time.Millisecond, 300 * time.Microsecond},
		Increment: [2]time.Duration{600 * time.Millisecond, 0}, MovesToGo: 7}
	for want, r := range map[string]MoveRequest{
		"position startpos\ngo nodes 400\n": {Start: board.StartPosition(),
			Limits: Limits{Nodes: 400}},
		"position startpos\ngo depth 5 nodes 400 movetime 50\n": {Start: board.StartPosition(),
			Limits: Limits{400, 5, 50e6, TimeControl{}}},
		"position fen " + p.FEN() + " moves e2e4\ngo movetime 1\n": {Start: p, Moves: []board.Move{e4},
			Limits: Limits{MoveTime: 1e6}},
		"position startpos\ngo wtime 61500 btime 1 winc 600 movestogo 7\n": {Start: board.StartPosition(),
			Clock: clock},
		"position startpos\ngo wtime 500 depth 3\n": {Start: board.StartPosition(), Limits: Limits{Depth: 3},
			Clock: &Clock{Left: [2]time.Duration{5e8, 0}}},
	} {
		if got := new(Engine).searchCommands(&r); got != "isready\n"+want {
			t.Errorf("%q, should be %q", got, want)
		}
	}
}
