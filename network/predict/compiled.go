package predict

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"talbot/network/model"
)

// compiledForward is a [forward] that GoMLX compiled.
type compiledForward struct {
	program
	device *device
	packed input[uint64]
	out    []compute.Buffer // of the last run: the heads, and NaN if a number on the way was not finite
	watch  []float32        // the latter, on the host
	into   any              // watch
}

func (d *device) compiled(n int) (*compiledForward, error) {
	shape := shapes.Make(dtypes.Uint64, n, d.layout.Words)
	watch := make([]float32, 1)
	c := &compiledForward{device: d, watch: watch, into: watch, out: make([]compute.Buffer, len(d.heads)+1)}
	err := c.compile(d, func(in []*graph.Node) []*graph.Node {
		pass := &model.Pass{Store: d.store, Conv: d.backend.Conv.Inference(), Watch: true}
		heads := d.network.Forward(pass, d.network.Unpack(pass.Conv, in[0]))
		watch := pass.NotFinite
		for _, h := range heads {
			sum := graph.ReduceAllSum(graph.Sub(h, h)) // 0, or NaN for NaN and the infinities
			if watch != nil {
				sum = graph.Add(sum, watch)
			}
			watch = sum
		}
		return append(heads, watch)
	}, shape)
	if err == nil {
		err = c.packed.make(d.backend, shape)
	}
	return c, err
}

func (c *compiledForward) put(i int, packed []uint64) { copy(c.packed.flat[i*len(packed):], packed) }

func (c *compiledForward) run() ([]compute.Buffer, error) {
	if err := c.packed.send(c.device.backend, &c.inputs[0]); err != nil {
		return nil, err
	}
	defer c.packed.drop(&c.inputs[0])
	out, err := c.device.execute(c.graph.Executable(), c.inputs)
	copy(c.out, out)
	return c.out[:len(c.out)-1], err
}

func (c *compiledForward) check() error {
	if err := c.out[len(c.out)-1].ToFlatData(c.into); err != nil {
		return err
	}
	if notFinite(c.watch[0]) {
		return ErrNotFinite
	}
	return nil
}

func (c *compiledForward) drop() {
	for i, buffer := range c.out {
		if buffer != nil {
			buffer.Finalize()
		}
		c.out[i] = nil
	}
}

func (c *compiledForward) close() {
	c.packed.close()
	c.exec.Finalize()
}
