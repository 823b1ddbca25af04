package onnx

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"talbot/network/checkpoint"
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

// numbers returns n numbers around 0.
func numbers(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// blocks is a graph with each kind of node, and what each computes of one input, in float64.
func blocks(t *testing.T) (g *Graph, compute func(x []float64) map[string][]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	have := map[string][]float32{}
	var tensors []checkpoint.Tensor
	tensor := func(name string, shape ...int) {
		have[name] = numbers(rng, product(shape))
		if strings.HasSuffix(name, "_var") {
			for i, x := range have[name] {
				have[name][i] = 0.5 + x*x
			}
		}
		tensors = append(tensors, checkpoint.Tensor{Name: name, Shape: shape, Data: have[name]})
	}
	norm := func(name string, c int) {
		for _, part := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
			tensor(name+part, c)
		}
	}
	const c = 3
	tensor("conv.weight", c, 2, 3, 3)
	tensor("conv.bias", c)
	norm("bn", c)
	tensor("wide.weight", c, c, 5, 5)
	tensor("down.weight", c, 64*c)
	norm("bn2", c)
	tensor("up.weight", 1, 64*c)
	tensor("up.bias", 1)

	g, err := New("blocks", tensors)
	if err != nil {
		t.Fatal(err)
	}
	in := g.Input("in", "", 2, 8, 8)
	conv := g.Conv(in, "conv")
	bn := g.BatchNorm(conv, "bn", 1e-3)
	relu := g.Relu(bn)
	wide := g.Conv(relu, "wide")
	down := g.Linear(g.Flatten(g.Transpose(wide, "flat1.squares", 1, 2, 0), "flat1"), "down", "down")
	gate := g.Sigmoid(g.BatchNorm(down, "bn2", 1e-5), "gate")
	soft := g.Softmax(down, "soft")
	scaled := g.Mul(wide, g.Reshape(gate, "gates", c, 1, 1), "scaled")
	sum := g.Add(scaled, relu, "sum")
	value := g.Squeeze(g.Tanh(g.Linear(g.Flatten(sum, "flat2"), "up", "up"), "tanh"), "value")
	for _, x := range []Value{conv, bn, relu, wide, down, gate, soft, sum, value} {
		g.Output(x, "")
	}

	convolve := func(x []float64, name string, out, in, side int) []float64 {
		y := make([]float64, out*64)
		for o := range out {
			for sq := range 64 {
				if bias := have[name+".bias"]; bias != nil {
					y[o*64+sq] = float64(bias[o])
				}
				for i := range in {
					for k := range side * side {
						r, f := sq/8+k/side-side/2, sq%8+k%side-side/2
						if r >= 0 && r < 8 && f >= 0 && f < 8 {
							y[o*64+sq] += x[i*64+r*8+f] * float64(have[name+".weight"][(o*in+i)*side*side+k])
						}
					}
				}
			}
		}
		return y
	}
	normal := func(x []float64, name string, epsilon float64) []float64 {
		each := len(x) / c
		y := make([]float64, len(x))
		for i := range x {
			of := func(part string) float64 { return float64(have[name+part][i/each]) }
			y[i] = (x[i]-of(".running_mean"))/math.Sqrt(of(".running_var")+epsilon)*of(".weight") + of(".bias")
		}
		return y
	}
	linear := func(x []float64, name string, out int) []float64 {
		y := make([]float64, out)
		for o := range y {
			if bias := have[name+".bias"]; bias != nil {
				y[o] = float64(bias[o])
			}
			for i := range x {
				y[o] += x[i] * float64(have[name+".weight"][o*len(x)+i])
			}
		}
		return y
	}
	each := func(x []float64, f func(i int) float64) []float64 {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = f(i)
		}
		return y
	}
	return g, func(x []float64) map[string][]float64 {
		conv := convolve(x, "conv", c, 2, 3)
		bn := normal(conv, "bn", 1e-3)
		relu := each(bn, func(i int) float64 { return max(0, bn[i]) })
		wide := convolve(relu, "wide", c, c, 5)
		down := linear(each(wide, func(i int) float64 { return wide[i%c*64+i/c] }), "down", c)
		gate := normal(down, "bn2", 1e-5)
		gate = each(gate, func(i int) float64 { return 1 / (1 + math.Exp(-gate[i])) })
		total := 0.0
		for _, x := range down {
			total += math.Exp(x - slices.Max(down))
		}
		sum := each(wide, func(i int) float64 { return wide[i]*gate[i/64] + relu[i] })
		return map[string][]float64{"conv": conv, "bn": bn, "bn.relu": relu, "wide": wide, "down": down, "gate": gate,
			"soft": each(down, func(i int) float64 { return math.Exp(down[i]-slices.Max(down)) / total }), "sum": sum,
			"value": {math.Tanh(linear(sum, "up", 1)[0])}}
	}
}

