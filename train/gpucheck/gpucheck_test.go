package gpucheck

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	gomlx "github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"

	"talbot/network/backend"
)

func small() Check {
	return Check{Backend: "go", Blocks: 1, Filters: 4, Batch: 8, Time: time.Millisecond,
		Begins: func(string) {}}
}

func TestCheck(t *testing.T) {
	for _, name := range []string{"go", "xla:cpu"} {
		t.Run(name, func(t *testing.T) {
			if _, ok := backend.Discover().Plugin("cpu"); name == "xla:cpu" && (!ok || !backend.XLA) {
				t.Skip("NOT TESTED: there is no plugin xla:cpu")
			}
			c := small()
			c.Backend = name
			r, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r.Backend.Kind != name || r.Backend.Devices < 1 {
				t.Errorf("%+v", r.Backend)
			}
			if l := r.Losses; len(l.Here) != comparedSteps || len(l.Go) != comparedSteps || l.Mean > 1e-4 ||
				!(l.Here[0] > l.Here[comparedSteps-1]*0.5) {
				t.Errorf("%+v", l)
			}
			if s := r.Speed; !(s.PositionsPerSecond > 0 && s.FirstStep > 0 && s.Batch == c.Batch) {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestCheckEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := small()
	c.Time = time.Hour
	c.Begins = func(what string) {
		if what == "training" {
			time.AfterFunc(100*time.Millisecond, cancel)
		}
	}
	if r, err := c.Run(ctx); !errors.Is(err, context.Canceled) || r.Losses == nil || r.Speed != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// liar is a backend with one operation whose results are five percent too large.
type liar struct {
	gomlx.Backend
	lie string
}

func (l liar) Builder(name string) gomlx.Builder {
	return lyingBuilder{l.Backend.Builder(name), l}
}

type lyingBuilder struct {
	gomlx.Builder
	liar liar
}

func (l lyingBuilder) Compile() (gomlx.Executable, error) {
	e, err := l.Builder.Compile()
	return lyingExecutable{e, l.liar}, err
}

// lyingExecutable returns what knows itself to be the liar's.
type lyingExecutable struct {
	gomlx.Executable
	liar liar
}

func (l lyingExecutable) Execute(in []gomlx.Buffer, donate []bool, device gomlx.DeviceNum) ([]gomlx.Buffer,
	error) {
	in = slices.Clone(in)
	for i, x := range in {
		if own, ok := x.(lyingBuffer); ok {
			in[i] = own.Buffer
		}
	}
	out, err := l.Executable.Execute(in, donate, device)
	for i := range out {
		out[i] = lyingBuffer{out[i], l.liar}
	}
	return out, err
}

type lyingBuffer struct {
	gomlx.Buffer
	liar liar
}

func (l lyingBuffer) Backend() gomlx.Backend { return l.liar }

func (l lyingBuilder) Main() gomlx.Function { return lyingFunction{l.Builder.Main(), l.liar.lie} }

type lyingFunction struct {
	gomlx.Function
	lie string
}

func (l lyingFunction) tell(operation string, x gomlx.Value, err error) (gomlx.Value, error) {
	if err != nil || operation != l.lie {
		return x, err
	}
	shape, err := l.Shape(x)
	if err != nil || shape.DType != dtypes.Float32 {
		return x, err
	}
	factor, err := l.Constant([]float32{1.05})
	if err != nil {
		return nil, err
	}
	if factor, err = l.BroadcastInDim(factor, shape, nil); err != nil {
		return nil, err
	}
	return l.Mul(x, factor)
}

func (l lyingFunction) DotGeneral(x gomlx.Value, xContracting, xBatch []int, y gomlx.Value, yContracting,
	yBatch []int, config gomlx.DotGeneralConfig) (gomlx.Value, error) {
	z, err := l.Function.DotGeneral(x, xContracting, xBatch, y, yContracting, yBatch, config)
	return l.tell("product", z, err)
}

func (l lyingFunction) ConvGeneral(x, kernel gomlx.Value, axes gomlx.ConvolveAxesConfig, strides []int,
	pads [][2]int, dilations, kernelDilations []int, groups, batches int) (gomlx.Value, error) {
	z, err := l.Function.ConvGeneral(x, kernel, axes, strides, pads, dilations, kernelDilations, groups, batches)
	return l.tell("convolution", z, err)
}

func (l lyingFunction) Log(x gomlx.Value) (gomlx.Value, error) {
	z, err := l.Function.Log(x)
	return l.tell("logarithm", z, err)
}

func (l lyingFunction) Sqrt(x gomlx.Value) (gomlx.Value, error) {
	z, err := l.Function.Sqrt(x)
	return l.tell("root", z, err)
}

// A backend that computes something wrong is found out, and nothing is tried after that.
func TestLies(t *testing.T) {
	for lie, want := range map[string]struct {
		failed string
		err    error
	}{
		"":            {"", nil},
		"product":     {"operations", ErrOperations},
		"convolution": {"operations", ErrOperations},
		"root":        {"gradients", ErrGradients},
		"logarithm":   {"losses", ErrLosses},
	} {
		b, err := backend.Open("go")
		if err != nil {
			t.Fatal(err)
		}
		defer b.Finalize()
		b.Backend = liar{b.Backend, lie}
		c := small()
		c.Filters = 12
		trained := false
		c.Begins = func(what string) { trained = trained || what == "training" }
		r, err := c.try(t.Context(), b)
		if !errors.Is(err, want.err) || r.Failed != want.failed || trained != (want.err == nil) ||
			(r.Speed == nil) != (want.err != nil) {
			t.Errorf("%q: %v, %+v", lie, err, r)
		}
	}
}

// Losses that differ by more than rounding are refused.
func TestLosses(t *testing.T) {
	l := Losses{Here: []float64{2, 1}, Go: []float64{2.02, 1.1}}
	l.measure()
	if !(l.First > firstApart && l.First < 0.01) || !(l.Mean > 0.05 && l.Mean < 0.051) {
		t.Errorf("%+v", l)
	}
}

func TestMeter(t *testing.T) {
	m := &meter{end: func() {}, done: make(chan struct{})}
	close(m.done)
	for _, line := range []string{"97, 641.20", "3, [N/A]", "[N/A], 3", ""} {
		m.add(line)
	}
	if busy, watts := m.stop(); busy != 0.5 || watts != 320.6 {
		t.Errorf("%g, %g", busy, watts)
	}
}
