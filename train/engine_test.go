package train

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"talbot/board"
	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/run"
)

// set changes a setting of the recipe's network.
func set(c *run.Config, name string, value any) {
	if err := c.Set(name, fmt.Sprint(value)); err != nil {
		panic(err)
	}
}

// legalMask is the setting of that name.
func legalMask(c run.Config) bool { return c.Settings.Values()["legal_mask"] == "true" }

// final is a mean of a run's last validation.
func final(r Result, name string) *float64 { return run.Means{Terms: r.Final.Terms}.Of(name) }

// synthetic is a deterministic source of a learnable task: the move is a function of where own pieces stand, the value
// of their number.
type synthetic struct {
	batch, k int
	legal    bool // there is room for the legal moves
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
	layout := encode.TalbotBot{LegalMask: s.legal}.Layout()
	*b = Batch{}
	b.Resize(n, k, &layout)
	for i := range n {
		p := b.Packed[i*layout.Words:][:encode.TalbotBotWords]
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
			b.Codes[i*k+j] = int32(king*73 + (queen+j)%64)
			b.Weights[i*k+j] = 1 / float32(k)
		}
		b.Floats[i] = float32(bits.OnesCount64(p[0])-8) / 8
		b.Floats[i] = max(-1, min(1, b.Floats[i]))
		b.Known[i] = 1
		if rng.IntN(8) == 0 {
			b.Known[i] = 0
		}
	}
}

func tiny() run.Config {
	c, _ := run.New("talbotbot", "")
	c.Batch, c.Steps = 16, 12
	set(&c, "blocks", 1)
	set(&c, "filters", 8)
	c.LogEvery, c.EvalEvery, c.CheckpointEvery, c.Warmup = 2, 4, 4, 3
	return c
}

// playing is a deterministic source of real positions: random games, of which the move of the lowest index is to be
// learnt.
type playing struct{ synthetic }

// play returns the source for a configuration with a mask of legal moves.
func play(c run.Config) *playing { return &playing{synthetic{batch: c.Batch, legal: true}} }

func (p *playing) Next(b *Batch) error {
	err := p.synthetic.Next(b)
	played(b, p.at)
	return err
}

func played(b *Batch, at int64) {
	rng := rand.New(rand.NewPCG(8, uint64(at)))
	words := len(b.Packed) / b.N
	e := encode.TalbotBot{LegalMask: words > encode.TalbotBotWords}
	var v encode.View
	for i := range b.N {
		g := board.NewGame(board.StartPosition())
		for range 1 + rng.IntN(30) {
			if moves := g.Position().LegalMoves(nil); len(moves) > 1 {
				g.Push(moves[rng.IntN(len(moves))])
			}
		}
		v.Play(g, 0, 0)
		e.Pack(b.Packed[i*words:], &v)
		b.Codes[i], b.Weights[i] = -1, 0
		for k, m := range v.Legal() {
			if code := v.EncodeMove(e, 1, m)[0]; k == 0 || code < b.Codes[i] {
				b.Codes[i], b.Weights[i] = code, 1
			}
		}
	}
}

// everything is tiny with every option of training on.
func everything() run.Config {
	c := tiny()
	c.EMA, c.Accumulate = 0.99, 2
	c.Schedule = "one-cycle"
	c.HistoryDropout = 0.5
	set(&c, "label_smoothing", 0.1)
	set(&c, "legal_mask", true)
	return c
}

func openTest(tb testing.TB, spec string) *backend.Backend {
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
		e := trainingEngine(t, openTest(t, spec), c)
		for step := range 10 {
			var b Batch
			(&synthetic{batch: c.Batch, k: 3}).fill(&b, int64(step))
			l, norm, err := e.step(&b, int64(step), 1e-3)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.validate(t.Context(), []Batch{b})
			if err != nil {
				t.Fatal(err)
			}
			got := []float64{l.Loss, *l.Of("policy_ce"), *l.Of("value_mse"), norm, *v.Of("policy_ce"),
				*v.Of("value_mse")}
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
	c.Batch, c.Steps, c.LR = 64, 150, 1e-2
	set(&c, "filters", 16)
	set(&c, "block_dropout", 0)
	c.LogEvery, c.EvalEvery, c.CheckpointEvery = 50, 0, 0
	result := mustRun(t, c, Options{Dir: t.TempDir(), Backend: openTest(t, "go"),
		Source: &easy{synthetic{batch: c.Batch}}, Val: func() []Batch {
			b := valBatches(c, 2)
			for i := range b {
				simplify(&b[i])
			}
			return b
		}()})
	if *final(result, "policy_ce") > 1 || *final(result, "value_mse") > 0.25 {
		t.Errorf("after %d steps %g and %g, want a cross-entropy below 1 (chance 8.4) and an MSE below 0.25 (the "+
			"mean has 0.43)",
			result.Steps, *final(result, "policy_ce"), *final(result, "value_mse"))
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
	for i, m := range b.Codes {
		b.Codes[i] = m / 73 / 8
		b.Floats[i] = float32(m/73/8)/3.5 - 1
	}
}

func BenchmarkStep(b *testing.B) {
	for _, spec := range []string{"go", "xla:cpu"} {
		b.Run(spec, func(b *testing.B) {
			c, _ := run.New("talbotbot", "")
			c.Batch = 256
			set(&c, "blocks", 6)
			set(&c, "filters", 64)
			e := trainingEngine(b, openTest(b, spec), c)
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

// TestForm: processors convolve a trunk in float32 with Winograd's algorithm, and all else with their own.
func TestForm(t *testing.T) {
	trunk, err := run.New("talbotbot", "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := run.New("napoleon", "")
	if err != nil {
		t.Fatal(err)
	}
	cpu := &backend.Backend{Kind: "xla:cpu", Conv: model.Native}
	rounded, shared := trunk, trunk
	rounded.Precision, shared.Devices = run.BFloat16, 2
	for i, x := range []struct {
		c    run.Config
		b    *backend.Backend
		want model.ConvAlgorithm
	}{
		{trunk, cpu, model.Winograd}, {other, cpu, model.Native}, {rounded, cpu, model.Native},
		{shared, cpu, model.Native}, {trunk, &backend.Backend{Kind: "xla:cuda", Conv: model.Native}, model.Native},
		{trunk, &backend.Backend{Kind: "go", Conv: model.Winograd}, model.Winograd},
		{other, &backend.Backend{Kind: "go", Conv: model.Winograd}, model.Winograd},
	} {
		if got := convOf(x.c, x.b); got != x.want {
			t.Errorf("%d: conv %d, want %d", i, got, x.want)
		}
	}
}
