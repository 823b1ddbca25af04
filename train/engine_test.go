package train

import (
	"encoding/json"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"talbot/board"
	"talbot/encode"
	"talbot/train/backend"
	"talbot/train/model"
)

// synthetic is a deterministic source of a learnable task: the move is a function of where own pieces stand, the value
// of their number.
type synthetic struct {
	batch, k int
	at       int64
}

func (s *synthetic) Restore(state json.RawMessage) error { return json.Unmarshal(state, &s.at) }

func (s *synthetic) Next(b *Batch) error {
	s.at++
	s.fill(b, s.at)
	b.State, _ = json.Marshal(s.at)
	return nil
}

func (s *synthetic) fill(b *Batch, at int64) {
	rng := rand.New(rand.NewPCG(7, uint64(at)))
	n, k := s.batch, max(1, s.k)
	*b = Batch{N: n, Packed: make([]uint64, n*model.Words), PolicyIndex: make([]int32, n*k),
		PolicyWeight: make([]float32, n*k), Value: make([]float32, n), ValueWeight: make([]float32, n)}
	for i := range n {
		p := b.Packed[i*model.Words:][:model.Words]
		for j := range p {
			p[j] = rng.Uint64() & rng.Uint64() & rng.Uint64()
			if j%4 == 1 {
				p[j] &^= p[j-1] // there is no piece of all three bits
			}
		}
		king := rng.IntN(64)
		queen := (king + 1 + rng.IntN(63)) % 64
		p[0], p[1], p[2] = p[0]&^(1<<king)|1<<queen, p[1]&^(1<<queen)|1<<king, 1<<king|1<<queen // no others
		p[3] &^= 1<<king | 1<<queen
		for j := range k {
			b.PolicyIndex[i*k+j] = int32(king*73 + (queen+j)%64)
			b.PolicyWeight[i*k+j] = 1 / float32(k)
		}
		b.Value[i] = float32(bits.OnesCount64(p[0])-8) / 8
		b.Value[i] = max(-1, min(1, b.Value[i]))
		b.ValueWeight[i] = 1
		if rng.IntN(8) == 0 {
			b.ValueWeight[i] = 0
		}
	}
}

func tiny() Config {
	c, _ := Preset("")
	c.Blocks, c.Filters, c.Batch, c.Steps = 1, 8, 16, 12
	c.LogEvery, c.EvalEvery, c.CheckpointEvery, c.Warmup = 2, 4, 4, 3
	return c
}

// playing is a deterministic source of real positions: random games, of which the move of the lowest index is to be
// learnt.
type playing struct{ synthetic }

func (p *playing) Next(b *Batch) error {
	err := p.synthetic.Next(b)
	played(b, p.at)
	return err
}

func played(b *Batch, at int64) {
	rng := rand.New(rand.NewPCG(8, uint64(at)))
	var e encode.TalbotBot
	for i := range b.N {
		g := board.NewGame(board.StartPosition())
		for range 1 + rng.IntN(30) {
			if moves := g.Position().LegalMoves(nil); len(moves) > 1 {
				g.Push(moves[rng.IntN(len(moves))])
			}
		}
		e.Pack(b.Packed[i*model.Words:], g)
		b.PolicyIndex[i] = 0
		if legal := encode.LegalIndices(nil, e, g.Position()); len(legal) > 0 {
			b.PolicyIndex[i] = int32(slices.Min(legal))
		} else {
			b.PolicyWeight[i] = 0
		}
	}
}

// everything is tiny with every option of training on.
func everything() Config {
	c := tiny()
	c.EMA, c.Accumulate = 0.99, 2
	c.Schedule = "one-cycle"
	c.LabelSmoothing, c.LegalMask, c.HistoryDropout = 0.1, true, 0.5
	return c
}

