package loader

import (
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/internal/testkit/traindata"
	"talbot/train"
)

// TestSampleBytes: what `talbot plan` counts for a sample is what a group that is drawn from takes.
func TestSampleBytes(t *testing.T) {
	s := survey(t, open(t, 1, Spec{write(t, traindata.Dataset{Seed: 1, Games: 100}), 1}))
	l := s.NewLoader(LoaderOptions{Batch: 10, Seed: 1})
	defer l.Close()
	next(t, l)
	g := l.streams[0].now
	if got, want := int64(8*len(g.words)+4*len(g.order)),
		int64(g.n)*SampleBytes(encode.TalbotBot{}.Layout(), s.Longest); g.n < 1000 ||
		got != want {
		t.Errorf("%d samples take %d bytes, not %d", g.n, got, want)
	}
	if n := SampleBytes(encode.TalbotBot{}.Layout(), 1); n != 196 {
		t.Errorf("%d bytes a sample, not the 196 of its comment", n)
	}
}

// TestSampleBytesOfLists: where all legal moves are listed, the lists count too.
func TestSampleBytesOfLists(t *testing.T) {
	d, err := Open(t.Context(), []Spec{{write(t, traindata.Dataset{Seed: 1, Games: 100}), 1}},
		Options{Encoder: encode.Tahl{}, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	l := survey(t, d).NewLoader(LoaderOptions{Batch: 10, Seed: 1})
	defer l.Close()
	next(t, l)
	g, layout := l.streams[0].now, d.layout
	got, moves := int64(8*len(g.words)+4*len(g.order)), 0
	for _, list := range g.blocks {
		got += int64(8 * len(list))
		moves += len(list) / g.shape.moveWords()
	}
	n, mean := int64(g.n), moves/g.n
	least, most := n*SampleBytes(layout, mean), n*SampleBytes(layout, mean+1)
	if mean < 10 || got < least || got > most {
		t.Errorf("%d samples with %d moves each take %d bytes, not %d to %d", n, mean, got, least, most)
	}
	if more := SampleBytes(layout, 31) - SampleBytes(layout, 30); more != 24 {
		t.Errorf("%d bytes a legal move, not the 24 of its comment", more)
	}
}

// coded is a recipe whose moves have several words, drawn by the number of the move.
type coded struct {
	encode.TalbotBot
	layout encode.Layout
}

func (c coded) Layout() encode.Layout { return c.layout }

func (c coded) Pack(dst []uint64, v *encode.View) {
	for i := range dst {
		dst[i] = uint64(v.WhiteElo)<<32 | uint64(i)
	}
}

func (c coded) EncodeMove(dst []int32, v *encode.View, m board.Move) {
	for i := range dst {
		dst[i] = int32(m)<<8 | int32(i)
	}
	if len(dst) > 1 {
		dst[len(dst)-1] = -1 // a word other than the first may be
	}
}

// TestGroup: what is put into a group comes out in a batch, for moves of one to five words, up to three floats, lists
// from none to the longest that a position can have, inside the samples' runs and beside them.
func TestGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for words := 1; words <= 5; words++ {
		for floats := range 4 {
			for _, longest := range []int{1, 4, 5, 16, 17, 218} {
				l := encode.Layout{Words: 1 + rng.IntN(30), Moves: encode.TargetMoves, Codes: words,
					Floats: make([]string, floats)}
				testGroup(t, rng, coded{layout: l}, longest)
			}
		}
	}
}

func testGroup(t *testing.T, rng *rand.Rand, e coded, longest int) {
	t.Helper()
	const n, blocks = 40, 3
	l := &e.layout
	var g group
	g.resize(n, blocks, shape{*l, longest})
	targets := make([]encode.Target, n)
	for i := range targets {
		target := &targets[i]
		target.Reset(l)
		for k := range target.Floats {
			if rng.IntN(3) > 0 {
				target.Floats[k] = rng.Float32()
			}
		}
		for range []int{0, longest, rng.IntN(longest + 1)}[rng.IntN(3)] {
			target.Moves = append(target.Moves,
				dataset.WeightedMove{Move: board.Move(rng.IntN(1 << 15)), Weight: rng.Float32() - 0.5})
		}
		g.put(e, i, i*blocks/n, &encode.View{WhiteElo: i}, target)
	}
	var b train.Batch
	b.Resize(n, longest, l)
	var lists lists
	order := rng.Perm(n)
	for i, k := range order {
		g.input(&b, i, k)
		g.rest(&b, &lists, i, k)
	}
	if !g.shape.inside() {
		lists.pad(&b, &g.shape)
	}
	most := b.Moves()
	if most != longest {
		t.Errorf("lists of %d moves where the longest is %d", most, longest)
	}
	for i, k := range order {
		target := &targets[k]
		if b.Packed[i*l.Words] != uint64(k)<<32 {
			t.Fatalf("sample %d has input %x", k, b.Packed[i*l.Words])
		}
		for f, x := range target.Floats {
			got, known := b.Floats[i*len(l.Floats)+f], b.Known[i*len(l.Floats)+f]
			if x != x && (got != 0 || known != 0) || x == x && (got != x || known != 1) {
				t.Fatalf("sample %d: float %d is %g, %g, want %g", k, f, got, known, x)
			}
		}
		for j := range most {
			weight, codes := float32(0), slices.Repeat([]int32{-1}, l.Codes)
			if j < len(target.Moves) {
				weight = target.Moves[j].Weight
				e.EncodeMove(codes, nil, target.Moves[j].Move)
			}
			at := i*most + j
			if b.Weights[at] != weight || !slices.Equal(b.Codes[at*l.Codes:][:l.Codes], codes) {
				t.Fatalf("%d words, longest %d, sample %d of %d moves: move %d is %v of weight %g, want %v of %g",
					l.Codes,
					longest, k, len(target.Moves), j, b.Codes[at*l.Codes:][:l.Codes], b.Weights[at], codes, weight)
			}
		}
	}
}
