package encode

import (
	"math/rand/v2"
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

// fuzzPositions checks the positions of a game whose moves the bytes choose among the legal ones.
func fuzzPositions(f *testing.F, check func(testing.TB, *board.Position)) {
	f.Add(uint8(0), []byte{1, 2, 3, 4, 5, 6, 7, 8})
	f.Add(uint8(4), []byte("pawns run to the end"))
	f.Add(uint8(7), []byte{0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, start uint8, choice []byte) {
		p := parseFEN(t, starts[int(start)%len(starts)])
		check(t, &p)
		for _, m := range chosenLine(p, choice).Moves {
			p.Play(m)
			check(t, &p)
		}
	})
}