func openTest(tb testing.TB, spec string) *backend.Opened {
	tb.Helper()
	b, err := backend.Open(spec)
	if err != nil && spec != "go" {
		tb.Skipf("NOT TESTED on %s: %v", spec, err)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// TestBackendsAgree compares every step's losses of a run with dropout, decay and clipping on both backends. Only
// rounding differs, and training amplifies it: 1e-5 relative after one step, 1e-3 after ten.
func TestBackendsAgree(t *testing.T) {
	c := tiny()
	c.Clip = 2
	var want [][]float64
	for i, spec := range specs {
		e, err := newEngine(openTest(t, spec), c)
		if err != nil {
			t.Fatal(err)
		}
		defer e.close()
		if err := e.forTraining(); err != nil {
			t.Fatal(err)
		}
		for step := range 10 {
			var b Batch
			(&synthetic{batch: c.Batch, k: 3}).fill(&b, int64(step))
			l, norm, err := e.step(&b, int64(step), 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.validate([]Batch{b})
			if err != nil {
				t.Fatal(err)
			}
			got := []float64{l.Loss, *l.PolicyCE, *l.ValueMSE, norm, *v.PolicyCE, *v.ValueMSE}
			if i == 0 {
				want = append(want, got)
				continue
			}
			tolerance := 1e-5 * math.Pow(100, float64(step)/9)
			for j := range got {
				if d := math.Abs(got[j]-want[step][j]) / want[step][j]; !(d <= tolerance) {
					t.Errorf("step %d, figure %d: %g on %s, %g on %s", step, j, got[j], spec, want[step][j], specs[0])
				}
			}
		}
	}
}

// TestLearns trains on a task with an answer: the king's rank decides move and value.
func TestLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains 150 steps")
	}
	c := tiny()
	c.Filters, c.Batch, c.Steps, c.LR, c.BlockDropout = 16, 64, 150, 1e-2, 0
	c.LogEvery, c.EvalEvery, c.CheckpointEvery = 50, 0, 0
	result := mustRun(t, c, Options{Dir: t.TempDir(), Backend: openTest(t, "go"),
		Source: &easy{synthetic{batch: c.Batch}}, Val: func() []Batch {
			b := valBatches(c, 2)
			for i := range b {
				simplify(&b[i])
			}
			return b
		}()})
	if *result.Final.PolicyCE > 1 || *result.Final.ValueMSE > 0.25 {
		t.Errorf("after %d steps %g and %g, want a cross-entropy below 1 (chance 8.4) and an MSE below 0.25 (the "+
			"mean has 0.43)",
			result.Steps, *result.Final.PolicyCE, *result.Final.ValueMSE)
	}
}

// easy leaves only the king's rank to learn, as a move and as a value.
type easy struct{ synthetic }

func (e *easy) Next(b *Batch) error {
	err := e.synthetic.Next(b)
	simplify(b)
	return err
}

func simplify(b *Batch) {
	for i, m := range b.PolicyIndex {
		b.PolicyIndex[i] = m / 73 / 8
		b.Value[i] = float32(m/73/8)/3.5 - 1
	}
}

func BenchmarkStep(b *testing.B) {
	for _, spec := range []string{"go", "xla:cpu"} {
		b.Run(spec, func(b *testing.B) {
			c, _ := Preset("")
			c.Blocks, c.Filters, c.Batch = 6, 64, 256
			e, err := newEngine(openTest(b, spec), c)
			if err != nil {
				b.Fatal(err)
			}
			if err := e.forTraining(); err != nil {
				b.Fatal(err)
			}
			var batch Batch
			(&synthetic{batch: c.Batch}).fill(&batch, 1)
			start := time.Now()
			if _, _, err := e.step(&batch, 0, 1e-3); err != nil {
				b.Fatal(err)
			}
			b.Logf("first step with compilation %v", time.Since(start))
			b.ResetTimer()
			for i := range b.N {
				if _, _, err := e.step(&batch, int64(i), 1e-3); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.Batch*b.N)/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
