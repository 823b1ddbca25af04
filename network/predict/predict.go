// Package predict asks a trained network about positions.
//
// It loads a run's folder, a checkpoint or an exported network, and computes, for positions as the recipe's encoder
// writes them, priors over the legal moves and values. The package does not link the trainer.
//
// A [Predictor] starts one goroutine, which computes batches of questions. Graphs are compiled once for each batch
// size, and the memory they read and write is used again.
//
// # What an answer depends on
//
// Within one batch size the bits of an answer depend on the position alone, not on the other positions of the batch, on
// their order or on what fills the batch up. Between sizes they differ in the last digits. With one size the questions
// of all callers are merged into batches; with several each request is computed alone, in sizes that follow from the
// number of its questions. So the bits of an answer are a function of the request.
package predict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"talbot/encode"
	"talbot/network/backend"
	"talbot/network/model"
	"talbot/network/run"
)

var (
	// ErrClosed reports that the predictor was closed.
	ErrClosed = errors.New("the network is closed")
	// ErrNotFinite reports that a network computed NaN or an infinity for a position.
	ErrNotFinite = errors.New("a number is NaN or infinite")
)

// Options say how a network is asked.
type Options struct {
	Choice run.Choice // of a run's checkpoints, and of the networks in one

	// Batches are the numbers of positions that graphs are compiled for; nil = 1. A batch of another number of
	// positions is filled up. A search that asks for few positions at first, and has several sizes, does not wait for a
	// large batch. On the Go backend none is larger than 32: what a larger one moves does not fit into the processor's
	// caches.
	Batches []int
	// Moves is how many legal moves a position may have; 0 = 256. No position of a game has more than 218.
	Moves int
	// Threads is how many threads ONNX Runtime computes with; 0 = one for each processor that Go may use.
	Threads int
	// LegalIfMasked leaves out what the network says about moves that are not legal, if it was trained over the legal
	// moves and never learned to say anything about others.
	LegalIfMasked bool
}

// largestPatches is the largest batch of [model.Im2col].
const largestPatches = 32

// check fills in defaults.
func (o Options) check(conv model.ConvAlgorithm) (Options, error) {
	if o.Batches == nil {
		o.Batches = []int{1}
	}
	o.Moves = cmp.Or(o.Moves, 256)
	o.Batches = slices.Sorted(slices.Values(o.Batches))
	if conv.Inference() == model.Im2col {
		for i, n := range o.Batches {
			o.Batches[i] = min(n, largestPatches)
		}
	}
	o.Batches = slices.Compact(o.Batches)
	if len(o.Batches) == 0 || o.Batches[0] < 1 || o.Moves < 1 {
		return o, fmt.Errorf("batch sizes and numbers of moves must be above 0: %v, %d", o.Batches, o.Moves)
	}
	return o, nil
}

// Predictor answers questions about positions with a trained network in evaluation mode. Its methods may be called by
// many goroutines at once.
type Predictor struct {
	About

	encoder encode.Encoder
	layout  encode.Layout
	network model.Network
	device  *device
	queue   queue
	close   sync.Once
	counters
}

// Counts are what a predictor has computed so far.
type Counts struct {
	Evaluations int64         // positions that were asked about
	Places      int64         // for positions, in all batches: what fills a batch up has places, too
	Busy        time.Duration // that the device took
}

// counters are [Counts] in the making.
type counters struct{ evaluations, places, busy atomic.Int64 }

// Counts returns what was computed so far.
func (p *Predictor) Counts() Counts {
	c := &p.counters
	return Counts{c.evaluations.Load(), c.places.Load(), time.Duration(c.busy.Load())}
}

// Open loads the network in path, which is a run's folder, a checkpoint or an exported network, and compiles nothing
// yet. The backend must stay open until Close. Errors: [run.ErrNoRun], [run.ErrDamaged], [checkpoint.ErrNone],
// [checkpoint.ErrDamaged].
func Open(b *backend.Backend, path string, o Options) (*Predictor, error) {
	o, err := o.check(b.Conv)
	if err != nil {
		return nil, err
	}
	t, err := Load(path, o.Choice)
	if err != nil {
		return nil, err
	}
	d, err := newDevice(b, t, o)
	if err != nil {
		return nil, fmt.Errorf("network of %q: %w", t.Path, err)
	}
	p := &Predictor{About: t.About, encoder: t.Encoder, layout: t.Encoder.Layout(), network: t.Network, device: d}
	p.queue.open(o.Batches)
	p.queue.freePadding = d.runtime == nil && !backend.OnProcessor(b.Kind)
	go p.runQueue()
	return p, nil
}

// Capabilities says which parts of an answer there are.
func (p *Predictor) Capabilities() Capabilities { return p.device.knows }

// Encoder returns the encoder that questions are written with.
func (p *Predictor) Encoder() encode.Encoder { return p.encoder }

