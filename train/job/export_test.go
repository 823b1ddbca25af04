package job

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"talbot/dataset"
	"talbot/train"
	"talbot/train/backend"
	"talbot/train/internal/madeup"
	"talbot/train/loader"
	"talbot/train/model"
)

// python runs a script of testdata, or skips where Python lacks a module.
func python(t *testing.T, module string, stdin []byte, args ...string) []byte {
	t.Helper()
	if err := exec.Command("python3", "-c", "import "+module).Run(); err != nil {
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

// exported trains a little network, so that the statistics are not those of the start, and exports it.
func exported(t *testing.T, format string) (path string, p *train.Predictor, specs []loader.Spec) {
	t.Helper()
	specs = []loader.Spec{write(t, madeup.Dataset{Seed: 1, Games: 60})}
	job := tiny(t, specs...)
	job.Steps = 10
	job.Adjust = func(c *train.Config) { adjust(c); c.Blocks, c.LR = 3, 0.02 }
	mustTrain(t, job)
	path = filepath.Join(t.TempDir(), "network."+format)
	x, err := Export{Dir: job.Dir, Out: path, Format: format}.Run()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != x.Bytes || x.Step != 10 || x.Parameters == 0 {
		t.Errorf("%+v, %v", x, err)
	}
	b, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Finalize)
	if p, err = train.NewPredictor(b, job.Dir, train.BestCheckpoint, 8); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return path, p, specs
}

// ONNX Runtime gives our logits and values within 1e-4 of the larger of 1 and the number, at any batch size.
func TestExportedModelInONNXRuntime(t *testing.T) {
	path, p, specs := exported(t, "onnx")
	data, err := loader.Open(t.Context(), specs, loader.Options{Recipe: "talbotbot"})
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	var planes []uint64
	for s, err := range data.Samples(t.Context(), loader.EvalOptions{Splits: []dataset.Split{dataset.Train,
		dataset.Val}, Limit: 41}) {
		if err != nil {
			t.Fatal(err)
		}
		planes = append(planes, s.Planes[:]...)
	}
	var batches [][][]string
	left := planes
	for _, n := range []int{1, 8, 32} {
		var batch [][]string
		for range n {
			var position []string
			for _, plane := range left[:model.Planes] {
				position = append(position, fmt.Sprintf("%016x", plane))
			}
			batch, left = append(batch, position), left[model.Planes:]
		}
		batches = append(batches, batch)
	}
	in, err := json.Marshal(batches)
	if err != nil {
		t.Fatal(err)
	}
	var theirs []struct {
		Logits [][]float32
		Value  []float32
	}
	if err := json.Unmarshal(python(t, "onnxruntime", in, "testdata/export.py", "onnx", path), &theirs); err != nil {
		t.Fatal(err)
	}
	logits, values, err := p.Predict(planes, 41)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	compare := func(got, want float32) {
		worst = max(worst, math.Abs(float64(got-want))/max(1, math.Abs(float64(want))))
	}
	i := 0
	for _, batch := range theirs {
		for j, value := range batch.Value {
			compare(value, values[i])
			for k, z := range batch.Logits[j] {
				compare(z, logits[i*model.Moves+k])
			}
			i++
		}
	}
	t.Logf("%d positions, largest difference %.2g", i, worst)
	if i != 41 || !(worst < 1e-4) {
		t.Errorf("%d positions, largest difference %g", i, worst)
	}
}

// Python's safetensors library reads the tensors that the predictor has.
func TestExportedWeightsInPython(t *testing.T) {
	path, p, _ := exported(t, "safetensors")
	var theirs map[string]struct {
		Shape []int
		Sum   float64
	}
	if err := json.Unmarshal(python(t, "safetensors", nil, "testdata/export.py", "safetensors", path),
		&theirs); err != nil {
		t.Fatal(err)
	}
	tensors, err := p.Tensors()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range tensors {
		sum := 0.0
		for _, x := range want.Data {
			sum += float64(x)
		}
		if got := theirs[want.Name]; fmt.Sprint(got.Shape) != fmt.Sprint(want.Shape) ||
			math.Abs(got.Sum-sum) > 1e-6*max(1, math.Abs(sum)) {
			t.Errorf("%s: %+v, want %v and %g", want.Name, got, want.Shape, sum)
		}
	}
	if len(theirs) != len(tensors) {
		t.Errorf("%d tensors, want %d", len(theirs), len(tensors))
	}
}
