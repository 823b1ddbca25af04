package predict

import (
	"sync"

	"github.com/gomlx/compute"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
)

// device has the weights, the compiled graphs and their memory.
//
// There are two graphs for each batch size: the network from packed inputs to heads, which is most of the work and
// takes long to compile, and what the heads say about listed moves. With ONNX Runtime the former is one model for all
// sizes.
//
// GoMLX bakes the weights into graphs that are not marked as training where a backend likes that: on the backend go
// each batch size has a copy of them, and computes faster for it.
type device struct {
	mu        sync.Mutex // holds all of it while it computes
	closed    bool
	backend   *backend.Backend
	network   model.Network
	layout    encode.Layout
	heads     []model.Head
	store     *model.Store
	list      int // length of lists of moves; 0 = the recipe has none
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
		list: o.Moves, legalOnly: o.LegalIfMasked && t.Config.LegalMask(), bodies: map[int]*body{}}
	if d.layout.Moves == encode.NoMoves {
		d.list = 0
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

// use has the device for itself while it runs f, whose panic is an error.
func (d *device) use(f func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return ErrClosed
	}
	return model.Guard(f)
}

// warm compiles and runs all that a batch size needs.
func (d *device) warm(n int) error {
	return d.use(func() error {
		b, err := d.body(n)
		if err != nil {
			return err
		}
		return b.compute(d, nil)
	})
}

// answer answers at most n questions. The error is [ErrNotFinite] if a number is not, also on the way to the answers.
func (d *device) answer(rows []row, n int) error {
	return d.use(func() error {
		b, err := d.body(n)
		if err != nil {
			return err
		}
		b.fill(rows, n)
		return b.compute(d, rows)
	})
}

func (d *device) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for _, b := range d.bodies {
		b.close()
	}
	if d.runtime != nil {
		d.runtime.close()
	}
	d.store.Finalize()
}
