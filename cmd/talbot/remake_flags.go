package main

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/remake"
	"talbot/pipeline/output"
	"talbot/play/match"
	"talbot/train"
)

// remakeOptions are the flags of every verb that makes an output: what to do with one that is there.
type remakeOptions struct{ wish remake.Wish }

func (o *remakeOptions) add(f *pflag.FlagSet) {
	f.BoolVar(&o.wish.Skip, "skip-done", false,
		"do nothing if the output exists and has the same inputs and settings; resume an interrupted one")
	f.BoolVar(&o.wish.Replace, "replace", false,
		"like --skip-done; an output with other inputs or settings is made again, then replaced as a whole")
}

// file has a single file made with the flags of a command, and these facts, unless it is done. What it was made from
// and with is noted beside it.
func (o *remakeOptions) file(cmd *cobra.Command, path string, facts []remake.Fact, work func() error) error {
	if !o.wish.Asked() {
		return work()
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(notFacts, f.Name) {
			facts = append(facts, remake.Fact{Name: f.Name, Value: f.Value.String()})
		}
	})
	if err := o.wish.PlaceFile(path, facts); err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	return remake.Keep(path, facts)
}

// outputFile is that of --out, which may be replaced where it was made with these flags.
func (o *remakeOptions) outputFile(path string, force bool) outputFile {
	return outputFile{flag: "--out", path: path, force: force, own: o.wish.Asked() && remake.HasRecord(path)}
}

// notFacts are flags of commands that make a single file which do not decide its content, or are facts by what they
// name.
var notFacts = []string{"out", "force", "json", "workers", "run", "skip-done", "replace", "help"}

// reportDone says that an output was done before. It returns nil if err is of another kind.
func reportDone(cmd *cobra.Command, err error) (bool, error) {
	var done *remake.DoneError
	if !errors.As(err, &done) {
		return false, nil
	}
	if f := cmd.Flags().Lookup("json"); f != nil && f.Value.String() == "true" {
		return true, printDone(done)
	}
	tell("talbot: %q is done: nothing has changed\n", done.Path)
	return true, nil
}

// printDone prints what the command reported, as far as the output still says it.
func printDone(done *remake.DoneError) error {
	switch r := done.Result.(type) {
	case output.Summary:
		return printJSON(struct {
			Done bool   `json:"done"`
			Out  string `json:"out"`
			output.Summary
		}{true, done.Path, r})
	case *match.Result:
		return printJSON(struct {
			Done bool `json:"done"`
			*match.Result
		}{true, r})
	case train.Result:
		return printJSON(struct {
			Done bool `json:"done"`
			train.Result
		}{true, r})
	}
	return printJSON(struct {
		Done bool   `json:"done"`
		Out  string `json:"out"`
	}{true, done.Path})
}
