package encode_test

import (
	"fmt"
	"log"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
)

// What a network of the recipe talbotbot reads of the position after 1.e4, and what it may answer.
func Example() {
	g := board.NewGame(board.StartPosition())
	e4, err := g.Position().ParseUCI("e2e4")
	if err != nil {
		log.Fatal(err)
	}
	g.Push(e4)

	var e encode.TalbotBot
	var view encode.View
	view.Play(g, 0, 0) // ratings are not known

	layout := e.Layout()
	packed := make([]uint64, layout.Words) // as it is kept in memory and travels to the device
	e.Pack(packed, &view)
	numbers := make([]float32, layout.Numbers()) // as the network sees it
	e.Unpack(numbers, packed)
	fmt.Println(layout.Words, "words become", layout.Shape, "numbers")
	fmt.Println("Black is to move:", numbers[16*64]) // plane 16

	for _, m := range view.Legal()[:2] {
		index := e.MoveIndex(g.Position(), m)
		back, _ := e.Move(g.Position(), index)
		fmt.Println(m, "has the index", index, "which is", back)
	}
	// Output:
	// 21 words become [68 8 8] numbers
	// Black is to move: 1
	// a7a5 has the index 585 which is a7a5
	// a7a6 has the index 584 which is a7a6
}

// The value that a network learns from a score of the side to move.
func ExampleTalbotBot_Value() {
	var e encode.TalbotBot
	for _, score := range []dataset.Score{dataset.Centipawns(0), dataset.Centipawns(100), dataset.MateIn(2),
		dataset.MateIn(-1)} {
		value, _ := e.Value(score)
		fmt.Printf("%+.5f\n", value)
	}
	// Output:
	// +0.00000
	// +0.27819
	// +0.99985
	// -1.00000
}
