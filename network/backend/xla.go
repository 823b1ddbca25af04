//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/gomlx/support/exceptions"

	"talbot/network/model"
	"talbot/network/ort"
)

// XLA reports whether XLA was compiled in.
const XLA = true

// openXLA loads a plugin by its absolute path. go-xla downloads plugins only through a package that is not imported
// here, and never for a path.
//
// Buffers shared between host and device are off: go-xla frees such memory when the tensor is dropped, whether or not
// the plugin still reads it, and copying the inputs of a step costs nothing measurable.
//
// Do not use Go's CPU profiler in a process that uses the CPU plugin: its signals corrupt the plugin's heap.
func openXLA(plugin Plugin, why string) (*Backend, error) {
	if err := ort.CheckLibrary(plugin.Path); err != nil {
		return nil, fmt.Errorf("xla plugin %q: %w", plugin.Path, err)
	}
	// The plugins of Python's packages find NVIDIA's libraries in site-packages/nvidia by themselves; go-xla looks
	// elsewhere and warns that they are missing.
	const checks = "GOPJRT_CUDA_CHECKS"
	if beside, err := os.Stat(filepath.Join(filepath.Dir(plugin.Path), "../../nvidia")); err == nil && beside.IsDir() &&
		os.Getenv(checks) == "" {
		if err := os.Setenv(checks, "0"); err != nil {
			return nil, err
		}
	}
	var b *xla.Backend
	var err error
	if caught := exceptions.TryCatch[error](func() {
		b, err = xla.NewWithOptions(plugin.Path+",shared_buffers=false", nil)
	}); caught != nil {
		err = caught
	}
	if err != nil {
		return nil, fmt.Errorf("xla plugin %q: %w", plugin.Path, err)
	}
	kind := "xla"
	if plugin.Kind != "" {
		kind += ":" + plugin.Kind
	}
	return &Backend{
		Backend: b,
		Kind:    kind,
		Why:     fmt.Sprintf("%s with %s, %s", kind, plugin.Path, why),
		Conv:    model.Native,
	}, nil
}
