package predict

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gomlx/compute"

	"talbot/encode"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

// gate stops a device before each graph until it is let through.
type gate struct {
	came, let chan struct{}
	runs      int
}

// stop puts a gate before the graphs of a predictor that nobody asks meanwhile.
func stop(p *Predictor) *gate {
	g := &gate{came: make(chan struct{}, 1000), let: make(chan struct{})}
	real := p.device.execute
	p.device.execute = func(x compute.Executable, in []compute.Buffer) ([]compute.Buffer, error) {
		g.runs++
		g.came <- struct{}{}
		<-g.let
		return real(x, in)
	}
	return g
}

func (g *gate) open() { close(g.let) }

func (p *Predictor) waiting() int {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	rows := 0
	for _, r := range p.queue.requests {
		rows += len(r.questions) - r.next
	}
	return rows
}

// until waits for a state that is about to come.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 5000 {
		if ok() {
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	t.Fatalf("waited in vain for %s", what)
}

func predictor(t *testing.T, o Options) (*Predictor, []Input) {
	t.Helper()
	c := tiny(t)
	dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
	p := mustOpen(t, opened(t, "go"), dir, o)
	if err := p.Compile(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p, questions(t, p.Encoder(), 40)
}

// TestMerging: what many callers ask while the device is busy is one batch, and each gets its own answers.
func TestMerging(t *testing.T) {
	p, list := predictor(t, Options{Batches: []int{1000}}) // 32 on this backend
	list = list[:31]
	want := ask(t, p, list)
	g := stop(p)
	var all sync.WaitGroup
	check := func(i, j int) {
		for k, a := range ask(t, p, list[i:j]) {
			if !equal(&a, &want[i+k]) {
				t.Errorf("position %d: %v, want %v", i+k, a, want[i+k])
			}
		}
	}
	all.Go(func() { check(0, 1) })
	<-g.came
	for i := 1; i < 31; i += 3 {
		all.Go(func() { check(i, i+3) })
	}
	until(t, "all questions", func() bool { return p.waiting() == 30 })
	g.open()
	all.Wait()
	if g.runs != 4 || p.Batch() != 32 { // two graphs for the first, two for all others
		t.Errorf("%d graphs were run", g.runs)
	}
}

// TestApart: with several batch sizes a request is computed by itself, in batches of its own size, whoever else asks at
// the time.
func TestApart(t *testing.T) {
	p, list := predictor(t, Options{Batches: []int{1, 2, 8}})
	want := make([]Output, 0, 21)
	for i := 0; i < 21; i += 3 {
		want = append(want, ask(t, p, list[i:i+3])...)
	}
	if got := p.Computed(3); got != 3 || p.Computed(7) != 8 || p.Computed(20) != 24 {
		t.Errorf("computed for 3, 7 and 20 questions: %d, %d, %d", got, p.Computed(7), p.Computed(20))
	}
	var all sync.WaitGroup
	for i := 0; i < 21; i += 3 {
		all.Go(func() {
			for k, a := range ask(t, p, list[i:i+3]) {
				if !equal(&a, &want[i+k]) {
					t.Errorf("position %d: %v, alone %v", i+k, a, want[i+k])
				}
			}
		})
	}
	all.Wait()
}

// TestManyQuestions: one request may be larger than any batch, and is computed in few.
func TestManyQuestions(t *testing.T) {
	p, list := predictor(t, Options{Batches: []int{1, 4, 16}})
	g := stop(p)
	g.open()
	ask(t, p, list[:38]) // 16 + 16 + 4, and 2 in a batch of 4
	if g.runs != 8 {
		t.Errorf("%d graphs were run", g.runs)
	}
}

func TestPick(t *testing.T) {
	q := queue{sizes: []int{2, 8, 64}}
	for rows, want := range map[int]int{1: 2, 2: 2, 3: 2, 4: 8, 8: 8, 9: 8, 31: 8, 32: 64, 64: 64, 1000: 64} {
		if got := q.pick(rows); got != want {
			t.Errorf("%d questions: a batch of %d, want %d", rows, got, want)
		}
	}
	q.freePadding = true
	for rows, want := range map[int]int{1: 2, 2: 2, 3: 8, 8: 8, 9: 64, 64: 64, 1000: 64} {
		if got := q.pick(rows); got != want {
			t.Errorf("%d questions where batches take as long however full: a batch of %d, want %d", rows, got, want)
		}
	}
}

// TestCancel: who waits in the queue is let go at once, and who is being answered after the batch; nothing is written
// to answers of theirs afterwards.
func TestCancel(t *testing.T) {
	p, list := predictor(t, Options{Batches: []int{2}})
	g := stop(p)
	ctx, cancel := context.WithCancel(t.Context())
	running, queued := make(chan error, 1), make(chan error, 1)
	go func() { running <- p.Predict(ctx, list[:5], make([]Output, 5)) }() // two of five are running
	<-g.came
	go func() { queued <- p.Predict(ctx, list[:3], make([]Output, 3)) }()
	until(t, "the questions", func() bool { return p.waiting() == 6 })
	cancel()
	if err := <-queued; !errors.Is(err, context.Canceled) {
		t.Errorf("queued: %v", err)
	}
	until(t, "an empty queue", func() bool { return p.waiting() == 0 })
	select {
	case err := <-running:
		t.Errorf("came back while the device had its questions: %v", err)
	default:
	}
	g.open()
	if err := <-running; !errors.Is(err, context.Canceled) || g.runs != 2 {
		t.Errorf("running: %v, %d graphs", err, g.runs)
	}
	if err := p.Predict(ctx, list[:1], make([]Output, 1)); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ask(t, p, list)
}

// TestClose: a batch that runs is finished, whoever waits gets ErrClosed, and so does who comes later.
func TestClose(t *testing.T) {
	p, list := predictor(t, Options{Batches: []int{2}})
	g := stop(p)
	running, queued := make(chan error, 1), make(chan error, 9)
	go func() { running <- p.Predict(t.Context(), list[:2], make([]Output, 2)) }()
	<-g.came
	for i := range 9 {
		go func() { queued <- p.Predict(t.Context(), list[i:i+2], make([]Output, 2)) }()
	}
	until(t, "the questions", func() bool { return p.waiting() == 18 })
	closed := make(chan struct{})
	for range 2 {
		go func() { p.Close(); closed <- struct{}{} }()
	}
	until(t, "closing", func() bool {
		p.queue.mu.Lock()
		defer p.queue.mu.Unlock()
		return p.queue.closed
	})
	g.open()
	if err := <-running; err != nil {
		t.Errorf("running: %v", err)
	}
	for range 9 {
		if err := <-queued; !errors.Is(err, ErrClosed) {
			t.Errorf("queued: %v", err)
		}
	}
	<-closed
	<-closed
	if err := p.Predict(t.Context(), list[:1], make([]Output, 1)); !errors.Is(err, ErrClosed) {
		t.Errorf("later: %v", err)
	}
	if err := p.Compile(t.Context()); !errors.Is(err, ErrClosed) {
		t.Errorf("later: %v", err)
	}
}

// TestFailures: an error or a panic of a graph is an error of those who asked, and the next questions are answered.
func TestFailures(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tiny(t)
		dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
		p := mustOpen(t, b, dir, Options{Batches: []int{4}})
		list := questions(t, p.Encoder(), 6)
		want := ask(t, p, list)
		real := p.device.execute
		for name, fail := range map[string]func() error{
			"an error": func() error { return errors.New("out of order") },
			"a panic":  func() error { panic(errors.New("out of order")) },
			"a text":   func() error { panic("out of order") },
			"a bug":    func() error { var none []int; return errors.New(string(rune(none[0])) + "out of order") },
		} {
			for at := 1; at <= 2; at++ { // in the network, in what reads its heads
				calls := 0
				p.device.execute = func(x compute.Executable, in []compute.Buffer) ([]compute.Buffer, error) {
					if calls++; calls == at {
						return nil, fail()
					}
					return real(x, in)
				}
				err := p.Predict(t.Context(), list, make([]Output, 6))
				if err == nil || !strings.Contains(err.Error(), dir) {
					t.Errorf("%s: %v", name, err)
				}
				calls = at
				for i, a := range ask(t, p, list) {
					if !equal(&a, &want[i]) {
						t.Errorf("after %s position %d: %v, want %v", name, i, a, want[i])
					}
				}
			}
		}
	})
}

