package trial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"talbot/network/backend"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

// Part is what one process of a trial does that no command of talbot does: it opens the backend, and with it goes the
// memory of the GPU.
type Part struct {
	Do      string `json:"do"` // "open", "matrix", "memory", "trace" or "speed"
	Backend string `json:"backend"`
	Speed          // of "memory", "trace" and "speed": the network and how it is trained
	Data    string `json:"data,omitempty"`    // of "trace" and "speed"
	Run     string `json:"run,omitempty"`     // of "speed": folder to train in
	Seconds int    `json:"seconds,omitempty"` // to measure
	Steps   int    `json:"steps,omitempty"`   // of "trace"
	Into    string `json:"into,omitempty"`    // of "trace": folder for what PyTorch needs; "" = none
	Rows    int    `json:"rows,omitempty"`    // of "matrix"
}

// backendReport is the result of "open".
type backendReport struct {
	Kind    string `json:"kind"`
	Why     string `json:"why"`
	Devices int    `json:"devices"`
}

// rates is the result of "matrix": operations a second.
type rates struct {
	BFloat16 float64 `json:"bf16"`
	Float32  float64 `json:"float32"`
}

// tooLarge is the result of "memory".
type tooLarge struct {
	Batch int `json:"batch"`
}

// lossTrace is the result of "trace", and of trace.py.
type lossTrace struct {
	Losses []float64 `json:"losses"`
	Torch  string    `json:"torch,omitempty"`
}

// Result does the part and returns what encoding/json is to write.
func (p Part) Result(ctx context.Context) (any, error) {
	if p.Do == "speed" {
		return p.speed(ctx)
	}
	b, err := backend.Open(p.Backend)
	if err != nil {
		return nil, err
	}
	defer b.Finalize()
	switch p.Do {
	case "open":
		return backendReport{b.Kind, b.Why, int(b.NumDevices())}, nil
	case "matrix":
		var r rates
		atLeast := time.Duration(p.Seconds) * time.Second
		if r.Float32, err = b.MatrixRate(p.Rows, false, atLeast); err != nil || b.Kind == "go" {
			return r, err
		}
		r.BFloat16, err = b.MatrixRate(p.Rows, true, atLeast)
		return r, err
	case "memory":
		c, err := p.config()
		if err != nil {
			return nil, err
		}
		bytes, _ := b.Memory()
		if bytes == 0 {
			return nil, errors.New("the size of the memory is not known")
		}
		batch, err := train.TooLarge(c, b, bytes)
		return tooLarge{batch}, err
	case "trace":
		return p.trace(ctx, b)
	}
	return nil, fmt.Errorf("unknown part %q", p.Do)
}

// config is that of the network, with a constant learning rate.
func (p Part) config() (run.Config, error) {
	c, err := run.New("talbotbot", "")
	if err != nil {
		return c, err
	}
	return c, p.adjust(&c)
}

func (p Part) adjust(c *run.Config) error {
	c.Batch, c.Precision = p.Batch, run.Precision(p.Precision)
	c.Devices, c.Deterministic = max(1, p.Devices), p.Deterministic
	c.Schedule, c.Warmup, c.LR, c.MinLR = "constant", 0, 1e-3, 1e-3
	c.EvalEvery, c.CheckpointEvery = 0, 0
	return errors.Join(c.Set("blocks", strconv.Itoa(p.Blocks)), c.Set("filters", strconv.Itoa(p.Filters)))
}

// trace trains some steps without dropout, in float32.
func (p Part) trace(ctx context.Context, b *backend.Backend) (lossTrace, error) {
	c, err := p.config()
	if err != nil {
		return lossTrace{}, err
	}
	c.LR = 3e-4
	for _, name := range []string{"block_dropout", "value_dropout"} {
		if err := c.Set(name, "0"); err != nil {
			return lossTrace{}, err
		}
	}
	built, err := c.Build()
	if err != nil {
		return lossTrace{}, err
	}
	data, err := loader.Open(ctx, []loader.Spec{{Dir: p.Data}}, loader.Options{Encoder: built.Encoder})
	if err != nil {
		return lossTrace{}, err
	}
	defer data.Close()
	survey, err := data.Survey(ctx, 0, 0, nil)
	if err != nil {
		return lossTrace{}, err
	}
	source := survey.NewLoader(loader.LoaderOptions{Batch: c.Batch, Seed: c.Seed})
	defer source.Close()
	losses, err := train.Trace(ctx, c, b, source, p.Steps, p.Into)
	return lossTrace{Losses: losses}, err
}

