package train

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"talbot/encode"
	"talbot/train/model"
)

// Batch is N samples. A source may reuse the slices of the batch it is given.
type Batch struct {
	N            int
	Packed       []uint64        // N·21, inputs as encode.TalbotBot.Pack writes them; the graph makes planes of them
	PolicyIndex  []int32         // N·K move indices, K the same for all samples; the reference has K = 1
	PolicyWeight []float32       // N·K; a sample's weights sum to 1, or are all 0: no policy target
	Value        []float32       // N, target in [−1, 1], from the side to move
	ValueWeight  []float32       // N, ≥ 0; 0 = no value label
	State        json.RawMessage // the source's state after this batch: what Restore needs to continue behind it

	legal []uint64 // N·16, the legal moves as encode.TalbotBot.LegalMask has them; nil without a mask in the loss
}

// Source yields training batches without end.
//
// Run calls Restore at most once and before Next, Next from one goroutine at a time, and neither after it has returned.
type Source interface {
	// Next fills the batch. An error, io.EOF included, ends the run; what was trained is kept.
	Next(b *Batch) error
	// Restore continues behind the batch that carried the state.
	Restore(state json.RawMessage) error
}

// choices is K.
func (b *Batch) choices() int { return len(b.PolicyIndex) / b.N }

// counts are the samples with a policy target and the sum of the value weights.
func (b *Batch) counts() (policies, values float64) {
	k := b.choices()
	for i := range b.N {
		if slices.ContainsFunc(b.PolicyWeight[i*k:(i+1)*k], func(w float32) bool { return w > 0 }) {
			policies++
		}
		values += float64(b.ValueWeight[i])
	}
	return policies, values
}

// part is the i-th of so many equal parts, without state.
func (b *Batch) part(i, parts int) Batch {
	n, k, words := b.N/parts, b.choices(), len(b.Packed)/b.N
	from, to := i*n, (i+1)*n
	p := Batch{N: n, Packed: b.Packed[from*words : to*words],
		PolicyIndex: b.PolicyIndex[from*k : to*k], PolicyWeight: b.PolicyWeight[from*k : to*k],
		Value: b.Value[from:to], ValueWeight: b.ValueWeight[from:to]}
	if b.legal != nil {
		p.legal = b.legal[from*model.LegalWords : to*model.LegalWords]
	}
	return p
}

// addLegal computes the legal moves of the positions that the inputs show, on all processors. A policy target that is
// not legal is an error.
func (b *Batch) addLegal() error {
	b.legal = slices.Grow(b.legal[:0], b.N*model.LegalWords)[:b.N*model.LegalWords]
	const part = 64
	errs := make([]error, (b.N+part-1)/part)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() { errs[i] = b.addLegalTo(i*part, min((i+1)*part, b.N)) })
	}
	all.Wait()
	return cmp.Or(errs...)
}

func (b *Batch) addLegalTo(from, to int) error {
	var e encode.TalbotBot
	k := b.choices()
	for i := from; i < to; i++ {
		p, err := e.Position(b.Packed[i*model.Words:])
		if err != nil {
			return fmt.Errorf("sample %d shows no position: %w", i, err)
		}
		e.LegalMask(b.legal[i*model.LegalWords:], &p)
		for j := i * k; j < (i+1)*k; j++ {
			if b.PolicyWeight[j] == 0 {
				continue
			}
			if _, legal := e.Move(&p, int(b.PolicyIndex[j])); !legal {
				return fmt.Errorf("sample %d: move %d is not legal in %s", i, b.PolicyIndex[j], p.FEN())
			}
		}
	}
	return nil
}

// check rejects what the graph would silently clamp or spread. NaN targets are rejected here as well, so that a NaN
// loss means that the network diverged.
func (b *Batch) check() error {
	n := b.N
	switch {
	case n < 1:
		return fmt.Errorf("batch of %d samples", n)
	case len(b.Packed) != n*model.Words:
		return fmt.Errorf("batch of %d samples has %d words of input, want %d", n, len(b.Packed), n*model.Words)
	case len(b.PolicyIndex) == 0 || len(b.PolicyIndex)%n != 0 || len(b.PolicyWeight) != len(b.PolicyIndex):
		return fmt.Errorf("batch of %d samples has %d policy indices and %d policy weights", n, len(b.PolicyIndex),
			len(b.PolicyWeight))
	case len(b.Value) != n || len(b.ValueWeight) != n:
		return fmt.Errorf("batch of %d samples has %d values and %d value weights", n, len(b.Value), len(b.ValueWeight))
	}
	k := b.choices()
	for i := range n {
		var sum float32
		for j := i * k; j < (i+1)*k; j++ {
			if index := b.PolicyIndex[j]; index < 0 || index >= model.Moves {
				return fmt.Errorf("sample %d: move index %d is not in 0 … %d", i, index, model.Moves-1)
			}
			if !(b.PolicyWeight[j] >= 0) {
				return fmt.Errorf("sample %d: policy weight %g", i, b.PolicyWeight[j])
			}
			sum += b.PolicyWeight[j]
		}
		if sum != 0 && !(sum > 0.999 && sum < 1.001) {
			return fmt.Errorf("sample %d: policy weights sum to %g, want 1 or 0", i, sum)
		}
		if !(b.Value[i] >= -1 && b.Value[i] <= 1) {
			return fmt.Errorf("sample %d: value %g is not in [-1, 1]", i, b.Value[i])
		}
		if !(b.ValueWeight[i] >= 0 && b.ValueWeight[i] <= 1e6) {
			return fmt.Errorf("sample %d: value weight %g", i, b.ValueWeight[i])
		}
	}
	return nil
}
