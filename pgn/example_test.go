package pgn_test

import (
	"fmt"
	"io"
	"log"
	"strings"

	"talbot/formats/rows"
	"talbot/pgn"
)

func Example() {
	const text = `[White "Morphy"]
[Result "1-0"]

1. e4 e5 2. Nf3 {[%clk 0:01]} d6 (2... Nc6) 1-0

[White "Nobody"]

1. e4 e5 2. Ke3 *
`
	in, err := rows.NewInput("example", strings.NewReader(text)) // or rows.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	splitter, parser := pgn.NewSplitter(in), new(pgn.Parser)
	for {
		batch, err := splitter.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, game := range batch.Games {
			line, reject := parser.Parse(game)
			if reject != nil {
				fmt.Println("left out, number", reject.Number, "at byte", reject.Offset, reject.Reason, reject.Token)
				continue
			}
			fmt.Println(line.Tags, line.Moves, line.Result)
		}
		batch.Release()
	}
	// Output:
	// [{White Morphy}] [e2e4 e7e5 g1f3 d7d6] 1-0
	// left out, number 2 at byte 82 illegal_move Ke3
}
