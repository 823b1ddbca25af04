package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"talbot/train/backend"
	"talbot/train/model"
)

// Config is everything that decides what a run computes. It is written to run.json and into every checkpoint.
type Config struct {
	Recipe string `json:"recipe"`
	model.Config

	Batch      int   `json:"batch"`      // samples a step
	Accumulate int   `json:"accumulate"` // equal parts that a batch is trained in, one after the other
	Devices    int   `json:"devices"`    // that each train an equal share of such a part; more than one is experimental
	Steps      int64 `json:"steps"`      // length of the run and of its schedule
	Seed       int64 `json:"seed"`       // of initial weights and dropout

	From Origin `json:"from,omitzero"` // of the initial weights, where they are not drawn by the seed

	// ValueTarget is how values are computed from labels: a name that [encode.ParseValueTarget] knows. ValueFormula
	// says it in one line, for whoever reads run.json.
	ValueTarget  string `json:"value_target,omitempty"`
	ValueFormula string `json:"value_formula,omitempty"`

	// PolicyTarget is how policy targets are computed: a text that [encode.ParsePolicyTarget] knows.
	PolicyTarget string `json:"policy_target"`

	Precision Precision `json:"precision"` // of products and activations in training
	// a GPU shall give the same bits each time: [backend.MakeDeterministic]
	Deterministic bool `json:"deterministic,omitempty"`

	Schedule       string  `json:"schedule"` // of the learning rate: [ScheduleNames]
	LR             float64 `json:"lr"`       // highest learning rate
	MinLR          float64 `json:"min_lr"`   // learning rate of the last step
	Warmup         int64   `json:"warmup"`   // steps of linear rise from 0
	WeightDecay    float64 `json:"weight_decay"`
	Decay          Decay   `json:"decay"`           // which tensors decay
	ValueWeight    float64 `json:"value_weight"`    // loss = policy cross-entropy + ValueWeight · value MSE
	Clip           float64 `json:"clip"`            // highest global norm of the gradient, 0 = no clipping
	LabelSmoothing float64 `json:"label_smoothing"` // share of a policy target spread evenly over the moves
	// the policy's softmax is over the legal moves, in training and validation
	LegalMask      bool    `json:"legal_mask"`
	HistoryDropout float64 `json:"history_dropout"` // share of the training samples that lose the planes of the past
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

// Decay says which tensors weight decay applies to.
type Decay string

const (
	DecayAll     Decay = "all"     // every trainable tensor, as the reference does
	DecayWeights Decay = "weights" // convolution kernels and matrices, not biases and normalisations
)

// Preset returns the configuration of that name for the recipe talbotbot: "" the best known here with the reference's
// 20 blocks of 128 filters, "10x64" and "20x256" the same with other sizes, "v1.5" the published hyper-parameters of
// the reference (its schedule ran over 656,844 steps; set Steps to yours).
func Preset(name string) (Config, error) {
	c := Config{
		Recipe: "talbotbot",
		Config: model.Config{Blocks: 20, Filters: 128, BlockDropout: 0.1, ValueDropout: 0.2},
		Batch:  512, Accumulate: 1, Devices: 1, Precision: Float32, Steps: 656844, Seed: 42,
		Schedule: "cosine", LR: 1e-4, MinLR: 1e-5, WeightDecay: 1e-4, Decay: DecayAll, ValueWeight: 5,
		LogEvery: 100, EvalEvery: 5000, CheckpointEvery: 1000, Keep: 3,
	}
	switch name {
	case "v1.5":
		return c, nil
	case "10x64":
		c.Blocks, c.Filters = 10, 64
	case "20x256":
		c.Filters = 256
	case "":
	default:
		return Config{}, fmt.Errorf("unknown preset %q (known: v1.5, 10x64, 20x256)", name)
	}
	c.Steps = 100000
	c.LR, c.MinLR, c.Warmup = 5e-3, 1e-5, 1000
	c.WeightDecay, c.Decay = 1e-2, DecayWeights
	c.ValueWeight, c.Clip = 1, 5
	return c, nil
}

// SetSteps sets the length of the run and fits to it what is counted in steps: the warm-up takes at most a twentieth of
// the run, and there are at least ten log lines, two validations and four checkpoints.
func (c *Config) SetSteps(steps int64) {
	fit := func(n *int64, share int64) {
		if *n > 0 {
			*n = max(1, min(*n, steps/share))
		}
	}
	c.Steps = steps
	fit(&c.Warmup, 20)
	fit(&c.LogEvery, 10)
	fit(&c.EvalEvery, 2)
	fit(&c.CheckpointEvery, 4)
}

// settings are a [Config] as JSON has them, field by field.
type settings Config

// olderSettings holds for the fields that an older run does not have what that run did.
func olderSettings() settings {
	return settings{Accumulate: 1, Devices: 1, Precision: Float32, Schedule: "cosine", PolicyTarget: "played"}
}

// UnmarshalJSON fills fields that an older run does not have with what that run did. A member that is no field, as of a
// later talbot, is an error.
func (c *Config) UnmarshalJSON(text []byte) error {
	s := olderSettings()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return err
	}
	*c = Config(s)
	return nil
}

