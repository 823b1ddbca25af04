package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"talbot/pipeline"
	"talbot/train"
	"talbot/train/job"
	"talbot/train/loader"
)

// trainError adds to an error what to do about it.
func trainError(err error, o *trainOptions, result train.Result) error {
	resume := "talbot " + shellQuote([]string{"train", "--run", o.run, "--resume"})
	var other *train.ConfigError
	switch {
	case errors.Is(err, job.ErrFrom):
		return hint(err, "name a run's folder or one of its checkpoints, as --from run1 or --from "+
			"run1/checkpoints/best.safetensors")
	case errors.As(err, &other):
		return usage(err, "resume with `"+resume+"` alone, or begin another run in another folder")
	case errors.Is(err, train.ErrPrecision):
		return usage(err, "leave out --precision, or choose --backend xla:cpu or xla:cuda (`talbot doctor` lists "+
			"what is there)")
	case errors.Is(err, train.ErrDevices):
		return usage(err, "give --devices at most so many")
	case errors.Is(err, train.ErrNoRun):
		return hint(err, "name the folder of a run, or start one without --resume")
	case errors.Is(err, loader.ErrNoIdentity):
		return hint(err, "name the data again with `"+resume+" --data DIR`")
	case errors.Is(err, context.Canceled) && result.Checkpoint == "":
		return hintError{errors.New("interrupted before the first step"), "repeat the command", exitInterrupted}
	case errors.Is(err, context.Canceled):
		return hintError{fmt.Errorf("interrupted at step %d, saved in %q", result.Steps, result.Checkpoint),
			"continue with `" + resume + "`", exitInterrupted}
	case errors.Is(err, train.ErrDiverged):
		another := "talbot train --data DIR --run OTHER --lr LOWER"
		if result.Checkpoint != "" {
			another += " " + shellQuote([]string{"--from", o.run})
		}
		return hint(err, "resumed it would diverge there again; begin another run with a lower --lr, a longer "+
			"--warmup or --clip, as `"+another+"`")
	case errors.Is(err, syscall.ENOSPC) && result.Steps > 0:
		return hint(err, "free space on the disk, then continue with `"+resume+"`")
	case errors.Is(err, train.ErrMemory) && (o.resume || result.Steps > 0):
		return hint(err, "a run that was begun cannot change its batch: begin another one in another folder")
	case errors.Is(err, train.ErrExists):
		return usage(err, "continue it with `"+resume+"`, or name another folder")
	}
	return err
}

func printStart(s job.Start) {
	for _, set := range s.Sets {
		say(
			"data: %s: %d train samples (%.1f %% of the draws, %.2f times over them), %d val samples", set.Dir,
			set.Train, 100*set.Share, set.Passes, set.Val)
		if set.Values < set.Train {
			say("; %.1f %% of the train samples have a label",
				100*float64(set.Values)/float64(set.Train))
		}
		if set.Capped > 0 {
			say("; %d further copies of positions are left out", set.Capped)
		}
		if set.CutLines > 0 {
			say("; %d samples of %d lines that are cut copies of val or test lines are left out",
				set.CutSamples, set.CutLines)
		}
		if set.Unusable > 0 {
			say("; %d without any target are left out", set.Unusable)
		}
		say("\n")
	}
	c := s.Config
	say("network: %s, %d blocks of %d filters, %d parameters\n", c.Recipe, c.Blocks, c.Filters,
		s.Parameters)
	if c.From != (train.Origin{}) {
		say("weights: of %q, step %d\n", c.From.Path, c.From.Step)
	}
	say("backend: %s\n", s.Backend)
	if c.Devices > 1 {
		say("devices: %d, each trains %d samples at a time\n", c.Devices,
			c.Batch/c.Accumulate/c.Devices)
	}
	say("run: %d steps of %d samples, learning rate %g, validated on %d samples\n",
		c.Steps, c.Batch, c.LR, s.Val)
}

func printResult(o *trainOptions, r train.Result) {
	if r.Samples == 0 {
		printf("%s: finished before, at step %s; nothing was left to train\n", o.run, pipeline.Thousands(r.Steps))
	} else {
		printSteps(o, r)
	}
	if r.Final != nil {
		printf("  val: policy cross-entropy %s, value squared error %s\n", cell(r.Final.PolicyCE, false),
			cell(r.Final.ValueMSE, false))
	}
	printf("  checkpoint: %s\n", r.Checkpoint)
}

func printSteps(o *trainOptions, r train.Result) {
	printf("%s: %d steps, %d samples in %.1f s, %.0f/s, loader wait %.1f %%\n",
		o.run, r.Steps, r.Samples, r.Seconds, r.PositionsPerSecond, 100*r.LoaderWait)
}
