package predict

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"talbot/train/model"
)

// body is the network for one batch size.
type body struct {
	program
	packed input[uint64]
	out    []compute.Buffer // of the last run: the heads, and NaN if a number on the way was not finite
	watch  []float32        // the latter, on the host
	into   any              // watch
	tails  map[int]*tail    // by length of lists
}

// body returns the network for a batch size, which is compiled at its first use.
func (d *device) body(n int) (*body, error) {
	if b := d.bodies[n]; b != nil {
		return b, nil
	}
	shape := shapes.Make(dtypes.Uint64, n, d.layout.Words)
	watch := make([]float32, 1)
	b := &body{watch: watch, into: watch, out: make([]compute.Buffer, len(d.heads)+1), tails: map[int]*tail{}}
	err := b.compile(d, func(in []*graph.Node) []*graph.Node {
		pass := &model.Pass{Store: d.store, Form: d.backend.Form.Answering(), Watch: true}
		heads := d.network.Forward(pass, d.network.Unpack(pass.Form, in[0]))
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
		err = b.packed.make(d.backend, shape)
	}
	if err != nil {
		return nil, err
	}
	d.bodies[n] = b
	return b, nil
}

// fill writes at most n questions, and the first again in place of those that are missing: a batch is not finite only
// if one of its positions is not.
func (b *body) fill(rows []row, n int) {
	words := len(b.packed.flat) / n
	for i := range n {
		q := rows[0].question()
		if i < len(rows) {
			q = rows[i].question()
		}
		copy(b.packed.flat[i*words:(i+1)*words], q.Packed)
	}
}

// raw appends the heads for inputs to dst, which are computed in a batch of n.
func (d *device) raw(dst [][]float32, packed []uint64, n int) error {
	b, err := d.body(n)
	if err != nil {
		return err
	}
	words := d.layout.Words
	rows := len(packed) / words
	for i := copy(b.packed.flat, packed); i < len(b.packed.flat); i += words {
		copy(b.packed.flat[i:], packed[:words])
	}
	if err := d.forward(b); err != nil {
		return err
	}
	defer b.drop()
	for i, buffer := range b.out[:len(d.heads)] {
		size := 1
		for _, x := range d.heads[i].Shape {
			size *= x
		}
		all := make([]float32, n*size)
		if err := buffer.ToFlatData(all); err != nil {
			return err
		}
		dst[i] = append(dst[i], all[:rows*size]...)
	}
	return nil
}

// forward runs the network on what stands in b.packed. b.out is the caller's to drop.
func (d *device) forward(b *body) error {
	if err := b.packed.send(d.backend, &b.inputs[0]); err != nil {
		return err
	}
	defer b.packed.drop(&b.inputs[0])
	out, err := d.execute(b.graph.Executable(), b.inputs)
	copy(b.out, out)
	return err
}

// check returns [ErrNotFinite] if a number of the last run was not.
func (b *body) check() error {
	if err := b.out[len(b.out)-1].ToFlatData(b.into); err != nil {
		return err
	}
	if notFinite(b.watch[0]) {
		return ErrNotFinite
	}
	return nil
}

func (b *body) drop() {
	for i, buffer := range b.out {
		if buffer != nil {
			buffer.Finalize()
		}
		b.out[i] = nil
	}
}
