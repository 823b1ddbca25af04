package onnx

import (
	"encoding/hex"
	"errors"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/train/checkpoint"
	"talbot/train/model"
)

// The bytes were worked out by hand from onnx.proto3 and the rules of the wire format.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name string
		got  message
		want string
	}{
		{"float attribute", attribute("a", float32(1)), "0a0161" + "150000803f" + "a00101"},
		{"integer attribute", attribute("a", 300), "0a0161" + "18ac02" + "a00102"},
		{"integers attribute", attribute("a", []int{1, 2}), "0a0161" + "4001" + "4002" + "a00107"},
		{"float tensor", floats("w", []int{2, 1}, []float32{1, -2}),
			"0802" + "0801" + "1001" + "420177" + "4a08" + "0000803f" + "000000c0"},
		{"integer tensor", integers("w", -1), "0801" + "1007" + "420177" + "4a08" + "ffffffffffffffff"},
		{"value", valueInfo("x", "d", 68), "0a0178" + "120f" + "0a0d" + "0801" + "1209" + "0a03" + "12014e" + "0a02" +
			"0844" + "1a0164"},
	} {
		if got := hex.EncodeToString(c.got); got != c.want {
			t.Errorf("%s is %s, want %s", c.name, got, c.want)
		}
	}
}

// A model holds every parameter once and a free batch dimension; the bytes are a function of the input alone.
func TestModel(t *testing.T) {
	c := model.Config{Blocks: 2, Filters: 4}
	n, err := model.New("talbotbot", c)
	if err != nil {
		t.Fatal(err)
	}
	var tensors []checkpoint.Tensor
	for _, p := range n.Params() {
		tensors = append(tensors, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: make([]float32, p.Size())})
	}
	meta := map[string]string{"b": "2", "a": "1"}
	file, err := Model("talbotbot", c, tensors, meta)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Model("talbotbot", c, tensors, meta)
	if err != nil || string(again) != string(file) {
		t.Errorf("a second model is another, %v", err)
	}
	top := fields(t, file)
	graph := fields(t, top[7][0])
	if len(graph[5]) != len(tensors)+1 || len(graph[11]) != 1 || len(graph[12]) != 2 || len(top[14]) != 2 {
		t.Errorf("%d initializers, %d inputs, %d outputs, %d metadata", len(graph[5]), len(graph[11]), len(graph[12]),
			len(top[14]))
	}
	if _, err := Model("talbotbot", c, tensors[1:], nil); err == nil {
		t.Error("a missing tensor is no error")
	}
	if _, err := Model("talbotbot", model.Config{Blocks: 200, Filters: 4096}, nil, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("huge network: %v", err)
	}
}

// fields returns the length-delimited fields of a message.
func fields(t *testing.T, m []byte) map[protowire.Number][][]byte {
	t.Helper()
	found := map[protowire.Number][][]byte{}
	for len(m) > 0 {
		number, kind, n := protowire.ConsumeTag(m)
		if n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		m = m[n:]
		if n = protowire.ConsumeFieldValue(number, kind, m); n < 0 {
			t.Fatal(protowire.ParseError(n))
		}
		if kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(m)
			found[number] = append(found[number], value)
		}
		m = m[n:]
	}
	return found
}
