package train

import (
	"encoding/json"
	"fmt"
	"slices"

	"talbot/encode"
	"talbot/train/model"
)

// Batch is N samples. A source may reuse the slices of the batch it is given.
type Batch struct {
	N            int
	Planes       []uint64        // N·68, bit i = square i, a1 = 0, mover's frame
	PolicyIndex  []int32         // N·K move indices, K the same for all samples; the reference has K = 1
	PolicyWeight []float32       // N·K; a sample's weights sum to 1, or are all 0: no policy target
	Value        []float32       // N, target in [−1, 1], from the side to move
	ValueWeight  []float32       // N, ≥ 0; 0 = no value label
	State        json.RawMessage // the source's state after this batch: what Restore needs to continue behind it

	legal []uint64 // N·73, the legal moves as encode.TalbotBot.LegalMask has them; nil without a mask in the loss
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
	n, k := b.N/parts, b.choices()
	from, to := i*n, (i+1)*n
	p := Batch{N: n, Planes: b.Planes[from*model.Planes : to*model.Planes],
		PolicyIndex: b.PolicyIndex[from*k : to*k], PolicyWeight: b.PolicyWeight[from*k : to*k],
		Value: b.Value[from:to], ValueWeight: b.ValueWeight[from:to]}
	if b.legal != nil {
		p.legal = b.legal[from*encode.LegalWords : to*encode.LegalWords]
	}
	return p
}

// addLegal computes the legal moves from the planes, which show the position whole: that takes about a microsecond a sample
// and no memory in the source. A policy target that is not legal is an error.
func (b *Batch) addLegal() error {
	k := b.choices()
	b.legal = slices.Grow(b.legal[:0], b.N*encode.LegalWords)[:b.N*encode.LegalWords]
	for i := range b.N {
		legal := b.legal[i*encode.LegalWords:][:encode.LegalWords]
		if err := (encode.TalbotBot{}).LegalMask(legal, b.Planes[i*model.Planes:]); err != nil {
			return fmt.Errorf("sample %d: %w", i, err)
		}
		for j := i * k; j < (i+1)*k; j++ {
			if index := b.PolicyIndex[j]; b.PolicyWeight[j] > 0 && legal[index%encode.LegalWords]>>(index/encode.LegalWords)&1 == 0 {
				return fmt.Errorf("sample %d: move %d is not legal", i, index)
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
	case len(b.Planes) != n*model.Planes:
		return fmt.Errorf("batch of %d samples has %d planes, want %d", n, len(b.Planes), n*model.Planes)
	case len(b.PolicyIndex) == 0 || len(b.PolicyIndex)%n != 0 || len(b.PolicyWeight) != len(b.PolicyIndex):
		return fmt.Errorf("batch of %d samples has %d policy indices and %d policy weights", n, len(b.PolicyIndex), len(b.PolicyWeight))
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
