package encode

import (
	"math/rand/v2"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
)

// randomLine plays up to n random moves from start; every ply from which a move was played is a sample.
func randomLine(seed uint64, start board.Position, n int) dataset.Line {
	rng := rand.New(rand.NewPCG(seed, 1))
	l := dataset.Line{Start: start}
	p := start
	for range n {
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[rng.IntN(len(moves))]
		l.Moves = append(l.Moves, m)
		p.Play(m)
	}
	return l
}

// encodedAs returns the packed words and the numbers of a view. The memory is dirty: every word and number must be
// written.
func encodedAs(e Encoder, v *View) (words []uint64, numbers []float32) {
	l := e.Layout()
	words, numbers = slices.Repeat([]uint64{0xdeadbeef}, l.Words), slices.Repeat([]float32{unknown}, l.Numbers())
	e.Pack(words, v)
	e.Unpack(numbers, words)
	return words, numbers
}

// viewOf is the view of a position in play.
func viewOf(p *board.Position, whiteElo, blackElo int) *View {
	v := new(View)
	v.Play(board.NewGame(*p), whiteElo, blackElo)
	return v
}

// viewAt is the view of a line's ply.
func viewAt(t testing.TB, l *dataset.Line, ply int) *View {
	t.Helper()
	w, v := new(dataset.Walker), new(View)
	if err := w.At(l, ply); err != nil {
		t.Fatal(err)
	}
	v.Visit(w, dataset.Counted{})
	return v
}

// eachRandomPosition checks the positions of random games from all starts.
func eachRandomPosition(t *testing.T, check func(testing.TB, *board.Position)) {
	t.Helper()
	for _, fen := range starts {
		for seed := range uint64(3) {
			line := randomLine(seed, parseFEN(t, fen), 80)
			var w dataset.Walker
			w.Reset(&line)
			for w.Next() {
				check(t, w.Position())
			}
		}
	}
}

// fuzzLines checks lines whose moves the bytes choose among the legal ones.
func fuzzLines(f *testing.F, check func(*testing.T, dataset.Line)) {
	f.Add(uint8(0), []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(2), []byte("castling"))
	f.Add(uint8(4), []byte("pawns run to the end"))
	f.Add(uint8(5), []byte("pawns capture in passing"))
	f.Add(uint8(8), []byte{0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, start uint8, choice []byte) {
		check(t, chosenLine(parseFEN(t, starts[int(start)%len(starts)]), choice))
	})
}

// fuzzPositions checks the positions of such lines.
func fuzzPositions(f *testing.F, check func(testing.TB, *board.Position)) {
	fuzzLines(f, func(t *testing.T, l dataset.Line) {
		p := l.Start
		check(t, &p)
		for _, m := range l.Moves {
			p.Play(m)
			check(t, &p)
		}
	})
}
