package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"talbot/internal/cli"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/internal/output"
)

// makeOptions are the flags of every command that makes a dataset.
type makeOptions struct {
	existingOptions
	job          *output.Job // what is made
	json, strict bool
}

// add adds them but --strict.
func (o *makeOptions) add(f *flags.Set, job *output.Job) {
	o.job = job
	f.Section("Output")
	f.String(&job.Out, "out,o", "folder for the new dataset (required)")
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
	summary interface{ Text(out string) string } // what --json prints
	left    int64                                // what --strict refuses
	next    func()                               // names the command that usually follows
}

// run runs the work of a command that makes a dataset, which Ctrl-C interrupts and the same command resumes.
func (o *makeOptions) run(ctx context.Context, work func(context.Context) (made, error)) error {
	ctx, stop := cli.Interrupts(ctx)
	defer stop()
	end := o.begin()
	m, err := work(ctx)
	end()
	if err != nil {
		return cli.Resumable(err)
	}
	return o.report(m)
}

// begin completes the job. The function that it returns ends the display of its progress.
func (o *makeOptions) begin() (end func()) {
	o.job.Progress, end = cli.ShowProgress()
	o.job.Existing, o.job.ResumeCommand, o.job.Warn = o.existing(), cli.Invocation(), cli.Warn
	return end
}

// report prints what was made.
func (o *makeOptions) report(m made) error {
	if err := summarise(o.json, m.summary, m.summary.Text(o.job.Out)); err != nil {
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

// limitHeap has the garbage collector keep the heap small, unless the user has set GOGC.
func limitHeap(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
