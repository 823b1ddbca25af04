// Makesample plays the games and finds the puzzles of the folder examples/ with Stockfish.
//
// It turns a seed into games.pgn, engine games in PGN, and puzzles.csv, tactics found in these games in the columns
// of the Lichess puzzle database. Every search is limited by nodes and starts from an empty hash, and every game draws
// from a generator of its own, so that the same seed and the same Stockfish version give the same bytes at any number
// of workers. It starts one goroutine and one engine process a worker.
//
//	go run ./scripts/makesample --out examples
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

type options struct {
	out     string
	engine  string
	games   int
	puzzles int
	seed    uint64
	workers int
}

func main() {
	var o options
	flag.StringVar(&o.out, "out", "examples", "folder to write games.pgn and puzzles.csv to")
	flag.StringVar(&o.engine, "engine", "stockfish", "the Stockfish executable")
	flag.IntVar(&o.games, "games", 2000, "number of games to play")
	flag.IntVar(&o.puzzles, "puzzles", 150, "most puzzles to keep")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of every random choice")
	flag.IntVar(&o.workers, "workers", runtime.NumCPU(), "engine processes")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "makesample: error:", err)
		os.Exit(1)
	}
}

// made is what came of one game.
type made struct {
	game    *game
	puzzles []puzzle
}

func run(o options) error {
	if o.games < 1 || o.puzzles < 0 || o.workers < 1 {
		return errors.New("games and workers must be positive, puzzles not negative")
	}
	results, err := play(o)
	if err != nil {
		return err
	}
	var pgn, csv bytes.Buffer
	csv.WriteString(puzzleHeader)
	plies, puzzles := 0, 0
	for _, m := range results {
		m.game.writePGN(&pgn)
		plies += len(m.game.moves)
		for _, p := range m.puzzles {
			if puzzles < o.puzzles {
				puzzles++
				p.writeRow(&csv, puzzles)
			}
		}
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.out, "games.pgn"), pgn.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.out, "puzzles.csv"), csv.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Printf("%d games, %d plies, %d puzzles\n", len(results), plies, puzzles)
	return nil
}

// play plays all games and looks for puzzles in them. The results are in the order of the games.
func play(o options) ([]made, error) {
	results := make([]made, o.games)
	failures := make([]error, o.workers)
	numbers := make(chan int, o.games)
	for i := range o.games {
		numbers <- i
	}
	close(numbers)
	var wg sync.WaitGroup
	for w := range o.workers {
		wg.Go(func() {
			e, err := startEngine(o.engine)
			if err != nil {
				failures[w] = err
				return
			}
			defer e.close()
			for i := range numbers {
				m, err := one(e, o.seed, i+1)
				if err != nil {
					failures[w] = fmt.Errorf("game %d: %w", i+1, err)
					return
				}
				results[i] = m
				fmt.Fprintf(os.Stderr, "game %d: %d plies, %s, %d puzzles\n", i+1, len(m.game.moves), m.game.result,
					len(m.puzzles))
			}
		})
	}
	wg.Wait()
	return results, errors.Join(failures...)
}

func one(e *engine, seed uint64, number int) (made, error) {
	g, err := playGame(e, seed, number)
	if err != nil {
		return made{}, err
	}
	if number > puzzleGames {
		return made{game: g}, nil
	}
	puzzles, err := findPuzzles(e, g)
	return made{g, puzzles}, err
}
