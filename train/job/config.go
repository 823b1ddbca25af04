package job

import (
	"cmp"
	"errors"
	"fmt"

	"talbot/encode"
	"talbot/internal/fault"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
)

// badSetting returns [ErrConfig] with its reason, whose remedy counts if it has one.
func badSetting(err error) error {
	_, remedy := fault.Of(err)
	return fault.Hint(fmt.Errorf("%w: %w", ErrConfig, err), remedy)
}

// config returns the configuration of a new run over that many train samples, or [ErrConfig]. While the number of
// samples is not known it is 0, and a run whose length depends on it has one step.
func (t Train) config(samples int64, weights *run.Weights) (run.Config, error) {
	if weights != nil && weights.Whole {
		return t.following(weights)
	}
	c, err := t.unchecked(samples, weights)
	if err == nil && weights != nil && !t.gone {
		if err = weights.Extend(c); err == nil {
			err = weights.Agree(c)
		}
	}
	if known := t.Steps > 0 || samples > 0; err == nil && known && c.Warmup >= max(c.Steps, 2) {
		err = fmt.Errorf("a warm-up of %d steps does not end within a run of %d steps", c.Warmup, c.Steps)
	}
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		err = badSetting(err)
	}
	return c, err
}

// unchecked is config. Without a preset the network is that of the weights it begins with, with all its settings.
func (t Train) unchecked(samples int64, weights *run.Weights) (run.Config, error) {
	name, presetName := t.Recipe, ""
	if t.Preset != nil {
		presetName = *t.Preset
	}
	if name == "" && weights != nil {
		name = weights.Config.Recipe
	}
	name = cmp.Or(name, recipe.Names()[0])
	c, err := run.New(name, presetName)
	if err != nil {
		return c, err
	}
	r, err := recipe.ByName(name)
	if err != nil {
		return c, err
	}
	preset, err := r.Preset(presetName)
	if err != nil {
		return c, err
	}
	if weights != nil {
		c.From = weights.Origin
		switch {
		case c.Recipe != weights.Config.Recipe: // is refused
		case t.Preset == nil:
			weights.Inherit(&c)
			if !isInitial(weights) { // what is known is not to be forgotten
				by := cmp.Or(r.Gentler, 10)
				c.LR, c.MinLR = c.LR/by, c.MinLR/by
			}
		default:
			weights.InheritTargets(&c)
		}
	}
	if err := t.adjust(&c); err != nil { // for the batch
		return c, err
	}
	steps, epoch := t.Steps, int64(1)
	if c.Batch > 0 {
		epoch = batchesOf(samples, c.Batch)
		if steps == 0 {
			steps = batchesOf(samples*preset.Epochs, c.Batch)
		}
	}
	c.SetSteps(steps)
	if c.Until = t.Until; c.Until > 0 {
		c.FitTo(c.Until)
	}
	if preset.ByEpoch {
		c.EvalEvery = epoch
	}
	if err := t.adjust(&c); err != nil { // for what SetSteps fits to the run
		return c, err
	}
	return c, describeTargets(&c)
}

// batchesOf returns how many batches have that many samples.
func batchesOf(samples int64, batch int) int64 { return max(1, (samples+int64(batch)-1)/int64(batch)) }

// following returns the configuration of a run that continues a training: the same, but for what may change when a run
// is resumed.
func (t Train) following(w *run.Weights) (run.Config, error) {
	c := w.Config
	c.From, c.Until = w.Origin, t.Until
	if t.Steps != 0 {
		c.Steps = t.Steps
	}
	before := w.Config
	before.From = c.From
	err := refit(&c, w.Config)
	if err == nil {
		err = t.change(&c, before)
	}
	switch differs, is := errors.AsType[*train.ConfigError](err); {
	case is:
		err = fmt.Errorf("the training in %q has %s = %s, not %s", w.Path, differs.Field, differs.Have, differs.Want)
	case err != nil:
	case t.Recipe != "" && t.Recipe != c.Recipe:
		err = fmt.Errorf("%q was trained with recipe %s, not %s", w.Path, c.Recipe, t.Recipe)
	case t.Preset != nil:
		err = errors.New("--after cannot be combined with --preset")
	}
	if err != nil {
		err = badSetting(err)
	}
	return c, err
}

