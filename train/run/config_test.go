package run

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"talbot/encode"
	"talbot/train/model"
)

func TestConfigIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"recipe": func(c *Config) { c.Recipe = "nosuch" }, "blocks": func(c *Config) { c.Blocks = 0 },
		"batch": func(c *Config) { c.Batch = 1 }, "steps": func(c *Config) { c.Steps = 0 },
		"lr": func(c *Config) { c.LR = math.NaN() }, "zero lr": func(c *Config) { c.LR = 0 },
		"min lr": func(c *Config) { c.MinLR = 1 }, "warmup": func(c *Config) { c.Warmup = -1 },
		"decay": func(c *Config) { c.Decay = "some" }, "weight decay": func(c *Config) { c.WeightDecay = -1 },
		"huge decay": func(c *Config) { c.WeightDecay = 1e4 }, "clip": func(c *Config) { c.Clip = math.Inf(1) },
		"value weight": func(c *Config) { c.ValueWeight = -1 }, "keep": func(c *Config) { c.Keep = 0 },
		"log": func(c *Config) { c.LogEvery = 0 }, "eval": func(c *Config) { c.EvalEvery = -1 },
		"devices": func(c *Config) { c.Devices = 0 }, "shares": func(c *Config) { c.Accumulate, c.Devices = 4, 3 },
		"accumulate": func(c *Config) { c.Accumulate = 3 }, "parts of 1": func(c *Config) { c.Accumulate = c.Batch },
		"smoothing": func(c *Config) { c.LabelSmoothing = 1 }, "history": func(c *Config) { c.HistoryDropout = -1 },
		"precision": func(c *Config) { c.Precision = "fp8" },
		"schedule":  func(c *Config) { c.Schedule = "linear" }, "pieces": func(c *Config) { c.Schedule = "piecewise:" },
		"falling pieces": func(c *Config) { c.Schedule = "piecewise:0.5=0.1,0.4=0.01" },
		"rising factor":  func(c *Config) { c.Schedule = "piecewise:0.5=2" },
		"ema":            func(c *Config) { c.EMA = 1 }, "dropout": func(c *Config) { c.BlockDropout = 1 },
	} {
		c := tiny()
		spoil(&c)
		if c.Validate() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestPresetIsTheRecipe holds the published hyper-parameters of the reference.
func TestPresetIsTheRecipe(t *testing.T) {
	c, err := Preset("v1.5")
	if err != nil || c.Validate() != nil {
		t.Fatal(err, c.Validate())
	}
	text, _ := json.Marshal(c)
	want := `{"recipe":"talbotbot","blocks":20,"filters":128,"block_dropout":0.1,"value_dropout":0.2,"batch":512,"accumulate":1,"devices":1,"steps":656844,` +
		`"seed":42,"policy_target":"","precision":"float32","schedule":"cosine","lr":0.0001,"min_lr":0.00001,"warmup":0,"weight_decay":0.0001,"decay":"all","value_weight":5,"clip":0,"label_smoothing":0,"legal_mask":false,"history_dropout":0,"ema":0,` +
		`"log_every":100,"eval_every":5000,"checkpoint_every":1000,"keep":3}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for name, parameters := range map[string]int{"": 6_594_375, "v1.5": 6_594_375, "10x64": 1_386_247,
		"20x256": 24_378_311} {
		c, err := Preset(name)
		if err != nil || c.Validate() != nil {
			t.Fatalf("preset %q: %v, %v", name, err, c.Validate())
		}
		n, err := model.New(c.Recipe, c.Config)
		if err != nil {
			t.Fatal(err)
		}
		if got := model.CountTrainable(n.Params()); got != parameters {
			t.Errorf("preset %q has %d parameters, want %d", name, got, parameters)
		}
	}
	if _, err := Preset("v9"); err == nil {
		t.Error("unknown preset: no error")
	}
}

// TestOlderConfig reads a configuration written before the later options existed.
func TestOlderConfig(t *testing.T) {
	var c Config
	if err := json.Unmarshal([]byte(`{"recipe":"talbotbot","blocks":1,"filters":8,"batch":16,"steps":1,"lr":1,"decay":"all","log_every":1,"keep":1}`), &c); err != nil {
		t.Fatal(err)
	}
	if err := c.Validate(); err != nil || c.Accumulate != 1 || c.Devices != 1 || c.Schedule != "cosine" ||
		c.Precision != Float32 || c.EMA != 0 || c.Blocks != 1 || c.Filters != 8 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestSetSteps(t *testing.T) {
	c, _ := Preset("")
	c.SetSteps(200)
	if c.Steps != 200 || c.Warmup != 10 || c.LogEvery != 20 || c.EvalEvery != 100 || c.CheckpointEvery != 50 {
		t.Errorf("200 steps: %+v", c)
	}
	c, _ = Preset("v1.5")
	c.SetSteps(1)
	if c.Warmup != 0 || c.LogEvery != 1 || c.EvalEvery != 1 || c.Validate() != nil {
		t.Errorf("1 step: %+v", c)
	}
	d, _ := Preset("")
	want := d
	if d.SetSteps(d.Steps); d != want {
		t.Errorf("a long run is changed: %+v", d)
	}
}

func TestDiffers(t *testing.T) {
	a := tiny()
	b := a
	b.Keep, b.EvalEvery, b.LogEvery, b.CheckpointEvery, b.Devices, b.Deterministic = 9, 9, 9, 9, 2, true
	if field, _, _ := a.Differs(b); field != "" {
		t.Errorf("operational field %q differs", field)
	}
	b.ValueTarget = "wdl"
	if field, _, _ := a.Differs(b); field != "value_target" {
		t.Errorf("%q differs, want value_target", field)
	}
	b.Filters = 99
	if field, mine, theirs := a.Differs(b); field != "filters" || mine != "8" || theirs != "99" {
		t.Errorf("%q %q %q", field, mine, theirs)
	}
}

func TestMetricsDropTornAndLaterLines(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "metrics.jsonl")
	text := `{"kind":"train","step":1}` + "\n" + `{"kind":"val","step":2}` + "\n" + "garbage\n" +
		`{"kind":"train","step":3}` + "\n" + `{"kind":"tr`
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var warned []error
	m, err := openMetrics(dir, 2, func(err error) { warned = append(warned, err) })
	if err != nil {
		t.Fatal(err)
	}
	if len(warned) != 2 || !strings.Contains(warned[0].Error(), "garbage") ||
		!strings.Contains(warned[1].Error(), "has no checksum because") {
		t.Errorf("warned %v, want a damaged line and lines without checksum", warned)
	}
	m.add(MetricsLine{Kind: "train", Step: 4})
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(path)
	lines := strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], `{"kind":"train","step":1,`) ||
		!strings.HasPrefix(lines[1], `{"kind":"val","step":2,`) || !strings.Contains(lines[2], `"step":4`) {
		t.Errorf("got %q", got)
	}
	warned = nil
	list, err := ReadMetrics(dir, func(err error) { warned = append(warned, err) })
	if err != nil || len(list) != 3 || len(warned) != 0 {
		t.Errorf("%+v, %v, warned %v", list, err, warned)
	}
}

