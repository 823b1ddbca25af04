// Package backend opens the compute backend that trains and plays networks.
//
// It turns the text of a --backend flag into an open GoMLX backend and a sentence saying what was chosen and why.
// Nothing is ever downloaded: what is missing is named by [Discover] together with the remedy. The package starts no
// goroutines of its own; a backend owns its own threads for the life of the process.
//
// Three implementations exist. "go" is pure Go and always there. "xla" is XLA behind its PJRT plugins (shared objects);
// it needs a build with cgo and without the tag noxla. "onnx" computes networks that are trained, with ONNX Runtime on
// the processor, and what little else there is to compute with "go"; it needs a build with cgo. "onnx:int8" is the same
// with most of a network in 8 bits.
package backend

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"golang.org/x/sys/cpu"

	"talbot/network/model"
	"talbot/network/ort"
)

// Backend is a backend in use.
type Backend struct {
	compute.Backend
	Kind string              // "go", "xla:cpu", "xla:cuda", "xla", "onnx" or "onnx:int8"
	Why  string              // one sentence: what was chosen and why
	Conv model.ConvAlgorithm // the convolutions that are fast on it
}

// OnRuntime reports whether networks are computed with ONNX Runtime.
func (o *Backend) OnRuntime() bool { return o.Kind == "onnx" || o.Int8() }

// Int8 reports whether most of a network is computed in whole numbers of 8 bits.
func (o *Backend) Int8() bool { return o.Kind == "onnx:int8" }

// WithInt8 returns an ONNX Runtime that computes most of a network in 8 bits.
func (o *Backend) WithInt8() *Backend {
	fast := *o
	fast.Kind = "onnx:int8"
	fast.Why += ", in 8 bits"
	return &fast
}

// Exact returns the backend without 8 bits.
func (o *Backend) Exact() *Backend {
	if !o.Int8() {
		return o
	}
	exact := *o
	exact.Kind = "onnx"
	return &exact
}

// VNNI reports whether the processor has the instructions of x86-64 that multiply and add whole numbers of 8 bits.
func VNNI() bool { return cpu.X86.HasAVX512VNNI || cpu.X86.HasAVXVNNI }

// OpenForInference opens the backend named by spec for networks that are trained: those of [Open], and
//
//	onnx         ONNX Runtime on the processor
//	onnx:int8    the same, most of the network in whole numbers of 8 bits: faster, and a little less exact
//
// With auto ONNX Runtime comes second, after a GPU.
func OpenForInference(spec string) (*Backend, error) {
	switch spec {
	case "onnx", "onnx:int8":
		b, err := openRuntime(Discover(), "as asked")
		if err != nil {
			return nil, fmt.Errorf("backend %q: %w", spec, err)
		}
		b.Kind = spec
		return b, nil
	case AtOnce:
		b, err := openRuntime(Discover(), "the fastest backend that starts at once")
		if err != nil {
			return openGo("go, because " + err.Error())
		}
		return b, nil
	case "", "auto":
		found := Discover()
		if _, cuda := found.Plugin("cuda"); found.Runtime == "" || cuda && len(found.GPUs) > 0 {
			break
		}
		b, err := openRuntime(found, "the fastest backend found")
		if err == nil {
			return b, nil
		}
		if b, e := openAuto(found); e == nil {
			b.Why += fmt.Sprintf("; %v", err)
			return b, nil
		}
	}
	return Open(spec)
}

// AtOnce names, for [OpenForInference], the fastest backend that compiles nothing before it answers: ONNX Runtime, or
// else "go".
const AtOnce = "at once"

// openRuntime loads ONNX Runtime.
func openRuntime(found Discovery, why string) (*Backend, error) {
	switch {
	case !ort.Compiled:
		return nil, ort.ErrNotCompiled
	case found.Runtime == "":
		return nil, errors.New("ONNX Runtime was not found: run `talbot setup onnx`, or name its library in " +
			runtimeVariable)
	}
	version, err := ort.Load(found.Runtime)
	if err != nil {
		return nil, err
	}
	b, err := openGo(fmt.Sprintf("ONNX Runtime %s in %s, %s", version, found.Runtime, why))
	if err == nil {
		b.Kind = "onnx"
	}
	return b, err
}

