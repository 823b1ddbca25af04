// Command makeopenings makes the openings that talbot has with it: lines of moves from the start position that lead to
// different, balanced positions.
//
// The first move of each side is any legal one. Every other is drawn, with equal chances, from the engine's eight best
// whose scores are at most --within centipawns below the best. A line is kept if the position that it leads to is new,
// its side to move is not in check, and a longer search scores it at most --balance centipawns either way. The engine's
// memory is cleared before each search and its limits are nodes, so the same engine and seed give the same bytes with
// any number of workers.
//
//	go run ./scripts/makeopenings --out play/match/openings.txt.zst
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

func main() {
	log.SetFlags(0)
	var m maker
	out := flag.String("out", "openings.txt.zst", "file to write")
	flag.StringVar(&m.engine, "engine", "stockfish", "engine")
	flag.IntVar(&m.count, "count", 6000, "lines to make")
	flag.IntVar(&m.plies, "plies", 8, "plies of a line")
	flag.IntVar(&m.within, "within", 60, "centipawns that a move may be below the best")
	flag.IntVar(&m.balance, "balance", 50, "centipawns that a kept position may be worth, either way")
	flag.Int64Var(&m.nodes, "nodes", 3000, "nodes to choose a move by")
	flag.Int64Var(&m.check, "check", 20_000, "nodes to score the last position with")
	flag.Uint64Var(&m.seed, "seed", 1, "seed")
	flag.IntVar(&m.workers, "workers", stockfish.DefaultWorkers(), "lines made at the same time")
	flag.Parse()
	lines, drawn, err := m.make(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		log.Fatal(err)
	}
	w.Write([]byte(text))
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, b.Bytes(), 0o666); err != nil {
		log.Fatal(err)
	}
	first := map[string]int{}
	for _, l := range lines {
		first[l[:4]]++
	}
	fmt.Printf("%s: %d of %d lines kept, %d bytes (%d as text), %d first moves %v\n", *out, len(lines), drawn, b.Len(),
		len(text), len(first), first)
}

// maker makes lines.
type maker struct {
	engine          string
	count, plies    int
	within, balance int
	nodes, check    int64
	seed            uint64
	workers         int
	known           sync.Map // moves to choose from, by position
}

// line is one that was drawn; without moves it is not kept.
type line struct {
	text string
	end  board.Position
	err  error
}

// batch is how many lines are drawn before it is looked at which are kept.
const batch = 256

// make returns the lines, and how many were drawn.
func (m *maker) make(ctx context.Context) (lines []string, drawn int, err error) {
	seen := map[string]bool{}
	workers := make([]worker, m.workers)
	for i := range workers {
		if workers[i], err = m.start(ctx); err != nil {
			return nil, 0, err
		}
		defer workers[i].close()
	}
	for len(lines) < m.count {
		results := make([]line, batch)
		var next sync.Mutex
		n := 0
		var group sync.WaitGroup
		for i := range workers {
			group.Go(func() {
				for {
					next.Lock()
					k := n
					n++
					next.Unlock()
					if k >= batch {
						return
					}
					results[k] = m.draw(ctx, &workers[i], drawn+k)
				}
			})
		}
		group.Wait()
		for _, l := range results {
			if l.err != nil {
				return nil, 0, l.err
			}
			if l.text != "" && !seen[l.end.EPD()] && len(lines) < m.count {
				seen[l.end.EPD()] = true
				lines = append(lines, l.text)
			}
		}
		drawn += batch
		log.Printf("%d of %d", len(lines), drawn)
	}
	return lines, drawn, nil
}

// worker has an engine to choose moves and one to score positions.
type worker struct{ choose, score *stockfish.Engine }

func (m *maker) start(ctx context.Context) (w worker, err error) {
	if w.choose, err = stockfish.Start(ctx, stockfish.Config{Path: m.engine, Limit: stockfish.Nodes(m.nodes), Hash: 1,
		MultiPV: 8}); err != nil {
		return w, err
	}
	w.score, err = stockfish.Start(ctx, stockfish.Config{Path: m.engine, Limit: stockfish.Nodes(m.check), Hash: 1})
	return w, err
}

func (w *worker) close() {
	_ = w.choose.Close()
	_ = w.score.Close()
}

// draw draws the k-th line.
func (m *maker) draw(ctx context.Context, w *worker, k int) line {
	rng := rand.New(rand.NewPCG(m.seed, uint64(k)))
	start := board.StartPosition()
	p := start
	var moves []board.Move
	var words []string
	for ply := range m.plies {
		good := p.LegalMoves(nil)
		if ply >= 2 {
			var err error
			if good, err = m.good(ctx, w, &p); err != nil {
				return line{err: err}
			}
		}
		if len(good) == 0 {
			return line{}
		}
		move := good[rng.IntN(len(good))]
		p.Play(move)
		moves, words = append(moves, move), append(words, move.String())
	}
	if p.InCheck() {
		return line{}
	}
	labels, err := w.score.Search(ctx, start, moves)
	if err != nil {
		return line{err: err}
	}
	if labels[0].Status != dataset.Labelled {
		return line{}
	}
	if cp, ok := labels[0].Lines[0].Score.Centipawns(); !ok || max(cp, -cp) > m.balance {
		return line{}
	}
	return line{text: strings.Join(words, " "), end: p}
}

// good returns the moves that may be played.
func (m *maker) good(ctx context.Context, w *worker, p *board.Position) ([]board.Move, error) {
	if known, ok := m.known.Load(p.FEN()); ok {
		return known.([]board.Move), nil
	}
	// The past does not matter: without it a position has the same moves on every way that leads to it.
	labels, err := w.choose.Search(ctx, *p, nil)
	if err != nil {
		return nil, err
	}
	var good []board.Move
	if l := labels[0]; l.Status == dataset.Labelled {
		for _, s := range l.Lines {
			if s.Score >= l.Lines[0].Score-dataset.Score(m.within) {
				good = append(good, s.PV[0])
			}
		}
	}
	m.known.Store(p.FEN(), good)
	return good, nil
}
