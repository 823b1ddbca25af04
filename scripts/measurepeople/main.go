// Command measurepeople measures what studio's page for people claims on games that its network was not trained on: how
// often a move that it says many play was the one that was played, and the same of its traps, by the rating of who was
// to move.
//
// For each position the page is read at the rating that is nearest to the mover's. "Many" and what a trap is are those
// of package play/people. The engine is asked at every k-th position of a game only; there the page is read twice, as
// the network says it and once the costs are known, and "many, and it loses" are the traps of the first reading.
// Intervals are 95 % bootstrap intervals over games, which are drawn with replacement.
//
//	go run ./scripts/measurepeople --run RUN --data DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"

	"talbot/board"
	"talbot/dataset"
	"talbot/encode"
	"talbot/play/engine"
	"talbot/play/people"
	"talbot/shards"
)

func main() {
	log.SetFlags(0)
	var m measurement
	data := flag.String("data", "", "dataset of games with ratings")
	split := flag.String("split", "test", "split whose games are taken")
	flag.StringVar(&m.config.Path, "run", "", "run of the recipe prior")
	flag.StringVar(&m.config.Backend, "backend", "go", "backend")
	flag.StringVar(&m.engine, "engine", "stockfish", "engine that says what moves cost")
	flag.Int64Var(&m.nodes, "nodes", 20_000, "nodes for each move; 0: no traps")
	flag.IntVar(&m.games, "games", 200, "games, drawn at random")
	flag.IntVar(&m.every, "every", 8, "the engine is asked at one of so many positions of a game")
	flag.Uint64Var(&m.seed, "seed", 1, "seed of the games and of the intervals")
	flag.Parse()
	lines, err := chooseGames(*data, *split, m.games, m.seed)
	if err == nil {
		err = m.measure(context.Background(), lines)
	}
	if err == nil {
		err = m.write(os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// chooseGames draws games in which both players have a rating.
func chooseGames(dir, split string, count int, seed uint64) ([]*dataset.Line, error) {
	of, err := dataset.ParseSplit(split)
	if err != nil {
		return nil, err
	}
	d, err := shards.OpenDataset(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	splits, rng, seen := d.Manifest.Splits, rand.New(rand.NewPCG(seed, 1)), 0
	var chosen []*dataset.Line
	for l, err := range d.Lines() {
		if err != nil {
			return nil, err
		}
		rated := l.Source == dataset.SourceGame && l.WhiteElo > 0 && l.BlackElo > 0
		if !rated || splits.Of(dataset.SplitKey(l)) != of {
			continue
		}
		seen++
		if len(chosen) < count {
			chosen = append(chosen, l)
		} else if i := rng.IntN(seen); i < count {
			chosen[i] = l
		}
	}
	if len(chosen) < count {
		return nil, fmt.Errorf("%s has %d games of the split %s with two ratings", dir, len(chosen), split)
	}
	return chosen, nil
}

// measurement is what was said of games, and what was played.
type measurement struct {
	config engine.Config
	engine string
	nodes  int64
	games  int
	every  int
	seed   uint64

	title  string
	judge  string
	counts []counts // by game
}

// claim are positions or moves that something was said of.
type claim struct {
	said   float64 // sum of the shares
	made   int     // how often it was said
	played int
}

func (c *claim) count(share float64, played bool) {
	c.made++
	c.said += share
	if played {
		c.played++
	}
}

// counts are those of a game, by band of the mover's rating; the last ones are of all.
type counts [bands + 1]struct {
	positions int
	first     claim // the likeliest move by the network
	many      claim // each move that many play by the network
	judged    int   // positions at which the engine was asked
	losing    claim // each that many play by the network, and that loses
	known     claim // each that many play once the costs are known
	traps     claim // each trap
	trapped   int   // positions with a trap
}

// bands is how many [encode.PriorBands] there are.
const bands = 4

// measure goes through the games.
func (m *measurement) measure(ctx context.Context, lines []*dataset.Line) error {
	n, err := people.Open(ctx, m.config)
	if err != nil {
		return err
	}
	defer n.Close()
	m.title = n.Title()
	var judge *people.Judge
	if m.nodes > 0 {
		if judge, err = people.NewJudge(ctx, m.engine, m.nodes); err != nil {
			return err
		}
		defer judge.Close()
		m.judge = judge.Name()
	}
	for i, l := range lines {
		var c counts
		if err := m.game(ctx, n, judge, l, i, &c); err != nil {
			return err
		}
		m.counts = append(m.counts, c)
	}
	return nil
}

// game reads the page at each position of a game.
func (m *measurement) game(ctx context.Context, n *people.Network, judge *people.Judge, l *dataset.Line, number int,
	c *counts) error {
	g := board.NewGame(l.Start)
	first := rand.New(rand.NewPCG(m.seed, uint64(number))).IntN(m.every)
	for ply, played := range l.Moves {
		p := g.Position()
		rating := l.WhiteElo
		if p.Turn() == board.Black {
			rating = l.BlackElo
		}
		column := people.Ratings()[people.Nearest(people.Ratings(), rating)]
		legal := p.LegalMoves(nil)
		shares, err := n.Shares(ctx, g, legal, []int{column})
		if err != nil {
			return err
		}
		v := people.NewView([]int{column}, legal, shares)
		asked := judge != nil && ply%m.every == first
		if asked {
			if err := judgeShown(ctx, judge, v, l, ply); err != nil {
				return err
			}
		}
		for _, band := range []int{dataset.BandOf(encode.PriorBands, rating), bands} {
			c.read(band, v, played, asked)
		}
		g.Push(played)
	}
	return nil
}

// judgeShown searches the position, and each move that the page shows.
func judgeShown(ctx context.Context, judge *people.Judge, v *people.View, l *dataset.Line, ply int) error {
	if err := judge.Best(ctx, v, l.Start, l.Moves[:ply]); err != nil {
		return err
	}
	for _, m := range v.Shown(board.NoMove, len(v.Moves)) {
		if err := judge.Move(ctx, v, l.Start, l.Moves[:ply], m); err != nil {
			return err
		}
	}
	return nil
}

// read counts what is said of a position.
func (c *counts) read(band int, v *people.View, played board.Move, asked bool) {
	b := &c[band]
	b.positions++
	b.first.count(v.Moves[0].Said[0], v.Moves[0].Move == played)
	if asked {
		b.judged++
	}
	trapped := false
	for i := range v.Moves {
		move := &v.Moves[i]
		if move.Said[0] >= people.Many {
			b.many.count(move.Said[0], move.Move == played)
			if cost, known := v.Cost(move); asked && known && cost >= people.Loses {
				b.losing.count(move.Said[0], move.Move == played)
			}
		}
		if asked && move.Shares[0] >= people.Many {
			b.known.count(move.Shares[0], move.Move == played)
		}
		if asked && v.Trap(move, 0) {
			trapped = true
			b.traps.count(move.Shares[0], move.Move == played)
		}
	}
	if trapped {
		b.trapped++
	}
}

// write prints a row for each band.
func (m *measurement) write(w io.Writer) error {
	fmt.Fprintf(w, "%d games; %s\n", len(m.counts), m.title)
	if m.judge != "" {
		fmt.Fprintf(w, "traps: %s, %d nodes a move, one of %d positions\n", m.judge, m.nodes, m.every)
	}
	for band := range bands + 1 {
		name := "all"
		if band < bands {
			name = encode.PriorBands[band].String()
		}
		total := m.sum(m.counts)[band]
		if total.positions == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s: %d positions\n", name, total.positions)
		m.row(w, "the likeliest move", band, func(c *counts) *claim { return &c[band].first })
		m.row(w, "many play this", band, func(c *counts) *claim { return &c[band].many })
		if m.judge != "" {
			m.row(w, "many, and it loses", band, func(c *counts) *claim { return &c[band].losing })
			m.row(w, "many play this, costs known", band, func(c *counts) *claim { return &c[band].known })
			m.row(w, fmt.Sprintf("traps, at %d of %d positions", total.trapped, total.judged), band,
				func(c *counts) *claim { return &c[band].traps })
		}
	}
	return nil
}
