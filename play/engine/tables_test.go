package engine

import (
	"testing"
	"time"

	"talbot/board"
	"talbot/internal/testkit"
	"talbot/internal/testkit/shareddata"
	"talbot/play/mcts"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// TestProbe: what the tables know is there soon after it was asked, without regard to the clock, and nothing blocks.
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
		if _, known := p.Probe(&pos); known && c.fen[len(c.fen)-4:] != "9 90" {
			t.Errorf("%s: known at once", c.fen)
		}
		settled := false
		for range 1000 {
			p.mu.Lock()
			_, settled = p.answers[pos.Key()]
			p.mu.Unlock()
			if p.Probe(&pos); settled {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if e, known := p.Probe(&pos); !settled || known != c.known || e.WDL != c.wdl || (e.DTZ > 0) != (c.wdl != 0) {
			t.Errorf("%s: %+v, known %v, settled %v", c.fen, e, known, settled)
		}
	}
	for i := range 3 * waiting { // more than can wait
		pos := board.StartPosition()
		pos.Play(board.NewMove(board.Square(8+i%8), board.Square(16+i%8)))
		p.Probe(&pos)
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
