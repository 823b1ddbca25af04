package predict

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"talbot/encode"
	"talbot/train/backend"
	"talbot/train/checkpoint"
	"talbot/train/model"
)

// device has the weights, the compiled graphs and their memory. It is for one goroutine.
//
// There are two kinds of graphs: the network from packed inputs to heads, one for each batch size, which is most of the
// work and takes long to compile; and what the heads say about listed moves, one for each batch size and length of
// lists.
//
// GoMLX bakes the weights into graphs that are not marked as training where a backend likes that: on the backend go
// each batch size has a copy of them, and computes faster for it.
type device struct {
	backend   *backend.Opened
	network   model.Network
	layout    encode.Layout
	heads     []model.Head
	store     *model.Store
	lists     []int // ascending
	legalOnly bool
	knows     Knows
	bodies    map[int]*body // by batch size

	execute func(x compute.Executable, in []compute.Buffer) ([]compute.Buffer, error) // tests make it fail
}

// body is the network for one batch size.
type body struct {
	program
	packed input[uint64]
	out    []compute.Buffer // of the last run: the heads, and NaN if a number on the way was not finite
	watch  []float32        // the latter, on the host
	into   any              // watch
	tails  map[int]*tail    // by length of lists
}

// tail is what heads say about lists of one length.
type tail struct {
	program
	codes  input[int32]
	prior  []float32
	inside []float32
	beside []float32 // the probability outside
	other  []int32
	share  []float32 // its probability
	value  []float32
	wdl    []float32
	into   []any // those that there are, in the order of model.Answer
}

func newDevice(b *backend.Opened, t *Trained, o Options) (*device, error) {
	tensors := t.Tensors
	store, err := model.StoreOf(t.Network, func(model.Param) ([]float32, error) {
		data := tensors[0].Data
		tensors = tensors[1:]
		return data, nil
	})
	if err != nil {
		return nil, err
	}
	d := &device{backend: b, network: t.Network, layout: t.Encoder.Layout(), heads: t.Network.Heads(), store: store,
		lists: o.Lists, legalOnly: o.LegalOnly, bodies: map[int]*body{}}
	if d.layout.Moves == encode.NoMoves {
		d.lists = []int{0}
	}
	d.execute = func(x compute.Executable, in []compute.Buffer) ([]compute.Buffer, error) {
		return x.Execute(in, nil, 0)
	}
	return d, d.learn()
}

func (d *device) longest() int { return d.lists[len(d.lists)-1] }

// list is the shortest length of lists that so many moves fit into.
func (d *device) list(moves int) int {
	for _, l := range d.lists {
		if moves <= l {
			return l
		}
	}
	return d.longest()
}

// learn builds the smallest graph of answers, without compiling it, to learn what the network knows.
func (d *device) learn() error {
	return model.Guard(func() error {
		g := graph.NewGraph(d.backend.Backend, "answers")
		defer g.Finalize()
		var in []*graph.Node
		for i, shape := range d.tailShapes(1, d.lists[0]) {
			in = append(in, graph.Parameter(g, fmt.Sprint(i), shape))
		}
		a := d.read(in)
		d.knows = Knows{Prior: a.Prior != nil, Others: a.Other != nil, Value: a.Value != nil, Chances: a.Chances != nil}
		return nil
	})
}

// tailShapes are those of the inputs of a tail: the heads, then the listed moves.
func (d *device) tailShapes(n, list int) (in []shapes.Shape) {
	for _, h := range d.heads {
		in = append(in, shapes.Make(dtypes.Float32, append([]int{n}, h.Shape...)...))
	}
	if list > 0 {
		in = append(in, shapes.Make(dtypes.Int32, n, list, d.layout.Codes))
	}
	return in
}

