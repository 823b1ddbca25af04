package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// failure is how a command that failed ends under --json: one object, on the last line of standard error.
type failure struct {
	Error string `json:"error"`
	Hint  string `json:"hint"` // what to try; "" if nothing is known
	Exit  int    `json:"exit"`
}

// fail prints an error with its hint and returns the exit status.
func fail(err error, asJSON bool) int {
	status, text := classify(err)
	if asJSON {
		_ = encodeJSON(stderr, failure{messageOf(err), text, status}) // there is nowhere left to say that it failed
		return status
	}
	sayError(err)
	if text != "" {
		sayKind("hint", "%s", text)
	}
	return status
}

// wantsJSON reports whether a command line asks for JSON. Where its flags could not be read, that is the word on it.
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
