package stockfish

import (
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
	"talbot/stockfish/uci"
)

// FuzzFound feeds whole searches: no engine output may make a label that is not
// legal and exact.
func FuzzFound(f *testing.F) {
	f.Add("depth 1 score cp 3 pv e2e4\ndepth 2 score cp 4 lowerbound pv d2d4", "e2e4", 1)
	f.Add("multipv 1 score cp 3 pv e2e4\nmultipv 2 score cp 4 pv d2d4 d7d5 d7d5", "d2d4", 2)
	f.Add("multipv 2 score cp 3 pv e2e4", "e2e4", 2)
	f.Fuzz(func(t *testing.T, lines, best string, multiPV int) {
		if multiPV < 1 || multiPV > 30 {
			return
		}
		pos := board.StartPosition()
		found := newSearchLines(&pos, multiPV, nil, nil)
		for s := range strings.SplitSeq(lines, "\n") {
			i, err := uci.ParseInfo([]byte(s))
			if err != nil || found.add(i) != nil {
				return
			}
		}
		labels, err := found.labels(&pos, best)
		if err != nil {
			return
		}
		label := labels[0]
		if label.Status != dataset.Labelled || !pos.IsLegal(label.Best) || len(label.Lines) != min(multiPV, 20) {
			t.Fatalf("label %+v", label)
		}
		for _, l := range label.Lines {
			if len(l.PV) == 0 {
				t.Fatal("a line without moves")
			}
			if _, err := replay(pos, l.PV); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestFoundKeepsTheLatestCompleteSet(t *testing.T) {
	pos := board.StartPosition()
	found := newSearchLines(&pos, 2, nil, nil)
	for _, s := range []string{
		"depth 7 multipv 1 score cp 10 pv e2e4",
		"depth 7 multipv 2 score cp 9 pv d2d4",
		"depth 8 multipv 1 score cp 30 pv d2d4", // the ranks have changed places,
		"depth 8 multipv 2 score cp 9 upperbound pv e2e4",
	} {
		i, err := uci.ParseInfo([]byte(s))
		testkit.OK(t, err)
		testkit.OK(t, found.add(i))
	}
	labels, err := found.labels(&pos, "d2d4")
	testkit.OK(t, err)
	label := labels[0]
	// so that the last exact line of each rank would be d2d4 twice.
	if a, b := label.Lines[0], label.Lines[1]; a.Depth != 7 || b.Depth != 7 || a.PV[0].String() != "e2e4" ||
		b.PV[0].String() != "d2d4" {
		t.Errorf("lines %+v", label.Lines)
	}
}

// Shallower depths are the last complete set up to each, also where the engine skips a depth.
func TestFoundKeepsShallowerDepths(t *testing.T) {
	pos := board.StartPosition()
	found := newSearchLines(&pos, 2, []int{1, 3, 4}, nil)
	for _, s := range []string{
		"depth 1 multipv 1 score cp 10 nodes 20 pv e2e4",
		"depth 1 multipv 2 score cp 9 nodes 20 pv d2d4",
		"depth 2 multipv 1 score cp 11 nodes 50 pv d2d4",
		"depth 2 multipv 2 score cp 8 nodes 50 pv e2e4",
		"depth 3 multipv 1 score cp 99 lowerbound nodes 60 pv g1f3",
		"depth 4 multipv 1 score cp 12 nodes 90 pv g1f3",
		"depth 3 multipv 2 score cp 7 nodes 90 pv b1c3",
		"depth 4 multipv 1 score cp 14 nodes 99 pv g1f3 g8f6",
		"depth 4 multipv 2 score cp 6 nodes 99 pv b1c3",
		"depth 5 multipv 1 score cp 15 nodes 200 pv c2c4",
		"depth 5 multipv 2 score cp 5 nodes 200 pv b1c3",
	} {
		i, err := uci.ParseInfo([]byte(s))
		testkit.OK(t, err)
		testkit.OK(t, found.add(i))
	}
	labels, err := found.labels(&pos, "c2c4")
	if err != nil || len(labels) != 4 {
		t.Fatal(labels, err)
	}
	for k, want := range []struct {
		best  string
		depth int
		nodes int64
		cp    int
	}{{"e2e4", 1, 20, 10}, {"d2d4", 2, 50, 11}, {"g1f3", 4, 99, 14}, {"c2c4", 5, 200, 15}} {
		l := labels[k]
		if cp, _ := l.Lines[0].Score.Centipawns(); l.Best.String() != want.best || l.Lines[0].Depth != want.depth ||
			l.Lines[0].Nodes != want.nodes || cp != want.cp || len(l.Lines) != 2 {
			t.Errorf("label %d: %+v, want %+v", k, l, want)
		}
	}
	if _, err := newSearchLines(&pos, 1, []int{1}, nil).labels(&pos, "e2e4"); err == nil {
		t.Error("a label without a line")
	}
}

// TestFoundOnly: where some moves are searched there is a line for each of them and none for any other, and the best
// move is one of them.
func TestFoundOnly(t *testing.T) {
	pos := board.StartPosition()
	only := []board.Move{board.NewMove(12, 28), board.NewMove(8, 16)}
	for name, c := range map[string]struct {
		lines []string
		best  string
		ok    bool
	}{
		"as asked":   {[]string{"multipv 1 score cp 5 pv e2e4", "multipv 2 score cp 1 pv a2a3"}, "e2e4", true},
		"other line": {[]string{"multipv 1 score cp 5 pv e2e4", "multipv 2 score cp 1 pv h2h3"}, "e2e4", false},
		"other best": {[]string{"multipv 1 score cp 5 pv e2e4", "multipv 2 score cp 1 pv a2a3"}, "d2d4", false},
		"one line":   {[]string{"multipv 1 score cp 5 pv e2e4"}, "e2e4", false},
	} {
		f := newSearchLines(&pos, 20, nil, only)
		for _, line := range c.lines {
			i, err := uci.ParseInfo([]byte("depth 3 " + line))
			if err == nil {
				err = f.add(i)
			}
			testkit.OK(t, err)
		}
		labels, err := f.labels(&pos, c.best)
		if (err == nil) != c.ok || c.ok && len(labels[0].Lines) != 2 {
			t.Errorf("%s: %+v, %v", name, labels, err)
		}
	}
	if err := newSearchLines(&pos, 20, nil, only).add(uci.Info{Rank: 3, Scored: true}); err == nil {
		t.Error("a third line for two moves is no error")
	}
}
