// Package run is the folder of a training run: its settings, its lock, and its checkpoints.
//
// Package train describes the files. The trainer holds a [Claim]; all others read: [ReadConfig] says what the run
// computes, [Load] gives a checkpoint and [State], and [ReadWeights] what another run may begin with. The package
// starts no goroutines.
package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"talbot/network/recipe"
	"talbot/network/schedule"
)

// Config is everything that decides what a run computes. It is written to run.json and into every checkpoint.
type Config struct {
	Recipe   string          `json:"recipe"`
	Settings recipe.Settings `json:"settings"` // of the recipe's network
	recipe.Training

	Accumulate int   `json:"accumulate"` // equal parts that a batch is trained in, one after the other
	Devices    int   `json:"devices"`    // that each train an equal share of such a part; more than one is experimental
	Seed       int64 `json:"seed"`       // of initial weights and dropout

	From Origin `json:"from,omitzero"` // of the initial weights, where they are not drawn by the seed
	// Until is the step after which the run ends before its schedule does, for another one to go on; 0 = Steps.
	Until int64 `json:"until,omitempty"`

	// ValueTarget is how values are computed from labels: a name that [encode.ParseValueTarget] knows. ValueFormula
	// says it in one line, for readers of run.json.
	ValueTarget  string `json:"value_target,omitempty"`
	ValueFormula string `json:"value_formula,omitempty"`

	// PolicyTarget is how policy targets are computed: a text that [encode.ParsePolicyTarget] knows.
	PolicyTarget string `json:"policy_target"`

	Precision     Precision `json:"precision"`               // of products and activations in training
	Deterministic bool      `json:"deterministic,omitempty"` // GPU kernels: [backend.MakeDeterministic]

	HistoryDropout float64 `json:"history_dropout"`  // share of the training samples that are shown without their past
	Mirror         float64 `json:"mirror,omitempty"` // share of them that are shown as the other colour
	// decay of the average of the weights, which is evaluated; 0 = no average
	EMA float64 `json:"ema"`

	LogEvery        int64 `json:"log_every"`        // steps between train lines of metrics.jsonl
	EvalEvery       int64 `json:"eval_every"`       // steps between validations, 0 = only at the end
	CheckpointEvery int64 `json:"checkpoint_every"` // steps between checkpoints, 0 = only at the end
	Keep            int   `json:"keep"`             // newest checkpoints kept, beside the best
}

// Precision says what convolutions and matrix products of training compute in, and what the activations between them
// are. Parameters, optimizer, statistics, softmax and losses are float32 in any case, and so are validation, prediction
// and evaluation.
type Precision string

const (
	Float32  Precision = "float32"
	BFloat16 Precision = "bf16" // not on the backend "go"
)

// MaxBatch is the largest batch.
const MaxBatch = 1 << 20

// New returns the configuration of a recipe's preset; the default preset has no name.
func New(name, preset string) (Config, error) {
	r, err := recipe.ByName(name)
	if err != nil {
		return Config{}, err
	}
	p, err := r.Preset(preset)
	if err != nil {
		return Config{}, err
	}
	return Config{Recipe: name, Settings: p.Settings, Training: p.Training, Accumulate: 1, Devices: 1, Seed: 42,
		Precision: Float32, LogEvery: 100, EvalEvery: 5000, CheckpointEvery: 1000, Keep: 3}, nil
}

// Build returns the encoding and the network.
func (c Config) Build() (recipe.Built, error) { return recipe.Build(c.Recipe, c.Settings) }

// LegalMask reports whether the network's policy is trained over the legal moves alone, so that what it says of illegal
// ones means nothing.
func (c Config) LegalMask() bool {
	r, err := recipe.ByName(c.Recipe)
	return err == nil && r.Masked || c.Settings.Values()["legal_mask"] == "true"
}

// SetSteps sets the length of the run and fits what is counted in steps to it: the warm-up takes at most a twentieth of
// the run, or the preset's share where that is more, and there are at least ten log lines, two validations and four
// checkpoints.
func (c *Config) SetSteps(steps int64) {
	warm := int64(20)
	if c.Warmup > 0 {
		warm = min(warm, max(1, c.Steps/c.Warmup))
	}
	c.Steps = steps
	fit(&c.Warmup, steps/warm)
	c.FitTo(steps)
}

