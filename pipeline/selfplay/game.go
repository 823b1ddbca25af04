package selfplay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/splitmix"
	"talbot/play/match"
	"talbot/play/mcts"
)

// selfGame is a game under way.
type selfGame struct {
	*collection
	random      *rand.Rand
	full, fast  mcts.Searcher
	board       *board.Game
	line        dataset.Line
	labels      []dataset.Label
	predictions []dataset.Prediction
	plies       int    // that were searched
	retracted   int    // of them, moves at which the network alone had chosen an illegal one
	bad         [2]int // moves in a row after which a side would resign
	playOn      bool
	resigned    board.Color // who would have resigned first
	resigns     bool        // one side would have
}

// resignAfter is how many bad moves in a row make a side resign.
const resignAfter = 2

// playedOn: in one of ten games, at random, neither side resigns.
const playedOn = 10

// treeBytes is the memory that the tree of a search may take.
const treeBytes = 64 << 20

// game plays a game. Its random choices do not depend on other games.
func (p *collection) game(ctx context.Context, e mcts.Evaluator, number int64, from dataset.Line) (dataset.Line,
	error) {
	g := &selfGame{collection: p, random: rand.New(rand.NewPCG(p.Seed, uint64(number)))}
	o := p.Style.Options
	o.Verbose, o.FreshTree, o.Batch, o.CacheSize, o.Hash = true, true, 1, 0, treeBytes
	o.Seed = splitmix.Mix(p.Seed) + uint64(number)
	var err error
	if g.full, err = mcts.New(p.Style.Searcher, e, o); err != nil {
		return dataset.Line{}, err
	}
	o.GumbelNoise, o.RootNoise = 0, 0
	if g.fast, err = mcts.New(p.Style.Searcher, e, o); err != nil {
		return dataset.Line{}, err
	}
	g.playOn = g.random.IntN(playedOn) == 0
	g.board = board.NewGame(from.Start)
	g.line = dataset.Line{Source: dataset.SourceSelfPlay, Number: number, Start: from.Start,
		Reconstructed: from.Reconstructed}
	for _, m := range from.Moves {
		g.push(m)
	}
	end, err := g.playOut(ctx)
	if err == nil && g.plies == 0 {
		err = fmt.Errorf("it is over before the first search (%s)", end)
	}
	if err != nil {
		return dataset.Line{}, fmt.Errorf("game %d, ply %d: %w", number, len(g.line.Moves), err)
	}
	g.line.Tags = []dataset.Tag{{Name: "End", Value: string(end)}}
	if g.resigns {
		g.line.Tags = append(g.line.Tags, dataset.Tag{Name: "Resigned", Value: g.resigned.String()})
	}
	if p.Style.alone() {
		g.line.Tags = append(g.line.Tags, dataset.Tag{Name: retractedTag, Value: strconv.Itoa(g.retracted)})
	}
	g.sample(len(from.Moves))
	return g.line, nil
}

// playOut searches and plays until the game ends.
func (g *selfGame) playOut(ctx context.Context) (match.End, error) {
	for {
		turn := g.board.Position().Turn()
		if end, over := match.Over(g.board); over {
			g.line.Result = end.Result(turn)
			return end, nil
		}
		if result, known, err := g.Tables.result(ctx, g.board.Position()); err != nil || known {
			g.line.Result = result
			return match.ByTables, err
		}
		if g.plies >= g.Style.MostPlies {
			if !g.Style.Truncate {
				g.line.Result = dataset.Draw
			}
			return match.ByLength, nil
		}
		searcher, nodes, fast := g.full, g.Style.Nodes, false
		if g.Style.FastShare > 0 && g.random.Float64() < g.Style.FastShare {
			searcher, nodes, fast = g.fast, g.Style.FastNodes, true
		}
		searcher.Position(&g.line.Start, g.line.Moves)
		r, err := searcher.Search(ctx, mcts.Limits{Nodes: nodes}, nil)
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return "", err
		}
		g.nodes.Add(r.Nodes)
		g.report(false)
		g.plies++
		if g.Style.alone() {
			g.choose(r)
			continue
		}
		g.keep(r, fast)
		if g.resign(turn, r.Root.Value) {
			g.line.Result = match.Winner(turn, false)
			return match.ByResign, nil
		}
		g.push(r.Lines[0].PV[0])
	}
}

func (g *selfGame) push(m board.Move) {
	g.line.Moves = append(g.line.Moves, m)
	g.board.Push(m)
}

// resign reports whether the side to move resigns, with the value of its search.
func (g *selfGame) resign(turn board.Color, value float32) bool {
	if g.bad[turn]++; g.Style.Resign <= 0 || float64(value) > -g.Style.Resign {
		g.bad[turn] = 0
	}
	if g.bad[turn] < resignAfter {
		return false
	}
	if !g.resigns {
		g.resigns, g.resigned = true, turn
	}
	return !g.playOn
}

