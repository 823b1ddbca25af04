package engine

import (
	"testing"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// TestProbe: what the tables know is said without regard to the clock.
func TestProbe(t *testing.T) {
	dir := shareddata.Path(t, "syzygy")
	engine, err := stockfish.Find("")
	if err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	p, err := OpenTables(t.Context(), stockfish.Config{Path: engine}, dir, syzygy.Check{})
	testkit.OK(t, err)
	defer p.Close()
	if p.Pieces() < 3 {
		t.Fatalf("%d pieces", p.Pieces())
	}
	for _, c := range []struct {
		fen   string
		known bool
		wdl   mcts.WDL
	}{
		{"8/8/8/8/5k2/8/8/KQ6 w - - 0 1", true, mcts.Win},
		{"8/8/8/8/5k2/8/8/KQ6 w - - 99 90", true, mcts.Win},
		{"8/8/8/8/5k2/8/8/KQ6 b - - 0 1", true, mcts.Loss},
		{"8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", true, mcts.Draw},
		{"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", false, 0},
		{"4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", false, 0},
	} {
		pos := testkit.Must(board.ParseFEN(c.fen))
		for range 2 { // the second time from memory
			e, known := p.Probe(&pos)
			if known != c.known || e.WDL != c.wdl || (e.DTZ > 0) != (c.wdl != 0) {
				t.Errorf("%s: %+v, known %v", c.fen, e, known)
			}
		}
	}
	if p.Err() != nil {
		t.Error(p.Err())
	}
}

func TestOpenNothing(t *testing.T) {
	if _, err := OpenTables(t.Context(), stockfish.Config{Path: "/bin/true"}, t.TempDir(), syzygy.Check{}); err == nil {
		t.Error("an empty folder is no error")
	}
}
