package dataset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/board"
)

// cutLines are lines of few openings, so that many begin as others do, of 0 to 34 plies, some cut from others, from
// several starts, some with reconstructed history in front.
func cutLines(rng *rand.Rand, n int) (lines []Line) {
	starts := []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 7 30", // the same without counters
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQq - 0 1",
		"r3k2r/pppq1ppp/2npbn2/4p3/4P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 4 9",
	}
	for len(lines) < n {
		start, err := board.ParseFEN(starts[rng.IntN(len(starts))])
		if err != nil {
			panic(err)
		}
		l := Line{Start: start, Source: Source(rng.IntN(4)), Number: int64(len(lines) + 1)}
		length := rng.IntN(35)
		if len(lines) > 0 && rng.IntN(2) == 0 { // goes on from a piece of another
			l = lines[rng.IntN(len(lines))]
			l.Number = int64(len(lines) + 1)
			keep := l.Reconstructed + rng.IntN(len(l.Moves)-l.Reconstructed+1)
			l.Moves = slices.Clone(l.Moves[:keep])
			if rng.IntN(2) == 0 {
				length = 0 // cut
			}
		}
		at := l.Start
		for _, m := range l.Moves {
			at.Play(m)
		}
		for range length {
			legal := at.LegalMoves(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[rng.IntN(min(2, len(legal)))]
			at.Play(m)
			l.Moves = append(l.Moves, m)
		}
		if before := l.Start; l.Reconstructed == 0 && rng.IntN(5) == 0 {
			var history []board.Move
			for range 2 {
				if un := before.Unmoves(nil); len(un) > 0 {
					history = append(history, un[0].Move)
					before.Unplay(un[0])
				}
			}
			slices.Reverse(history)
			l.Prepend(before, history)
		}
		lines = append(lines, l)
	}
	return lines
}

// areCutCopies says it from the words alone.
func areCutCopies(a, b *Line) bool {
	startA, movesA := a.WithoutHistory()
	startB, movesB := b.WithoutHistory()
	n := min(len(movesA), len(movesB))
	return n >= 20 && startA.EPD() == startB.EPD() && slices.Equal(movesA[:n], movesB[:n])
}

// TestCutSet finds the same cut copies among lines on two sides of a split as comparing each with each.
func TestCutSet(t *testing.T) {
	found := 0
	for seed := range uint64(10) {
		lines := cutLines(rand.New(rand.NewPCG(seed, 1)), 300)
		splits := Splits{Train: 50, Val: 30, Test: 20}
		var held, parts, back CutSet
		for i := range lines {
			if splits.Of(SplitKey(&lines[i])) != Train {
				held.Add(&lines[i])
				var part CutSet
				part.Add(&lines[i])
				parts.Merge(&part)
			}
		}
		held.Sort()
		parts.Sort()
		if !slices.Equal(held.wholes, parts.wholes) || !slices.Equal(held.begins, parts.begins) {
			t.Fatalf("seed %d: merging gives another set", seed)
		}
		for i := range lines {
			if splits.Of(SplitKey(&lines[i])) == Train {
				held.Common(&lines[i], &back)
			}
		}
		back.Sort()
		for i := range lines {
			l := &lines[i]
			mine := splits.Of(SplitKey(l)) == Train
			want := slices.ContainsFunc(lines, func(other Line) bool {
				return mine != (splits.Of(SplitKey(&other)) == Train) && areCutCopies(l, &other)
			})
			set, name := &held, "a train line among the held out"
			if !mine {
				set, name = &back, "a line held out among the train lines"
			}
			if got := set.Has(l); got != want {
				t.Fatalf("seed %d: %s, of %d plies (%d reconstructed): %v, want %v", seed, name, len(l.Moves),
					l.Reconstructed,
					got, want)
			}
			if want {
				found++
			}
		}
	}
	if found < 100 {
		t.Errorf("%d found: the test shows nothing", found)
	}
}

// TestCutKeys: equal keys are equal beginnings, at any length.
func TestCutKeys(t *testing.T) {
	lines := cutLines(rand.New(rand.NewPCG(5, 2)), 400)
	type beginning struct {
		epd   string
		moves string
	}
	of := map[uint64]beginning{}
	keyOf := map[beginning]uint64{}
	for i := range lines {
		start, moves := lines[i].WithoutHistory()
		for _, most := range []int{19, 20, 29, 1000} {
			keys, whole := lines[i].CutKeys(nil, most)
			if want := max(0, min(len(moves), most)-19); len(keys) != want {
				t.Fatalf("%d keys of %d plies up to %d, want %d", len(keys), len(moves), most, want)
			}
			if want := len(moves) >= 20 && len(moves) <= most; whole != want {
				t.Fatalf("whole %v of %d plies up to %d", whole, len(moves), most)
			}
			for k, key := range keys {
				b := beginning{start.EPD(), string(appendMoves(nil, moves[:20+k]))}
				if other, ok := of[key]; ok && other != b {
					t.Fatal("two beginnings have one key")
				}
				if other, ok := keyOf[b]; ok && other != key {
					t.Fatal("one beginning has two keys")
				}
				of[key], keyOf[b] = b, key
			}
		}
	}
	if len(of) < 500 {
		t.Errorf("%d beginnings: the test shows nothing", len(of))
	}
}
