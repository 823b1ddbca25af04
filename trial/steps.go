package trial

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"talbot/internal/child"
	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
)

// Names in the folder of a trial; programs run there.
const (
	gamesName = "games"
	dataName  = "data"
)

// How long programs may take that say nothing meanwhile. What XLA compiles for a GPU takes it up to some minutes.
const (
	aWhile    = 10 * time.Minute
	afterStop = 2 * time.Minute // until a checkpoint is written
)

// backend opens the backend in a separate process.
func (t *Trial) backend(ctx context.Context, s *State) (string, error) {
	var o backendReport
	if err := t.part(ctx, "open", aWhile, Part{Do: "open", Backend: t.Backend}, &o); err != nil {
		return "", err
	}
	s.Devices = o.Devices
	return fmt.Sprintf("%s; %s", o.Why, count(o.Devices, "device", "devices")), nil
}

// data has talbot play random games against itself: their moves are as much work to learn as any others.
func (t *Trial) data(ctx context.Context, _ *State) (string, error) {
	for _, dir := range []string{gamesName, dataName} { // of a step that failed
		if err := os.RemoveAll(filepath.Join(t.Dir, dir)); err != nil {
			return "", err
		}
	}
	p, err := t.talbot("games", "match", "random:", "random:", "--games", strconv.Itoa(t.Games), "--out", gamesName)
	if _, err := t.output(ctx, aWhile, p, err); err != nil {
		return "", err
	}
	p, err = t.talbot("ingest", "ingest", filepath.Join(gamesName, "games.pgn"), "--out", dataName, "--split", "90,5,5",
		"--json")
	text, err := t.output(ctx, aWhile, p, err)
	if err != nil {
		return "", err
	}
	var made struct{ Samples, Bytes int64 }
	if err := json.Unmarshal([]byte(text), &made); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d samples from %d games of random moves", made.Samples, t.Games), nil
}

// training is the command line of a run of the first network.
func (t *Trial) training(dir string, more ...string) []string {
	size := t.network()
	return append([]string{"train", "--data", dataName, "--run", dir, "--backend", t.Backend,
		"--blocks", strconv.Itoa(size.Blocks), "--filters", strconv.Itoa(size.Filters),
		"--batch", strconv.Itoa(t.Batches[0]), "--eval-every", "0", "--json"}, more...)
}

// remove removes runs of a step that failed, or that are no longer needed.
func (t *Trial) remove(dirs ...string) error {
	var all []error
	for _, dir := range dirs {
		all = append(all, os.RemoveAll(filepath.Join(t.Dir, dir)))
	}
	return errors.Join(all...)
}

// checkpoints returns the step of the newest checkpoint of a run; 0 without any.
func (t *Trial) checkpoints(dir string) (newest int64) {
	files, _ := filepath.Glob(filepath.Join(t.Dir, dir, "checkpoints", "step-*.safetensors"))
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".safetensors")
		if step, err := strconv.ParseInt(strings.TrimPrefix(name, "step-"), 10, 64); err == nil {
			newest = max(newest, step)
		}
	}
	return newest
}

// killed trains for a while, kills the process without warning, and resumes the run.
func (t *Trial) killed(ctx context.Context, _ *State) (string, error) {
	const dir = "killed"
	if err := t.remove(dir); err != nil {
		return "", err
	}
	p, err := t.talbot("train", t.training(dir, "--steps", "1000000", "--checkpoint-every", "10")...)
	if err != nil {
		return "", err
	}
	defer p.Close()
	if err := p.until(ctx, aWhile, func() bool { return t.checkpoints(dir) > 0 }); err != nil {
		return "", fmt.Errorf("training: %w", err)
	}
	begun := time.Now()
	first := t.checkpoints(dir)
	if err := p.until(ctx, aWhile, func() bool {
		return time.Since(begun) > time.Duration(6*t.Seconds)*time.Second && t.checkpoints(dir) > first
	}); err != nil {
		return "", fmt.Errorf("training: %w", err)
	}
	p.Kill()
	if exit, _ := p.WaitExit(afterStop); exit != child.KilledExit {
		return "", fmt.Errorf("the killed training ended with %q", exit)
	}
	was := t.checkpoints(dir)
	again, err := t.talbot("resume", "train", "--run", dir, "--resume", "--json")
	if err != nil {
		return "", err
	}
	defer again.Close()
	if err := again.until(ctx, aWhile, func() bool { return t.checkpoints(dir) > was }); err != nil {
		return "", fmt.Errorf("resuming after kill -9: %w", err)
	}
	if err := again.interrupt(); err != nil {
		return "", err
	}
	if exit, _ := again.WaitExit(afterStop); exit != "exit status 130" {
		return "", fmt.Errorf("Ctrl-C: %q: %s", exit, lastLines(again.Stderr(), 2))
	}
	now := t.checkpoints(dir)
	lines, err := t.losses(dir)
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("trained for %s, killed with SIGKILL at checkpoint %d, resumed there, and stopped by Ctrl-C "+
		"at checkpoint %d", time.Since(begun).Round(time.Second), was, now)
	if len(lines) > 1 {
		text += fmt.Sprintf("; loss %.3f at step %d, %.3f at step %d", lines[0].Loss, lines[0].Step,
			lines[len(lines)-1].Loss, lines[len(lines)-1].Step)
	}
	return text, t.remove(dir)
}

