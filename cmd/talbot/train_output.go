package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"talbot/dataset"
	"talbot/evaluate"
	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/humanize"
	"talbot/internal/plain"
	"talbot/network/recipe"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
)

// resumeLine is the command line that continues the run.
func (o *trainOptions) resumeLine() string {
	if o.asked() {
		return cli.Invocation()
	}
	return "talbot " + plain.Quote("train", "--run", o.Dir, "--resume")
}

// untrained is how a command ends that was interrupted before it had trained anything.
func (o *trainOptions) untrained() error {
	text := "repeat the command"
	if run.IsRun(o.Dir) {
		text = "continue with `" + o.resumeLine() + "`"
	}
	return fault.With(errors.New("interrupted before the first step"), fault.ExitInterrupted, text)
}

// trainError adds to an error what to do about it.
func trainError(err error, o *trainOptions, result train.Result) error {
	resume := o.resumeLine()
	var other *train.ConfigError
	switch {
	case errors.Is(err, job.ErrFrom) && o.After != "":
		return fault.Hint(err, "give the folder of a run or one of its checkpoints, for example --after run1")
	case errors.Is(err, job.ErrFrom):
		return fault.Hint(err, "give the folder of a run or one of its checkpoints, for example --from run1 or --from "+
			"run1/checkpoints/best.safetensors")
	case errors.Is(err, dataset.ErrNoDataset) && o.Resume && o.Data == nil:
		return fault.Hint(err, "if the data has moved, name its folder: `"+resume+" --data DIR`")
	case errors.As(err, &other):
		return fault.Usage(err, "resume with only `"+resume+"`, or begin another run in another folder")
	case errors.Is(err, train.ErrPrecision):
		return fault.Usage(err,
			"leave out --precision, or choose --backend xla:cpu or xla:cuda (`talbot doctor` lists the "+
				"available ones)")
	case errors.Is(err, train.ErrDevices):
		return fault.Usage(err, "use at most that many --devices")
	case errors.Is(err, job.ErrConfig) && errors.Is(err, recipe.ErrUnknown) && hasRemedyOf(err, job.ErrConfig):
		return fault.Usage(err, "`talbot recipes` lists them")
	case errors.Is(err, run.ErrNoRun):
		return fault.Hint(err, "give the folder of a run, or start one without --resume")
	case errors.Is(err, context.Canceled) && result.Checkpoint == "":
		return o.untrained()
	case errors.Is(err, context.Canceled):
		return fault.With(fmt.Errorf("interrupted at step %d, saved in %q", result.Steps, result.Checkpoint),
			fault.ExitInterrupted, "continue with `"+resume+"`")
	case errors.Is(err, train.ErrDiverged):
		another := "talbot train --data DIR --run OTHER --lr LOWER"
		if result.Checkpoint != "" {
			another += " " + plain.Quote("--from", o.Dir)
		}
		return fault.Hint(err,
			"it would diverge again; begin another run with a lower --lr, a longer --warmup or --clip, "+
				"for example `"+another+"`")
	case errors.Is(err, syscall.ENOSPC) && result.Steps > 0:
		return fault.Hint(err, "free some disk space, then continue with `"+resume+"`")
	case errors.Is(err, train.ErrMemory) && (o.Resume || result.Steps > 0):
		return fault.Hint(err, "the batch of a run cannot change: begin another run in another folder")
	case errors.Is(err, run.ErrExists):
		return fault.Usage(err, "continue it with `"+resume+"`, or choose another folder")
	}
	return err
}

func printResult(o *trainOptions, r train.Result) {
	switch {
	case r.Samples == 0 && r.StoppedEarly:
		cli.Summarise("%s: already stopped early after step %s (no better validation); nothing to do\n", o.Dir,
			humanize.Thousands(r.Steps))
	case r.Samples == 0:
		cli.Summarise("%s: already finished at step %s; nothing to do\n", o.Dir, humanize.Thousands(r.Steps))
	default:
		if r.StoppedEarly {
			cli.Summarise("%s: stopped early after step %s: no better validation\n", o.Dir, humanize.Thousands(r.Steps))
		}
		cli.Summarise("%s: %s, %s in %.1f s, %s, loader wait %.1f %%\n", o.Dir, humanize.Count(r.Steps, "step"),
			humanize.Count(r.Samples, "sample"), r.Seconds, humanize.Rate(r.PositionsPerSecond), 100*r.LoaderWait)
	}
	if r.Final != nil {
		var terms []string
		for _, term := range r.Final.Terms {
			terms = append(terms, termText(term))
		}
		cli.Summarise("  val: %s\n", strings.Join(terms, ", "))
	}
	cli.Summarise("  checkpoint: %s\n", r.Checkpoint)
}

// termText is a term with its mean.
func termText(m run.Mean) string { return run.Text(m.Name).Long + " " + termCell(m) }

// termCell is the mean of a term.
func termCell(m run.Mean) string {
	if m.Mean == nil {
		return "-"
	}
	return evaluate.FormatFigure(*m.Mean, run.Text(m.Name).Share)
}