// TestNotFinite: a number that is not finite is an error wherever it comes up: among the moves, in a value, whose tanh
// is finite on some backends, or in the trunk, whose next ReLU makes 0 of NaN.
func TestNotFinite(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		if b.OnRuntime() {
			t.Skip("ONNX Runtime has weights of its own, which no file has if they are not finite")
		}
		c := tiny(t)
		dir, _ := tinyrun.Write(t, c, tinyrun.Weights(t, c))
		for _, test := range []struct {
			tensor string
			bad    float32
			fails  bool
		}{
			{"policy.fc.bias", 1, false}, {"policy.fc.bias", nan, true}, {"policy.fc.bias", inf, true},
			{"policy.fc.bias", -inf, true}, {"value.fc2.bias", nan, true}, {"value.fc2.bias", inf, true},
			{"value.fc1.bias", nan, true}, {"value.bn.bias", inf, true}, {"policy.bn.running_mean", nan, true},
			{"policy.bn.running_var", -1, true}, {"blocks.0.bn2.bias", -inf, true}, {"blocks.0.bn1.weight", nan, true},
			{"stem.bn.running_mean", nan, true},
		} {
			p := mustOpen(t, b, dir, Options{Batches: []int{2}})
			data, err := p.device.store.Get(test.tensor)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)-1] = test.bad
			if err := p.device.store.Set(test.tensor, []int{len(data)}, data); err != nil {
				t.Fatal(err)
			}
			err = p.Predict(t.Context(), questions(t, p.Encoder(), 3), make([]Output, 3))
			if test.fails != errors.Is(err, ErrNotFinite) || !test.fails && err != nil ||
				err != nil && !strings.Contains(err.Error(), dir) {
				t.Errorf("%s of %g: %v", test.tensor, test.bad, err)
			}
		}
	})
}

