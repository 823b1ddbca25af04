package dataset

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"

	"talbot/board"
)

// TestSplitKey computes keys from the words of the format: FEN fields, a line feed, moves.
func TestSplitKey(t *testing.T) {
	other := parse(t, "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 34")
	long := slices.Repeat([]board.Move{board.NewMove(6, 21), board.NewMove(62, 45), board.NewMove(21, 6),
		board.NewMove(45, 62)}, 10) // both knights go out and back
	for _, c := range []struct {
		line Line
		epd  string
	}{
		{Line{Start: board.StartPosition()}, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"},
		{Line{Start: board.StartPosition(), Moves: long}, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"},
		{Line{Start: other}, "r3k2r/8/8/8/8/8/8/R3K2R b Kq -"},
	} {
		want := []byte(c.epd + "\n")
		for _, m := range c.line.Moves[:min(20, len(c.line.Moves))] {
			want = binary.LittleEndian.AppendUint16(want, uint16(m))
		}
		if got := SplitKey(&c.line); got != xxhash.Sum64(want) {
			t.Errorf("%s: key %x", c.epd, got)
		}
	}
	// Only start and the first 20 plies count for the key; all plies do for the hash.
	a := Line{Start: board.StartPosition(), Moves: long[:20]}
	b := Line{Start: board.StartPosition(), Moves: long, Result: Draw, Tags: []Tag{{"White", "Tal"}}, Number: 7}
	if SplitKey(&a) != SplitKey(&b) || a.GameHash() == b.GameHash() {
		t.Error("a longer game: keys differ, or hashes do not")
	}
	b.Moves = b.Moves[:20]
	if a.GameHash() != b.GameHash() {
		t.Error("headers change the hash")
	}
	b.Moves = b.Moves[:19]
	if SplitKey(&a) == SplitKey(&b) {
		t.Error("19 and 20 plies have one key")
	}
	// The same position with other counters is the same start.
	c := Line{Start: parse(t, "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 0 1")}
	d := Line{Start: parse(t, "r3k2r/8/8/8/8/8/8/R3K2R b KQ - 0 1")}
	if SplitKey(&Line{Start: other}) != SplitKey(&c) || SplitKey(&c) == SplitKey(&d) {
		t.Error("counters count, or rights do not")
	}
}

func parse(t *testing.T, fen string) board.Position {
	t.Helper()
	p, err := board.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSplitKeyOfAggregate: an aggregated position and its mirror image have one key, that of the one with White to
// move.
func TestSplitKeyOfAggregate(t *testing.T) {
	white := parse(t, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
	black := white.Mirror()
	want := xxhash.Sum64String("4k3/8/8/8/8/8/4P3/4K3 w - -\n")
	for _, start := range []board.Position{white, black} {
		if got := SplitKey(&Line{Source: SourceAggregate, Start: start}); got != want {
			t.Errorf("%s: key %x, want %x", start.FEN(), got, want)
		}
	}
	if SplitKey(&Line{Source: SourceTable, Start: black}) == want {
		t.Error("a position of a table is mirrored")
	}
	if a, b := (&Line{Start: white}).GameHash(), (&Line{Start: black}).GameHash(); a == b {
		t.Error("mirror images are copies")
	}
}

func TestSplitProportions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []Splits{DefaultSplits, {80, 10, 10}, {0, 0, 100}, {100, 0, 0}, {34, 33, 33}} {
		const n = 100_000
		var got [3]float64
		for range n {
			got[s.Of(rng.Uint64())]++
		}
		for i, percent := range []int{s.Train, s.Val, s.Test} {
			p := float64(percent) / 100
			if d := math.Abs(got[i] - n*p); d > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%v: split %v has %v of %d", s, Split(i), got[i], n)
			}
		}
	}
	for key, want := range map[uint64]Split{0: Train, math.MaxUint64: Test, 0xe6 << 56: Train, 0xe7 << 56: Val,
		0xf4 << 56: Test} {
		if got := DefaultSplits.Of(key); got != want {
			t.Errorf("key %x: %v, want %v", key, got, want)
		}
	}
}

func TestParseSplits(t *testing.T) {
	for text, want := range map[string]Splits{"90,5,5": {90, 5, 5}, "0, 0, 100": {0, 0, 100}} {
		got, err := ParseSplits(text)
		if err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "90", "90,5", "90,5,5,0", "90,5,6", "-5,100,5", "a,b,c", "256,0,0", "90.0,5,5"} {
		if _, err := ParseSplits(text); err == nil || !strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("%q: error %v", text, err)
		}
	}
	for _, s := range AllSplits() {
		if got, err := ParseSplit(s.String()); err != nil || got != s {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	if _, err := ParseSplit("all"); err == nil {
		t.Error("all is a split")
	}
}