// losses are the train lines of a run.
func (t *Trial) losses(dir string) (lines []train.MetricsLine, err error) {
	text, err := os.ReadFile(filepath.Join(t.Dir, dir, run.MetricsName))
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		var l struct { // the rest of a line, and its checksum, is not looked at
			Kind string
			Step int64
			Loss float64
		}
		if json.Unmarshal([]byte(line), &l) == nil && l.Kind == "train" {
			lines = append(lines, train.MetricsLine{Step: l.Step, Means: run.Means{Loss: l.Loss}})
		}
	}
	return lines, nil
}

// twoParts compares a run with one that is killed and resumed: with --deterministic their losses and last checkpoints
// are the same.
func (t *Trial) twoParts(ctx context.Context, _ *State) (string, error) {
	const whole, parts = "whole", "parts"
	for steps := 40; ; steps *= 4 {
		if err := t.remove(whole, parts); err != nil {
			return "", err
		}
		flags := []string{"--steps", strconv.Itoa(steps), "--checkpoint-every", strconv.Itoa(steps / 4),
			"--deterministic", "--keep", "10"}
		p, err := t.talbot("whole", t.training(whole, flags...)...)
		if _, err = t.output(ctx, aWhile, p, err); err != nil {
			return "", err
		}
		if p, err = t.talbot("cut", t.training(parts, flags...)...); err != nil {
			return "", err
		}
		err = p.until(ctx, aWhile, func() bool { return t.checkpoints(parts) > 0 })
		p.Kill()
		p.WaitExit(afterStop)
		p.Close()
		if err != nil {
			return "", err
		}
		cut := t.checkpoints(parts)
		if cut >= int64(steps) && steps < 10000 {
			continue // it was too fast to be cut
		}
		p, err = t.talbot("rest", "train", "--run", parts, "--resume", "--json")
		if _, err = t.output(ctx, aWhile, p, err); err != nil {
			return "", err
		}
		return t.compareRuns(whole, parts, steps, cut)
	}
}

// compareRuns compares two runs that should be equal.
func (t *Trial) compareRuns(whole, parts string, steps int, cut int64) (string, error) {
	a, err := t.losses(whole)
	if err != nil {
		return "", err
	}
	b, err := t.losses(parts)
	if err != nil {
		return "", err
	}
	if len(a) != len(b) {
		return "", fmt.Errorf("the whole run has %d lines of losses, the other %d", len(a), len(b))
	}
	most := 0.0
	for i := range a {
		if a[i].Step != b[i].Step {
			return "", fmt.Errorf("lines %d are of steps %d and %d", i+1, a[i].Step, b[i].Step)
		}
		most = max(most, math.Abs(a[i].Loss-b[i].Loss)/math.Abs(a[i].Loss))
	}
	text := fmt.Sprintf("%d steps, and the same killed and resumed after step %d, with `--deterministic`: ", steps, cut)
	if most > 0 {
		return text, fmt.Errorf("relative difference of the losses up to %.2g", most)
	}
	return text + fmt.Sprintf("%d lines of losses are equal to the last digit", len(a)), t.remove(whole, parts)
}

// fits finds the batch that a message says would fit.
var fits = regexp.MustCompile(`(\d+) samples would fit`)

// memory asks for a batch that cannot fit, and for what talbot says about it.
func (t *Trial) memory(ctx context.Context, _ *State) (string, error) {
	var large tooLarge
	size := t.Networks[len(t.Networks)-1]
	for {
		if err := t.part(ctx, "memory", aWhile, Part{Do: "memory", Backend: t.Backend, Speed: Speed{Size: size,
			Batch: 8, Precision: "float32"}}, &large); err != nil {
			return "", err
		}
		if err := t.remove("memory"); err != nil {
			return "", err
		}
		if large.Batch <= run.MaxBatch {
			break
		}
		size.Filters *= 2 // so much memory takes a larger network
	}
	p, err := t.talbot("memory", "train", "--data", dataName, "--run", "memory", "--backend", t.Backend,
		"--blocks", strconv.Itoa(size.Blocks), "--filters", strconv.Itoa(size.Filters), "--batch",
		strconv.Itoa(large.Batch), "--steps", "2", "--json")
	if err != nil {
		return "", err
	}
	_, exit, err := p.wait(ctx, aWhile)
	if err != nil {
		return "", err
	}
	said, err := os.ReadFile(p.log)
	if err != nil {
		return "", err
	}
	asked := fmt.Sprintf("%s with a batch of %d", size, large.Batch)
	match := fits.FindSubmatch(said)
	switch {
	case exit == exitOK:
		return "", fmt.Errorf("%s was expected not to fit, but trained", asked)
	case match == nil:
		return "", fmt.Errorf("%s: %s, and no advice: %s", asked, exit, lastLines(string(said), 2))
	}
	var failure struct{ Error string }
	for line := range strings.Lines(string(said)) {
		_ = json.Unmarshal([]byte(line), &failure) // of the last line that is an object
	}
	return fmt.Sprintf("%s ends with %s and says that %s samples would fit:\n\n> %s", asked, exit, match[1],
		strings.Join(strings.Fields(failure.Error), " ")), t.remove("memory")
}

