package ort_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/onnx"
	"talbot/network/ort"
)

// load loads ONNX Runtime, or skips the test.
func load(t *testing.T) {
	t.Helper()
	found := backend.Discover()
	if found.Runtime == "" {
		t.Skip("NOT TESTED: ONNX Runtime was not found (talbot setup onnx)")
	}
	version, err := ort.Load(found.Runtime)
	if err != nil || version == "" {
		t.Fatal(version, err)
	}
}

// line returns the model y = relu(2x₁ − 3x₂ + 1), z = y.
func line(t *testing.T) []byte {
	t.Helper()
	g, err := onnx.New("line", []checkpoint.Tensor{{Name: "fc.weight", Shape: []int{1, 2}, Data: []float32{2, -3}},
		{Name: "fc.bias", Shape: []int{1}, Data: []float32{1}}})
	if err != nil {
		t.Fatal(err)
	}
	g.Output(g.Relu(g.Linear(g.Input("x", "two numbers", 2), "fc", "y")), "cut at 0")
	model, err := g.Model()
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// TestModel: batches of several sizes are computed with one model, and again with other numbers.
func TestModel(t *testing.T) {
	load(t)
	m, err := ort.NewModel(line(t), "x", []string{"y.relu"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, n := range []int{1, 3} {
		in, out := make([]float32, 2*n), make([]float32, n)
		b, err := m.NewBatch(ort.Tensor{Name: "x", Shape: []int{n, 2}, Data: in},
			[]ort.Tensor{{Name: "y.relu", Shape: []int{n, 1}, Data: out}})
		if err != nil {
			t.Fatal(err)
		}
		for try := range 3 {
			for i := range n {
				in[2*i], in[2*i+1] = float32(i), float32(try)
			}
			if err := b.Run(); err != nil {
				t.Fatal(err)
			}
			for i, got := range out {
				if want := max(0, 2*float32(i)-3*float32(try)+1); got != want {
					t.Errorf("batch of %d, row %d: %g, want %g", n, i, got, want)
				}
			}
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckLibrary: what would hang the process or end it with a signal is refused before it is loaded.
func TestCheckLibrary(t *testing.T) {
	whole, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	library := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := ort.CheckLibrary(library("whole.so", whole)); err != nil {
		t.Errorf("a whole file: %v", err)
	}
	if runtime.GOOS != "linux" {
		return
	}
	pipe := filepath.Join(dir, "pipe.so")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Fatal(err)
	}
	wrong := map[string]string{"pipe": pipe, "folder": dir, "missing": filepath.Join(dir, "none.so"),
		"text": library("text.so", []byte("not a library"))}
	for _, size := range []int{0, 3, 4, 20, 64, 1000, 4096, len(whole) / 2, len(whole) * 9 / 10} {
		wrong[fmt.Sprint(size, " bytes")] = library(fmt.Sprint(size, ".so"), whole[:size])
	}
	for what, path := range wrong {
		if err := ort.CheckLibrary(path); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

// TestErrors: what is no model, and memory of other sizes, are errors.
func TestErrors(t *testing.T) {
	load(t)
	other := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ort.Load(other); err == nil || !strings.Contains(err.Error(), other) {
		t.Errorf("a second library: %v", err)
	}
	if m, err := ort.NewModel([]byte("no model"), "x", []string{"y"}, 1); err == nil {
		t.Error("no error for what is no model")
		m.Close()
	}
	m, err := ort.NewModel(line(t), "x", []string{"y.relu"}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	tensor := func(name string, size int, shape ...int) ort.Tensor {
		return ort.Tensor{Name: name, Shape: shape, Data: make([]float32, size)}
	}
	y := tensor("y.relu", 4, 4, 1)
	for what, in := range map[string]ort.Tensor{"short": tensor("x", 7, 4, 2), "empty": tensor("x", 0, 0, 2)} {
		if _, err := m.NewBatch(in, []ort.Tensor{y}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := m.NewBatch(tensor("x", 8, 4, 2), nil); err == nil {
		t.Error("no error without outputs")
	}
	b, err := m.NewBatch(tensor("x", 12, 4, 3), []ort.Tensor{y})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Run(); err == nil {
		t.Error("no error for rows of three numbers")
	}
}
