package shards

import (
	"bytes"
	"errors"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// untargetedLines are games of two plies with the given policies.
func untargetedLines(policies ...[][]dataset.WeightedMove) []dataset.Line {
	var lines []dataset.Line
	for i, p := range policies {
		lines = append(lines, dataset.Line{Number: int64(i + 1), Start: board.StartPosition(),
			Samples: dataset.AllMoves(), Moves: []board.Move{board.NewMove(12, 28), board.NewMove(52, 36)},
			Policies: p})
	}
	return lines
}

// TestUntargeted: a line none of whose samples has a policy target comes back as that and not as one without policies,
// alone in its block or among others, whose bytes stay what they are.
func TestUntargeted(t *testing.T) {
	some := [][]dataset.WeightedMove{nil, {{Move: board.NewMove(52, 36), Weight: 1}}}
	none := make([][]dataset.WeightedMove, 2)
	for name, lines := range map[string][]dataset.Line{
		"alone":   untargetedLines(none),
		"first":   untargetedLines(none, nil, some),
		"last":    untargetedLines(some, nil, none),
		"several": untargetedLines(none, none, some, nil, none, some, nil, nil, none),
		"many":    untargetedLines(append(make([][][]dataset.WeightedMove, 300), none, none, nil, none)...),
		"none":    untargetedLines(some, nil),
		// weights that are all 0 do not come back as ones, the value of a column that is left out
		"zero weights": untargetedLines([][]dataset.WeightedMove{{{Move: board.NewMove(12, 28)}},
			{{Move: board.NewMove(52, 36)}}}),
	} {
		roundTrip(t, name, lines)
	}
	bare := untargetedLines(some, nil)
	bare[1].Samples = dataset.SomePlies([]byte{0})
	want := shardOf(t, bare)
	bare[1].Policies = [][]dataset.WeightedMove{}
	if !bytes.Equal(shardOf(t, bare), want) {
		t.Error("a line without samples, which lacks no target, is written in the other form")
	}
}

// TestBadUntargeted refuses lists of lines without target that contradict the lines.
func TestBadUntargeted(t *testing.T) {
	for name, list := range map[string][]byte{
		"a line with targets": {1}, "no line of the block": {3}, "the same line twice": {2, 0}, "cut short": {0x80},
		"zero": {0}, "behind the last": {2, 1}, "huge": {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1},
	} {
		b := rawBlock{blockIndex: &blockIndex{Lines: 2, Positions: 6, Samples: 4,
			Columns: []columnIndex{{Name: colPolicyCount, Offset: 24}}},
			raw: map[string][]byte{colPolicyCount: append([]byte{0, 1, 0, 0}, list...), colPolicyMove: {0x34, 9}}}
		if b.policies(untargetedLines(nil, nil)); !errors.Is(b.err, dataset.ErrDamaged) {
			t.Errorf("%s: %v", name, b.err)
		}
	}
}
