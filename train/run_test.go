package train

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"talbot/encode"
	"talbot/internal/durable"
	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/run"

	"github.com/gomlx/gomlx/core/tensors"
	gomlx "github.com/gomlx/gomlx/ml/model"
)

// specs are the backends every training test runs on; one that is not there is skipped loudly.
var specs = []string{"go", "xla:cpu"}

func eachBackend(t *testing.T, test func(t *testing.T, b *backend.Backend)) {
	for _, spec := range specs {
		t.Run(spec, func(t *testing.T) { test(t, openTest(t, spec)) })
	}
}

func valBatches(c run.Config, n int) []Batch {
	val := make([]Batch, n)
	for i := range val {
		(&synthetic{batch: c.Batch, legal: legalMask(c)}).fill(&val[i], int64(1e9)+int64(i))
		if legalMask(c) {
			played(&val[i], int64(1e9)+int64(i))
		}
	}
	return val
}

func mustRun(t *testing.T, c run.Config, o Options) Result {
	t.Helper()
	result, err := Run(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestKilledRunResumesToTheBit kills two processes in a row with SIGKILL and resumes; on XLA one, or with TALBOT_FULL=1
// two. All options of training are on.
func TestKilledRunResumesToTheBit(t *testing.T) {
	if dir := os.Getenv("TALBOT_TEST_KILL_DIR"); dir != "" {
		killSelf(t, dir, os.Getenv("TALBOT_TEST_KILL_BACKEND"))
		return
	}
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := everything()
		whole := t.TempDir()
		mustRun(t, c, Options{Dir: whole, Backend: b, Source: play(c),
			Val: valBatches(c, 2), Calibration: valBatches(c, 3)})

		cut := t.TempDir()
		kills := []string{"6", "10"} // checkpoints are of steps 4 and 8
		if b.Kind != "go" && os.Getenv("TALBOT_FULL") == "" {
			kills = kills[:1] // each process compiles for long
		}
		for _, at := range kills {
			child := exec.Command(os.Args[0], "-test.run=^TestKilledRunResumesToTheBit$")
			child.Env = append(os.Environ(), "TALBOT_TEST_KILL_DIR="+cut, "TALBOT_TEST_KILL_BACKEND="+b.Kind,
				"TALBOT_TEST_KILL_AT="+at)
			if out, err := child.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
				t.Fatalf("child was not killed: %v\n%s", err, out)
			}
		}
		got := mustRun(t, c, Options{Dir: cut, Backend: b, Source: play(c),
			Val: valBatches(c, 2), Calibration: valBatches(c, 3), Resume: true})
		if want := int64(12-4*len(kills)) * int64(c.Batch); got.Samples != want {
			t.Errorf("resumed run trained on %d samples, want %d", got.Samples, want)
		}
		sameRuns(t, whole, cut)
	})
}

func killSelf(t *testing.T, dir, spec string) {
	c, at := everything(), os.Getenv("TALBOT_TEST_KILL_AT")
	Run(context.Background(), c, Options{Dir: dir, Backend: openTest(t, spec),
		Source: play(c),
		Resume: at != "6", Val: valBatches(c, 2), Calibration: valBatches(c, 3), Progress: func(p Progress) {
			if strconv.FormatInt(p.Step, 10) == at {
				self, _ := os.FindProcess(os.Getpid())
				self.Kill()
				select {}
			}
		}})
}

func sameRuns(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(filepath.Join(a, "checkpoints", checkpoint.Name(12)))
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(filepath.Join(b, "checkpoints", checkpoint.Name(12)))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Error("final checkpoints differ")
	}
	m, n := readMetrics(t, a), readMetrics(t, b)
	for i := range min(len(m), len(n)) {
		if !reflect.DeepEqual(m[i], n[i]) {
			t.Errorf("metrics differ first in line %d:\n%+v\n%+v", i+1, m[i], n[i])
			break
		}
	}
	if m[2].Loss == m[5].Loss {
		t.Error("two validations gave the same loss: the weights did not change")
	}
	if len(m) != 6+3 {
		t.Errorf("%d lines of metrics, want 6 of training and 3 of validation", len(m))
	}
}

// readMetrics returns the lines without their wall-clock fields.
func readMetrics(t *testing.T, dir string) []MetricsLine {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "metrics.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines []MetricsLine
	for s := bufio.NewScanner(f); s.Scan(); {
		l, err := decodeLine(append(s.Bytes(), '\n'))
		if err != nil {
			t.Fatal(err)
		}
		l.Seconds, l.PositionsPerSecond, l.LoaderWait = 0, 0, 0
		lines = append(lines, l)
	}
	return lines
}

