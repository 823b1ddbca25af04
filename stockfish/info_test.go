package stockfish

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

func TestParseInfo(t *testing.T) {
	for _, c := range []struct {
		line string
		want Info
	}{
		{"depth 10 seldepth 13 multipv 1 score cp 31 wdl 42 956 2 nodes 20024 nps 770153 hashfull 10 tbhits 0 time " +
			"26 pv e2e4 c7c5",
			Info{Rank: 1, Scored: true, Score: dataset.Centipawns(31), WDL: dataset.WDL{Win: 42, Draw: 956, Loss: 2},
				Depth: 10, Nodes: 20024, PV: []byte("e2e4 c7c5")}},
		{"depth 10 score cp -31 wdl 2 956 42 upperbound nodes 7 pv e7e5",
			Info{Rank: 1, Scored: true, Bound: true, Score: dataset.Centipawns(-31),
				WDL: dataset.WDL{Win: 2, Draw: 956, Loss: 42}, Depth: 10, Nodes: 7, PV: []byte("e7e5")}},
		{"score cp 5 lowerbound depth 3", Info{Rank: 1, Scored: true, Bound: true, Score: dataset.Centipawns(5),
			Depth: 3}},
		{"depth 5 multipv 3 score mate -2 pv a2a3", Info{Rank: 3, Scored: true, Score: dataset.MateIn(-2), Depth: 5,
			PV: []byte("a2a3")}},
		{"depth 20 currmove e2e4 currmovenumber 1", Info{Rank: 1, Depth: 20}},
		{"string NNUE evaluation using depth x", Info{Rank: 1}},
		{"", Info{Rank: 1}},
		{" \t frobnicate 7 ", Info{Rank: 1}},
		{"pv", Info{Rank: 1, PV: []byte{}}},
	} {
		got, err := ParseInfo([]byte(c.line))
		if err != nil {
			t.Errorf("%q: %v", c.line, err)
			continue
		}
		if len(got.PV) == 0 {
			got.PV, c.want.PV = nil, nil
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.line, got, c.want)
		}
	}
}

