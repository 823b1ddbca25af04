package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/output"
)

// existingOptions are the flags of every verb that makes an output: what to do with one that exists.
type existingOptions struct{ skip, replace bool }

func (o *existingOptions) add(f *flags.Set) {
	f.Bool(&o.skip, "skip-done",
		"do nothing if the output exists and has the same inputs and settings; resume an interrupted one")
	f.Bool(&o.replace, "replace",
		"like --skip-done; an output with other inputs or settings is made again, then replaced as a whole")
}

// asked reports whether one of them is given.
func (o *existingOptions) asked() bool { return o.skip || o.replace }

// existing returns the policy that the flags name.
func (o *existingOptions) existing() output.Existing {
	switch {
	case o.replace:
		return output.Replace
	case o.skip:
		return output.Skip
	}
	return output.Refuse
}

// file is a single file that is made with the flags of a command and these facts.
func (o *existingOptions) file(cmd *cobra.Command, path string, force bool, facts ...output.Fact) output.File {
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notFacts, f.Name) {
			facts = append(facts, output.Fact{Name: f.Name, Value: f.Value.String()})
		}
	})
	return output.File{Path: path, Existing: o.existing(), Facts: facts, Force: force}
}

// outputFile is that of --out. With --skip-done and --replace, what exists is judged when the file is made.
func (o *existingOptions) outputFile(path string, force bool) outputFile {
	return outputFile{flag: "--out", path: path, force: force, own: o.asked()}
}

// notFacts are flags of commands that make a single file which do not decide its content, or are facts by what they
// name.
var notFacts = []string{"out", "force", "json", "workers", "run", "skip-done", "replace", "help"}

// reportDone says that an output was done before. It returns nil if err is of another kind.
func reportDone(cmd *cobra.Command, err error) (bool, error) {
	done, ok := errors.AsType[*output.DoneError](err)
	if !ok {
		return false, nil
	}
	if f := cmd.Flags().Lookup("json"); f != nil && f.Value.String() == "true" {
		return true, cli.PrintJSON(done)
	}
	cli.Note("talbot: %q is done: nothing has changed\n", done.Path)
	return true, nil
}
