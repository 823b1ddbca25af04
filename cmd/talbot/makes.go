package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/progress"
)

// makeOptions are the flags of every command that makes a dataset.
type makeOptions struct {
	existingOptions
	out     string
	workers int
	json    bool
	strict  bool
}

// add adds them but --strict and --workers.
func (o *makeOptions) add(f *flags.Set) {
	f.Section("Output")
	f.String(&o.out, "out,o", "folder for the new dataset (required)")
	f.Required("out")
	completeFolder(f.Command(), "out")
	o.existingOptions.add(f)
	addJSON(f, &o.json)
}

func (o *makeOptions) addStrict(f *flags.Set) {
	f.Bool(&o.strict, "strict", "exit with status 3 if anything was left out")
}

// made is what a command has to report of the dataset that it made.
type made struct {
	summary any    // for --json
	text    string // the same for people
	left    int64  // what --strict refuses
	next    func() // names the command that usually follows
}

// run runs the work of a command that makes a dataset, which Ctrl-C interrupts and the same command resumes.
func (o *makeOptions) run(ctx context.Context,
	work func(ctx context.Context, show func(progress.Progress)) (made, error)) error {
	ctx, stop := cli.Interrupts(ctx)
	defer stop()
	show, end := cli.ShowProgress()
	m, err := work(ctx, show)
	end()
	if err != nil {
		return cli.Resumable(err)
	}
	return o.report(m)
}

// report prints what was made.
func (o *makeOptions) report(m made) error {
	if !o.json {
		summariseText(m.text)
	} else if err := cli.PrintJSON(m.summary); err != nil {
		return err
	}
	if o.strict && m.left > 0 {
		return fmt.Errorf("%s left out: %w", humanize.Thousands(m.left), cli.ErrSkipped)
	}
	if m.next != nil {
		m.next()
	}
	return nil
}

// summariseText prints on standard output what a command has made, unless it is quiet.
func summariseText(text string) {
	if !cli.Mode.Quiet {
		io.WriteString(cli.Stdout, text) // which remembers its error
	}
}

// limitHeap has the garbage collector keep the heap small, unless the user has set GOGC.
func limitHeap(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