// inRuntime has ONNX Runtime compute all outputs of samples; the test is skipped without it.
func inRuntime[T float32 | float64](t *testing.T, g *Graph, x []float32) map[string][][]T {
	t.Helper()
	if err := exec.Command("python3", "-c", "import onnxruntime, numpy").Run(); err != nil {
		t.Skip("Python with onnxruntime is not installed: not compared with it (pip install onnxruntime)")
	}
	file, err := g.Model()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "testdata/run.py", path)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got map[string][][]T
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

// ONNX Runtime computes of each kind of node what loops do.
func TestNodesInONNXRuntime(t *testing.T) {
	g, compute := blocks(t)
	x := numbers(rand.New(rand.NewPCG(3, 4)), 3*2*64)
	got := inRuntime[float64](t, g, x)
	for i := range 3 {
		sample := make([]float64, 2*64)
		for j := range sample {
			sample[j] = float64(x[i*len(sample)+j])
		}
		want := compute(sample)
		for name, numbers := range want {
			if len(got[name]) != 3 || len(got[name][i]) != len(numbers) || len(got) != len(want) {
				t.Fatalf("%s of sample %d is missing", name, i)
			}
			for j, x := range numbers {
				if d := got[name][i][j] - x; !(math.Abs(d) < 1e-4*max(1, math.Abs(x))) {
					t.Fatalf("%s of sample %d: number %d is %g, want %g", name, i, j, got[name][i][j], x)
				}
			}
		}
	}
}

// A model holds every tensor once and a free batch dimension; the bytes are a function of the input alone.
func TestModel(t *testing.T) {
	var files []string
	for range 2 {
		g, _ := blocks(t)
		g.Describe("b", "2")
		g.Describe("a", "1")
		file, err := g.Model()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(file))
	}
	if files[0] != files[1] {
		t.Error("a second model is another")
	}
	top := fields(t, []byte(files[0]))
	graph := fields(t, top[7][0])
	if len(graph[5]) != 14+2 || len(graph[11]) != 1 || len(graph[12]) != 9 || len(top[14]) != 2 {
		t.Errorf("%d initializers, %d inputs, %d outputs, %d metadata", len(graph[5]), len(graph[11]), len(graph[12]),
			len(top[14]))
	}
}

// What is missing or has another number of axes is an error that names the node, and stays the first one.
func TestGraphsAreChecked(t *testing.T) {
	tensors := []checkpoint.Tensor{{Name: "w.weight", Shape: []int{2, 3}, Data: make([]float32, 6)}}
	for name, build := range map[string]func(g *Graph, x, board Value){
		"none": func(g *Graph, x, board Value) { g.Linear(x, "none", "none") },
		"w":    func(g *Graph, x, board Value) { g.Conv(board, "w") },
		"n":    func(g *Graph, x, board Value) { g.BatchNorm(x, "n", 1) },
		"add":  func(g *Graph, x, board Value) { g.Add(x, board, "add") },
		"x":    func(g *Graph, x, board Value) { g.Tanh(board, "x") },
	} {
		g, err := New("x", tensors)
		if err != nil {
			t.Fatal(err)
		}
		x, board := g.Input("x", "", 3), g.Input("board", "", 1, 8, 8)
		build(g, x, board)
		g.Output(g.Tanh(board, "x"), "")
		if g.Err() == nil || !strings.HasPrefix(g.Err().Error(), fmt.Sprintf("node %q: ", name)) {
			t.Errorf("%s: %v", name, g.Err())
		}
		if _, err := g.Model(); err == nil || err.Error() != g.Err().Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
	g, err := New("x", tensors[:1])
	if err != nil {
		t.Fatal(err)
	}
	g.Output(g.Tanh(g.Input("x", "", 3), "y"), "")
	if _, err := g.Model(); err == nil || !strings.Contains(err.Error(), `"w.weight" is in no node`) {
		t.Errorf("a tensor without a node: %v", err)
	}
	if _, err := New("x", append(tensors, tensors[0])); err == nil {
		t.Error("two tensors of one name are no error")
	}
	data, huge := make([]float32, 1<<20), make([]checkpoint.Tensor, 600)
	for i := range huge {
		huge[i] = checkpoint.Tensor{Name: fmt.Sprint(i), Shape: []int{1 << 20}, Data: data}
	}
	if _, err := New("x", huge); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a huge network: %v", err)
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