// retractedTag is the tag of how many illegal choices of a network without a search were taken back.
const retractedTag = "Retracted"

// choose plays what the network alone chose. An illegal choice is taken back: its sample has no policy, so that it
// teaches nothing but which moves are legal, and the best legal move is played.
func (g *selfGame) choose(r *mcts.Report) {
	m := r.Lines[0].PV[0]
	var policy []dataset.WeightedMove
	if r.Illegal == 0 {
		policy = []dataset.WeightedMove{{Move: m, Weight: mostWeight}}
	} else {
		g.retracted++
		m = slices.MaxFunc(r.Lines, func(a, b mcts.Line) int { return cmp.Compare(a.Prior, b.Prior) }).PV[0]
	}
	g.line.Policies = append(g.line.Policies, policy)
	g.predictions = append(g.predictions, raw(r, g.Style.Raw))
	g.push(m)
}

// keep stores what a search found.
func (g *selfGame) keep(r *mcts.Report, fast bool) {
	best := 0
	for i := range r.Lines {
		if r.Lines[i].Target > r.Lines[best].Target {
			best = i
		}
	}
	m := r.Lines[best].PV[0]
	value, chances := r.Root.Value, r.Root.WDL
	if g.Style.BestValue {
		value, chances = r.Lines[best].Value, r.Lines[best].WDL
	}
	found := dataset.Searched{Score: dataset.Centipawns(g.Network.Centipawns(value)), WDL: perMille(chances),
		Depth: r.Depth, Nodes: r.Nodes, PV: []board.Move{m}}
	if l := &r.Lines[best]; l.Mate != 0 && l.Value == r.Root.Value {
		found.Score = dataset.MateIn(l.Mate)
	}
	g.labels = append(g.labels, dataset.Label{Status: dataset.Labelled, Best: m, Lines: []dataset.Searched{found}})
	g.predictions = append(g.predictions, raw(r, g.Style.Raw))
	var policy []dataset.WeightedMove
	for i := range r.Lines {
		l := &r.Lines[i]
		if w := math.Round(mostWeight * float64(l.Target/r.Lines[best].Target)); w > 0 && !fast {
			policy = append(policy, dataset.WeightedMove{Move: l.PV[0], Weight: float32(w)})
		}
	}
	g.line.Policies = append(g.line.Policies, policy)
}

// mostWeight is the weight of a policy's best move; those of the others are whole numbers, too, which take little room.
const mostWeight = 255

// perMille rounds chances so that they sum to 1000.
func perMille(chances [3]float32) dataset.WDL {
	win, loss := math.Round(1000*float64(chances[0])), math.Round(1000*float64(chances[2]))
	loss = min(loss, 1000-win)
	return dataset.WDL{Win: uint16(win), Draw: uint16(1000 - win - loss), Loss: uint16(loss)}
}

// raw is the network's own prediction for a searched position, with the most probable moves.
func raw(r *mcts.Report, top int) dataset.Prediction {
	p := dataset.Prediction{Status: dataset.Predicted, Value: dataset.QuantizeValue(float64(r.Raw.Value))}
	for i := range r.Lines {
		l := &r.Lines[i]
		p.Moves = append(p.Moves, dataset.PriorMove{Move: l.PV[0],
			Prior: dataset.QuantizePrior(math.Log(float64(l.Prior)))})
	}
	slices.SortStableFunc(p.Moves, func(a, b dataset.PriorMove) int {
		return cmp.Or(cmp.Compare(a.Prior, b.Prior), cmp.Compare(a.Move, b.Move))
	})
	p.Moves = p.Moves[:min(top, len(p.Moves))]
	return p
}

// sample makes every position that was searched a sample.
func (g *selfGame) sample(first int) {
	g.line.Samples = dataset.PliesFrom(first, g.plies)
	if !g.Style.alone() {
		g.line.Labels = []dataset.LabelColumn{{Fingerprint: 0, Labels: g.labels}}
	}
	g.line.Predictions = []dataset.PredictionColumn{{Network: 0, Predictions: g.predictions}}
}

// Tables end games whose result they know. They are asked after each move and waited for, so that no game depends on
// how busy a machine is; searches do not ask them.
type Tables struct {
	Identity string // of their content, a setting as any other
	Pieces   int    // kings included; positions with more are not asked about
	// Probe returns the result of a position under the 50-move rule, for the side to move; false where it is not known.
	// It is called by one goroutine at a time.
	Probe func(ctx context.Context, p *board.Position) (dataset.Class, bool, error)

	mu sync.Mutex
}

// result is how a game ends with best play from a position; false where the tables do not know it.
func (t *Tables) result(ctx context.Context, p *board.Position) (r dataset.Result, known bool, err error) {
	if t == nil || p.Occupied().Len() > t.Pieces {
		return r, false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	class, known, err := t.Probe(ctx, p)
	if r = dataset.Draw; class != dataset.Drawn {
		r = match.Winner(p.Turn(), class == dataset.Won)
	}
	return r, known, err
}
