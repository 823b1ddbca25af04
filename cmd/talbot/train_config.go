package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/network/schedule"
)

// settings are the flags that change the configuration of a run.
type settings struct {
	list []func(*run.Config, *pflag.FlagSet) error // in the order in which they apply
}

// set returns a variable for a flag that, if the flag is given, is copied into a field of the configuration. Help shows
// a default.
func set[T any](s *settings, name string, field func(*run.Config) *T, shown T) *T {
	s.then(name, func(c *run.Config) error { *field(c) = shown; return nil })
	return &shown
}

// then has a function change the configuration if a flag is given.
func (s *settings) then(name string, change func(*run.Config) error) {
	s.list = append(s.list, func(c *run.Config, f *pflag.FlagSet) error {
		if !f.Changed(name) {
			return nil
		}
		return change(c)
	})
}

// ofNetwork has a flag change a setting of the network.
func (s *settings) ofNetwork(f *flags.Set, name, setting string) {
	value := f.Command().Flags().Lookup(name).Value
	s.then(name, func(c *run.Config) error {
		return settingError(c.Set(setting, value.String()), name, setting, value.String())
	})
}

// apply changes a configuration by the given flags.
func (s *settings) apply(c *run.Config, f *pflag.FlagSet) error {
	for _, change := range s.list {
		if err := change(c, f); err != nil {
			return err
		}
	}
	return nil
}

// addSize adds the flags that choose the size of a network, and --set. The recipe is that of --recipe.
func (s *settings) addSize(f *flags.Set) {
	var blocks, filters int
	flags.Number(f, &blocks, "blocks", "number of residual blocks (default: the preset's)")
	s.ofNetwork(f, "blocks", "blocks")
	flags.Number(f, &filters, "filters", "number of channels (default: the preset's)")
	s.ofNetwork(f, "filters", "filters")
	s.addSet(f, "change a setting of the network, `NAME=VALUE`; repeatable (see \"talbot recipes\")")
}

// addSet adds --set.
func (s *settings) addSet(f *flags.Set, usage string) {
	var assignments []string
	f.Each(&assignments, "set", usage)
	s.then("set", func(c *run.Config) error { return setAll(c, assignments) })
}

// setAll changes the settings of a network that --set names.
func setAll(c *run.Config, assignments []string) error {
	for _, text := range assignments {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return fault.Usage(fmt.Errorf("--set must be NAME=VALUE: %q", text), "`talbot recipes` lists the settings")
		}
		if err := settingError(c.Set(name, value), "set", name, value); err != nil {
			return err
		}
	}
	return nil
}

// forms are what the values of settings look like.
var forms = map[reflect.Kind]string{
	reflect.Int: "a whole number", reflect.Float64: "a number", reflect.Bool: "true or false",
}

// settingError returns the error of usage for a setting that a flag could not change, nil for nil.
func settingError(err error, flag, name, value string) error {
	if err == nil {
		return nil
	}
	remedy := "`talbot recipes` lists the settings"
	if flag != "set" {
		remedy = "leave out --" + flag + "; `talbot recipes` lists the settings of each recipe"
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		kind := wrong.Type.Kind()
		if kind == reflect.Float64 && strings.HasPrefix(wrong.Value, "number") {
			return fault.Usage(fmt.Errorf("setting %s is too large: %q", name, value),
				"`talbot recipes` shows the default")
		}
		form := forms[kind]
		if form == "" {
			form = "of another type"
		}
		return fault.Usage(fmt.Errorf("setting %s must be %s: %q", name, form, value),
			"`talbot recipes` shows the default")
	}
	return fault.Usage(fmt.Errorf("--%s: %w", flag, err), remedy)
}

func (o *trainOptions) addNetwork(f *flags.Set) {
	f.Section("Network")
	o.addPreset(f)
	o.settings.addSize(f)
}

// addPreset adds --recipe and --preset.
func (o *trainOptions) addPreset(f *flags.Set) {
	addRecipe(f, &o.Recipe, "recipe for encoding, network and targets (see \"talbot recipes\")")
	flags.Choice(f, &o.preset, "preset", "settings to start from (see \"talbot recipes\"), such as v1.5 (as published "+
		"for the reference), 10x64 or 20x256 (the default settings in another size)", presets()...)
}

