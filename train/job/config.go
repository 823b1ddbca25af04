package job

import (
	"fmt"

	"talbot/encode"
	"talbot/train"
)

// config returns the configuration of a new run over that many train samples; without any it has one step.
func (t Train) config(samples int64) (train.Config, error) {
	preset := ""
	if t.Preset != nil {
		preset = *t.Preset
	}
	c, err := train.Preset(preset)
	if err != nil {
		return c, err
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

// describeTargets writes the targets into the configuration as they are named, and the formula of the value target.
func describeTargets(c *train.Config) error {
	value, err := encode.ParseValueTarget(c.ValueTarget)
	if err != nil {
		return err
	}
	e, err := encode.ByName(c.Recipe)
	if err != nil {
		return err
	}
	policy, err := encode.ParsePolicyTarget(c.PolicyTarget)
	c.ValueTarget, c.ValueFormula, c.PolicyTarget = value.String(), value.Formula(e), policy.String()
	return err
}

// resumed returns the configuration of the run in Dir with what was asked for, and an error that names what cannot be
// changed.
func (t Train) resumed() (train.Config, error) {
	have, err := train.ReadConfig(t.Dir)
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
	return c, nil
}
