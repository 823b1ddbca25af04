package train

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"talbot/internal/durable"
	"talbot/network/backend"
	"talbot/network/run"
)

// Peer are the scripts that train the recipe talbotbot with PyTorch: speed.py measures, trace.py repeats a [Trace].
//
//go:embed testdata/speed.py testdata/trace.py testdata/talbotbot.py testdata/lynx.py testdata/nosearch.py
//go:embed testdata/tahl.py
var Peer embed.FS

// traceBatches is how many batches a trace trains on, in turns.
const traceBatches = 8

// Trace trains with a constant learning rate on a few batches of a source in turns, and returns the loss of each step
// before its update. Nothing is written but, where a folder is given, what trace.py needs to do the same: trace.json,
// and its numbers in little-endian files beside it. That works for planes and one listed move a sample.
func Trace(ctx context.Context, c run.Config, b *backend.Backend, from Source, steps int, into string) ([]float64,
	error) {
	if _, err := RunsOn(c, b); err != nil {
		return nil, err
	}
	e, err := newEngine(b, c)
	if err != nil {
		return nil, err
	}
	defer e.close()
	if err := e.forTraining(); err != nil {
		return nil, err
	}
	batches := make([]Batch, traceBatches)
	for i := range batches {
		if err := from.Next(&batches[i]); err != nil {
			return nil, err
		}
		if err := batches[i].check(&e.layout); err != nil {
			return nil, err
		}
	}
	if into != "" {
		if err := e.writeTrace(into, batches, steps); err != nil {
			return nil, fmt.Errorf("writing the trace: %w", err)
		}
	}
	var losses []float64
	for step := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, norm, err := e.step(&batches[step%len(batches)], int64(step), c.LR)
		if err != nil {
			return nil, err
		}
		if !finite(m.Loss, norm) {
			return nil, fmt.Errorf("%w: step %d", ErrDiverged, step+1)
		}
		losses = append(losses, m.Loss)
	}
	return losses, nil
}

// writeTrace writes the weights, the batches and the settings of a trace.
func (e *engine) writeTrace(dir string, batches []Batch, steps int) error {
	type tensor struct {
		Name  string `json:"name"`
		Shape []int  `json:"shape"`
	}
	built, err := e.config.Build()
	if err != nil {
		return err
	}
	l := &e.layout
	if len(l.Shape) != 3 || l.Codes != 1 || len(l.Floats) != 1 || batches[0].Moves() != 1 {
		return errors.New("PyTorch has no network for this recipe or data")
	}
	var weights, planes, codes, wanted, floats, known bytes.Buffer
	about := struct {
		Settings any      `json:"settings"`
		Steps    int      `json:"steps"`
		Batches  int      `json:"batches"`
		Batch    int      `json:"batch"`
		Shape    []int    `json:"shape"`
		LR       float64  `json:"lr"`
		Decay    float64  `json:"weight_decay"`
		Clip     float64  `json:"clip"`
		Params   []tensor `json:"params"`
	}{built.Network, steps, len(batches), batches[0].N, l.Shape, e.config.LR, e.config.WeightDecay, e.config.Clip, nil}
	for _, p := range e.store.Params() {
		data, err := e.store.Get(p.Name)
		if err != nil {
			return err
		}
		about.Params = append(about.Params, tensor{p.Name, p.Shape})
		appendNumbers(&weights, data)
	}
	numbers := make([]float32, l.Numbers())
	for i := range batches {
		b := &batches[i]
		for k := range b.N {
			built.Encoder.Numbers(numbers, b.Packed[k*l.Words:][:l.Words])
			for _, x := range numbers {
				planes.WriteByte(byte(x))
			}
		}
		appendNumbers(&codes, b.Codes)
		appendNumbers(&wanted, b.Weights)
		appendNumbers(&floats, b.Floats)
		appendNumbers(&known, b.Known)
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"trace.json": text, "weights.f32": weights.Bytes(),
		"planes.u8": planes.Bytes(), "codes.i32": codes.Bytes(), "wanted.f32": wanted.Bytes(),
		"values.f32": floats.Bytes(), "known.f32": known.Bytes()} {
		if err := durable.WriteFile(filepath.Join(dir, name), content); err != nil {
			return err
		}
	}
	return nil
}

// appendNumbers appends numbers, little-endian.
func appendNumbers[T float32 | int32](b *bytes.Buffer, numbers []T) {
	text, _ := binary.Append(nil, binary.LittleEndian, numbers) // numbers of fixed size cannot fail
	b.Write(text)
}

// TooLarge returns a batch that does not fit into this many bytes on a backend: one that would take about four times as
// much, by the estimate that [ErrMemory] explains, and a multiple of 8.
func TooLarge(c run.Config, b *backend.Backend, bytes int64) (int, error) {
	built, err := c.Build()
	if err != nil {
		return 0, err
	}
	m := memoryOf(c, built.Network, formOf(c, b))
	return int(max(8, 4*bytes/m.sample/8*8)), nil
}
