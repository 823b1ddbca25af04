package dataset_test

import (
	"fmt"
	"log"

	"talbot/board"
	"talbot/dataset"
)

// A line is walked from sample to sample; the game that the walker shows has the real past.
func ExampleWalker() {
	line := dataset.Line{Start: board.StartPosition(), Source: dataset.SourceGame, Result: dataset.WhiteWins}
	p := line.Start
	for _, san := range []string{"e4", "e5", "Nf3"} {
		m, err := p.ParseSAN([]byte(san))
		if err != nil {
			log.Fatal(err)
		}
		line.Moves = append(line.Moves, m)
		p.Play(m)
	}
	if err := line.Check(); err != nil {
		log.Fatal(err)
	}

	var w dataset.Walker
	w.Reset(&line)
	for w.Next() {
		fmt.Println(w.Ply(), w.Position().FEN(), "played", line.Moves[w.Ply()])
	}
	// Output:
	// 0 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 played e2e4
	// 1 rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1 played e7e5
	// 2 rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 played g1f3
}