// Begin is the step after which the run begins, and End the one after which it ends.
func (c *Config) Begin() int64 {
	if c.From.Whole {
		return c.From.Step
	}
	return 0
}

// End is the last step of the run.
func (c *Config) End() int64 {
	if c.Until > 0 {
		return c.Until
	}
	return c.Steps
}

// FitTo makes what is counted in steps fit a part of the schedule: at least ten log lines, two validations and four
// checkpoints.
func (c *Config) FitTo(steps int64) {
	fit(&c.LogEvery, steps/10)
	fit(&c.EvalEvery, steps/2)
	fit(&c.CheckpointEvery, steps/4)
}

// fit lowers what is counted in steps, at most to 1.
func fit(n *int64, most int64) {
	if *n > 0 {
		*n = max(1, min(*n, most))
	}
}

// Validate reports the first field with an impossible value.
func (c Config) Validate() error {
	built, err := recipe.BuildWhole(c.Recipe, c.Settings)
	if err != nil {
		return err
	}
	if _, err := c.LearningRate(); err != nil {
		return err
	}
	layout := built.Encoder.Layout()
	finite := func(x float64) bool { return x >= 0 && x <= math.MaxFloat32 }
	switch {
	case c.Batch < 2 || c.Batch > MaxBatch:
		return fmt.Errorf("batch must be from 2 to %d: %d", MaxBatch, c.Batch)
	case c.Accumulate < 1 || c.Batch%c.Accumulate != 0 || c.Batch/c.Accumulate < 2:
		return fmt.Errorf("a batch of %d samples cannot be split into %d equal parts of at least 2", c.Batch,
			c.Accumulate)
	case c.Devices < 1 || c.Batch/c.Accumulate%c.Devices != 0:
		return fmt.Errorf("%d samples (a batch of %d in %d parts) cannot be divided among %d devices",
			c.Batch/c.Accumulate, c.Batch, c.Accumulate, c.Devices)
	case c.Steps < 1:
		return fmt.Errorf("steps must be above 0: %d", c.Steps)
	case c.Until < 0 || c.Until > c.Steps:
		return fmt.Errorf("a run of %d steps cannot end at step %d", c.Steps, c.Until)
	case c.Begin() >= c.End():
		return fmt.Errorf("the training has reached step %d, so there is nothing left until step %d", c.Begin(),
			c.End())
	case c.Precision != Float32 && c.Precision != BFloat16:
		return fmt.Errorf("precision must be %s or %s: %q", Float32, BFloat16, c.Precision)
	case !finite(c.LR) || c.LR == 0:
		return fmt.Errorf("learning rate must be above 0: %g", c.LR)
	case !finite(c.MinLR) || c.MinLR > c.LR:
		return fmt.Errorf("lowest learning rate must be from 0 to %g: %g", c.LR, c.MinLR)
	case c.Warmup < 0:
		return fmt.Errorf("warm-up must not be negative: %d", c.Warmup)
	case !finite(c.WeightDecay) || c.WeightDecay*c.LR >= 1:
		return fmt.Errorf("weight decay %g is negative, or too large for the learning rate %g", c.WeightDecay, c.LR)
	case !slices.Contains([]recipe.Optimizer{recipe.AdamW, recipe.Muon, recipe.SGD}, c.Optimizer):
		return fmt.Errorf("optimizer must be adamw, muon or sgd: %q", c.Optimizer)
	case c.Decay != recipe.DecayAll && c.Decay != recipe.DecayWeights:
		return fmt.Errorf("decay must be of %q or %q: %q", recipe.DecayAll, recipe.DecayWeights, c.Decay)
	case !finite(c.Epsilon):
		return fmt.Errorf("epsilon must not be negative: %g", c.Epsilon)
	case !finite(c.Clip):
		return fmt.Errorf("clip must not be negative: %g", c.Clip)
	case !(c.EMA >= 0 && c.EMA < 1):
		return fmt.Errorf("decay of the averaged weights must be at least 0 and below 1: %g", c.EMA)
	case !(c.HistoryDropout >= 0 && c.HistoryDropout < 1):
		return fmt.Errorf("history dropout must be at least 0 and below 1: %g", c.HistoryDropout)
	case !(c.Mirror >= 0 && c.Mirror <= 1):
		return fmt.Errorf("mirror must be from 0 to 1: %g", c.Mirror)
	case c.HistoryDropout > 0 && layout.NoHistory == nil:
		return fmt.Errorf("history dropout: the recipe %s does not see the past", c.Recipe)
	case c.Mirror > 0 && layout.OtherColour == nil:
		return fmt.Errorf("mirror: the recipe %s does not see which colour moves", c.Recipe)
	case c.LogEvery < 1:
		return fmt.Errorf("steps between log lines must be above 0: %d", c.LogEvery)
	case strings.HasPrefix(c.Schedule, "plateau") && c.EvalEvery == 0:
		return fmt.Errorf("the schedule %q needs validations during the run", c.Schedule)
	case c.EvalEvery < 0 || c.CheckpointEvery < 0:
		return errors.New("steps between validations or checkpoints must not be negative")
	case c.Keep < 1:
		return fmt.Errorf("checkpoints to keep must be at least 1: %d", c.Keep)
	}
	return nil
}

