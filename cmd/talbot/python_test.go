package main

import (
	"cmp"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"talbot/internal/testkit"
	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

// python returns a command of a Python that has a module and finds this talbot and its package, or skips the test.
// TALBOT_PYTHON names another than python3.
func python(t *testing.T, module string, args ...string) *exec.Cmd {
	t.Helper()
	program := cmp.Or(os.Getenv("TALBOT_PYTHON"), "python3")
	if out, err := exec.Command(program, "-c", "import "+module).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: %s has no %s (TALBOT_PYTHON names another): %v: %.200s", program, module, err, out)
	}
	self := testkit.Value(os.Executable())(t)
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "TALBOT="+self, "PYTHONPATH=../../python",
		"PYTHONDONTWRITEBYTECODE=1", "HOME="+t.TempDir())
	return cmd
}

// TestPython is python/test_talbot.py.
func TestPython(t *testing.T) {
	t.Parallel()
	dir := traindata.Dataset{Seed: 4, Games: 40}.Write(t)
	out, err := python(t, "numpy", "../../python/test_talbot.py", dir).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// TestPythonTrains: the example of docs/26-python.md has the losses of talbot at each of 100 steps.
func TestPythonTrains(t *testing.T) {
	t.Parallel()
	python(t, "numpy, torch") // or skips
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first"), filepath.Join(dir, "second")
	data := traindata.Dataset{Seed: 5, Games: 200}.Write(t)
	var losses []float64
	j := job.Train{Dir: first, Recipe: "talbotbot", Backend: "go", Adjust: func(c *run.Config) error {
		c.Batch, c.LR, c.MinLR = 64, 1e-5, 1e-6
		return errors.Join(c.Set("blocks", "2"), c.Set("filters", "16"), c.Set("block_dropout", "0"),
			c.Set("value_dropout", "0"))
	}, Progress: func(p train.Progress) {
		if p.Val == nil {
			losses = append(losses, p.Loss)
		}
	}}
	_, _, err := j.Init()
	testkit.OK(t, err)
	weights := filepath.Join(dir, "first.safetensors")
	if _, said, status := talbotIn(t, dir, "export", "--run", first, "--format", "safetensors", "--out",
		weights); status != 0 {
		t.Fatal(said)
	}
	j.Dir, j.Data, j.Steps = second, []loader.Spec{{Dir: data}}, 100
	testkit.Value(j.Run(t.Context()))(t)
	cmd := python(t, "torch", "../../examples/torch_train.py", second, weights, data)
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(lines) != len(losses) || len(lines) != 100 {
		t.Fatalf("%v: %d lines, want %d\n%s", err, len(lines), len(losses), out)
	}
	most := 0.0
	for i, line := range lines {
		_, text, _ := strings.Cut(line, " ")
		loss := testkit.Value(strconv.ParseFloat(text, 64))(t)
		if most = max(most, math.Abs(loss-losses[i])); !(most < 1e-4) {
			t.Errorf("step %d: the loss is %g, want %g", i+1, loss, losses[i])
		}
	}
	if last := losses[99]; !(last < losses[0]-0.005) {
		t.Errorf("the loss goes from %g to %g", losses[0], last)
	}
	t.Logf("losses from %g to %g, at most %.1e apart", losses[0], losses[99], most)
}