func (o *trainOptions) addLength(f *flags.Set) {
	s := &o.settings
	f.Section("Length and batches")
	flags.AtLeast(f, &o.Steps, "steps", 1, "number of steps (default: as many epochs as the preset has)")
	flags.AtLeast(f, &o.Until, "until", 1,
		"end at this `STEP` of the schedule, so that --after can continue (default: its last step)")
	s.addBatch(f)
	flags.AtLeast(f, set(s, "accumulate", func(c *run.Config) *int { return &c.Accumulate }, 1), "accumulate", 1,
		"compute each batch in this many parts, in the memory of one")
	flags.Number(f, set(s, "seed", func(c *run.Config) *int64 { return &c.Seed }, 42), "seed",
		"seed for the weights, dropout and order of the samples")
}

func (s *settings) addBatch(f *flags.Set) {
	flags.AtLeast(f, set(s, "batch", func(c *run.Config) *int { return &c.Batch }, 0), "batch", 2,
		"number of samples in a step (default: the preset's)")
}

func (o *trainOptions) addTargets(f *flags.Set) {
	s := &o.settings
	f.Section("Targets and loss")
	s.addTargets(f)
	var weight, smoothing float64
	var legal bool
	flags.Number(f, &weight, "value-weight",
		"weight of the value loss relative to the policy loss (default: the preset's)")
	s.ofNetwork(f, "value-weight", "value_weight")
	flags.Number(f, &smoothing, "label-smoothing", "share of the policy target to spread evenly over the moves")
	s.ofNetwork(f, "label-smoothing", "label_smoothing")
	f.Bool(&legal, "legal-mask", "take the softmax over the legal moves only")
	s.ofNetwork(f, "legal-mask", "legal_mask")
	flags.AtLeast(f, set(s, "history-dropout", func(c *run.Config) *float64 { return &c.HistoryDropout }, 0),
		"history-dropout", 0, "share of the samples to train without history and repetitions")
	flags.Within(f, set(s, "mirror", func(c *run.Config) *float64 { return &c.Mirror }, 0), "mirror", 0, 1,
		"share of the samples to train with colours swapped")
}

// addTargets adds --policy-target and --value-target.
func (s *settings) addTargets(f *flags.Set) {
	addTargets(f, set(s, "policy-target", func(c *run.Config) *string { return &c.PolicyTarget }, "played"),
		set(s, "value-target", func(c *run.Config) *string { return &c.ValueTarget }, "recipe"),
		"policy target: played, or multipv:T for a softmax with temperature T over the moves of \"label --multipv\", "+
			"such as multipv:0.1",
		"value target: recipe (the recipe's own), tanh (of centipawns), wdl (the engine's chances), winprob "+
			"(Lichess's), or result:Q[:D] (results of games, with a share Q of the label, such as result:0.5, and a "+
			"discount D for each ply to the game's end, such as result:0.5:0.99)")
}

func (o *trainOptions) addOptimizer(f *flags.Set) {
	s := &o.settings
	f.Section("Learning rate and optimizer")
	var rate float64
	flags.Above(f, &rate, "lr", 0,
		"maximum learning rate (default: the preset's, with --from a tenth of the recipe's, of leela a fortieth)")
	s.then("lr", func(c *run.Config) error { c.LR, c.MinLR = rate, c.MinLR*rate/c.LR; return nil })
	flags.AtLeast(f, set(s, "min-lr", func(c *run.Config) *float64 { return &c.MinLR }, 0), "min-lr", 0,
		"final learning rate of cosine and one-cycle (default: same ratio to --lr as in the preset)")
	f.String(set(s, "schedule", func(c *run.Config) *string { return &c.Schedule }, ""), "schedule",
		"learning rate schedule: "+schedule.Names+" (default: the preset's)")
	f.Words("schedule", "cosine", "constant", "one-cycle", "piecewise:", "plateau:")
	s.then("schedule", func(c *run.Config) error {
		if c.Schedule == "one-cycle" {
			c.Warmup = 0
		}
		return nil
	})
	flags.AtLeast(f, set(s, "warmup", func(c *run.Config) *int64 { return &c.Warmup }, 0), "warmup", 0,
		"warm-up steps (default: the preset's; 0 with one-cycle)")
	var optimizer string
	flags.Choice(f, &optimizer, "optimizer",
		"adamw, muon, or sgd with momentum 0.9, which takes a higher --lr, such as 0.05 (default: the preset's)",
		"adamw", "muon", "sgd")
	s.then("optimizer", func(c *run.Config) error {
		c.Optimizer = recipe.Optimizer(strings.TrimPrefix(optimizer, "adamw")) // which is the zero value
		return nil
	})
	flags.AtLeast(f, set(s, "weight-decay", func(c *run.Config) *float64 { return &c.WeightDecay }, 0), "weight-decay",
		0, "weight decay, decoupled unless with sgd (default: the preset's)")
	flags.AtLeast(f, set(s, "clip", func(c *run.Config) *float64 { return &c.Clip }, 0), "clip", 0,
		"maximum norm of the gradient, 0 = no limit (default: the preset's)")
	flags.AtLeast(f, set(s, "ema", func(c *run.Config) *float64 { return &c.EMA }, 0), "ema", 0,
		"evaluate a running average of the weights with this decay, such as 0.999; 0 = no average (default: the "+
			"preset's)")
}