// TestCancelledRunResumesToTheBit cancels a run again and again; with TALBOT_FULL=1 also one in bfloat16 on XLA, which
// TestBFloat16 takes back to a checkpoint and TestKilledRunResumesToTheBit kills.
func TestCancelledRunResumesToTheBit(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := tiny()
		if b.Conv == model.Native {
			if c.Precision = run.BFloat16; os.Getenv("TALBOT_FULL") == "" {
				t.Skip("set TALBOT_FULL=1 to train four runs")
			}
		}
		whole, cut := t.TempDir(), t.TempDir()
		mustRun(t, c, Options{Dir: whole, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2),
			Calibration: valBatches(c, 3)})
		for stop := int64(3); ; stop += 6 { // in the middle of a log window each time
			ctx, cancel := context.WithCancel(context.Background())
			result, err := Run(ctx, c, Options{Dir: cut, Backend: b, Source: &synthetic{batch: c.Batch},
				Val: valBatches(c, 2), Calibration: valBatches(c, 3),
				Resume: stop > 3, Progress: func(p Progress) {
					if p.Step == stop {
						cancel()
					}
				}})
			cancel()
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || result.Steps != stop || result.Checkpoint == "" {
				t.Fatalf("cancelled at %d: %+v, %v", stop, result, err)
			}
		}
		sameRuns(t, whole, cut)
	})
}

func TestRefusals(t *testing.T) {
	b := openTest(t, "go")
	c := tiny()
	c.Steps = 2
	o := Options{Dir: t.TempDir(), Backend: b, Source: &synthetic{batch: c.Batch}}
	if _, err := Run(t.Context(), c, Options{Dir: o.Dir, Backend: b, Source: o.Source, Resume: true}); !errors.Is(err,
		run.ErrNoRun) {
		t.Errorf("resuming nothing: %v", err)
	}
	result := mustRun(t, c, o)
	if result.Final != nil || result.Steps != 2 || result.Checkpoint == "" {
		t.Errorf("result %+v", result)
	}
	if _, err := Run(t.Context(), c, o); !errors.Is(err, run.ErrExists) {
		t.Errorf("existing run: %v", err)
	}
	o.Resume = true
	other := c
	set(&other, "value_dropout", 0.25)
	var ce *ConfigError
	if _, err := Run(t.Context(), other, o); !errors.As(err, &ce) || ce.Field != "value_dropout" {
		t.Errorf("other dropout: %v", err)
	}
	other = c
	other.Precision = run.BFloat16
	if _, err := Run(t.Context(), other, Options{Dir: t.TempDir(), Backend: b, Source: o.Source}); !errors.Is(err,
		ErrPrecision) {
		t.Errorf("bfloat16 on go: %v", err)
	}
	other = c
	other.Keep, other.LogEvery = 1, 1
	mustRun(t, other, o)
	claim, err := run.NewClaim(o.Dir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Close()
	if _, err := Run(t.Context(), c, o); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("locked run: %v", err)
	}
}

// failing yields n batches, changed by spoil, and then an error.
type failing struct {
	synthetic
	n     int64
	spoil func(*Batch)
}

func (f *failing) Next(b *Batch) error {
	if f.at == f.n {
		return io.EOF
	}
	err := f.synthetic.Next(b)
	if f.spoil != nil {
		f.spoil(b)
	}
	return err
}

func TestFailingSourceKeepsWhatWasTrained(t *testing.T) {
	b := openTest(t, "go")
	c := tiny()
	o := Options{Dir: t.TempDir(), Backend: b, Source: &failing{synthetic: synthetic{batch: c.Batch}, n: 5}}
	result, err := Run(t.Context(), c, o)
	if !errors.Is(err, io.EOF) || !strings.Contains(err.Error(), "step 6") || result.Steps != 5 {
		t.Fatalf("%+v, %v", result, err)
	}
	if _, err := checkpoint.Read(filepath.Join(o.Dir, "checkpoints", checkpoint.Name(5))); err != nil {
		t.Error(err)
	}
}

