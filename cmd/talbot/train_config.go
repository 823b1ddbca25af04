package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"talbot/encode"
	"talbot/internal/cache"
	"talbot/network/builtin"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train/job"
	"talbot/train/loader"
)

// The words that flags of several commands take; some go on after a colon.
var (
	policyTargets = []string{"played", "multipv:"}
	valueTargets  = []string{"recipe", "tanh", "wdl", "winprob", "result", "result:"}
	backends      = []string{"auto", "go", "xla:cpu", "xla:cuda", "xla:/"}
	answering     = append([]string{"onnx", "onnx:int8"}, backends...) // of networks that are trained
)

// backendFlag and answeringFlag explain --backend.
const (
	backendFlag   = "compute backend: auto, go, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so"
	answeringFlag = "compute backend: auto, go, onnx, onnx:int8, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so"
)

// job turns the flags into a run; flags that were not given leave the preset or the run as it is.
func (o *trainOptions) job(flags *pflag.FlagSet) (job.Train, error) {
	t := job.Train{Dir: o.run, From: o.from, After: o.after, Until: o.until, Label: o.label, Resume: o.resume,
		Steps: o.steps, Backend: o.backend, Existing: o.existing(),
		Workers: o.workers, Cache: cache.User()}
	if o.run == "" {
		return t, usage(errors.New("--run is missing"), "give the folder for the run, for example --run run1")
	}
	if o.run == builtin.Name {
		return t, usage(errors.New("--run net: is the network that comes with talbot, not a folder"),
			"to begin with its weights: --from net: --run run1")
	}
	if o.init {
		for _, name := range []string{"data", "resume", "from", "after", "steps", "until", "label", "max-copies",
			"ema"} {
			if flags.Changed(name) {
				return t, usage(fmt.Errorf("--init and --%s cannot be used together", name),
					"--init makes a network with random weights and trains nothing")
			}
		}
	} else if o.data == "" && !o.resume {
		return t, usage(errors.New("--data is missing"), "give one or more datasets, for example --data labelled")
	}
	if o.resume && o.asked() {
		return t, usage(errors.New("--resume cannot be used together with --skip-done or --replace"),
			"leave out --resume: both resume an interrupted run")
	}
	if o.from != "" && o.resume {
		return t, usage(errors.New("--from and --resume cannot be used together"), "leave one of them out")
	}
	if o.after != "" && (o.resume || o.from != "") {
		return t, usage(errors.New("--after cannot be used together with --from or --resume"), "leave one of them out")
	}
	if o.until < 0 {
		return t, usage(fmt.Errorf("--until must be above 0: %d", o.until), "leave it out to train all --steps")
	}
	if o.data != "" {
		var err error
		if t.Data, err = loader.ParseSpecs(o.data); err != nil {
			return t, usage(err, "for example --data games or --data games:0.7,puzzles:0.3")
		}
	}
	if o.maxCopies < 0 {
		return t, usage(fmt.Errorf("--max-copies must not be negative: %d", o.maxCopies), "leave it out for no limit")
	}
	t.MaxCopies = o.maxCopies
	if o.steps < 0 || flags.Changed("steps") && o.steps == 0 && o.resume {
		return t, usage(fmt.Errorf("--steps must be above 0: %d", o.steps),
			"leave it out to pass over the data as often as the preset does")
	}
	if err := checkBackend(o.backend, backends); err != nil {
		return t, err
	}
	if _, err := encode.ParsePolicyTarget(o.policyTarget); err != nil {
		return t, usage(err, "for example --policy-target multipv:0.1")
	}
	if _, err := encode.ParseValueTarget(o.valueTarget); err != nil {
		return t, usage(err, "for example --value-target wdl")
	}
	if !flags.Changed("backend") {
		t.Backend = ""
	}
	if flags.Changed("preset") {
		t.Preset = &o.preset
	}
	if flags.Changed("recipe") {
		t.Recipe = o.recipe
	}
	if _, err := recipe.ByName(o.recipe); err != nil {
		return t, usage(err, "`talbot recipes` lists them")
	}
	t.Adjust = func(c *run.Config) error { return o.adjust(c, flags) }
	return t, nil
}

// settingFlags are the flags that are settings of a recipe's network, which it may lack, and their names there.
var settingFlags = []struct{ flag, setting string }{
	{"blocks", "blocks"}, {"filters", "filters"}, {"value-weight", "value_weight"},
	{"label-smoothing", "label_smoothing"}, {"legal-mask", "legal_mask"},
}

// settingForms say what a setting of a type looks like.
var settingForms = map[reflect.Kind]string{
	reflect.Int: forms["int"], reflect.Float64: forms["float64"], reflect.Bool: forms["bool"],
}

