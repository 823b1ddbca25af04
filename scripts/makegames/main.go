// Command makegames writes games for measuring how talbot behaves with hundreds of millions of positions: PGN on
// standard output, the same bytes for the same flags with any number of workers.
//
// Random legal moves alone would give deduplication, overlap and aggregation no work. So games share their beginnings,
// about as those of masters do: they begin with talbot's own openings by popularity, and go on with the favourite moves
// of each position, the more rarely the longer they are.
//
// Measured, on all of a corpus of 328,546 master games, are the quantiles of lengths, years and ratings, the shares of
// results and of players without a rating, and the numbers of players, events and sites (distribution.go). Between
// quantiles values are drawn evenly. Chosen, so that positions repeat about as often as in a fifth of that corpus, are
// the popularity of openings and how often favourites are followed (game.go); the log has how near that comes. Assumed
// are how often a player or an event occurs, that nothing depends on anything else, and the other tags. So are the
// shares of repeated games: two of a hundred are copies of earlier ones with other tags, and one is the beginning of an
// earlier one.
//
//	go run ./scripts/makegames --positions 10000000 | talbot ingest - --out ten-million
//	go run ./scripts/makegames --measure DATASET --every 5
//
// The second form prints the figures of every fifth line of a dataset that the games are to have too.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"

	"talbot/internal/ordered"
	"talbot/play/match"
)

// block is how many games a worker makes at a time.
const block = 256

func main() {
	log.SetFlags(0)
	positions := flag.Int64("positions", 10_000_000, "stop after the game with this position (plies + 1 of each game)")
	seed := flag.Uint64("seed", 1, "seed")
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "games made at the same time")
	dir := flag.String("measure", "", "measure a dataset in place of making games")
	every := flag.Int64("every", 1, "measure every n-th line")
	flag.Parse()
	if *dir != "" {
		if err := measure(os.Stdout, *dir, *every); err != nil {
			log.Fatal(err)
		}
		return
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	games, err := write(context.Background(), out, *seed, *positions, *workers)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("%d games", games)
}

// made are some games in text, and where each ends.
type made struct {
	text      []byte
	ends      []int
	positions []int64
}

// write writes games until they have that many positions, and returns how many there are.
func write(ctx context.Context, out io.Writer, seed uint64, positions int64, workers int) (games int64, err error) {
	book, err := match.Book()
	if err != nil {
		return 0, err
	}
	if positions < 1 {
		return 0, fmt.Errorf("positions must be above 0: %d", positions)
	}
	m := newModel(seed, book.List)
	makers := make([]maker, workers)
	const most = 1 << 40 // games
	for b, err := range ordered.N(ctx, most/block, workers, func(worker, i int) (made, error) {
		return makers[worker].block(m, int64(i)*block), nil
	}) {
		if err != nil {
			return games, err
		}
		for i, end := range b.ends {
			games++
			if positions -= b.positions[i]; positions <= 0 {
				_, err := out.Write(b.text[:end])
				return games, err
			}
		}
		if _, err := out.Write(b.text); err != nil {
			return games, err
		}
	}
	return games, nil
}