// warmSteps are not measured.
const warmSteps = 5

// speed trains with talbot's own loop and loader until it has measured for long enough.
func (p Part) speed(ctx context.Context) (Speed, error) {
	s := p.Speed
	c, err := p.config()
	if err != nil {
		return s, err
	}
	if s.Operations, err = train.Operations(c); err != nil {
		return s, err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var from, to train.Progress
	var busy *meter
	t := job.Train{Dir: p.Run, Data: []loader.Spec{{Dir: p.Data}}, Recipe: "talbotbot", Steps: 1 << 40,
		Backend: p.Backend, Adjust: p.adjust}
	t.Progress = func(now train.Progress) {
		if s.FirstStep == 0 {
			s.FirstStep = now.Seconds
		}
		switch {
		case now.Step < warmSteps || now.More:
		case from.Step == 0:
			from, busy = now, startMeter(ctx, p.Backend)
		case now.Seconds-from.Seconds >= float64(p.Seconds):
			to = now
			s.Busy, s.Watts = busy.stop()
			stop()
		}
	}
	_, err = t.Run(ctx)
	if to.Step == 0 {
		if busy != nil {
			busy.stop()
		}
		return s, err
	}
	seconds := to.Seconds - from.Seconds
	s.PerSecond = float64(to.Step-from.Step) * float64(to.Batch) / seconds
	s.Wait = (to.LoaderWait*to.Seconds - from.LoaderWait*from.Seconds) / seconds
	return s, nil
}

// meter watches how busy the device is: what nvidia-smi says of the GPU that computes or, without one, how much of the
// processor's time this process takes.
type meter struct {
	cmd       *exec.Cmd
	begun     time.Time
	processor time.Duration

	mu         sync.Mutex
	ended      bool
	n          float64
	busy, watt float64 // sums
}

func startMeter(ctx context.Context, spec string) *meter {
	m := &meter{begun: time.Now(), processor: processorTime()}
	if backend.OnProcessor(spec) {
		return m
	}
	m.cmd = exec.CommandContext(ctx, "nvidia-smi", "--id="+backend.VisibleGPU(),
		"--query-gpu=utilization.gpu,power.draw", "--format=csv,noheader,nounits", "--loop-ms=200")
	out, err := m.cmd.StdoutPipe()
	if err != nil || m.cmd.Start() != nil {
		m.cmd = nil
		return m
	}
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			busy, watt, ok := parseMeter(lines.Text())
			m.mu.Lock()
			if ok && !m.ended {
				m.n, m.busy, m.watt = m.n+1, m.busy+busy, m.watt+watt
			}
			m.mu.Unlock()
		}
	}()
	return m
}

// parseMeter reads "97, 641.20"; power may be unknown.
func parseMeter(line string) (busy, watt float64, ok bool) {
	first, second, _ := strings.Cut(line, ",")
	busy, err := strconv.ParseFloat(strings.TrimSpace(first), 64)
	if watt, e := strconv.ParseFloat(strings.TrimSpace(second), 64); e == nil {
		return busy / 100, watt, err == nil
	}
	return busy / 100, 0, err == nil
}

// stop returns the share of the time in which the device was busy, and its mean power; 0 where they are not known.
func (m *meter) stop() (busy, watts float64) {
	if m.cmd == nil {
		took := time.Since(m.begun)
		return float64(processorTime()-m.processor) / float64(took) / float64(runtime.NumCPU()), 0
	}
	m.mu.Lock()
	m.ended = true
	n, busy, watts := m.n, m.busy, m.watt
	m.mu.Unlock()
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
	if n == 0 {
		return 0, 0
	}
	return busy / n, watts / n
}