// slow is a source that takes its time.
type slow struct {
	synthetic
	busy bool
}

func (s *slow) Next(b *Batch) error {
	if s.busy {
		return errors.New("Next was called twice at once")
	}
	s.busy = true
	defer func() { s.busy = false }()
	time.Sleep(5 * time.Millisecond)
	return s.synthetic.Next(b)
}

func TestPrefetchKeepsOrderAndMeasuresWaiting(t *testing.T) {
	p := prefetch(&slow{synthetic: synthetic{batch: 2}}, false)
	defer p.close()
	start := time.Now()
	for i := range 10 {
		b, err := p.next(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := string(b.State); got != string(rune('1'+i)) && got != "10" {
			t.Fatalf("batch %d has state %s", i, got)
		}
		p.release(b)
	}
	if share := p.wait.Seconds() / time.Since(start).Seconds(); share < 0.5 {
		t.Errorf("waited %.0f%% of the time for a source that is all there is to wait for", 100*share)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // a cancelled wait ends even while batches are ready
		if _, err := p.next(ctx); err != nil {
			return
		}
	}
	t.Error("next never saw the cancelled context")
}

func TestEvaluate(t *testing.T) {
	c := tiny()
	c.Steps = 1
	dir := t.TempDir()
	b := openTest(t, "go")
	mustRun(t, c, Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}})
	p, err := NewPredictor(b, dir, BestCheckpoint, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	val := valBatches(c, 1)[0]
	stop := errors.New("stop")
	samples := func(fail int) func(yield func(Sample, error) bool) {
		return func(yield func(Sample, error) bool) {
			for i := range 10 {
				s := Sample{Source: "game", Legal: []uint16{uint16(val.PolicyIndex[i]), 4671},
					Policy: []Target{{uint16(val.PolicyIndex[i]), 1}}}
				s.Planes = planesOf(val.Packed[i*model.Words:])
				var err error
				if i == fail {
					err = stop
				}
				if !yield(s, err) {
					return
				}
			}
		}
	}
	a, err := Evaluate(t.Context(), p, samples(-1), EvaluateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Report(false); r.Samples != 10 || r.BySource["game"].Samples != 10 ||
		math.Abs(*r.PolicyCEUniform-math.Ln2) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if _, err := Evaluate(t.Context(), p, samples(5), EvaluateOptions{}); !errors.Is(err, stop) {
		t.Errorf("failing samples: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Evaluate(ctx, p, samples(-1), EvaluateOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestIllegalTargetsAndPositionsAreErrors(t *testing.T) {
	for name, spoil := range map[string]func(*Batch){
		"illegal move": func(b *Batch) { b.PolicyIndex[3] = 4671 },
		"no king":      func(b *Batch) { clear(b.Packed[3*model.Words:][:3]) },
	} {
		var b Batch
		(&synthetic{batch: 4}).fill(&b, 1)
		played(&b, 1)
		if err := b.addLegal(); err != nil {
			t.Fatal(err)
		}
		spoil(&b)
		if err := b.addLegal(); err == nil || !strings.Contains(err.Error(), "sample 3") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPast holds the network's view of the planes against the encoding's.
func TestPast(t *testing.T) {
	if model.Past != encode.TalbotBotPast || model.Planes != encode.TalbotBotPlanes ||
		model.Moves != encode.TalbotBotMoves ||
		model.Words != encode.TalbotBotWords || model.LegalWords != encode.LegalWords {
		t.Error("the network and the encoding disagree")
	}
}
