package export

import (
	"path/filepath"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/formats/polyglot"
	"talbot/internal/output"
	"talbot/internal/testkit"
	"talbot/internal/testkit/madeup"
)

// TestPolyglot: a book has the moves of games, each as often as it was played, and those of policies by their weights,
// summed over the lines of a position; the format's own test compares with python-chess.
func TestPolyglot(t *testing.T) {
	game := func(uci ...string) dataset.Line { return madeup.Line(t, board.StartFEN, uci...) }
	counted := func(elo int, weights map[string]float32) dataset.Line {
		l := dataset.Line{Source: dataset.SourceAggregate, Start: board.StartPosition(), WhiteElo: elo,
			Samples: dataset.LastPosition()}
		var policy []dataset.WeightedMove
		for _, m := range l.Start.LegalMoves(nil) {
			if w, ok := weights[m.String()]; ok {
				policy = append(policy, dataset.WeightedMove{Move: m, Weight: w})
			}
		}
		l.Policies = [][]dataset.WeightedMove{policy}
		return l
	}
	for name, c := range map[string]struct {
		lines   []dataset.Line
		samples int64
		want    map[string]uint16
	}{
		"games": {[]dataset.Line{game("e2e4", "e7e5"), game("d2d4"), game("e2e4", "c7c5", "g1f3")}, 6,
			map[string]uint16{"e2e4": 2, "d2d4": 1}},
		"counts": {[]dataset.Line{counted(1250, map[string]float32{"e2e4": 40, "d2d4": 2}),
			counted(1750, map[string]float32{"e2e4": 2, "c2c4": 7})}, 2,
			map[string]uint16{"e2e4": 42, "c2c4": 7, "d2d4": 2}},
		"many": {[]dataset.Line{counted(0, map[string]float32{"e2e4": 655350, "d2d4": 10, "a2a3": 1})}, 1,
			map[string]uint16{"e2e4": 65535, "d2d4": 1, "a2a3": 1}},
		"shares": {[]dataset.Line{counted(0, map[string]float32{"e2e4": 0.75, "d2d4": 0.25, "a2a3": 0})}, 1,
			map[string]uint16{"e2e4": 65535, "d2d4": 21845}},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "book.bin")
			sum := testkit.Run(t, Request{Dir: madeup.Dataset(t, c.lines, 50), Format: polyglotFormat,
				Out: output.File{Path: out}})
			book := testkit.Must(polyglot.Open(out))
			defer book.Close()
			list := testkit.Must(book.Entries(board.NewGame(board.StartPosition())))
			for _, e := range list {
				if c.want[e.Move.String()] != e.Weight {
					t.Errorf("%v weighs %d, want %d", e.Move, e.Weight, c.want[e.Move.String()])
				}
			}
			if len(list) != len(c.want) || sum.Samples != c.samples {
				t.Errorf("%v of %d samples", list, sum.Samples)
			}
		})
	}
}
