package train

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"talbot/encode"
	"talbot/network/model"
)

// Batch is N samples, as their recipe writes them ([encode.Layout]). A source may reuse the slices of the batch it is
// given.
type Batch struct {
	N       int
	Packed  []uint64        // N·words, inputs; the graph unpacks them
	Codes   []int32         // N·K·words of the listed moves, K the same for all samples; −1 after the last one
	Weights []float32       // N·K, of the listed moves; 0 after the last one
	Floats  []float32       // N·F; 0 where not known
	Known   []float32       // N·F, ≥ 0, weights of the floats; 0 where not known
	State   json.RawMessage // the source's state after this batch: what Restore needs to continue after it
}

// Source yields training batches without end.
//
// Run calls Restore at most once and before Next, Next from one goroutine at a time, and neither after it has returned.
type Source interface {
	// Next fills the batch. An error, io.EOF included, ends the run; what was trained is kept.
	Next(b *Batch) error
	// Restore continues after the batch that carried the state.
	Restore(state json.RawMessage) error
}

// Resize makes room for n samples of a layout with longest moves each. The memory is used again, and what it holds is
// to be overwritten.
func (b *Batch) Resize(n, moves int, l *encode.Layout) {
	b.N = n
	b.Packed = resize(b.Packed, n*l.Words)
	b.Codes, b.Weights = b.Codes[:0], b.Weights[:0]
	if l.Moves != encode.NoMoves {
		b.Codes, b.Weights = resize(b.Codes, n*moves*l.Codes), resize(b.Weights, n*moves)
	}
	b.Floats, b.Known = resize(b.Floats, n*len(l.Floats)), resize(b.Known, n*len(l.Floats))
}

func resize[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// Moves is K.
func (b *Batch) Moves() int { return len(b.Weights) / b.N }

// over returns what the sum of a term over the batch is divided by.
func (b *Batch) over(o model.Over, scores bool) float64 {
	switch {
	case o == model.Samples:
		return float64(b.N)
	case o == model.Once:
		return 1
	case o != model.Listed:
		sum, floats := 0.0, len(b.Known)/b.N
		for i := int(o); i < len(b.Known); i += floats {
			sum += float64(b.Known[i])
		}
		return sum
	}
	count, k := 0.0, b.Moves()
	words := 0
	if k > 0 {
		words = len(b.Codes) / (b.N * k)
	}
	for i := range b.N {
		listed := k > 0 && scores && b.Codes[i*k*words] >= 0
		if listed || !scores && slices.ContainsFunc(b.Weights[i*k:(i+1)*k], func(w float32) bool { return w > 0 }) {
			count++
		}
	}
	return count
}

// part is the i-th of n equal parts, without state.
func (b *Batch) part(i, parts int) Batch {
	n := b.N / parts
	return Batch{N: n, Packed: share(b.Packed, i, parts), Codes: share(b.Codes, i, parts),
		Weights: share(b.Weights, i, parts), Floats: share(b.Floats, i, parts), Known: share(b.Known, i, parts)}
}

func share[T any](s []T, i, parts int) []T {
	n := len(s) / parts
	return s[i*n : (i+1)*n]
}

// Check rejects what the graph would silently clamp or spread. NaN targets are rejected here as well, so that a NaN
// loss means that the network diverged.
func (b *Batch) Check(l *encode.Layout) error {
	n, floats := b.N, len(l.Floats)
	switch {
	case n < 1:
		return fmt.Errorf("batch of %d samples", n)
	case len(b.Packed) != n*l.Words:
		return fmt.Errorf("batch of %d samples has %d words of input, want %d", n, len(b.Packed), n*l.Words)
	case l.Moves == encode.NoMoves && len(b.Codes)+len(b.Weights) != 0,
		l.Moves != encode.NoMoves && (len(b.Weights) == 0 || len(b.Weights)%n != 0 ||
			len(b.Codes) != len(b.Weights)*l.Codes):
		return fmt.Errorf("batch of %d samples has %d words of moves and %d weights", n, len(b.Codes), len(b.Weights))
	case len(b.Floats) != n*floats || len(b.Known) != n*floats:
		return fmt.Errorf("batch of %d samples has %d floats and %d weights of floats, want %d", n, len(b.Floats),
			len(b.Known), n*floats)
	}
	for i := range n {
		if err := b.checkMoves(i, l); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
	}
	for i, x := range b.Floats {
		name := l.Floats[i%floats]
		if name == encode.ValueFloat && !(x >= -1 && x <= 1) {
			return fmt.Errorf("sample %d: value %g is not in [-1, 1]", i/floats, x)
		}
		if !finite(float64(x)) {
			return fmt.Errorf("sample %d: %s %g", i/floats, name, x)
		}
		if w := b.Known[i]; !(w >= 0 && w <= 1e6) {
			return fmt.Errorf("sample %d: %s weight %g", i/floats, name, w)
		}
	}
	return nil
}

// checkMoves checks the listed moves of a sample.
func (b *Batch) checkMoves(i int, l *encode.Layout) error {
	k := b.Moves()
	var sum float32
	for j := i * k; j < (i+1)*k; j++ {
		w, code := b.Weights[j], b.Codes[j*l.Codes]
		switch {
		case math.IsInf(float64(w), 0) || w != w || w < 0 && !l.Scores:
			return fmt.Errorf("policy weight %g", w)
		case w != 0 && code < 0:
			return fmt.Errorf("policy weight %g of no move", w)
		case l.Indices > 0 && int(code) >= l.Indices:
			return fmt.Errorf("move index %d is not in 0 … %d", code, l.Indices-1)
		case code < -1:
			return fmt.Errorf("move index %d is not in 0 … %d", code, l.Indices-1)
		}
		sum += w
	}
	if !l.Scores && sum != 0 && !(sum > 0.999 && sum < 1.001) {
		return fmt.Errorf("policy weights sum to %g, want 1 or 0", sum)
	}
	return nil
}
