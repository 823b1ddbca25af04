package stockfish_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"talbot/board"
	"talbot/stockfish"
)

func Example() {
	path, remove := engine() // usually stockfish.Find("")
	defer remove()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	e, err := stockfish.Start(ctx, stockfish.Config{Path: path, Limit: stockfish.Nodes(1000)})
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	start, err := board.ParseFEN("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4")
	if err != nil {
		log.Fatal(err)
	}
	labels, err := e.Search(ctx, start, nil) // of the position after no moves; one label for each fingerprint
	if err != nil {
		log.Fatal(err)
	}
	mate, _ := labels[0].Lines[0].Score.Mate()
	fmt.Println(labels[0].Status, labels[0].Best, "mate in", mate)
	// Output:
	// labelled h5f7 mate in 1
}

// engine returns Stockfish where it is installed, else a script that knows the answer.
func engine() (path string, remove func()) {
	if path, err := stockfish.Find(""); err == nil {
		return path, func() {}
	}
	dir, err := os.MkdirTemp("", "engine")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "engine")
	if err := os.WriteFile(path, []byte(`#!/bin/sh
while read -r word rest; do
	case $word in
	uci)
		echo 'id name Script'
		echo 'option name Threads type spin default 1 min 1 max 1'
		echo 'option name Hash type spin default 16 min 1 max 1024'
		echo 'option name MultiPV type spin default 1 min 1 max 1'
		echo uciok ;;
	isready) echo readyok ;;
	go)
		echo 'info depth 1 seldepth 1 multipv 1 score mate 1 nodes 20 nps 1000 time 1 pv h5f7'
		echo 'bestmove h5f7' ;;
	quit) exit ;;
	esac
done
`), 0o700); err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}
