package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"talbot/board"
	"talbot/dataset"
	"talbot/stockfish"
)

// crowd is a simulated pool without engines: workers answer questions, honestly or not, and what the pool draws is
// searched again by whoever it asks.
type crowd struct {
	*run
	lies   map[int]func(ply int) bool // by worker
	banned map[int]bool
}

func newCrowd(seed uint64, lies map[int]func(int) bool) *crowd {
	c := &crowd{lies: lies, banned: map[int]bool{}}
	p := newPool(Share{})
	p.config, p.prints = stockfish.Config{Limit: stockfish.Nodes(1)}, make([]dataset.Fingerprint, 1)
	p.random = rand.New(rand.NewPCG(seed, 1))
	p.workers = func() (int, int) { return 10, len(lies) }
	p.banned = func(w int) bool { return c.banned[w] }
	p.ban = func(w int, _ string) error { c.banned[w] = true; return nil }
	c.run = &run{Pool: p, open: map[int64]*openLine{}}
	return c
}

// said is what a worker says of a position; worker 0 is right.
func (c *crowd) said(worker, ply int) []dataset.Label {
	score := 10
	if worker > 0 && c.lies[worker] != nil && c.lies[worker](ply) {
		score = 11
	}
	return []dataset.Label{{Status: dataset.Labelled, Best: 1,
		Lines: []dataset.Searched{{Score: dataset.Centipawns(score), PV: []board.Move{1}}}}}
}

// search has all pending checks made: half and half by the own engines and by a worker that is drawn.
func (c *crowd) search(rng *rand.Rand, workers []int) error {
	for len(c.checks.open) > 0 {
		for len(c.checks.own) > 0 {
			b := &batch{checks: c.checks.own[:1:1]}
			k := b.checks[0]
			c.checks.own = c.checks.own[1:]
			c.ownRunning++
			result := stockfish.Result{Labels: c.said(0, k.plies[0])}
			if err := c.ownDone(ownResult{batch: b, result: result}); err != nil {
				return err
			}
			if err := c.ownDone(ownResult{batch: b, over: true}); err != nil {
				return err
			}
		}
		for len(c.checks.others) > 0 {
			k := c.checks.others[0]
			c.checks.others = c.checks.others[1:]
			w := workers[rng.IntN(len(workers))]
			q := k.question
			if !c.resolve(&q) {
				return errors.New("a check is not known")
			}
			if err := c.record(w, &q, []outcome{{labels: c.said(w, k.plies[0])}}); err != nil {
				return err
			}
			if c.checks.open[k.index] == k && k.second == 0 {
				c.checks.lost([]*check{k})
			}
		}
	}
	return nil
}

// until has a worker answer positions until it is caught, and returns how many that took; honest workers never are.
func (c *crowd) until(t *testing.T, liar int, rng *rand.Rand, workers []int, most int) int {
	moves := make([]board.Move, maxMoves)
	const at = 20 // positions in an answer
	for n := 0; n < most; n += at {
		q := question{start: board.StartPosition(), moves: moves}
		var outcomes []outcome
		var fresh []int
		for i := range at {
			ply := (n + i) % maxMoves
			q.plies = append(q.plies, ply)
			outcomes = append(outcomes, outcome{labels: c.said(liar, ply)})
			fresh = append(fresh, i)
		}
		c.draw(liar, &q, outcomes, fresh)
		if err := c.search(rng, workers); err != nil {
			var w *WithdrawnError
			if !errors.As(err, &w) || !c.banned[w.Worker] || c.lies[w.Worker] == nil {
				t.Fatalf("%v, banned %v", err, c.banned)
			}
			if w.Worker == liar {
				return n + at
			}
		}
	}
	return most
}

// forging returns a lie about that share of the positions, the same whoever asks.
func forging(seed uint64, share float64) func(int) bool {
	return func(ply int) bool { return rand.New(rand.NewPCG(seed, uint64(ply))).Float64() < share }
}

// TestForgers: who forges one label in a hundred is caught within 100,000 of its positions, also if another one
// backs it, in at least 99 of 100 runs; nobody else is.
func TestForgers(t *testing.T) {
	runs := 20
	if os.Getenv("TALBOT_FULL") != "" {
		runs = 100
	}
	for _, colluding := range []bool{false, true} {
		caught, sum, longest := 0, 0, 0
		for seed := range uint64(runs) {
			lie := forging(seed, 0.01)
			lies := map[int]func(int) bool{1: lie, 2: nil, 3: nil}
			if colluding {
				lies[2] = lie
			}
			const most = 100_000
			n := newCrowd(seed, lies).until(t, 1, rand.New(rand.NewPCG(seed, 2)), []int{1, 2, 3}, most)
			if n < most {
				caught++
			}
			sum, longest = sum+n, max(longest, n)
		}
		t.Logf("colluding %v: %d of %d caught, after %d positions on average, %d at most", colluding, caught, runs,
			sum/runs, longest)
		if caught*100 < runs*99 {
			t.Errorf("colluding %v: only %d of %d were caught", colluding, caught, runs)
		}
	}
}

// An honest worker beside a liar is never banned, whoever of them is checked by whom.
func TestHonestStay(t *testing.T) {
	for seed := range uint64(20) {
		c := newCrowd(seed, map[int]func(int) bool{1: nil, 2: forging(seed, 0.5)})
		rng := rand.New(rand.NewPCG(seed, 3))
		c.until(t, 1, rng, []int{1, 2}, 20_000)
		if c.banned[1] {
			t.Error(fmt.Sprint("seed ", seed, ": the honest one is banned"))
		}
		if !c.banned[2] {
			t.Error(fmt.Sprint("seed ", seed, ": the liar that is asked for second answers is not banned"))
		}
	}
}

// TestWorkersMixDepths: an answer with lines of different depths is not taken.
func TestWorkersMixDepths(t *testing.T) {
	start := board.StartPosition()
	legal := start.LegalMoves(nil)
	l := dataset.Label{Status: dataset.Labelled, Best: legal[0]}
	for i := range 3 {
		l.Lines = append(l.Lines, dataset.Searched{Depth: 8, Nodes: 9, PV: legal[i : i+1]})
	}
	p := &Pool{config: stockfish.Config{MultiPV: 3}}
	q := &question{start: start, plies: []int{0}}
	if err := p.checkLabels(q, []outcome{{labels: []dataset.Label{l}}}); err != nil {
		t.Error(err)
	}
	for i := range l.Lines {
		mixed := l
		mixed.Lines = slices.Clone(l.Lines)
		mixed.Lines[i].Depth++
		if err := p.checkLabels(q, []outcome{{labels: []dataset.Label{mixed}}}); err == nil {
			t.Errorf("line %d is of another depth", i+1)
		}
	}
}
