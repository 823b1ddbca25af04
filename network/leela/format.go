package leela

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/network/model"
)

// format is the message NetworkFormat.
type format struct {
	input, output, network, policy, value, movesLeft uint64
	activation, smolgen, feedForward, embedding      uint64
}

var (
	policies    = []string{"", "classical", "convolution", "attention"}
	embeddings  = []string{"none", "map", "dense"}
	activations = append([]string{""}, model.LeelaActivations...)
)

// parseFormat reads the message Format. What it does not name is as in the first networks.
func parseFormat(b []byte) (format, error) {
	f := format{input: 1, output: 1, network: 3, policy: policyClassical, value: valueNumber}
	m, err := parse(b)
	if err != nil {
		return f, fmt.Errorf("%w: format: %w", ErrDamaged, err)
	}
	if n := m.numbers[1]; n != linear16 {
		return f, fmt.Errorf("%w: format.weights_encoding is %d; lc0 knows 1", ErrDamaged, n)
	}
	if m, err = parse(m.one(2)); err != nil {
		return f, fmt.Errorf("%w: format.network_format: %w", ErrDamaged, err)
	}
	fields := []*uint64{&f.input, &f.output, &f.network, &f.policy, &f.value, &f.movesLeft, &f.activation, &f.smolgen,
		&f.feedForward, &f.embedding}
	for i, to := range fields {
		if n, ok := m.numbers[protowire.Number(i+1)]; ok {
			*to = n
		}
	}
	if f.network == 1 || f.network == 2 { // before networks named their heads
		f.policy, f.value, f.movesLeft = policyClassical, valueNumber, movesLeftNone
	}
	checks := []struct {
		name string
		n    uint64
		most int
	}{
		{"input", f.input, 5}, {"policy", f.policy, policyAttention}, {"value", f.value, valueChances},
		{"moves_left", f.movesLeft, movesLeftV1}, {"default_activation", f.activation, 1},
		{"smolgen_activation", f.smolgen, len(activations) - 1},
		{"ffn_activation", f.feedForward, len(activations) - 1}, {"input_embedding", f.embedding, embeddingDense},
	}
	for _, c := range checks {
		if c.n > uint64(c.most) {
			return f, fmt.Errorf("%w: %s %d%s", ErrUnsupported, c.name, c.n, known(c.name, c.n))
		}
	}
	if !slices.Contains([]uint64{1, 2, 3, 4, 6, 7, 134}, f.network) {
		return f, fmt.Errorf("%w: network %d%s", ErrUnsupported, f.network, known("network", f.network))
	}
	return f, nil
}

// known names a form that talbot does not have.
func known(field string, n uint64) string {
	switch {
	case field == "input" && (n == 132 || n == 133):
		return " (armageddon)"
	case field == "network" && n == networkONNX:
		return " (ONNX)"
	case field == "value" && n == 3:
		return " (parameters)"
	}
	return ""
}

// appendFormat appends the message NetworkFormat.
func appendFormat(b []byte, t model.Leela) ([]byte, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	f := format{input: uint64(t.Input), output: 1, network: 3, policy: uint64(slices.Index(policies, t.Policy)),
		value: valueNumber}
	if t.Chances {
		f.output, f.value = 2, valueChances
	}
	if t.MovesLeftFilters > 0 {
		f.movesLeft = movesLeftV1
	}
	if t.Activation == "mish" {
		f.activation = 1
	}
	switch {
	case t.Blocks == 0:
		f.network = 6
		f.embedding = uint64(slices.Index(embeddings, t.Embedding))
		if severalHeads(t) {
			f.network = 7
		}
		f.feedForward = uint64(slices.Index(activations, t.FFNActivation))
		f.smolgen = uint64(slices.Index(activations, t.SmolgenActivation))
	case t.Squeeze > 0:
		f.network = 4
	}
	for i, n := range []uint64{f.input, f.output, f.network, f.policy, f.value, f.movesLeft, f.activation, f.smolgen,
		f.feedForward, f.embedding} {
		b = appendNumber(b, protowire.Number(i+1), n)
	}
	return b, nil
}
