package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
)

// many is a number of operands without a limit.
const many = math.MaxInt

// operands accepts a number of arguments beside the flags; what describes them in words.
func operands(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		given := "none given"
		switch n := len(args); {
		case n >= least && n <= most:
			return nil
		case n == 1:
			given = "only one given"
		case n > most:
			given = fmt.Sprintf("unexpected %q", args[most])
		}
		return fmt.Errorf("%s needs %s: %s", cmd.CommandPath(), what, given)
	}
}

// flagError is the error of usage for a flag that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if exit, _ := fault.Of(invalid.Unwrap()); exit == fault.ExitUsage {
			return invalid.Unwrap()
		}
		err = fmt.Errorf("--%s %q cannot be read", invalid.GetFlag().Name, invalid.GetValue())
	}
	return fault.Usage(err, "see `"+cmd.CommandPath()+" --help`")
}
