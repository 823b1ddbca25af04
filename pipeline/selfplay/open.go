package selfplay

import (
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"

	"talbot/network/backend"
	"talbot/play/engine"
	"talbot/play/mcts"
)

// Open opens a network for so many games. A batch of 0 is the largest one that is good on a processor, 32, or on a GPU,
// 256, but no larger than the games fill.
func Open(path, kind string, batch int, games int64) (*engine.Network, error) {
	c := engine.Config{Path: path, Backend: kind, Batch: batch, Bulk: true}
	if batch > 0 {
		return engine.Open(c)
	}
	c.Batch = filled(32, games)
	n, err := engine.Open(c)
	if err != nil || c.Batch < 32 || slices.Contains([]string{"go", "onnx", "onnx:int8", "xla:cpu"}, n.Backend) {
		return n, err
	}
	n.Close()
	c.Batch = filled(256, games)
	return engine.Open(c)
}

// filled returns the largest batch, a power of two and at most that large, that games fill twice.
func filled(batch int, games int64) int {
	for batch > 1 && int64(2*batch) > games {
		batch /= 2
	}
	return batch
}

// Use has a network play the games of a request.
func (r *Request) Use(n *engine.Network) {
	r.Network = Network{Network: n.Identity(),
		Evaluator:  func() mcts.Evaluator { return n.Evaluator() },
		Centipawns: func(v float32) int { return n.Centipawns("gumbel", v) },
		Counts:     n.Counts}
	r.Processor = processor(n.Backend)
}

// processor names what the last digits of a computation depend on, beside program, backend and batch.
func processor(kind string) string {
	words := []string{runtime.GOARCH}
	if cpu.X86.HasAVX2 {
		words = append(words, "avx2")
	}
	if cpu.X86.HasAVX512F {
		words = append(words, "avx512")
	}
	if kind == "onnx:int8" && backend.VNNI() {
		words = append(words, "vnni")
	}
	if backend.SIMD {
		words = append(words, "simd")
	}
	return strings.Join(words, " ")
}
