package board_test

import (
	"fmt"
	"log"

	"talbot/board"
)

func Example() {
	p, err := board.ParseFEN("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(p.LegalMoves(nil)), "legal moves")

	m, err := p.ParseSAN([]byte("Qxf7#")) // h5f7 works too
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m, p.SAN(m))
	p.Play(m)
	fmt.Println(p.IsCheckmate(), p.FEN())
	// Output:
	// 43 legal moves
	// h5f7 Qxf7#
	// true r1bqkb1r/pppp1Qpp/2n2n2/4p3/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 0 4
}

func ExamplePosition_ParseSAN() {
	p := board.StartPosition()
	for _, text := range []string{"Nf3", "g1f3", "Nd2"} {
		m, err := p.ParseSAN([]byte(text))
		fmt.Println(m, err)
	}
	// Output:
	// g1f3 <nil>
	// g1f3 <nil>
	// 0000 illegal move "Nd2"
}

// A game knows how often its present position occurred before.
func ExampleGame() {
	g := board.NewGame(board.StartPosition())
	for _, uci := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
		m, err := g.Position().ParseUCI(uci)
		if err != nil {
			log.Fatal(err)
		}
		g.Push(m)
	}
	fmt.Println("after", g.Ply(), "plies the position occurred", g.Repetitions(), "time before")
	fmt.Println("one ply ago:", g.Previous(1).EPD())
	// Output:
	// after 4 plies the position occurred 1 time before
	// one ply ago: rnbqkb1r/pppppppp/5n2/8/8/8/PPPPPPPP/RNBQKBNR b KQkq -
}

func ExamplePerft() {
	p := board.StartPosition()
	for depth := 1; depth <= 4; depth++ {
		fmt.Println(depth, board.Perft(&p, depth))
	}
	// Output:
	// 1 20
	// 2 400
	// 3 8902
	// 4 197281
}
