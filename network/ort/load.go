//go:build cgo && (linux || darwin)

package ort

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	onnxruntime "github.com/yalue/onnxruntime_go"
)

// Compiled reports whether ONNX Runtime can be loaded.
const Compiled = true

// loaded is the library of this process: there can be one.
var loaded struct {
	sync.Mutex
	path string
}

// Load loads the library, once in a process, with its telemetry turned off: since version 1.32 it would write a device
// identifier and a queue of events into the user's cache and send them to its maker.
func Load(path string) (version string, err error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.path != "" && loaded.path != path {
		return "", fmt.Errorf("ONNX Runtime %q: this process has loaded %q", path, loaded.path)
	}
	if loaded.path == "" {
		if err := CheckLibrary(path); err != nil {
			return "", fmt.Errorf("ONNX Runtime %q: %w", path, err)
		}
		if err := os.Setenv("ORT_DISABLE_TELEMETRY", "1"); err != nil { // read while the library starts
			return "", fmt.Errorf("ONNX Runtime: %w", err)
		}
		onnxruntime.SetSharedLibraryPath(path)
		if err := onnxruntime.InitializeEnvironment(onnxruntime.WithLogLevelError()); err != nil {
			text := err.Error()
			if _, cause, ok := strings.Cut(text, `"`+path+`": `); ok {
				text = strings.TrimPrefix(cause, path+": ")
			}
			return "", fmt.Errorf("ONNX Runtime %q: %s", path, text)
		}
		loaded.path = path
	}
	return onnxruntime.GetVersion(), nil
}

// Model is a model that is ready to be computed. Its methods are for one goroutine.
type Model struct {
	session *onnxruntime.DynamicAdvancedSession
	outputs int
}

// NewModel reads a model; the library must be loaded. With threads = 0 it runs on one for each
// processor that Go may use.
func NewModel(model []byte, input string, outputs []string, threads int) (*Model, error) {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	o, err := onnxruntime.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer o.Destroy()
	err = errors.Join(o.SetIntraOpNumThreads(threads), o.SetInterOpNumThreads(1))
	if err != nil {
		return nil, err
	}
	s, err := onnxruntime.NewDynamicAdvancedSessionWithONNXData(model, []string{input}, outputs, o)
	if err != nil {
		return nil, fmt.Errorf("ONNX Runtime: %w", err)
	}
	return &Model{s, len(outputs)}, nil
}

// Close frees the model. Its batches are closed before.
func (m *Model) Close() error { return m.session.Destroy() }

// Batch is memory that a model reads and writes.
type Batch struct {
	model   *Model
	in, out []onnxruntime.Value
	pins    runtime.Pinner // the library keeps pointers to Go's memory
}

// NewBatch has the model read and write this memory, until Close.
func (m *Model) NewBatch(in Tensor, out []Tensor) (_ *Batch, err error) {
	if len(out) != m.outputs {
		return nil, fmt.Errorf("memory for %d outputs; the model has %d", len(out), m.outputs)
	}
	b := &Batch{model: m}
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	wrap := func(t Tensor) (onnxruntime.Value, error) {
		shape := make(onnxruntime.Shape, len(t.Shape))
		size := 1
		for i, n := range t.Shape {
			shape[i] = int64(n)
			size *= n
		}
		if size != len(t.Data) || size == 0 {
			return nil, fmt.Errorf("%q has %d numbers in shape %v", t.Name, len(t.Data), t.Shape)
		}
		b.pins.Pin(&t.Data[0])
		return onnxruntime.NewTensor(shape, t.Data)
	}
	v, err := wrap(in)
	if err != nil {
		return nil, err
	}
	b.in = append(b.in, v)
	for _, t := range out {
		if v, err = wrap(t); err != nil {
			return nil, err
		}
		b.out = append(b.out, v)
	}
	return b, nil
}

// Run computes the outputs.
func (b *Batch) Run() error {
	if err := b.model.session.Run(b.in, b.out); err != nil {
		return fmt.Errorf("ONNX Runtime: %w", err)
	}
	return nil
}

// Close gives the memory back.
func (b *Batch) Close() (err error) {
	for _, v := range append(b.in, b.out...) {
		err = errors.Join(err, v.Destroy())
	}
	b.in, b.out = nil, nil
	b.pins.Unpin()
	return err
}
