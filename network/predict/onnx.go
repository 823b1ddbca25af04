package predict

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/onnx"
	"talbot/network/ort"
)

// ONNX returns the network as an ONNX model. Its metadata names the settings: those that the network describes, or all.
// Errors are those of [onnx.New].
func (t *Network) ONNX() (*onnx.Graph, error) {
	g, err := onnx.New(t.Config.Recipe, t.Tensors)
	if err != nil {
		return nil, err
	}
	for i, x := range t.Network.ONNX(g) {
		g.Output(x, t.Network.Heads()[i].About)
	}
	if err := g.Err(); err != nil {
		return nil, err
	}
	if !g.Described() {
		for name, value := range t.Config.Settings.Values() {
			g.Describe(name, value)
		}
	}
	g.Describe("recipe", t.Config.Recipe)
	g.Describe("step", strconv.FormatInt(t.Step, 10))
	g.Describe("checkpoint", filepath.Base(t.Path))
	return g, nil
}

// onRuntime is the network on ONNX Runtime.
type onRuntime struct {
	model   *ort.Model
	input   string
	encoder encode.Encoder
	backend *backend.Backend
	heads   []model.Head
}

// newOnRuntime reads a network into ONNX Runtime, which does not tell of what is not finite on the way to the heads,
// and can lose it. Weights are finite in every file.
func newOnRuntime(b *backend.Backend, t *Network, threads int) (*onRuntime, error) {
	g, err := t.ONNX()
	if err != nil {
		return nil, err
	}
	for i, p := range t.Network.Params() {
		if p.Kind == model.RunningVar && slices.Min(t.Tensors[i].Data) < 0 {
			return nil, fmt.Errorf("%w: the root of %q", ErrNotFinite, p.Name)
		}
	}
	if b.Int8() {
		ranges, err := calibrate(t, threads)
		if err != nil {
			return nil, err
		}
		g.Int8(ranges, int8Limit())
	}
	text, err := g.Model()
	if err != nil {
		return nil, err
	}
	r := &onRuntime{input: g.Inputs()[0], encoder: t.Encoder, backend: b, heads: t.Network.Heads()}
	var names []string
	for _, h := range r.heads {
		names = append(names, h.Name)
	}
	r.model, err = ort.NewModel(text, r.input, names, threads)
	return r, err
}

func (r *onRuntime) close() error { return r.model.Close() }

// runtimeForward computes a batch of one size with ONNX Runtime.
type runtimeForward struct {
	batch   *ort.Batch
	encoder encode.Encoder
	numbers []float32
	size    int // of numbers, for a position
	out     [][]float32
	buffers []compute.Buffer // that out are the memory of
}

func (r *onRuntime) forward(n int) (_ *runtimeForward, err error) {
	layout := r.encoder.Layout()
	f := &runtimeForward{encoder: r.encoder, size: layout.Numbers()}
	f.numbers = make([]float32, n*f.size)
	in := ort.Tensor{Name: r.input, Shape: append([]int{n}, layout.Shape...), Data: f.numbers}
	defer func() {
		if err != nil {
			f.close()
		}
	}()
	var out []ort.Tensor
	for _, h := range r.heads {
		shape := append([]int{n}, h.Shape...)
		buffer, flat, err := r.backend.NewSharedBuffer(0, shapes.Make(dtypes.Float32, shape...))
		if err != nil {
			return nil, err
		}
		f.buffers, f.out = append(f.buffers, buffer), append(f.out, flat.([]float32))
		out = append(out, ort.Tensor{Name: h.Name, Shape: shape, Data: flat.([]float32)})
	}
	f.batch, err = r.model.NewBatch(in, out)
	return f, err
}

func (f *runtimeForward) put(i int, packed []uint64) {
	f.encoder.Unpack(f.numbers[i*f.size:(i+1)*f.size], packed)
}

func (f *runtimeForward) run() ([]compute.Buffer, error) { return f.buffers, f.batch.Run() }

// check looks at the heads, the only numbers there are.
func (f *runtimeForward) check() error {
	for _, head := range f.out {
		if slices.ContainsFunc(head, notFinite) {
			return ErrNotFinite
		}
	}
	return nil
}

func (f *runtimeForward) drop() {}

func (f *runtimeForward) close() {
	if f.batch != nil {
		f.batch.Close()
	}
	for _, b := range f.buffers {
		b.Finalize()
	}
}