// Network returns the network without its weights.
func (p *Predictor) Network() model.Network { return p.network }

// Batch is the largest number of positions that are computed at once.
func (p *Predictor) Batch() int { return p.queue.largest() }

// Batches are the numbers of positions that are computed at once, ascending. A batch of another number is filled up.
func (p *Predictor) Batches() []int { return p.queue.sizes }

// Computed is how many positions are computed for one request of that many inputs, if no others are batched with it.
func (p *Predictor) Computed(questions int) (rows int) {
	for questions > 0 {
		size := p.queue.pick(questions)
		rows += size
		questions -= size
	}
	return rows
}

// Predict answers questions: answers[i] is that to questions[i], and the memory of its slices is used again. Questions
// and answers are the predictor's until Predict returns.
//
// Once ctx is done Predict returns its error; questions that the device has by then are waited for. An error leaves the
// answers half written. It is [ErrNotFinite], which names the checkpoint and the position, [ErrClosed], or the
// backend's.
func (p *Predictor) Predict(ctx context.Context, questions []Input, answers []Output) error {
	if len(questions) != len(answers) {
		return fmt.Errorf("%d questions and room for %d answers", len(questions), len(answers))
	}
	if err := ctx.Err(); err != nil || len(questions) == 0 {
		return err
	}
	for i := range questions {
		if err := p.checkQuestion(&questions[i]); err != nil {
			return fmt.Errorf("position %d: %w", i, err)
		}
	}
	return p.queue.ask(ctx, questions, answers)
}

// checkQuestion rejects what a graph would silently clamp.
func (p *Predictor) checkQuestion(q *Input) error {
	if len(q.Packed) != p.layout.Words {
		return fmt.Errorf("input of %d words; the recipe %s has %d", len(q.Packed), p.encoder.Name(), p.layout.Words)
	}
	if p.layout.Moves == encode.NoMoves {
		if len(q.Codes) > 0 {
			return fmt.Errorf("%d words of moves; the recipe %s has no moves", len(q.Codes), p.encoder.Name())
		}
		return nil
	}
	codes := p.layout.Codes
	if len(q.Codes)%codes != 0 || len(q.Codes) > p.device.list*codes {
		return fmt.Errorf("%d words of moves; the recipe %s has %d for each, and there are at most %d moves",
			len(q.Codes), p.encoder.Name(), codes, p.device.list)
	}
	for i := 0; i < len(q.Codes); i += codes {
		if code := q.Codes[i]; code < 0 || p.layout.Indices > 0 && int(code) >= p.layout.Indices {
			return fmt.Errorf("move %d begins with the word %d; the recipe %s has no such move", i/codes, code,
				p.encoder.Name())
		}
	}
	return nil
}

// Compile compiles what [Predictor.Predict] may need, and runs it once, so that no later call waits for that.
func (p *Predictor) Compile(ctx context.Context) error {
	for _, size := range p.queue.sizes {
		err := ctx.Err()
		if err == nil {
			err = p.device.warm(size)
		}
		if err != nil {
			return fmt.Errorf("compiling the network of %q for %d positions: %w", p.Path, size, err)
		}
	}
	return nil
}

// Close ends the goroutine and frees the backend's memory. Callers whose questions wait get [ErrClosed]; a batch that
// the device has is finished.
func (p *Predictor) Close() {
	p.close.Do(p.queue.close)
	<-p.queue.stopped
}

// runQueue runs what is in the queue until it is closed.
func (p *Predictor) runQueue() {
	defer close(p.queue.stopped)
	defer p.device.close()
	var rows []row
	for {
		var size int
		var err error
		if rows, size, err = p.queue.next(rows[:0]); err != nil {
			return
		}
		began := time.Now()
		p.answer(rows, size)
		p.busy.Add(int64(time.Since(began)))
		p.places.Add(int64(size))
		p.evaluations.Add(int64(len(rows)))
		p.queue.finish(rows)
		clear(rows)
	}
}

// answer computes a batch of that size. If a number is not finite the positions are computed one by one, for it is only
// that of one position, or of some, which the callers of the others need not know.
func (p *Predictor) answer(rows []row, size int) {
	err := p.device.answer(rows, size)
	if err == nil {
		return
	}
	if !errors.Is(err, ErrNotFinite) {
		for i := range rows {
			rows[i].err = fmt.Errorf("network of %q: %w", p.Path, err)
		}
		return
	}
	failed := map[*call]error{}
	for i := range rows {
		r := &rows[i]
		if r.err = failed[r.request]; r.err != nil {
			continue
		}
		if len(rows) > 1 {
			err = p.device.answer(rows[i:i+1], size)
		}
		if err != nil {
			r.err = fmt.Errorf("network of %q: position %d: %w", p.Path, r.index, err)
			failed[r.request] = r.err
		}
	}
}