// TestNegativeVariance: ONNX Runtime does not tell of NaN on the way to the heads.
func TestNegativeVariance(t *testing.T) {
	c := tiny(t)
	list := tinyrun.Weights(t, c)
	for _, w := range list {
		if w.Name == "policy.bn.running_var" {
			w.Data[1] = -1
		}
	}
	dir, _ := tinyrun.Write(t, c, list)
	for _, name := range []string{"onnx", "onnx:int8"} {
		p, err := Open(opened(t, name), dir, Options{})
		if errors.Is(err, ErrNotFinite) && strings.Contains(err.Error(), `"policy.bn.running_var"`) {
			continue
		}
		t.Errorf("%s: %v", name, err)
		if err == nil {
			p.Close()
		}
	}
}

// TestNotFiniteForOne: who asks about the position that the network cannot compute learns which one it is; the others
// of its batch get their answers.
func TestNotFiniteForOne(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tiny(t)
		list := tinyrun.Weights(t, c)
		for _, tensor := range list {
			if tensor.Name == "stem.conv.weight" { // en passant overflows in the end
				for i := range tensor.Data {
					if i/9%encode.TalbotBotPlanes == 17 {
						tensor.Data[i] = 1e30
					}
				}
			}
			if tensor.Name == "policy.fc.weight" {
				for i := range tensor.Data {
					tensor.Data[i] *= 1e12
				}
			}
		}
		dir, _ := tinyrun.Write(t, c, list)
		p := mustOpen(t, b, dir, Options{Batches: []int{8}})
		good := questions(t, p.Encoder(), 4)
		bad := Input{Packed: append([]uint64{}, good[1].Packed...), Codes: good[1].Codes}
		bad.Packed[encode.TalbotBotWords-1] |= 1 << 43
		want := ask(t, p, good)
		g := stop(p)
		var all sync.WaitGroup
		all.Go(func() { ask(t, p, good[:1]) })
		<-g.came
		all.Go(func() {
			answers := make([]Output, 3)
			err := p.Predict(t.Context(), []Input{good[0], bad, good[2]}, answers)
			if !errors.Is(err, ErrNotFinite) || !strings.Contains(err.Error(), "position 1: ") {
				t.Errorf("%v", err)
			}
		})
		all.Go(func() {
			for i, a := range ask(t, p, good) {
				if !equal(&a, &want[i]) {
					t.Errorf("position %d beside a bad one: %v, want %v", i, a, want[i])
				}
			}
		})
		until(t, "all questions", func() bool { return p.waiting() == 7 })
		g.open()
		all.Wait()
	})
}

// nothing is an output that costs nothing.
type nothing struct{ compute.Buffer }

func (nothing) ToFlatData(any) error { return nil }
func (nothing) Finalize() error      { return nil }

// TestAllocations: beyond what GoMLX makes, an answer makes no garbage.
func TestAllocations(t *testing.T) {
	p, list := predictor(t, Options{Batches: []int{64}})
	answers := make([]Output, len(list))
	if err := p.Predict(t.Context(), list, answers); err != nil {
		t.Fatal(err)
	}
	outs := map[compute.Executable][]compute.Buffer{}
	p.device.execute = func(x compute.Executable, _ []compute.Buffer) ([]compute.Buffer, error) {
		if outs[x] == nil {
			for range x.Outputs() {
				outs[x] = append(outs[x], nothing{})
			}
		}
		return outs[x], nil
	}
	ctx := t.Context()
	got := testing.AllocsPerRun(100, func() {
		if err := p.Predict(ctx, list, answers); err != nil {
			t.Fatal(err)
		}
	})
	if got > 4 {
		t.Errorf("%g allocations", got)
	}
}

func TestMissing(t *testing.T) {
	b := opened(t, "go")
	for _, dir := range []string{"/nowhere", t.TempDir()} {
		if _, err := Open(b, dir, Options{}); !errors.Is(err, run.ErrNoRun) {
			t.Errorf("%v", err)
		}
	}
	garbage := t.TempDir() + "/garbage"
	if err := os.WriteFile(garbage, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(b, garbage, Options{}); !errors.Is(err, checkpoint.ErrDamaged) {
		t.Errorf("%v", err)
	}
}
