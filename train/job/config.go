package job

import (
	"fmt"

	"talbot/encode"
	"talbot/train"
)

// config returns the configuration of a new run over that many train samples, and [ErrConfig] if it cannot be. The
// number of samples is 0 where it is not known yet; a run whose length depends on it has one step then.
func (t Train) config(samples int64, weights *train.Weights) (train.Config, error) {
	c, err := t.unchecked(samples, weights)
	if err == nil && weights != nil {
		err = weights.Fit(c)
	}
	// older runs may have that
	if known := t.Steps > 0 || samples > 0; err == nil && known && c.Warmup >= max(c.Steps, 2) {
		err = fmt.Errorf("a warm-up of %d steps does not end within a run of %d steps", c.Warmup, c.Steps)
	}
	if err == nil {
		err = c.Validate()
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return c, err
}

// unchecked is config. Without a preset the network has the size of the weights it begins with.
func (t Train) unchecked(samples int64, weights *train.Weights) (train.Config, error) {
	preset := ""
	if t.Preset != nil {
		preset = *t.Preset
	}
	c, err := train.Preset(preset)
	if err != nil {
		return c, err
	}
	if weights != nil {
		c.From = weights.Origin
		if t.Preset == nil {
			c.Recipe, c.Blocks, c.Filters = weights.Config.Recipe, weights.Config.Blocks, weights.Config.Filters
		}
	}
	if t.Recipe != "" {
		c.Recipe = t.Recipe
	}
	t.Adjust(&c) // for the batch
	steps := t.Steps
	if steps == 0 && c.Batch > 0 {
		steps = max(1, (samples*Passes(preset)+int64(c.Batch)-1)/int64(c.Batch))
	}
	c.SetSteps(steps)
	t.Adjust(&c) // for what SetSteps fits to the run
	return c, describeTargets(&c)
}

// targets are those of a configuration.
func targets(c train.Config) (value encode.ValueTarget, policy encode.PolicyTarget, err error) {
	if value, err = encode.ParseValueTarget(c.ValueTarget); err == nil {
		policy, err = encode.ParsePolicyTarget(c.PolicyTarget)
	}
	return value, policy, err
}

// describeTargets writes the targets into the configuration as they are named, and the formula of the value target.
func describeTargets(c *train.Config) error {
	value, policy, err := targets(*c)
	if err != nil {
		return err
	}
	e, err := encode.ByName(c.Recipe)
	if err != nil {
		return err
	}
	c.ValueTarget, c.ValueFormula, c.PolicyTarget = value.String(), value.Formula(e), policy.String()
	return nil
}

// resumed returns the configuration of the run in Dir with what was asked for, and an error that names what cannot be
// changed.
func (t Train) resumed() (train.Config, error) {
	have, err := train.ReadConfig(t.Dir, nil) // [train.Run] warns
	if err != nil {
		return have, err
	}
	c := have
	if t.Preset != nil {
		if c, err = train.Preset(*t.Preset); err != nil {
			return c, err
		}
		c.SetSteps(have.Steps)
	}
	if t.Recipe != "" {
		c.Recipe = t.Recipe
	}
	if t.Steps != 0 {
		c.Steps = t.Steps
	}
	t.Adjust(&c)
	if c.ValueTarget != have.ValueTarget || c.PolicyTarget != have.PolicyTarget {
		if err := describeTargets(&c); err != nil {
			return c, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	if field, want, was := c.Differs(have); field != "" {
		return c, &train.ConfigError{Field: field, Want: want, Have: was}
	}
	if err := c.Validate(); err != nil {
		return c, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return c, nil
}
