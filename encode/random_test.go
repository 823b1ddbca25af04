package encode

import (
	"math/rand/v2"

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
