package match

import (
	"context"
	"testing"

	"talbot/dataset"
	"talbot/internal/testkit/shareddata"
	"talbot/stockfish"
	"talbot/tablebase/syzygy"
)

// TestTables: tables end a game as soon as they know it, with the result of the side that has it, and leave alone what
// is too large for them, what may castle, and what 50 moves make a draw.
func TestTables(t *testing.T) {
	dir := shareddata.Path(t, "syzygy")
	engine, err := stockfish.Find("")
	if err != nil {
		t.Skipf("SKIPPED: no Stockfish: %v", err)
	}
	set, err := syzygy.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := stockfish.OpenTables(context.Background(), stockfish.Config{Path: engine}, set)
	if err != nil {
		t.Fatal(err)
	}
	defer tables.Close()
	for _, c := range []struct {
		fen, moves string
		end        End
		result     dataset.Result
		plies      int
	}{
		{"8/8/8/8/5k2/8/8/KQ6 w - - 0 1", "", ByTables, dataset.WhiteWins, 0},
		{"8/8/8/8/5k2/8/8/KQ6 b - - 0 1", "", ByTables, dataset.WhiteWins, 0},
		{"kq6/8/8/5K2/8/8/8/8 w - - 0 1", "", ByTables, dataset.BlackWins, 0},
		{"8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", "", ByTables, dataset.Draw, 0},
		{"8/8/8/8/5k2/8/8/KQ6 w - - 99 90", "b1b3", FiftyMoves, dataset.Draw, 1},   // the win is too far away
		{"r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "a8a1", ByTables, dataset.BlackWins, 1}, // once it has lost its rights
		{"4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1", "", ByLength, dataset.Draw, 4},
	} {
		r := playScript(t, c.fen, c.moves, c.moves, func(x *Seats) {
			x.Referee = &Referee{Rules: &Rules{MaxMoves: 2}, Tables: tables}
		})
		if r.End != c.end || r.Result != c.result || len(r.Plies) != c.plies {
			t.Errorf("%s: %v by %s after %d plies", c.fen, r.Result, r.End, len(r.Plies))
		}
	}
}