// traceSteps are compared.
const traceSteps = 100

// trace is a run of the first network that others repeat.
func (t *Trial) trace(ctx context.Context, backend, into string) (lossTrace, error) {
	var x lossTrace
	err := t.part(ctx, "trace-"+strings.NewReplacer(":", "-", "/", "-").Replace(backend), 4*aWhile, Part{Do: "trace",
		Backend: backend, Data: dataName, Steps: traceSteps, Into: into, Speed: Speed{Size: t.traced(), Batch: 64,
			Precision: "float32"}}, &x)
	return x, err
}

// traced is a network that trains fast enough on the processor to compare with.
func (t *Trial) traced() Size {
	return Size{min(4, t.network().Blocks), min(32, t.network().Filters)}
}

func (t *Trial) besideGo(ctx context.Context, _ *State) (string, error) {
	here, err := t.trace(ctx, t.Backend, "")
	if err != nil {
		return "", err
	}
	other, err := t.trace(ctx, "go", "")
	if err != nil {
		return "", fmt.Errorf("go: %w", err)
	}
	return t.agree(here, other, "`go`")
}

// besideTorch compares with PyTorch in float32, on the same device.
func (t *Trial) besideTorch(ctx context.Context, s *State) (string, error) {
	if err := t.scripts(ctx); err != nil {
		return "", err
	}
	const into = "trace"
	if err := os.MkdirAll(filepath.Join(t.Dir, into), 0o777); err != nil {
		return "", err
	}
	here, err := t.trace(ctx, t.Backend, into)
	if err != nil {
		return "", err
	}
	p, err := t.start("torch-trace", t.Python, filepath.Join("torch", "trace.py"), into, "--device", t.device())
	text, err := t.output(ctx, aWhile, p, err)
	if err != nil {
		return "", err
	}
	var other lossTrace
	if err := json.Unmarshal([]byte(text), &other); err != nil {
		return "", err
	}
	text, err = t.agree(here, other, "PyTorch "+other.Torch+" in float32")
	return text, errors.Join(err, t.remove(into))
}

// How far losses may be apart, as a share of themselves: the first one, of the same weights, by the rounding of
// products to TF32; all of them on average, since what rounding changes grows from step to step.
const (
	firstApart = 0.002
	meanApart  = 0.01
)

// agree compares the losses of two programs that trained the same.
func (t *Trial) agree(a, b lossTrace, name string) (string, error) {
	if len(a.Losses) != traceSteps || len(b.Losses) != traceSteps {
		return "", fmt.Errorf("%d and %d losses", len(a.Losses), len(b.Losses))
	}
	first, sum, most, at := 0.0, 0.0, 0.0, 0
	for i, x := range a.Losses {
		apart := math.Abs(x-b.Losses[i]) / math.Abs(b.Losses[i])
		if sum += apart; i == 0 {
			first = apart
		}
		if !(apart <= most) {
			most, at = apart, i
		}
	}
	mean := sum / traceSteps
	last := traceSteps - 1
	text := fmt.Sprintf("%s, float32, batch 64, without dropout: loss %.4f at the first step and %.4f at step %d; "+
		"with %s %.4f and %.4f. Relative difference of the losses: %.2g at the first step, mean %.2g, largest %.2g "+
		"(step %d)", t.traced(), a.Losses[0], a.Losses[last], traceSteps, name, b.Losses[0], b.Losses[last], first,
		mean, most, at+1)
	if !(first <= firstApart && mean <= meanApart) {
		return text, fmt.Errorf("the losses differ by more than %g at the first step, or by more than %g on average",
			firstApart, meanApart)
	}
	return text, nil
}

// device is what PyTorch calls the device.
func (t *Trial) device() string {
	if backend.OnProcessor(t.Backend) {
		return "cpu"
	}
	return "cuda"
}