// Open opens the backend named by spec, which trains and answers:
//
//	auto         CUDA if there are an NVIDIA GPU and a plugin for it, else the fastest CPU backend there is
//	go           pure Go
//	xla:cpu      XLA on the processor
//	xla:cuda     XLA on an NVIDIA GPU
//	xla:KIND     XLA with a plugin of another kind that was found: rocm (AMD), oneapi (Intel), metal (Apple)
//	xla:/a/b.so  XLA with this PJRT plugin
//
// An error names the remedy. With auto a plugin that does not load is not an error but part of Why.
func Open(spec string) (*Backend, error) {
	switch {
	case spec == "" || spec == "auto":
		return openAuto(Discover())
	case spec == "go":
		return openGo("go, as requested")
	case IsKind(spec):
		kind := strings.TrimPrefix(spec, "xla:")
		found := Discover()
		plugin, ok := found.Plugin(kind)
		if !ok {
			return nil, fmt.Errorf("backend %q: %s", spec, found.remedy(kind))
		}
		return openXLA(plugin, "as asked")
	case strings.HasPrefix(spec, "xla:"):
		path := strings.TrimPrefix(spec, "xla:")
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("backend %q must be xla:KIND, such as xla:cpu, or xla:/absolute/path/plugin.so",
				spec)
		}
		return openXLA(Plugin{Kind: kindOf(path), Path: path}, "as asked")
	}
	if spec == "onnx" || spec == "onnx:int8" {
		return nil, fmt.Errorf("backend %q does not train; use auto, go, xla:cpu, xla:cuda or xla:/path/plugin.so",
			spec)
	}
	return nil, fmt.Errorf("unknown backend %q; use auto, go, xla:cpu, xla:cuda or xla:/path/plugin.so, or, but to "+
		"train, onnx or onnx:int8", spec)
}

// kinds are those of plugins that may be asked for by name; of others, by path.
var kinds = []string{"cpu", "cuda", "rocm", "oneapi", "metal"}

// IsKind reports whether a backend is XLA with a plugin by its kind, such as xla:cpu and xla:rocm.
func IsKind(spec string) bool {
	kind, ok := strings.CutPrefix(spec, "xla:")
	return ok && slices.Contains(kinds, kind)
}

// openAuto prefers a GPU, then XLA on the processor, then Go. A training step of 6 blocks of 64 filters on 256
// positions takes 0.27 s on xla:cpu, 0.49 s on go with GOEXPERIMENT=simd and 10 s without (two cores of an AMD EPYC
// with AVX-512; go test ./train -bench Step), though XLA needs some seconds to compile it.
func openAuto(found Discovery) (*Backend, error) {
	var failed []string
	if plugin, ok := found.Plugin("cuda"); ok && len(found.GPUs) > 0 {
		b, err := openXLA(plugin, "chosen because this machine has "+found.GPUs[0].Name)
		if err == nil {
			return b, nil
		}
		failed = append(failed, fmt.Sprintf("the CUDA plugin %s does not load: %v", plugin.Path, err))
	}
	if plugin, ok := found.Plugin("cpu"); ok {
		b, err := openXLA(plugin, strings.Join(append(failed, "the fastest backend found"), "; "))
		if err == nil {
			return b, nil
		}
		failed = append(failed, fmt.Sprintf("the CPU plugin %s does not load: %v", plugin.Path, err))
	}
	if len(failed) == 0 {
		failed = append(failed, "no XLA plugin found")
	}
	return openGo("go, because " + strings.Join(failed, "; "))
}

// OnProcessor reports whether a backend of that kind, or with that name, trains on the processor.
func OnProcessor(kind string) bool { return kind == "go" || kind == "xla:cpu" }

func openGo(why string) (*Backend, error) {
	spareHeap()
	b, err := gobackend.New("")
	if err != nil {
		return nil, fmt.Errorf("backend \"go\": %w", err)
	}
	if !SIMD {
		why += " (built without GOEXPERIMENT=simd, which makes it about twenty times faster)"
	}
	return &Backend{Backend: b, Kind: "go", Why: why, Conv: model.Winograd}, nil
}
