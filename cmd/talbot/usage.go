package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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

// listed writes names in a sentence: "a, b or c".
func listed(names []string, word string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// missingFlag names the first flag that has no value, of names and values in turn; nil if all have one.
func missingFlag(namesAndValues ...string) error {
	for i := 0; i+1 < len(namesAndValues); i += 2 {
		if namesAndValues[i+1] == "" {
			return fmt.Errorf("--%s is missing", namesAndValues[i])
		}
	}
	return nil
}

// forms say what the values of a type of flag look like.
var forms = map[string]string{
	"bool": "true or false", "int": "a whole number", "int64": "a whole number", "uint64": "a whole number from 0",
	"float64": "a number", "duration": "a time with a unit, such as 20ms, 30s or 3m",
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
		return usage(invalidFlag(err), "see `"+cmd.CommandPath()+" --help`")
	}
	if word := nearest(e.Given, e.Words); word != "" {
		return usage(e, "did you mean `"+word+"`? "+e.Remedy)
	}
	return usage(e, e.Remedy)
}

// invalidFlag says of a flag's value what it should look like; other errors of flags stay as they are.
func invalidFlag(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	form := forms[invalid.GetFlag().Value.Type()]
	switch {
	case form == "":
		return fmt.Errorf("--%s %q cannot be read", invalid.GetFlag().Name, invalid.GetValue())
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("--%s %q is too large or too small", invalid.GetFlag().Name, invalid.GetValue())
	}
	return fmt.Errorf("--%s %q is not %s", invalid.GetFlag().Name, invalid.GetValue(), form)
}