func TestBadBatchesAreErrors(t *testing.T) {
	for name, spoil := range map[string]func(*Batch){
		"index 4672":       func(b *Batch) { b.Codes[3] = 4672 },
		"no move":          func(b *Batch) { b.Codes[3] = -1 },
		"index -2":         func(b *Batch) { b.Codes[3], b.Weights[3] = -2, 0 },
		"value NaN":        func(b *Batch) { b.Floats[3] = float32(math.NaN()) },
		"value 1.5":        func(b *Batch) { b.Floats[3] = 1.5 },
		"weights sum 0.5":  func(b *Batch) { b.Weights[3] = 0.5 },
		"negative weight":  func(b *Batch) { b.Known[3] = -1 },
		"short input":      func(b *Batch) { b.Packed = b.Packed[1:] },
		"empty":            func(b *Batch) { b.N = 0 },
		"short value list": func(b *Batch) { b.Floats = b.Floats[1:] },
	} {
		var b Batch
		(&synthetic{batch: 4}).fill(&b, 1)
		layout := encode.TalbotBot{}.Layout()
		if err := b.Check(&layout); err != nil {
			t.Fatal(err)
		}
		spoil(&b)
		if b.Check(&layout) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestDivergedRunNamesTheStep: weights of 1e37 are finite, but nothing that is computed with them is, so the run
// cannot continue from their checkpoint.
func TestDivergedRunNamesTheStep(t *testing.T) {
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		c := cheap()
		c.CheckpointEvery, c.EvalEvery = 1, 0
		c.LR, c.MinLR = 1e37, 1e37
		o := Options{Dir: t.TempDir(), Backend: b, Source: anything{c.Batch, encode.Probability{}.Layout()}}
		result, err := Run(t.Context(), c, o)
		if !errors.Is(err, ErrDiverged) || result.Steps != 1 || !strings.Contains(err.Error(), "at step 2: ") ||
			!strings.HasSuffix(err.Error(), "there is no checkpoint") {
			t.Fatalf("%+v, %v", result, err)
		}
		if steps := checkpointSteps(t, o.Dir); steps != "step-000000000001.safetensors.diverged" {
			t.Errorf("checkpoints %s", steps)
		}
	})
}

// TestLastStepIsValidatedOnce: where the last step has a checkpoint of its own, the validation at the end is in it.
func TestLastStepIsValidatedOnce(t *testing.T) {
	c := tiny()
	c.EvalEvery, c.CheckpointEvery, c.LR = 5, 6, 1e-9 // later validations are not better
	c.MinLR = 0
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch},
		Val: valBatches(c, 1)}
	mustRun(t, c, o)
	o.Resume = true
	for range 2 {
		o.Source = &synthetic{batch: c.Batch}
		mustRun(t, c, o)
	}
	lines := 0
	for _, line := range readMetrics(t, o.Dir) {
		if line.Kind == "val" && line.Step == c.Steps {
			lines++
		}
	}
	if lines != 1 {
		t.Errorf("%d validations of the last step", lines)
	}
}

// TestOperationalSettingsStay: what a resumption changes holds for the next one too.
func TestOperationalSettingsStay(t *testing.T) {
	c := tiny()
	c.Steps = 2
	o := Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: &synthetic{batch: c.Batch}}
	mustRun(t, c, o)
	o.Resume = true
	c.Keep, c.EvalEvery, c.CheckpointEvery = 7, 2, 2
	mustRun(t, c, o)
	if got, err := run.ReadConfig(o.Dir); err != nil || got != c {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestPace: the figures of a line are those of its own steps.
func TestPace(t *testing.T) {
	var p pace
	p.add(100, time.Second, 0)
	p.add(100, 3*time.Second, 2*time.Second)
	if rate, wait := p.rates(); rate != 50 || wait != 0.5 {
		t.Errorf("%g, %g", rate, wait)
	}
	if rate, wait := (&pace{}).rates(); rate != 0 || wait != 0 {
		t.Errorf("no steps: %g, %g", rate, wait)
	}
}

func checkpointSteps(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "checkpoints"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".safetensors"))
	}
	return strings.Join(names, " ")
}

// dying runs until the n-th execution of a graph, which fails with that error.
func dying(c run.Config, o Options, n int, fault error) error {
	r, err := begin(c, o)
	if err != nil {
		return err
	}
	r.engine.execute = func(x *gomlx.Exec, args ...any) ([]*tensors.Tensor, error) {
		if n--; n < 0 {
			return nil, fault
		}
		return x.Call(args...)
	}
	return errors.Join(r.loop(context.Background()), r.end())
}