// Validate reports the first field with a value that cannot be.
func (c Config) Validate() error {
	if _, err := model.New(c.Recipe, c.Config); err != nil {
		return err
	}
	if _, err := c.schedule(); err != nil {
		return err
	}
	finite := func(x float64) bool { return x >= 0 && x <= math.MaxFloat32 }
	switch {
	case c.Batch < 2 || c.Batch > 1<<20:
		return fmt.Errorf("batch must be from 2 to %d: %d", 1<<20, c.Batch)
	case c.Accumulate < 1 || c.Batch%c.Accumulate != 0 || c.Batch/c.Accumulate < 2:
		return fmt.Errorf("a batch of %d samples cannot be split into %d equal parts of at least 2", c.Batch,
			c.Accumulate)
	case c.Devices < 1 || c.Batch/c.Accumulate%c.Devices != 0:
		return fmt.Errorf("%d samples (a batch of %d in %d parts) cannot be divided among %d devices",
			c.Batch/c.Accumulate, c.Batch, c.Accumulate, c.Devices)
	case c.Steps < 1:
		return fmt.Errorf("steps must be above 0: %d", c.Steps)
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
	case c.Decay != DecayAll && c.Decay != DecayWeights:
		return fmt.Errorf("decay must be of %q or %q: %q", DecayAll, DecayWeights, c.Decay)
	case !finite(c.ValueWeight):
		return fmt.Errorf("value weight must not be negative: %g", c.ValueWeight)
	case !finite(c.Clip):
		return fmt.Errorf("clip must not be negative: %g", c.Clip)
	case !(c.EMA >= 0 && c.EMA < 1):
		return fmt.Errorf("decay of the averaged weights must be at least 0 and below 1: %g", c.EMA)
	case !(c.LabelSmoothing >= 0 && c.LabelSmoothing < 1):
		return fmt.Errorf("label smoothing must be at least 0 and below 1: %g", c.LabelSmoothing)
	case !(c.HistoryDropout >= 0 && c.HistoryDropout < 1):
		return fmt.Errorf("history dropout must be at least 0 and below 1: %g", c.HistoryDropout)
	case c.LogEvery < 1:
		return fmt.Errorf("steps between log lines must be above 0: %d", c.LogEvery)
	case c.EvalEvery < 0 || c.CheckpointEvery < 0:
		return errors.New("steps between validations or checkpoints must not be negative")
	case c.Keep < 1:
		return fmt.Errorf("checkpoints to keep must be at least 1: %d", c.Keep)
	}
	return nil
}

// RunsOn returns [ErrPrecision], [ErrDevices] or [ErrMemory] if the backend cannot train with the configuration.
func (c Config) RunsOn(b *backend.Opened) error {
	if c.Precision == BFloat16 && b.Form != model.Native {
		return fmt.Errorf("%w: %s has no bfloat16 convolutions; train in float32 or on XLA", ErrPrecision, b.Kind)
	}
	if have := b.NumDevices(); c.Devices > have {
		return fmt.Errorf("%w: %d requested, %s has %d", ErrDevices, c.Devices, b.Kind, have)
	}
	_, err := c.fitsMemory(b)
	return err
}

// evaluated is the prefix of the names of the weights that are evaluated.
func (c Config) evaluated() string {
	if c.EMA > 0 {
		return averagePrefix
	}
	return ""
}

// operational fields may change on resume: they decide what is written and where it is computed, not what.
var operational = map[string]bool{"devices": true, "deterministic": true, "log_every": true, "eval_every": true,
	"checkpoint_every": true, "keep": true}

// Differs names the first field in which the configurations would compute different things, "" if there is none.
// Values are in JSON.
func (c Config) Differs(other Config) (field, mine, theirs string) {
	a, b := reflect.ValueOf(c), reflect.ValueOf(other)
	return differs(a, b)
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
		if !operational[name] && !a.Field(i).Equal(b.Field(i)) {
			x, _ := json.Marshal(a.Field(i).Interface())
			y, _ := json.Marshal(b.Field(i).Interface())
			return name, string(x), string(y)
		}
	}
	return "", "", ""
}
