//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/gomlx/support/exceptions"

	"talbot/internal/cache"
	"talbot/network/backend/quiet"
	"talbot/network/model"
	"talbot/network/ort"
)

// XLA reports whether XLA was compiled in.
const XLA = true

func init() { // go-xla is initialised
	os.Stderr = quiet.Stderr
	log.SetOutput(os.Stderr)
}

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
	path, closePath, err := neutralPath(plugin)
	if err != nil {
		return nil, fmt.Errorf("xla plugin %q: %w", plugin.Path, err)
	}
	defer closePath()
	// go-xla looks for NVIDIA's libraries in other places than Python's packages have them, and warns.
	if err := os.Setenv("GOPJRT_CUDA_CHECKS", "0"); err != nil {
		return nil, err
	}
	options, logged, flags := ",shared_buffers=false", func() string { return "" }, os.Getenv(xlaFlags)
	if plugin.Kind == "cuda" {
		if err := prepareCUDA(plugin.Path); err != nil {
			return nil, fmt.Errorf("xla plugin %q: %w", plugin.Path, err)
		}
		if dir, err := cache.UserDir(); err == nil {
			if err := os.Setenv(xlaFlags, keepAutotuning(os.Getenv(xlaFlags), plugin.Path, dir)); err != nil {
				return nil, err
			}
		}
		options += fmt.Sprintf(",memory_fraction=%.3f", gpuShare())
		if logged, err = captureErrors(); err != nil {
			return nil, err
		}
	}
	var b *xla.Backend
	if caught := exceptions.TryCatch[error](func() {
		b, err = xla.NewWithOptions(path+options, nil)
	}); caught != nil {
		err = caught
	}
	if reason := logged(); err != nil && reason != "" {
		err = fmt.Errorf("%w (%s)", err, reason)
	}
	if err != nil {
		_ = os.Setenv(xlaFlags, flags)                            // another plugin may not have the options of this one
		_, text, found := strings.Cut(err.Error(), "PJRT error ") // after the names of functions, path and backend
		if !found {
			text = err.Error()
		}
		return nil, pluginHint(fmt.Errorf("xla plugin %q: %s", plugin.Path, text))
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
