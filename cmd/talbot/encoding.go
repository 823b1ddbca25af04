package main

import (
	"talbot/encode"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/network/run"
)

// encodingOptions choose how samples are encoded, for commands that show or export them.
type encodingOptions struct {
	recipe        string
	settings      settings
	value, policy string
}

// encodingFlags are those of encodingOptions.
var encodingFlags = []string{"recipe", "set", "policy-target", "value-target"}

func (o *encodingOptions) addEncoding(f *flags.Set) {
	o.policy, o.value = "played", "recipe"
	addRecipe(f, &o.recipe, "recipe of the encoding and targets")
	o.settings.addSet(f, "change a setting of the recipe, `NAME=VALUE`, such as scores=true of nosearch")
	addTargets(f, &o.policy, &o.value, "policy target: played, or multipv:T (see \"talbot train --help\")",
		"value target: recipe, tanh, wdl, winprob or result:Q")
}

// encoding returns what the flags ask for.
func (o *encodingOptions) encoding(f *flags.Set) (e encode.Encoder, t encode.Targets, err error) {
	c, err := run.New(o.recipe, "")
	if err != nil {
		return nil, t, err
	}
	if err := o.settings.apply(&c, f.Command().Flags()); err != nil {
		return nil, t, err
	}
	built, err := c.Build()
	if err != nil {
		return nil, t, fault.Usage(err, "`talbot recipes` shows the defaults")
	}
	if t.Policy, err = encode.ParsePolicyTarget(o.policy); err == nil {
		t.Value, err = encode.ParseValueTarget(o.value)
	}
	return built.Encoder, t, err
}
