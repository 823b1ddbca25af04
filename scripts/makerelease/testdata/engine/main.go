// Command engine is a UCI engine for tests on systems that have no Stockfish: it scores positions by their key and
// plays the first legal move.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"talbot/board"
)

func main() {
	pos := board.StartPosition()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		word, rest, _ := strings.Cut(strings.TrimRight(in.Text(), "\r"), " ")
		switch word {
		case "uci":
			fmt.Print("id name Test 1\nid author nobody\n" +
				"option name Threads type spin default 1 min 1 max 8\n" +
				"option name Hash type spin default 1 min 1 max 64\n" +
				"option name UCI_ShowWDL type check default false\nuciok\n")
		case "isready":
			fmt.Println("readyok")
		case "position":
			what, moves, _ := strings.Cut(rest, " moves ")
			pos = board.StartPosition()
			if fen, ok := strings.CutPrefix(what, "fen "); ok {
				var err error
				if pos, err = board.ParseFEN(fen); err != nil {
					panic(err)
				}
			}
			for _, text := range strings.Fields(moves) {
				move, err := pos.ParseUCI(text)
				if err != nil {
					panic(err)
				}
				pos.Play(move)
			}
		case "go":
			move := pos.LegalMoves(nil)[0]
			fmt.Printf("info depth 1 seldepth 1 multipv 1 score cp %d wdl 100 200 700 nodes 10 time 1 pv %s\n"+
				"bestmove %s\n", int(pos.Key()%2001)-1000, move, move)
		case "quit":
			return
		}
	}
}
