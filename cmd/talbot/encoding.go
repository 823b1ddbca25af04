package main

import (
	"github.com/spf13/cobra"

	"talbot/encode"
	"talbot/network/recipe"
	"talbot/network/run"
)

// encodingOptions say how samples are encoded, for verbs that show or export them.
type encodingOptions struct {
	recipe        string
	set           []string
	value, policy string
}

// encodingFlags are those of encodingOptions.
var encodingFlags = []string{"recipe", "set", "policy-target", "value-target"}

func (o *encodingOptions) addEncoding(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.recipe, "recipe", "talbotbot", "recipe of the encoding and targets")
	f.StringArrayVar(&o.set, "set", nil,
		"change a setting of the recipe, `NAME=VALUE`, such as scores=true of nosearch")
	f.StringVar(&o.policy, "policy-target", "played",
		"policy target: played, or multipv:T (see \"talbot train --help\")")
	f.StringVar(&o.value, "value-target", "recipe", "value target: recipe, tanh, wdl, winprob or result:Q")
	values(cmd, "recipe", recipe.Names()...)
	values(cmd, "policy-target", policyTargets...)
	values(cmd, "value-target", valueTargets...)
}

// encoding checks the flags.
func (o *encodingOptions) encoding(cmd *cobra.Command) (e encode.Encoder, t encode.Targets, err error) {
	c, err := run.New(o.recipe, "")
	if err != nil {
		return nil, t, usage(err, "`talbot recipes` lists them")
	}
	if err := setAll(&c, cmd.Flags(), o.set); err != nil {
		return nil, t, err
	}
	built, err := c.Build()
	if err != nil {
		return nil, t, usage(err, "`talbot recipes` shows the defaults")
	}
	if t.Policy, err = encode.ParsePolicyTarget(o.policy); err != nil {
		return nil, t, usage(err, "for example --policy-target multipv:0.1")
	}
	if t.Value, err = encode.ParseValueTarget(o.value); err != nil {
		return nil, t, usage(err, "for example --value-target wdl")
	}
	return built.Encoder, t, nil
}