func (o *trainOptions) addMachine(f *flags.Set) {
	s := &o.settings
	f.Section("Machine")
	addBackend(f, &o.backend, backends)
	flags.Choice(f, set(s, "precision", func(c *run.Config) *run.Precision { return &c.Precision }, run.Float32),
		"precision", "precision of training: float32, or on XLA bf16 for convolutions, matrix products and the "+
			"activations between them", run.Float32, run.BFloat16)
	flags.Parse(f, &o.gpuMemory, "gpu-memory", "", "0.9", parseShare[float64],
		"share of the GPU's memory to use (default: what is free, but for a GiB)")
	flags.AtLeast(f, set(s, "devices", func(c *run.Config) *int { return &c.Devices }, 1), "devices", 1,
		"number of GPUs to train on (experimental)")
	f.Bool(set(s, "deterministic", func(c *run.Config) *bool { return &c.Deterministic }, false), "deterministic",
		"use slower kernels that give the same bits each time on a GPU (the processor always does)")
	addWorkers(f, &o.Workers, "number of goroutines that read and encode (default: one for each core)")
}

func (o *trainOptions) addCheckpoints(f *flags.Set) {
	s := &o.settings
	f.Section("Validation and checkpoints")
	flags.AtLeast(f, set(s, "eval-every", func(c *run.Config) *int64 { return &c.EvalEvery }, 0), "eval-every", 0,
		"steps between validations, 0 = only at the end (default: 5,000, or one epoch with some presets)")
	flags.AtLeast(f, set(s, "checkpoint-every", func(c *run.Config) *int64 { return &c.CheckpointEvery }, 1000),
		"checkpoint-every", 0, "steps between checkpoints, 0 = only at the end")
	flags.AtLeast(f, set(s, "keep", func(c *run.Config) *int { return &c.Keep }, 3), "keep", 1,
		"number of recent checkpoints to keep besides the best")
}

// effective refuses flags that the run would not heed.
func effective(c *run.Config, f *pflag.FlagSet) error {
	kind, _, _ := strings.Cut(c.Schedule, ":")
	if f.Changed("min-lr") && slices.Contains([]string{"constant", "piecewise", "plateau"}, kind) {
		return fault.Usage(fmt.Errorf("--min-lr has no effect with the schedule %s", c.Schedule),
			"leave out --min-lr, or use --schedule cosine or one-cycle")
	}
	built, err := c.Build()
	if err != nil {
		return fault.Usage(err, "`talbot recipes` shows the defaults")
	}
	layout := built.Encoder.Layout()
	if c.Mirror > 0 && layout.OtherColour == nil {
		return fault.Usage(fmt.Errorf("--mirror: the recipe %s does not see which colour moves", c.Recipe),
			"leave out --mirror")
	}
	if c.HistoryDropout > 0 && layout.NoHistory == nil {
		return fault.Usage(fmt.Errorf("--history-dropout: the recipe %s does not see the past", c.Recipe),
			"leave out --history-dropout")
	}
	return nil
}