// read builds what the heads say.
func (d *device) read(in []*graph.Node) model.Answer {
	var legal *graph.Node
	if len(in) > len(d.heads) {
		legal = in[len(d.heads)]
	}
	a := d.network.Answer(in[:len(d.heads)], legal)
	if d.legalOnly || a.Inside == nil || a.Outside == nil || a.Other == nil || a.OtherShare == nil {
		a.Inside, a.Outside, a.Other, a.OtherShare = nil, nil, nil, nil
	}
	if a.Other != nil {
		a.Other = graph.ConvertDType(a.Other, dtypes.Int32)
	}
	return a
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

// tail returns the answers of a body to lists of a length, which are compiled at their first use.
func (d *device) tail(b *body, n, list int) (*tail, error) {
	if t := b.tails[list]; t != nil {
		return t, nil
	}
	t := &tail{}
	in := d.tailShapes(n, list)
	err := t.compile(d, func(in []*graph.Node) []*graph.Node {
		a := d.read(in)
		return a.Nodes()
	}, in...)
	if err == nil && list > 0 {
		err = t.codes.make(d.backend, in[len(in)-1])
	}
	if err != nil {
		return nil, err
	}
	floats := func(known bool, into *[]float32, size int) {
		if known {
			*into = make([]float32, n*size)
			t.into = append(t.into, *into)
		}
	}
	floats(d.knows.Prior, &t.prior, list)
	floats(d.knows.Others, &t.inside, 1)
	floats(d.knows.Others, &t.beside, 1)
	if d.knows.Others {
		t.other = make([]int32, n)
		t.into = append(t.into, t.other)
	}
	floats(d.knows.Others, &t.share, 1)
	floats(d.knows.Value, &t.value, 1)
	floats(d.knows.Chances, &t.wdl, 3)
	b.tails[list] = t
	return t, nil
}

// warm compiles and runs all that a batch size needs.
func (d *device) warm(n int) error {
	b, err := d.body(n)
	if err != nil {
		return err
	}
	if err := d.forward(b); err != nil {
		return err
	}
	defer b.drop()
	for _, list := range d.lists {
		t, err := d.tail(b, n, list)
		if err != nil {
			return err
		}
		if err := d.ask(b, t); err != nil {
			return err
		}
	}
	return nil
}

// answer answers at most n questions. What is left of the batch is filled with the first. The error is [ErrNotFinite]
// if a number is not, also on the way to the answers.
func (d *device) answer(rows []row, n int) error {
	return model.Guard(func() error {
		b, err := d.body(n)
		if err != nil {
			return err
		}
		words, moves := d.layout.Words, 0
		for i := range n {
			q := rows[0].question()
			if i < len(rows) {
				q = rows[i].question()
				if d.layout.Codes > 0 {
					moves = max(moves, len(q.Codes)/d.layout.Codes)
				}
			}
			copy(b.packed.flat[i*words:(i+1)*words], q.Packed)
		}
		list := d.list(moves)
		t, err := d.tail(b, n, list)
		if err != nil {
			return err
		}
		if list > 0 {
			row := list * d.layout.Codes
			for i := range n {
				codes := t.codes.flat[i*row : (i+1)*row]
				from := 0
				if i < len(rows) {
					from = copy(codes, rows[i].question().Codes)
				}
				for j := from; j < row; j++ {
					codes[j] = -1
				}
			}
		}
		if err := d.forward(b); err != nil {
			return err
		}
		defer b.drop()
		if err := d.ask(b, t); err != nil {
			return err
		}
		if err := b.check(); err != nil {
			return err
		}
		for i := range rows {
			if err := t.write(rows[i], i, list, d.layout.Codes); err != nil {
				return err
			}
		}
		return nil
	})
}

// write copies row i of what was computed to the answer.
func (t *tail) write(r row, i, list, codes int) error {
	q, a := r.question(), r.answer()
	a.Prior = a.Prior[:0]
	if t.prior != nil {
		a.Prior = append(a.Prior, t.prior[i*list:i*list+len(q.Codes)/codes]...)
	}
	if t.other != nil {
		a.Inside, a.Outside, a.Other, a.OtherShare = t.inside[i], t.beside[i], t.other[i], t.share[i]
	}
	if t.value != nil {
		a.Value = t.value[i]
	}
	if t.wdl != nil {
		copy(a.Chances[:], t.wdl[3*i:])
	}
	bad := notFinite(a.Inside) || notFinite(a.Outside) || notFinite(a.OtherShare) || notFinite(a.Value)
	for _, x := range a.Prior {
		bad = bad || notFinite(x)
	}
	for _, x := range a.Chances {
		bad = bad || notFinite(x)
	}
	if bad {
		return ErrNotFinite
	}
	return nil
}

func notFinite(x float32) bool { return x-x != 0 } // NaN for NaN and the infinities

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

// ask reads the heads of a body.
func (d *device) ask(b *body, t *tail) error {
	copy(t.inputs, b.out[:len(d.heads)])
	if t.codes.flat != nil {
		at := &t.inputs[len(d.heads)]
		if err := t.codes.send(d.backend, at); err != nil {
			return err
		}
		defer t.codes.drop(at)
	}
	out, err := d.execute(t.graph.Executable(), t.inputs)
	if err != nil {
		return err
	}
	return fetch(out, t.into)
}

// fetch copies outputs to the host and frees them.
func fetch(out []compute.Buffer, into []any) (err error) {
	for i, buffer := range out {
		if err == nil {
			err = buffer.ToFlatData(into[i])
		}
		if e := buffer.Finalize(); err == nil {
			err = e
		}
	}
	return err
}

// tensors copies the parameters and statistics.
func (d *device) tensors() (list []checkpoint.Tensor, err error) {
	for _, p := range d.store.Params() {
		data, err := d.store.Get(p.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	return list, nil
}

func (d *device) close() {
	for _, b := range d.bodies {
		for _, t := range b.tails {
			t.codes.close()
			t.exec.Finalize()
		}
		b.packed.close()
		b.exec.Finalize()
	}
	d.store.Finalize()
}
