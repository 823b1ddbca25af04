package cli

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"talbot/internal/fault"
)

// ErrSkipped ends a --strict command that left something out.
var ErrSkipped = fault.New(fault.ExitSkipped, "some input was skipped",
	"without --strict, skipped input is only counted")

// Run executes one command line and returns its exit status. Explain may add a remedy to the error of a command.
func Run(root *cobra.Command, args []string, explain func(error) error) int {
	defer unwatched()()
	root.SetArgs(args)
	refuseOtherShells(root)
	root.SetOut(Stdout)
	root.SetErr(Stderr)
	cmd, err := root.ExecuteContextC(context.Background())
	if err != nil {
		err = suggest(cmd, explain(err))
	}
	if !ending.CompareAndSwap(false, true) {
		select {} // a signal is ending the process
	}
	defer ending.Store(false) // tests go on
	asJSON := wantsJSON(cmd, args)
	defer Stderr.Flush() // its error has nowhere to go
	if failed := Stdout.Flush(); failed != nil && !errors.Is(err, ErrOutput) {
		if err != nil && !errors.Is(err, ErrSkipped) {
			Say("talbot: %v\n", failed)
		} else {
			err = failed
		}
	}
	if err == nil {
		return fault.ExitDone
	}
	return fail(err, asJSON)
}

// failure is how a command that failed ends under --json: one object, on the last line of standard error.
type failure struct {
	Error string `json:"error"`
	Hint  string `json:"hint"` // "" if nothing is known
	Exit  int    `json:"exit"`
}

// fail prints an error with its remedy and returns the exit status.
func fail(err error, asJSON bool) int {
	exit, remedy := fault.Of(err)
	if path, ok := errors.AsType[*fs.PathError](err); ok && remedy == fault.CheckPath {
		if meant := NearestPath(path.Path); meant != "" {
			remedy = meant
		}
	}
	if asJSON {
		_ = encodeJSON(Stderr, failure{MessageOf(err), WithProgram(remedy), exit}) // its error has nowhere to go
		return exit
	}
	sayError(err)
	if remedy != "" {
		PrintHint(remedy)
	}
	return exit
}

// wantsJSON reports whether a command line asks for JSON. Where its flags could not be read, the words decide.
func wantsJSON(cmd *cobra.Command, args []string) bool {
	if f := cmd.Flags().Lookup("json"); f != nil && f.Changed {
		return f.Value.String() == "true"
	}
	for _, a := range args {
		value, given := strings.CutPrefix(a, "--json=")
		switch {
		case a == "--":
			return false
		case a == "--json", given && value != "false" && value != "0":
			return true
		}
	}
	return false
}