// change makes the changes to a configuration that were asked for. If it computes something else then than the one
// before, the error is a [train.ConfigError].
func (t Train) change(c *run.Config, before run.Config) error {
	if err := t.adjust(c); err != nil {
		return err
	}
	if c.ValueTarget != before.ValueTarget || c.PolicyTarget != before.PolicyTarget {
		if err := describeTargets(c); err != nil {
			return err
		}
	}
	if field, want, was := c.Differs(before); field != "" {
		return &train.ConfigError{Field: field, Want: want, Have: was}
	}
	return c.Validate()
}

// refit makes what is counted in steps fit the length of a run that continues a training: what the length of the
// earlier run had lowered is the preset's again.
func refit(c *run.Config, before run.Config) error {
	usual, err := run.New(before.Recipe, "")
	if err != nil {
		return err
	}
	usual.SetSteps(before.Steps)
	lowered := usual
	lowered.FitTo(before.End() - before.Begin())
	for _, x := range []struct{ n, lowered, usual *int64 }{
		{&c.LogEvery, &lowered.LogEvery, &usual.LogEvery},
		{&c.EvalEvery, &lowered.EvalEvery, &usual.EvalEvery},
		{&c.CheckpointEvery, &lowered.CheckpointEvery, &usual.CheckpointEvery},
	} {
		if *x.n == *x.lowered {
			*x.n = *x.usual
		}
	}
	c.FitTo(c.End() - c.Begin())
	return nil
}

// targets returns the targets of a configuration.
func targets(c run.Config) (t encode.Targets, err error) {
	if t.Value, err = encode.ParseValueTarget(c.ValueTarget); err == nil {
		t.Policy, err = encode.ParsePolicyTarget(c.PolicyTarget)
	}
	return t, err
}

// describeTargets writes the targets into the configuration as they are named, and the formula of the value target.
func describeTargets(c *run.Config) error {
	t, err := targets(*c)
	if err != nil {
		return err
	}
	built, err := c.Build()
	if err != nil {
		return err
	}
	c.ValueTarget, c.ValueFormula, c.PolicyTarget = t.Value.String(), t.Value.Formula(built.Encoder), t.Policy.String()
	return nil
}

// resumed returns the configuration of the run in Dir with the changes asked for, or an error that names what cannot be
// changed.
func (t Train) resumed() (run.Config, error) {
	have, err := run.ReadConfig(t.Dir)
	if err != nil {
		return have, err
	}
	c := have
	if t.Recipe != "" && t.Recipe != have.Recipe {
		return c, &train.ConfigError{Field: "recipe", Want: t.Recipe, Have: have.Recipe}
	}
	if t.Preset != nil {
		if c, err = run.New(have.Recipe, *t.Preset); err != nil {
			return c, err
		}
		c.SetSteps(have.Steps)
		// What a preset does not set, the run keeps.
		c.EvalEvery, c.LogEvery, c.CheckpointEvery = have.EvalEvery, have.LogEvery, have.CheckpointEvery
		c.Keep = have.Keep
		c.Deterministic = have.Deterministic
		c.Devices, c.Accumulate, c.From = have.Devices, have.Accumulate, have.From
	}
	if t.Steps != 0 {
		c.Steps = t.Steps
	}
	if t.Until != 0 {
		if _, reached := run.Checkpoints(t.Dir).Last(); t.Until < reached {
			return c, fmt.Errorf("%w: the run has reached step %d, which is past --until %d", ErrConfig, reached,
				t.Until)
		}
		c.Until = t.Until
	}
	err = t.change(&c, have)
	if _, differs := errors.AsType[*train.ConfigError](err); err != nil && !differs {
		err = badSetting(err)
	}
	return c, err
}