// LearningRate returns the schedule; what [schedule.ParsePlateau] makes of it comes on top.
func (c Config) LearningRate() (schedule.Schedule, error) {
	return schedule.Parse(c.Schedule, c.LR, c.MinLR, c.Warmup, c.Steps)
}

// Set changes a setting of the recipe's network. The value is as JSON has it, or a text without quotes.
func (c *Config) Set(name, value string) error {
	r, err := recipe.ByName(c.Recipe)
	if err != nil {
		return err
	}
	s, err := r.Set(c.Settings, name, value)
	if err != nil {
		return err
	}
	c.Settings = s
	return nil
}

// AveragePrefix stands before the names of the averages of tensors in a checkpoint.
const AveragePrefix = "average."

// Evaluated is the prefix of the names of the weights that are evaluated.
func (c Config) Evaluated() string {
	if c.EMA > 0 {
		return AveragePrefix
	}
	return ""
}

// operational fields may change on resume: they decide what is written and where it is computed, not what; but for
// eval_every where the schedule looks at validations.
var operational = map[string]bool{"devices": true, "deterministic": true, "log_every": true, "eval_every": true,
	"checkpoint_every": true, "keep": true, "until": true}

// Differs names the first field in which the configurations would compute different things, "" if there is none.
// Values are in JSON.
func (c Config) Differs(other Config) (field, mine, theirs string) {
	a, b := reflect.ValueOf(c), reflect.ValueOf(other)
	if field, mine, theirs = differs(a, b); field == "" && c.EvalEvery != other.EvalEvery && c.onPlateau() {
		return "eval_every", fmt.Sprint(c.EvalEvery), fmt.Sprint(other.EvalEvery)
	}
	return field, mine, theirs
}

// onPlateau reports whether the schedule looks at validations.
func (c Config) onPlateau() bool {
	p, err := schedule.ParsePlateau(c.Schedule)
	return err == nil && p.Patience > 0
}

func differs(a, b reflect.Value) (field, mine, theirs string) {
	for i := range a.NumField() {
		f := a.Type().Field(i)
		if f.Anonymous {
			if field, mine, theirs = differs(a.Field(i), b.Field(i)); field != "" {
				return field, mine, theirs
			}
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if settings, ok := a.Field(i).Interface().(recipe.Settings); ok {
			if field, mine, theirs = settings.Differs(b.Field(i).Interface().(recipe.Settings)); field != "" {
				return field, mine, theirs
			}
			continue
		}
		if !operational[name] && name != "-" && !a.Field(i).Equal(b.Field(i)) {
			x, _ := json.Marshal(a.Field(i).Interface())
			y, _ := json.Marshal(b.Field(i).Interface())
			return name, string(x), string(y)
		}
	}
	return "", "", ""
}