// settingError says what to do about a setting that cannot be, which a flag or --set named.
func settingError(err error, flag, name, value string) error {
	what, remedy := "setting "+name, "`talbot recipes` lists the settings"
	if flag != "set" {
		what, remedy = "--"+flag, "leave out --"+flag+"; `talbot recipes` lists the settings of each recipe"
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		form, ok := settingForms[wrong.Type.Kind()]
		if !ok {
			form = "of another type"
		}
		if wrong.Type.Kind() == reflect.Float64 && strings.HasPrefix(wrong.Value, "number") {
			return usage(fmt.Errorf("%s is too large: %q", what, value), "`talbot recipes` shows the default")
		}
		return usage(fmt.Errorf("%s must be %s: %q", what, form, value), "`talbot recipes` shows the default")
	}
	return usage(fmt.Errorf("--%s: %w", flag, err), remedy)
}

// setAll changes the settings that flags and --set name.
func setAll(c *run.Config, flags *pflag.FlagSet, assignments []string) error {
	for _, f := range settingFlags {
		if flag := flags.Lookup(f.flag); flag != nil && flag.Changed {
			if err := c.Set(f.setting, flag.Value.String()); err != nil {
				return settingError(err, f.flag, f.setting, flag.Value.String())
			}
		}
	}
	for _, text := range assignments {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return usage(fmt.Errorf("--set must be NAME=VALUE: %q", text), "`talbot recipes` lists the settings")
		}
		if err := c.Set(name, value); err != nil {
			return settingError(err, "set", name, value)
		}
	}
	return nil
}

func (o *trainOptions) adjust(c *run.Config, flags *pflag.FlagSet) error {
	if err := setAll(c, flags, o.set); err != nil {
		return err
	}
	set(flags, "batch", &c.Batch, o.batch)
	set(flags, "accumulate", &c.Accumulate, o.accumulate)
	set(flags, "devices", &c.Devices, o.devices)
	set(flags, "deterministic", &c.Deterministic, o.deterministic)
	set(flags, "clip", &c.Clip, o.clip)
	set(flags, "ema", &c.EMA, o.ema)
	set(flags, "history-dropout", &c.HistoryDropout, o.historyDropout)
	set(flags, "mirror", &c.Mirror, o.mirror)
	set(flags, "precision", &c.Precision, run.Precision(o.precision))
	set(flags, "keep", &c.Keep, o.keep)
	set(flags, "seed", &c.Seed, o.seed)
	set(flags, "schedule", &c.Schedule, o.schedule)
	if flags.Changed("schedule") && o.schedule == "one-cycle" {
		c.Warmup = 0
	}
	set(flags, "warmup", &c.Warmup, o.warmup)
	set(flags, "weight-decay", &c.WeightDecay, o.decay)
	if o.optimizer == "adamw" {
		o.optimizer = ""
	}
	set(flags, "optimizer", &c.Optimizer, recipe.Optimizer(o.optimizer))
	set(flags, "value-target", &c.ValueTarget, o.valueTarget)
	set(flags, "policy-target", &c.PolicyTarget, o.policyTarget)
	set(flags, "eval-every", &c.EvalEvery, o.evalEvery)
	set(flags, "checkpoint-every", &c.CheckpointEvery, o.saveEvery)
	if flags.Changed("lr") {
		c.LR, c.MinLR = o.lr, c.MinLR*o.lr/c.LR
	}
	set(flags, "min-lr", &c.MinLR, o.minLR)
	if o.resume || o.after != "" {
		return nil // what contradicts the run is refused for that
	}
	return effective(c, flags)
}

// effective refuses flags that the run would not heed.
func effective(c *run.Config, flags *pflag.FlagSet) error {
	kind, _, _ := strings.Cut(c.Schedule, ":")
	if flags.Changed("min-lr") && slices.Contains([]string{"constant", "piecewise", "plateau"}, kind) {
		return usage(fmt.Errorf("--min-lr has no effect with the schedule %s", c.Schedule),
			"leave out --min-lr, or use --schedule cosine or one-cycle")
	}
	built, err := c.Build()
	if err != nil {
		return usage(err, "`talbot recipes` shows the defaults")
	}
	layout := built.Encoder.Layout()
	if c.Mirror > 0 && layout.OtherColour == nil {
		return usage(fmt.Errorf("--mirror: the recipe %s does not see which colour moves", c.Recipe),
			"leave out --mirror")
	}
	if c.HistoryDropout > 0 && layout.NoHistory == nil {
		return usage(fmt.Errorf("--history-dropout: the recipe %s does not see the past", c.Recipe),
			"leave out --history-dropout")
	}
	return nil
}

// checkBackend rejects what names no backend of these; whether a backend is there is found out later.
func checkBackend(spec string, known []string) error {
	if slices.Contains(known, spec) || strings.HasPrefix(spec, "xla:/") {
		return nil
	}
	if slices.Contains(answering, spec) {
		return usage(fmt.Errorf("--backend %s plays and evaluates networks, but it cannot train them", spec),
			"use auto, go, xla:cpu, xla:cuda or xla:/absolute/path/plugin.so")
	}
	return usage(fmt.Errorf("unknown backend %q", spec), "use "+strings.TrimPrefix(answeringFlag, "compute backend: ")+
		"; `talbot doctor` lists the available ones")
}

// set takes over a flag that was given.
func set[T any](flags *pflag.FlagSet, name string, field *T, value T) {
	if flags.Changed(name) {
		*field = value
	}
}
