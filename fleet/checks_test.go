package fleet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"talbot/board"
	"talbot/dataset"
	"talbot/internal/testkit"
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
	for len(c.checks) > 0 {
		for len(c.ownOnly) > 0 {
			b := c.ownOnly[0]
			c.ownOnly = c.ownOnly[1:]
			if !c.prune(b, true) {
				continue
			}
			c.ownRunning++
			result := stockfish.Result{Labels: c.said(0, b.positions[0].line.Plies[0])}
			if err := c.ownDone(ownResult{batch: b, result: result}); err != nil {
				return err
			}
			if err := c.ownDone(ownResult{batch: b, over: true}); err != nil {
				return err
			}
		}
		for len(c.others) > 0 {
			b := &batch{positions: c.others[0].positions()}
			c.others = c.others[1:]
			for c.prune(b, false) {
				l, w := b.positions[0].line, workers[rng.IntN(len(workers))]
				q := newQuestion(&l.Job)
				if !c.resolve(&q) {
					return errors.New("a check is not known")
				}
				if err := c.record(w, &q, []outcome{c.outcome(w, l.Plies[0])}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// outcome is what a worker answers for a position.
func (c *crowd) outcome(worker, ply int) outcome {
	labels := c.said(worker, ply)
	return outcome{Labels: labelBytes(labels), labels: labels}
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
			q.Plies = append(q.Plies, ply)
			outcomes = append(outcomes, c.outcome(liar, ply))
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
	q := &question{start: start, Plies: []int{0}}
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

// Batches are worth five seconds, and become smaller towards the end, down to a position each; where there are many
// engines they stay so large that there are not more than five hundred in a second.
func TestBatchSizes(t *testing.T) {
	for _, c := range []struct{ slots, last, most int }{{2, 1, 30}, {100, 2, 1000}, {1000, 20, 4500}} {
		p := &Pool{workers: func() (int, int) { return c.slots, 1 },
			share: Share{BatchTime: 5 * time.Second}, mean: 0.1}
		r := &run{Pool: p, ready: make([]position, 100*c.slots), ended: true, offered: 2 * c.slots}
		batches, size := 0, 50
		for len(r.ready) > 0 {
			n := r.size(p.share.BatchTime)
			if n > size || n < c.last {
				t.Fatalf("%d slots: %d positions after %d, with %d left", c.slots, n, size, len(r.ready))
			}
			size = n
			r.ready = r.ready[min(n, len(r.ready)):]
			batches++
		}
		if size != c.last || batches > c.most {
			t.Errorf("%d slots: %d batches, the last of %d", c.slots, batches, size)
		}
	}
	most := &run{Pool: &Pool{workers: func() (int, int) { return 1000, 1 }, mean: 0.1},
		ready: make([]position, 30_000), offered: 2000}
	if n := most.size(batchTime); n != 30 {
		t.Errorf("%d positions while there is more to come", n)
	}
	crowd := func() (int, int) { return 1000, 1 }
	begun, large := &run{Pool: &Pool{workers: crowd, mean: 0.1}, ready: make([]position, 1<<20)}, 0
	for range 1000 { // all engines get their first one
		switch n := begun.size(batchTime); {
		case n < 20 || n > 50:
			t.Errorf("a first batch of %d positions", n)
		case n > 35:
			large++
		}
	}
	if large < 300 || large > 700 {
		t.Errorf("%d of 1,000 first batches are larger than the mean", large)
	}
	fresh := &run{Pool: &Pool{workers: crowd, batch: map[uint64]*batch{}}, ready: make([]position, 1<<20)}
	sizes := map[int]bool{}
	for i := range uint64(100) {
		n := fresh.size(batchTime)
		sizes[n] = true
		if n < 1 || n > firstBatch {
			t.Errorf("%d positions before the speed is known", n)
		}
		fresh.batch[i] = &batch{}
	}
	if len(sizes) != firstBatch {
		t.Errorf("the first batches have %d sizes", len(sizes))
	}
}

// TestClaimedTimes: whatever time a worker claims to have spent, the size of batches stays near what the engines are
// worth.
func TestClaimedTimes(t *testing.T) {
	const position = 20 * time.Millisecond
	for _, c := range []struct {
		name    string
		honest  int           // workers beside the liar
		claim   time.Duration // for a batch
		passed  time.Duration // since it was offered
		answers int
	}{
		{"a day", 0, maxSpent, 8 * time.Second, 1}, {"a day, always", 0, maxSpent, 8 * time.Second, 200},
		{"a day, held for an hour", 0, maxSpent, time.Hour, 200}, {"a day among others", 3, maxSpent, time.Hour, 200},
		{"nothing", 0, 1, 8 * time.Second, 200}, {"nothing among others", 3, 1, 8 * time.Second, 200},
	} {
		r := &run{Pool: &Pool{workers: func() (int, int) { return 2, 1 }}}
		for range c.answers {
			r.updateMean(0, 50*position, 50)
			for i := range c.honest {
				r.updateMean(2+i, 240*position, 250)
			}
			r.updateMean(1, min(c.claim, c.passed), 250)
		}
		n, least, most := r.target(batchTime), 60, 1000
		if c.honest > 0 {
			least, most = 230, 270
		}
		if n < least || n > most {
			t.Errorf("%s: batches of %d positions, not about 250", c.name, n)
		}
	}
	r := &run{Pool: &Pool{}} // without own engines, or before they have answered
	r.updateMean(1, 8*time.Second, 250)
	if n := r.target(batchTime); n != 156 {
		t.Errorf("batches of %d positions", n)
	}
}

// TestClaimedTimeOfAnswers: an answer that comes back after five seconds cannot have taken a day.
func TestClaimedTimeOfAnswers(t *testing.T) {
	now := time.Unix(1e9, 0)
	p := newPool(Share{})
	p.now, p.workers = func() time.Time { return now }, func() (int, int) { return 2, 1 }
	p.prints, p.fleet = make([]dataset.Fingerprint, 1), &coordinator{}
	r := &run{Pool: p, open: map[int64]*openLine{}}
	var list []question
	for i := range int64(250) {
		list = append(list, question{Index: i, Plies: []int{0}})
	}
	for number := range uint64(20) {
		p.batch[number+1] = &batch{number: number + 1, offered: now.Add(-5 * time.Second)}
		d := &delivery{worker: 1, number: number + 1, query: encodeJSON(list),
			answer: encodeJSON(answer{maxSpent, make([]outcome, len(list))}), reply: func(err error) {
				if err != nil {
					t.Fatal(err)
				}
			}}
		testkit.OK(t, r.onResult(d))
		if n := r.target(batchTime); n < 240 || n > 260 {
			t.Fatalf("batches of %d positions after %d answers", n, number+1)
		}
	}
}