func TestParseInfoRefuses(t *testing.T) {
	for _, s := range []string{
		"depth", "depth x", "depth -1", "depth 99999999999999999999", "multipv 0", "nodes -5",
		"score", "score 31", "score cp", "score cp x", "score cp 1000000", "score cp 1.5",
		"score mate", "score mate 0", "score mate 100000", "score wdl 3",
		"wdl", "wdl 1000 0", "wdl 500 500 500", "wdl -1 1000 1", "wdl 0 0 0",
	} {
		if got, err := ParseInfo([]byte(s)); err == nil {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

// TestParseInfoLoosely: what is no label is clipped or left out, and what has no meaning is an error still.
func TestParseInfoLoosely(t *testing.T) {
	for line, want := range map[string]Info{
		"depth 9 score cp 31900 nodes 7 pv e2e4": {Depth: 9, Rank: 1, Scored: true, Nodes: 7,
			Score: dataset.Centipawns(dataset.MaxCentipawns), PV: []byte("e2e4")},
		"depth 9 score cp -99999999":          {Depth: 9, Rank: 1, Scored: true, Score: dataset.Centipawns(-1 << 20)},
		"depth 9 score cp 50 wdl 333 333 333": {Depth: 9, Rank: 1, Scored: true, Score: dataset.Centipawns(50)},
		"score mate 5000":                     {Rank: 1, Scored: true, Score: dataset.MateIn(dataset.MaxMate)},
		"depth 9 score cp 50 wdl 2000 1 1 nodes 8": {Depth: 9, Rank: 1, Scored: true, Nodes: 8,
			Score: dataset.Centipawns(50)},
	} {
		if _, err := ParseInfo([]byte(line)); err == nil {
			t.Errorf("%q is a label", line)
		}
		if got, err := ParseInfoLoosely([]byte(line)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{"score mate 0", "score x 5", "score cp x", "depth -1"} {
		if got, err := ParseInfoLoosely([]byte(line)); err == nil {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

// FuzzParseInfo: whatever is accepted keeps its bounds, and written again as
// UCI reads as the same.
func FuzzParseInfo(f *testing.F) {
	f.Add("depth 10 seldepth 13 multipv 1 score cp 31 wdl 42 956 2 nodes 20024 nps 770153 hashfull 10 tbhits 0 time " +
		"26 pv e2e4 c7c5")
	f.Add("depth 7 score mate -3 upperbound pv a7a8q")
	f.Add("string x")
	f.Add("score cp 1 score mate 2 wdl 0 1000 0 multipv 2 lowerbound pv \x00")
	f.Fuzz(func(t *testing.T, s string) {
		i, err := ParseInfo([]byte(s))
		if err != nil {
			return
		}
		if sum := int(i.WDL.Win) + int(i.WDL.Draw) + int(i.WDL.Loss); sum != 0 && sum != 1000 {
			t.Fatalf("wdl sums to %d", sum)
		}
		if i.Rank < 1 || i.Depth < 0 || i.Nodes < 0 {
			t.Fatalf("out of range: %+v", i)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "depth %d multipv %d nodes %d", i.Depth, i.Rank, i.Nodes)
		if i.Scored {
			if n, ok := i.Score.Mate(); ok {
				fmt.Fprintf(&b, " score mate %d", n)
			} else if cp, ok := i.Score.Centipawns(); ok {
				fmt.Fprintf(&b, " score cp %d", cp)
			} else {
				t.Fatalf("score %v is neither", i.Score)
			}
		}
		if i.Bound {
			b.WriteString(" lowerbound")
		}
		if i.WDL != (dataset.WDL{}) {
			fmt.Fprintf(&b, " wdl %d %d %d", i.WDL.Win, i.WDL.Draw, i.WDL.Loss)
		}
		fmt.Fprintf(&b, " pv %s", i.PV)
		again, err := ParseInfo([]byte(b.String()))
		if err != nil {
			t.Fatalf("%q: %v", b.String(), err)
		}
		if len(i.PV) == 0 {
			i.PV, again.PV = nil, nil
		}
		if !reflect.DeepEqual(again, i) {
			t.Fatalf("%+v became %+v", i, again)
		}
	})
}

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
		found := newFound(&pos, multiPV, nil, nil)
		for s := range strings.SplitSeq(lines, "\n") {
			i, err := ParseInfo([]byte(s))
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
	found := newFound(&pos, 2, nil, nil)
	for _, s := range []string{
		"depth 7 multipv 1 score cp 10 pv e2e4",
		"depth 7 multipv 2 score cp 9 pv d2d4",
		"depth 8 multipv 1 score cp 30 pv d2d4", // the ranks have changed places,
		"depth 8 multipv 2 score cp 9 upperbound pv e2e4",
	} {
		i, err := ParseInfo([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		if err := found.add(i); err != nil {
			t.Fatal(err)
		}
	}
	labels, err := found.labels(&pos, "d2d4")
	if err != nil {
		t.Fatal(err)
	}
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
	found := newFound(&pos, 2, []int{1, 3, 4}, nil)
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
		i, err := ParseInfo([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		if err := found.add(i); err != nil {
			t.Fatal(err)
		}
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
	if _, err := newFound(&pos, 1, []int{1}, nil).labels(&pos, "e2e4"); err == nil {
		t.Error("a label without a line")
	}
}

func TestParseOption(t *testing.T) {
	for s, want := range map[string]Option{
		"name Hash type spin default 16 min 1 max 33554432": {Name: "Hash", Kind: "spin", Min: "1",
			Max: "33554432"},
		"name Debug Log File type string default": {Name: "Debug Log File", Kind: "string"},
		"name EvalFile type string default nn-1.nnue": {Name: "EvalFile", Kind: "string",
			Default: "nn-1.nnue"},
		"name SyzygyPath type string default <empty>":             {Name: "SyzygyPath", Kind: "string"},
		"name Clear Hash type button":                             {Name: "Clear Hash", Kind: "button"},
		"name Style type combo default a var min var max var c d": {Name: "Style", Kind: "combo"},
	} {
		if got, ok := ParseOption(s); !ok || got != want {
			t.Errorf("%q: %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "name", "name  type spin", "name X", "name X type",
		"name " + strings.Repeat("x", 300) + " type spin"} {
		if got, ok := ParseOption(s); ok {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func FuzzParseOption(f *testing.F) {
	f.Add("name Hash type spin default 16 min 1 max 33554432", "17")
	f.Fuzz(func(t *testing.T, s, value string) {
		o, ok := ParseOption(s)
		if ok && (o.Name == "" || o.Kind == "" || len(o.Name) > 3*maxName) {
			t.Fatalf("%q: %+v", s, o)
		}
		_ = o.Check(value)
	})
}

func TestCountCores(t *testing.T) {
	const four = "processor : 0\nphysical id : 0\ncore id : 0\n\nprocessor : 1\nphysical id : 0\ncore id : 1\n\n" +
		"processor : 2\nphysical id : 0\ncore id : 0\n\nprocessor : 3\nphysical id : 1\ncore id : 0\n"
	if n := countCores(strings.NewReader(four)); n != 3 {
		t.Errorf("%d cores, want 3", n)
	}
	if n := countCores(strings.NewReader("processor : 0\nBogoMIPS : 50\n")); n != 0 {
		t.Errorf("%d cores where none is named", n)
	}
	if n := DefaultWorkers(); n < 1 {
		t.Errorf("%d workers", n)
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
		f := newFound(&pos, 20, nil, only)
		for _, line := range c.lines {
			i, err := ParseInfo([]byte("depth 3 " + line))
			if err == nil {
				err = f.add(i)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		labels, err := f.labels(&pos, c.best)
		if (err == nil) != c.ok || c.ok && len(labels[0].Lines) != 2 {
			t.Errorf("%s: %+v, %v", name, labels, err)
		}
	}
	if err := newFound(&pos, 20, nil, only).add(Info{Rank: 3, Scored: true}); err == nil {
		t.Error("a third line for two moves is no error")
	}
}
