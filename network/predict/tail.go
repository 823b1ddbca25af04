package predict

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"talbot/network/model"
)

// tail is what the heads of a batch say about its lists of moves.
type tail struct {
	program
	list   int // length of lists
	words  int // of a move
	codes  input[int32]
	prior  []float32
	inside []float32
	beside []float32 // the probability outside
	other  []int32
	share  []float32 // its probability
	value  []float32
	wdl    []float32
	left   []float32 // plies to the end of the game
	into   []any     // those that there are, in the order of [model.Outputs]
}

// learn builds the smallest graph of answers, without compiling it, to learn what the network knows.
func (d *device) learn() error {
	return model.Guard(func() error {
		g := graph.NewGraph(d.backend.Backend, "answers")
		defer g.Finalize()
		var in []*graph.Node
		for i, shape := range d.tailShapes(1) {
			in = append(in, graph.Parameter(g, fmt.Sprint(i), shape))
		}
		a := d.outputs(in)
		d.knows = Capabilities{Prior: a.Prior != nil, Others: a.Other != nil, Value: a.Value != nil, WDL: a.WDL != nil,
			MovesLeft: a.MovesLeft != nil}
		return nil
	})
}

// tailShapes are those of the inputs of a tail: the heads, then the listed moves.
func (d *device) tailShapes(n int) (in []shapes.Shape) {
	for _, h := range d.heads {
		in = append(in, shapes.Make(dtypes.Float32, append([]int{n}, h.Shape...)...))
	}
	if d.list > 0 {
		in = append(in, shapes.Make(dtypes.Int32, n, d.list, d.layout.Codes))
	}
	return in
}

// outputs builds what the heads say.
func (d *device) outputs(in []*graph.Node) model.Outputs {
	var legal *graph.Node
	if len(in) > len(d.heads) {
		legal = in[len(d.heads)]
	}
	a := d.network.Outputs(in[:len(d.heads)], legal)
	if d.legalOnly || a.Inside == nil || a.Outside == nil || a.Other == nil || a.OtherShare == nil {
		a.Inside, a.Outside, a.Other, a.OtherShare = nil, nil, nil, nil
	}
	if a.Other != nil {
		a.Other = graph.ConvertDType(a.Other, dtypes.Int32)
	}
	return a
}

// compileTail makes a tail for a batch size.
func (d *device) compileTail(t *tail, n int) error {
	t.list, t.words = d.list, d.layout.Codes
	in := d.tailShapes(n)
	err := t.compile(d, func(in []*graph.Node) []*graph.Node {
		a := d.outputs(in)
		return a.Nodes()
	}, in...)
	if err == nil && d.list > 0 {
		err = t.codes.make(d.backend, in[len(in)-1])
	}
	if err != nil {
		return err
	}
	floats := func(known bool, into *[]float32, size int) {
		if known {
			*into = make([]float32, n*size)
			t.into = append(t.into, *into)
		}
	}
	floats(d.knows.Prior, &t.prior, d.list)
	floats(d.knows.Others, &t.inside, 1)
	floats(d.knows.Others, &t.beside, 1)
	if d.knows.Others {
		t.other = make([]int32, n)
		t.into = append(t.into, t.other)
	}
	floats(d.knows.Others, &t.share, 1)
	floats(d.knows.Value, &t.value, 1)
	floats(d.knows.WDL, &t.wdl, 3)
	floats(d.knows.MovesLeft, &t.left, 1)
	return nil
}

// fill writes the moves of at most n questions.
func (t *tail) fill(rows []row, n int) {
	words := len(t.codes.flat) / n
	for i := range n {
		codes := t.codes.flat[i*words : (i+1)*words]
		if i < len(rows) {
			codes = codes[copy(codes, rows[i].question().Codes):]
		}
		for j := range codes {
			codes[j] = -1
		}
	}
}

// write copies row i of what was computed to the answer.
func (t *tail) write(r row, i int) error {
	q, a := r.question(), r.answer()
	a.Prior = a.Prior[:0]
	if t.prior != nil {
		a.Prior = append(a.Prior, t.prior[i*t.list:i*t.list+len(q.Codes)/t.words]...)
	}
	if t.other != nil {
		a.Inside, a.Outside, a.Other, a.OtherShare = t.inside[i], t.beside[i], t.other[i], t.share[i]
	}
	if t.value != nil {
		a.Value = t.value[i]
	}
	if t.wdl != nil {
		copy(a.WDL[:], t.wdl[3*i:])
	}
	if t.left != nil {
		a.MovesLeft = t.left[i]
	}
	bad := notFinite(a.Inside) || notFinite(a.Outside) || notFinite(a.OtherShare) || notFinite(a.Value) ||
		notFinite(a.MovesLeft)
	for _, x := range a.Prior {
		bad = bad || notFinite(x)
	}
	for _, x := range a.WDL {
		bad = bad || notFinite(x)
	}
	if bad {
		return ErrNotFinite
	}
	return nil
}

func notFinite(x float32) bool { return x-x != 0 } // NaN for NaN and the infinities

// read computes what the heads say.
func (t *tail) read(d *device, heads []compute.Buffer) error {
	copy(t.inputs, heads)
	if t.list > 0 {
		at := &t.inputs[len(heads)]
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
