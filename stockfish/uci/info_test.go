package uci

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

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
		// moves that are not the last
		{"depth 3 nodes 30 pv e2e4  nps 30000 score cp 33", Info{Rank: 1, Scored: true, Score: dataset.Centipawns(33),
			Depth: 3, Nodes: 30, PV: []byte("e2e4")}},
		{"pv e2e4 e7e5 score mate 2 lowerbound", Info{Rank: 1, Scored: true, Bound: true, Score: dataset.MateIn(2),
			PV: []byte("e2e4 e7e5")}},
		{"pv a7a8q string score cp x", Info{Rank: 1, PV: []byte("a7a8q")}},
		{"pv depth 4 multipv 2", Info{Rank: 2, Depth: 4}},
		{"score cp 1 pv e2e4 hashfull 7 tbhits 0 wdl 0 1000 0", Info{Rank: 1, Scored: true,
			Score: dataset.Centipawns(1), WDL: dataset.WDL{Draw: 1000}, PV: []byte("e2e4")}},
		{"score cp 1 pv e2e4 e7e9", Info{Rank: 1, Scored: true, Score: dataset.Centipawns(1),
			PV: []byte("e2e4 e7e9")}}, // for who plays them to refuse
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
		if got, ok := parseOption(s); !ok || got != want {
			t.Errorf("%q: %+v, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "name", "name  type spin", "name X", "name X type",
		"name " + strings.Repeat("x", 300) + " type spin"} {
		if got, ok := parseOption(s); ok {
			t.Errorf("%q: %+v", s, got)
		}
	}
}

func FuzzParseOption(f *testing.F) {
	f.Add("name Hash type spin default 16 min 1 max 33554432", "17")
	f.Fuzz(func(t *testing.T, s, value string) {
		o, ok := parseOption(s)
		if ok && (o.Name == "" || o.Kind == "" || len(o.Name) > 3*maxName) {
			t.Fatalf("%q: %+v", s, o)
		}
		_ = o.check(value)
	})
}
