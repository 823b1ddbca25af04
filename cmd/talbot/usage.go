package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
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

// checkFlags refuses flags of a command that are missing or contradict each other.
func checkFlags(cmd *cobra.Command) error {
	if err := flags.Check(cmd); err != nil {
		return flagError(cmd, err)
	}
	return nil
}

// flagError is the error of usage for a flag that cannot be read, is missing or contradicts another.
func flagError(cmd *cobra.Command, err error) error {
	e, ok := errors.AsType[*flags.Error](err)
	if !ok {
		if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
			err = fmt.Errorf("--%s %q cannot be read", invalid.GetFlag().Name, invalid.GetValue())
		}
		return fault.Usage(err, "see `"+cmd.CommandPath()+" --help`")
	}
	if word := cli.Nearest(e.Given, e.Words); word != "" {
		meant := "did you mean `--" + e.Flag + " " + word + "`?"
		if strings.HasPrefix(e.Remedy, "use ") { // which lists all words
			meant += " " + e.Remedy
		}
		return fault.Usage(e, meant)
	}
	return fault.Usage(e, e.Remedy)
}
