package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"talbot/board"
	"talbot/encode"
	"talbot/internal/output"
	"talbot/internal/testkit/tinyrun"
	"talbot/network/backend"
	"talbot/network/predict"
	"talbot/network/recipe"
	"talbot/network/run"
)

// python runs a script of testdata, or skips where Python lacks a module.
func python(t *testing.T, module string, stdin []byte, args ...string) []byte {
	t.Helper()
	if err := canImport(module); err != nil {
		t.Skipf("Python with %s is not installed: not compared with it (pip install %s)", module,
			strings.ReplaceAll(module, ",", ""))
	}
	cmd := exec.Command("python3", args...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	return out
}

// canImport says whether Python has that module; each is asked for once.
func canImport(module string) error {
	once, _ := imports.LoadOrStore(module, sync.OnceValue(func() error {
		return exec.Command("python3", "-c", "import "+module).Run()
	}))
	return once.(func() error)()
}

var imports sync.Map

// madeUpRun writes a run of a recipe with one checkpoint. Its network is small, if the recipe's can be, and was not
// trained; its statistics are not those of the start.
func madeUpRun(t *testing.T, name string) (dir string) {
	t.Helper()
	c, err := run.New(name, "")
	if err != nil {
		t.Fatal(err)
	}
	small(&c, 3)
	dir, _ = tinyrun.Write(t, c, tinyrun.Weights(t, c))
	return dir
}

// packedPositions are those of random games.
func packedPositions(e encode.Encoder, n int) (packed []uint64) {
	words := e.Layout().Words
	var v encode.View
	for seed := uint64(0); len(packed) < n*words; seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := board.NewGame(board.StartPosition())
		for range 50 {
			v.Play(g, 0, 0)
			legal := v.Legal()
			if len(legal) == 0 || len(packed) == n*words {
				break
			}
			packed = append(packed, make([]uint64, words)...)
			e.Pack(packed[len(packed)-words:], &v)
			g.Push(legal[rng.IntN(len(legal))])
		}
	}
	return packed
}

func exportTo(t *testing.T, dir, format string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "network."+format)
	x, err := Export{Dir: dir, Out: output.File{Path: path}, Format: format}.Run()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != x.Bytes || x.Step == 0 || x.Parameters == 0 {
		t.Errorf("%+v, %v", x, err)
	}
	return path
}

func openNetwork(t *testing.T, path string) *predict.Predictor {
	t.Helper()
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	p, err := predict.Open(b, path, predict.Options{Batches: []int{8}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func loaded(t *testing.T, path string) *predict.Network {
	t.Helper()
	n, err := predict.Load(path, run.BestCheckpoint)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestExportedModels: ONNX Runtime gives of each recipe's network our heads within 1e-4 of the larger of 1 and the
// number, at any batch size, from the numbers that the encoder says the network reads.
func TestExportedModels(t *testing.T) {
	for _, r := range recipe.All() {
		t.Run(r.Name, func(t *testing.T) {
			dir := madeUpRun(t, r.Name)
			network := loaded(t, dir)
			path := exportTo(t, dir, "onnx")
			b, err := backend.Open("go")
			if err != nil {
				t.Fatal(err)
			}
			defer b.Finalize()
			layout := network.Encoder.Layout()
			sizes := []int{1, 8, 32}
			var in bytes.Buffer
			for _, n := range sizes {
				packed := packedPositions(network.Encoder, n)
				numbers := make([]float32, n*layout.Numbers())
				for i := range n {
					network.Encoder.Unpack(numbers[i*layout.Numbers():], packed[i*layout.Words:(i+1)*layout.Words])
				}
				if err := json.NewEncoder(&in).Encode(numbers); err != nil {
					t.Fatal(err)
				}
			}
			answers := json.NewDecoder(bytes.NewReader(python(t, "onnxruntime", in.Bytes(),
				"../../network/onnx/testdata/run.py",
				path)))
			worst := 0.0
			for _, n := range sizes {
				var theirs map[string][][]float32
				if err := answers.Decode(&theirs); err != nil {
					t.Fatal(err)
				}
				ours := tinyrun.Heads(t, b, network.Built, network.Tensors, packedPositions(network.Encoder, n))
				for h, head := range network.Network.Heads() {
					if len(theirs[head.Name]) != n {
						t.Fatalf("%d rows of %s", len(theirs[head.Name]), head.Name)
					}
					for i, row := range theirs[head.Name] {
						for j, x := range row {
							want := float64(ours[h][i*len(row)+j])
							worst = max(worst, math.Abs(float64(x)-want)/max(1, math.Abs(want)))
						}
					}
				}
			}
			t.Logf("largest difference %.2g", worst)
			if !(worst < 1e-4) {
				t.Errorf("largest difference %g", worst)
			}
		})
	}
}

// TestExportedNetwork: an exported network carries weights and settings: it is the run's.
func TestExportedNetwork(t *testing.T) {
	for _, r := range recipe.All() {
		dir := madeUpRun(t, r.Name)
		a, b := loaded(t, dir), loaded(t, exportTo(t, dir, "safetensors"))
		if !reflect.DeepEqual(a.Tensors, b.Tensors) || b.Step != 7 || a.Config.Settings != b.Config.Settings {
			t.Errorf("%s: the exported network is another one: %+v", r.Name, b.About)
		}
	}
}

// Python's safetensors library reads the tensors that the predictor has.
func TestExportedWeightsInPython(t *testing.T) {
	dir := madeUpRun(t, "talbotbot")
	path := exportTo(t, dir, "safetensors")
	var theirs map[string]struct {
		Shape []int
		Sum   float64
	}
	if err := json.Unmarshal(python(t, "safetensors", nil, "testdata/export.py", path), &theirs); err != nil {
		t.Fatal(err)
	}
	trained := loaded(t, dir)
	for _, want := range trained.Tensors {
		sum := 0.0
		for _, x := range want.Data {
			sum += float64(x)
		}
		if got := theirs[want.Name]; fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) ||
			math.Abs(got.Sum-sum) > 1e-6*max(1, math.Abs(sum)) {
			t.Errorf("%s: %+v, want %v and %g", want.Name, got, want.Shape, sum)
		}
	}
	if len(theirs) != len(trained.Tensors) {
		t.Errorf("%d tensors, want %d", len(theirs), len(trained.Tensors))
	}
}
