package train

import (
	"fmt"

	"talbot/train/backend"
	"talbot/train/checkpoint"
	"talbot/train/model"
)

// Predictor evaluates positions with a trained network in evaluation mode. It is not safe for concurrent use.
type Predictor struct {
	engine *engine
	batch  int
	planes []uint64 // one padded batch

	Path    string  // the checkpoint
	Sum     string  // its checksum
	Step    int64   // its step
	Config  Config  // of its run
	Damaged []error // newer checkpoints that were passed over
}

// Choice says which checkpoint of a run to load, and which of its networks: NewestCheckpoint|RawWeights.
type Choice uint8

// The choices. Without NewestCheckpoint it is the best, or the newest where no best one is whole; without RawWeights
// the network that was validated, which is that of the averaged weights if the run keeps an average.
const (
	BestCheckpoint   Choice = 0
	NewestCheckpoint Choice = 1
	RawWeights       Choice = 2 // those that are trained
)

// NewPredictor loads a checkpoint of the run in dir. Every batch of the backend has the size batch, so that the graph
// is compiled once. Errors: [ErrNoRun], [ErrDamaged] also where run.json and the checkpoint disagree,
// [checkpoint.ErrNone], [checkpoint.ErrDamaged].
func NewPredictor(b *backend.Opened, dir string, choice Choice, batch int) (*Predictor, error) {
	load := bestOf
	if choice&NewestCheckpoint != 0 {
		load = (*checkpoint.Dir).Newest
	}
	if batch < 1 {
		return nil, fmt.Errorf("prediction batch of %d positions", batch)
	}
	loaded, s, err := chosen(dir, load)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(b, s.Config)
	if err != nil {
		return nil, err
	}
	network := s.Config.evaluated()
	if choice&RawWeights != 0 {
		network = ""
	}
	if err := e.adopt(loaded.File, network); err != nil {
		e.close()
		return nil, fmt.Errorf("%q: %w", loaded.Path, err)
	}
	return &Predictor{engine: e, batch: batch, planes: make([]uint64, batch*model.Planes),
		Path: loaded.Path, Sum: loaded.Sum, Step: s.Step, Config: s.Config, Damaged: loaded.Damaged}, nil
}

// bestOf loads the best checkpoint. Where that is not whole it is that of the same step, or else the newest, and the
// result's Damaged tells.
func bestOf(d *checkpoint.Dir) (*checkpoint.Loaded, error) {
	loaded, err := d.BestOrNewest()
	if err != nil {
		return nil, err
	}
	s, err := stateOf(loaded.File)
	if err != nil || s.Best == nil || s.Best.Step == s.Step {
		return loaded, nil // what is wrong with it is the caller's to say
	}
	if best, err := d.At(s.Best.Step); err == nil {
		best.Damaged = append(loaded.Damaged, fmt.Errorf("%q: the best checkpoint is that of step %d", loaded.Path,
			s.Best.Step))
		return best, nil
	}
	loaded.Damaged = append(loaded.Damaged, fmt.Errorf("the best checkpoint, that of step %d, is gone", s.Best.Step))
	return loaded, nil
}

// Predict evaluates n positions: planes is n·68, bit i = square i, mover's frame; logits is n·4672 over all moves and
// values n, in [−1, 1] from the side to move. The result is the caller's. A number that is not finite is an error,
// also on the way to them.
func (p *Predictor) Predict(planes []uint64, n int) (logits, values []float32, err error) {
	if n < 0 || len(planes) != n*model.Planes {
		return nil, nil, fmt.Errorf("%d planes for %d positions, want %d", len(planes), n, n*model.Planes)
	}
	logits, values = make([]float32, 0, n*model.Moves), make([]float32, 0, n)
	for from := 0; from < n; from += p.batch {
		size := min(p.batch, n-from)
		clear(p.planes[copy(p.planes, planes[from*model.Planes:(from+size)*model.Planes]):])
		l, v, err := p.engine.forward(p.planes, p.batch)
		if err != nil {
			return nil, nil, fmt.Errorf("network of %q: %w", p.Path, err)
		}
		logits, values = append(logits, l[:size*model.Moves]...), append(values, v[:size]...)
	}
	for i, v := range values {
		if !finite(float64(v)) {
			return nil, nil, fmt.Errorf("network of %q gives value %g for position %d", p.Path, v, i)
		}
	}
	for i, z := range logits {
		if z-z != 0 { // NaN for NaN and the infinities
			return nil, nil, fmt.Errorf("network of %q gives move %d of position %d the logit %g", p.Path,
				i%model.Moves, i/model.Moves, z)
		}
	}
	return logits, values, nil
}

// Close frees the backend's memory.
func (p *Predictor) Close() { p.engine.close() }

// Tensors copies the parameters and statistics that predictions are made with, in the order of [model.Network.Params].
func (p *Predictor) Tensors() ([]checkpoint.Tensor, error) {
	var list []checkpoint.Tensor
	for _, param := range p.engine.store.Params() {
		data, err := p.engine.store.Get(param.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, checkpoint.Tensor{Name: param.Name, Shape: param.Shape, Data: data})
	}
	return list, nil
}
