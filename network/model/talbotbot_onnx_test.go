package model

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"talbot/network/checkpoint"
	"talbot/network/onnx"
)

// made returns tensors of numbers that are the same everywhere.
func made(n Network) (tensors []checkpoint.Tensor) {
	for k, p := range n.Params() {
		data := make([]float32, p.Size())
		for i := range data {
			data[i] = float32((i*31+k*17)%101)/64 - 0.75
		}
		tensors = append(tensors, checkpoint.Tensor{Name: p.Name, Shape: p.Shape, Data: data})
	}
	return tensors
}

func exported(t *testing.T, n TalbotBot, tensors []checkpoint.Tensor) []byte {
	t.Helper()
	g, err := onnx.New("talbotbot", tensors)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range n.ONNX(g) {
		g.Output(x, n.Heads()[i].About)
	}
	g.Describe("recipe", "talbotbot")
	g.Describe("step", "7")
	g.Describe("checkpoint", "best.safetensors")
	file, err := g.Model()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The checksums are those of the files that talbot wrote when it knew no other recipe.
func TestTalbotBotONNXIsUnchanged(t *testing.T) {
	for _, test := range []struct {
		TalbotBot
		want string
	}{
		{TalbotBot{Blocks: 2, Filters: 4}, "d8fae51521b8b20e3fde807ee10bd4ae631a7fec718f0b84a1ad369dfca295c4"},
		{TalbotBot{Blocks: 1, Filters: 6}, "be57d6c7df87667e0b5909128aee3e8a8ca354a800d52d11e65ba50f178cb752"},
	} {
		sum := sha256.Sum256(exported(t, test.TalbotBot, made(test.TalbotBot)))
		if got := hex.EncodeToString(sum[:]); got != test.want {
			t.Errorf("%s: %s, want %s", test.TalbotBot, got, test.want)
		}
	}
}

// A tensor that is missing or of another shape is an error.
func TestTalbotBotONNXNeedsItsTensors(t *testing.T) {
	n := TalbotBot{Blocks: 1, Filters: 4}
	for i, tensor := range made(n) {
		spoilt, short := made(n), made(n)
		spoilt[i].Shape = append([]int{1}, spoilt[i].Shape...)
		for _, tensors := range [][]checkpoint.Tensor{spoilt, slices.Delete(short, i, i+1)} {
			g, err := onnx.New("talbotbot", tensors)
			if err != nil {
				t.Fatal(err)
			}
			optional := strings.Contains(tensor.Name, "fc") && strings.HasSuffix(tensor.Name, ".bias")
			if n.ONNX(g); g.Err() == nil && (len(tensors) == len(spoilt) || !optional) {
				t.Errorf("%s: no error", tensor.Name)
			}
		}
	}
}
