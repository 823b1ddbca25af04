package predict

import (
	"github.com/gomlx/compute"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/model"
)

// device has the weights, the compiled graphs and their memory. It is for one goroutine.
//
// There are two kinds of graphs: the network from packed inputs to heads, one for each batch size, which is most of the
// work and takes long to compile; and what the heads say about listed moves, one for each batch size and length of
// lists. With ONNX Runtime the former is one model for all sizes.
//
// GoMLX bakes the weights into graphs that are not marked as training where a backend likes that: on the backend go
// each batch size has a copy of them, and computes faster for it.
type device struct {
	backend   *backend.Backend
	network   model.Network
	layout    encode.Layout
	heads     []model.Head
	store     *model.Store
	lists     []int // ascending
	legalOnly bool
	knows     Capabilities
	bodies    map[int]*body // by batch size
	runtime   *onRuntime    // nil where the backend computes networks itself

	execute func(x compute.Executable, in []compute.Buffer) ([]compute.Buffer, error) // tests make it fail
}

func newDevice(b *backend.Backend, t *Network, o Options) (*device, error) {
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
		lists: o.Lists, legalOnly: o.LegalOnly || o.LegalIfMasked && t.Config.LegalMask(),
		bodies: map[int]*body{}}
	if d.layout.Moves == encode.NoMoves {
		d.lists = []int{0}
	}
	d.execute = func(x compute.Executable, in []compute.Buffer) ([]compute.Buffer, error) {
		return x.Execute(in, nil, 0)
	}
	if err := d.learn(); err != nil {
		store.Finalize()
		return nil, err
	}
	if b.OnRuntime() {
		if d.runtime, err = newOnRuntime(b, t, o.Threads); err != nil {
			store.Finalize()
			return nil, err
		}
	}
	return d, nil
}

func (d *device) longest() int { return d.lists[len(d.lists)-1] }

// list is the shortest length of lists that fits this many moves.
func (d *device) list(moves int) int {
	for _, l := range d.lists {
		if moves <= l {
			return l
		}
	}
	return d.longest()
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

// answer answers at most n questions. The error is [ErrNotFinite] if a number is not, also on the way to the answers.
func (d *device) answer(rows []row, n int) error {
	return model.Guard(func() error {
		b, err := d.body(n)
		if err != nil {
			return err
		}
		moves := 0
		for i := range rows {
			moves = max(moves, len(rows[i].question().Codes)/max(1, d.layout.Codes))
		}
		list := d.list(moves)
		t, err := d.tail(b, n, list)
		if err != nil {
			return err
		}
		b.fill(rows, n)
		t.fill(rows, n)
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
		b.close()
	}
	if d.runtime != nil {
		d.runtime.close()
	}
	d.store.Finalize()
}
