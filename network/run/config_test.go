package run

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"talbot/network/model"
	"talbot/network/recipe"
)

// set changes a setting of the recipe's network.
func set(c *Config, name string, value any) {
	if err := c.Set(name, fmt.Sprint(value)); err != nil {
		panic(err)
	}
}

func tiny() Config {
	c, _ := New("talbotbot", "")
	c.Batch, c.Steps = 16, 12
	set(&c, "blocks", 1)
	set(&c, "filters", 8)
	c.LogEvery, c.EvalEvery, c.CheckpointEvery, c.Warmup = 2, 4, 4, 3
	return c
}

func TestConfigIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"recipe": func(c *Config) { c.Recipe = "nosuch" }, "blocks": func(c *Config) { set(c, "blocks", 0) },
		"batch": func(c *Config) { c.Batch = 1 }, "steps": func(c *Config) { c.Steps = 0 },
		"lr": func(c *Config) { c.LR = math.NaN() }, "zero lr": func(c *Config) { c.LR = 0 },
		"min lr": func(c *Config) { c.MinLR = 1 }, "warmup": func(c *Config) { c.Warmup = -1 },
		"decay": func(c *Config) { c.Decay = "some" }, "weight decay": func(c *Config) { c.WeightDecay = -1 },
		"huge decay": func(c *Config) { c.WeightDecay = 1e4 }, "clip": func(c *Config) { c.Clip = math.Inf(1) },
		"value weight": func(c *Config) { set(c, "value_weight", -1) }, "keep": func(c *Config) { c.Keep = 0 },
		"log": func(c *Config) { c.LogEvery = 0 }, "eval": func(c *Config) { c.EvalEvery = -1 },
		"devices": func(c *Config) { c.Devices = 0 }, "shares": func(c *Config) { c.Accumulate, c.Devices = 4, 3 },
		"accumulate": func(c *Config) { c.Accumulate = 3 }, "parts of 1": func(c *Config) { c.Accumulate = c.Batch },
		"smoothing": func(c *Config) { set(c, "label_smoothing", 1) },
		"history":   func(c *Config) { c.HistoryDropout = -1 },
		"precision": func(c *Config) { c.Precision = "fp8" },
		"schedule":  func(c *Config) { c.Schedule = "linear" }, "pieces": func(c *Config) { c.Schedule = "piecewise:" },
		"falling pieces": func(c *Config) { c.Schedule = "piecewise:0.5=0.1,0.4=0.01" },
		"rising factor":  func(c *Config) { c.Schedule = "piecewise:0.5=2" },
		"ema":            func(c *Config) { c.EMA = 1 }, "dropout": func(c *Config) { set(c, "block_dropout", 1) },
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
	c, err := New("talbotbot", "v1.5")
	if err != nil || c.Validate() != nil {
		t.Fatal(err, c.Validate())
	}
	text, _ := json.Marshal(c)
	want := `{"recipe":"talbotbot","settings":{"blocks":20,"filters":128,"block_dropout":0.1,"value_dropout":0.2,` +
		`"value_weight":5,"label_smoothing":0,"legal_mask":false},"batch":512,"steps":656844,"schedule":"cosine",` +
		`"lr":0.0001,"min_lr":0.00001,"warmup":0,"weight_decay":0.0001,"decay":"all","clip":0,"accumulate":1,` +
		`"devices":1,"seed":42,"policy_target":"","precision":"float32",` +
		`"history_dropout":0,"ema":0,"log_every":100,"eval_every":5000,"checkpoint_every":1000,"keep":3}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for name, parameters := range map[string]int{"": 6_594_375, "v1.5": 6_594_375, "10x64": 1_386_247,
		"20x256": 24_378_311} {
		c, err := New("talbotbot", name)
		if err != nil || c.Validate() != nil {
			t.Fatalf("preset %q: %v, %v", name, err, c.Validate())
		}
		built, err := c.Build()
		if err != nil {
			t.Fatal(err)
		}
		if got := model.CountTrainable(built.Network.Params()); got != parameters {
			t.Errorf("preset %q has %d parameters, want %d", name, got, parameters)
		}
	}
	for _, p := range []struct{ recipe, preset, want string }{
		{"tahl", "", `{"recipe":"tahl","settings":{"blocks":10,"filters":128,"block_dropout":0.2,"value_dropout":0.2,` +
			`"value_weight":1},"batch":512,"steps":100000,"schedule":"cosine","lr":0.001,"min_lr":0.00001,"warmup":0,` +
			`"weight_decay":0.0001,"decay":"all","clip":0,`},
		{"nosearch", "", `{"recipe":"nosearch","settings":{"width":256,"blocks":8,"heads":8,"dropout":0,"scores":false},` +
			`"batch":1024,"steps":150000,"schedule":"cosine","lr":0.0004,"min_lr":0.000004,"warmup":1000,` +
			`"weight_decay":0,"decay":"all","clip":1,`},
		{"nosearch", "early", `{"recipe":"nosearch","settings":{"width":128,"blocks":8,"heads":8,"dropout":0.1,` +
			`"scores":false},"batch":4096,"steps":30000,"schedule":"cosine","lr":0.001,"min_lr":0.00001,"warmup":3000,` +
			`"weight_decay":0.001,"decay":"all","clip":1,`},
	} {
		c, err := New(p.recipe, p.preset)
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(c); !strings.HasPrefix(string(text), p.want) {
			t.Errorf("got  %s\nwant %s…", text, p.want)
		}
	}
	if _, err := New("talbotbot", "v9"); err == nil {
		t.Error("unknown preset: no error")
	}
}

func TestSetSteps(t *testing.T) {
	c, _ := New("talbotbot", "")
	c.SetSteps(200)
	if c.Steps != 200 || c.Warmup != 10 || c.LogEvery != 20 || c.EvalEvery != 100 || c.CheckpointEvery != 50 {
		t.Errorf("200 steps: %+v", c)
	}
	c, _ = New("talbotbot", "v1.5")
	c.SetSteps(1)
	if c.Warmup != 0 || c.LogEvery != 1 || c.EvalEvery != 1 || c.Validate() != nil {
		t.Errorf("1 step: %+v", c)
	}
	c, _ = New("nosearch", "early")
	if c.SetSteps(10000); c.Warmup != 1000 {
		t.Errorf("a tenth of 10000 steps: %d", c.Warmup)
	}
	for _, r := range recipe.All() {
		for _, p := range r.Presets {
			d, err := New(r.Name, p.Name)
			if err != nil {
				t.Fatal(err)
			}
			want := d.Warmup
			if d.SetSteps(d.Steps); d.Warmup != want {
				t.Errorf("%s %s: the warm-up of a run of the preset's length is %d steps", r.Name, p.Name, d.Warmup)
			}
		}
	}
}

func TestDiffers(t *testing.T) {
	a := tiny()
	b := a
	b.Keep, b.EvalEvery, b.LogEvery, b.CheckpointEvery, b.Devices, b.Deterministic = 9, 9, 9, 9, 2, true
	if field, _, _ := a.Differs(b); field != "" {
		t.Errorf("operational field %q differs", field)
	}
	plateau, often := a, a
	plateau.Schedule, often.Schedule, often.EvalEvery = "plateau:1=0.5", "plateau:1=0.5", a.EvalEvery+1
	if field, _, _ := plateau.Differs(often); field != "eval_every" {
		t.Errorf("validations that decide the rate: %q differs", field)
	}
	b.ValueTarget = "wdl"
	if field, _, _ := a.Differs(b); field != "value_target" {
		t.Errorf("%q differs, want value_target", field)
	}
	set(&b, "filters", 99)
	if field, mine, theirs := a.Differs(b); field != "filters" || mine != "8" || theirs != "99" {
		t.Errorf("%q %q %q", field, mine, theirs)
	}
}