// scripts writes the scripts for PyTorch, if it is there and sees the device; else the error is of kind [skipped].
func (t *Trial) scripts(ctx context.Context) error {
	if !t.asked && t.Python != "" {
		var err error
		if t.sees, err = askFor(ctx, aWhile, t.Python, "-c",
			"import torch, numpy; print('cuda' if torch.cuda.is_available() else 'cpu')"); err != nil {
			return fmt.Errorf("importing PyTorch: %w", err)
		}
		t.asked = true
	}
	switch {
	case t.sees == "":
		return skipReason("there is no Python with PyTorch and NumPy")
	case t.sees == "cpu" && t.device() == "cuda":
		return skipReason("PyTorch does not see the GPU")
	}
	dir := filepath.Join(t.Dir, "torch")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return fs.WalkDir(train.Peer, "testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := train.Peer.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, filepath.Base(path)), text, 0o666)
	})
}

// matrix measures what the device can do at most.
func (t *Trial) matrix(ctx context.Context, s *State) (string, error) {
	var r rates
	if err := t.part(ctx, "matrix", aWhile, Part{Do: "matrix", Backend: t.Backend, Rows: t.Matrix,
		Seconds: t.Seconds}, &r); err != nil {
		return "", err
	}
	s.Matrix["bf16"], s.Matrix["float32"] = r.BFloat16, r.Float32
	text := fmt.Sprintf("products of %[1]d×%[1]d matrices of random numbers: %.4[2]g TFLOP/s in float32, as the "+
		"backend computes it", t.Matrix, r.Float32/1e12)
	if r.BFloat16 > 0 {
		text += fmt.Sprintf(", %.4g in bf16", r.BFloat16/1e12)
	}
	return text, nil
}

// name is that of the step that measures a speed.
func (s Speed) name() string {
	text := fmt.Sprintf("speed of %s, %s, batch %d", s.Size, s.Precision, s.Batch)
	if s.Devices > 1 {
		text += fmt.Sprintf(", %d devices", s.Devices)
	}
	if s.Deterministic {
		text += ", deterministic"
	}
	return text
}

// plain reports whether PyTorch can be measured in the same way.
func (s Speed) plain() bool { return s.Devices == 1 && !s.Deterministic }

func (t *Trial) speedStep(x Speed) step {
	return step{x.name(), func(ctx context.Context, s *State) (string, error) { return "", t.speed(ctx, s, x) }}
}

// speed measures talbot, and PyTorch beside it.
func (t *Trial) speed(ctx context.Context, s *State, x Speed) error {
	if x.Devices > 1 {
		switch {
		case s.Devices == 0:
			return skipReason("the backend did not open, so its devices are not known")
		case x.Devices > s.Devices:
			return skipReason("this machine has " + count(s.Devices, "device", "devices"))
		}
	}
	log := strings.NewReplacer(" ", "-", ",", "", "×", "x").Replace(x.name())
	if err := t.remove("speed"); err != nil {
		return err
	}
	err := t.part(ctx, log, aWhile, Part{Do: "speed", Backend: t.Backend, Speed: x, Data: dataName, Run: "speed",
		Seconds: t.Seconds}, &x)
	if err != nil {
		return err
	}
	if err := t.remove("speed"); err != nil {
		return err
	}
	if x.plain() {
		t.torchSpeed(ctx, log, &x)
	}
	if ctx.Err() == nil {
		s.Speeds = append(s.Speeds, x)
	}
	return nil
}

// torchSpeed measures PyTorch with torch.compile and, where that fails, without it.
func (t *Trial) torchSpeed(ctx context.Context, log string, x *Speed) {
	if err := t.scripts(ctx); err != nil {
		x.TorchMode = err.Error()
		return
	}
	for _, compile := range []bool{true, false} {
		args := []string{filepath.Join("torch", "speed.py"), "--device", t.device(), "--blocks", strconv.Itoa(x.Blocks),
			"--filters", strconv.Itoa(x.Filters), "--batch", strconv.Itoa(x.Batch), "--precision", x.Precision,
			"--threads", strconv.Itoa(runtime.NumCPU()), "--seconds", strconv.Itoa(t.Seconds)}
		mode := "channels-last"
		if compile {
			args, mode = append(args, "--compile"), mode+", torch.compile"
		}
		p, err := t.start(log+"-torch", t.Python, args...)
		text, err := t.output(ctx, aWhile, p, err)
		if ctx.Err() != nil {
			return
		}
		var measured struct {
			Speed float64 `json:"positions_per_second"`
			Torch string  `json:"torch"`
		}
		if err == nil {
			err = json.Unmarshal([]byte(text), &measured)
		}
		if err == nil {
			x.Torch, x.TorchMode = measured.Speed, fmt.Sprintf("PyTorch %s, %s", measured.Torch, mode)
			return
		}
		x.TorchMode = "PyTorch failed: " + err.Error()
	}
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
