//go:build !(cgo && (linux || darwin))

package ort

// Compiled reports whether ONNX Runtime can be loaded.
const Compiled = false

// Load returns [ErrNotCompiled].
func Load(string) (version string, err error) { return "", ErrNotCompiled }

// Model is a model that is ready to be computed.
type Model struct{}

// NewModel returns [ErrNotCompiled].
func NewModel([]byte, string, []string, int) (*Model, error) { return nil, ErrNotCompiled }

// Close does nothing.
func (*Model) Close() error { return nil }

// Batch is memory that a model reads and writes.
type Batch struct{}

// NewBatch returns [ErrNotCompiled].
func (*Model) NewBatch(Tensor, []Tensor) (*Batch, error) { return nil, ErrNotCompiled }

// Run returns [ErrNotCompiled].
func (*Batch) Run() error { return ErrNotCompiled }

// Close does nothing.
func (*Batch) Close() error { return nil }
