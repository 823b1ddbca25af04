package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"talbot/internal/cli"
	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/train"
	"talbot/train/job"
)

func runTrain(ctx context.Context, o *trainOptions) error {
	t := o.Train
	var trained atomic.Bool // there is something to save
	ctx, stop := cli.Interruption{Doing: "saving", Holds: trained.Load, End: o.untrained}.Watch(ctx)
	defer stop()
	show, end := cli.ShowProgress()
	t.Checked = showBytes(show, "checking the data")
	t.Surveyed = func(blocks, of int) {
		progress.Report(show, "counting the data", "blocks", int64(blocks), int64(of))
	}
	var start job.Start
	line := trainLine{pace: progress.Pace{Even: true}}
	t.Begun = func(s job.Start) {
		end()
		tellLines(s.Text())
		start, line.validations = s, validationsOf(s)
	}
	t.Resumed = func(step int64, checkpoint string) {
		cli.Note("resuming after step %s from %q\n", humanize.Thousands(step), checkpoint)
	}
	t.Warn = cli.Warn
	progress, done := liveTrain(&line)
	first := true
	t.Progress = func(p train.Progress) {
		if first {
			cli.Detail("compiling and the first step: %.1f s", p.Seconds)
		}
		first = false
		trained.Store(true)
		line.add(p)
		if step, left, ok := line.prospect(); ok {
			fixed := o.Resume || o.From != "" || o.After != ""
			tellLines(start.Outlook(p, step, left, fixed))
		}
		progress(p)
	}
	result, err := t.Run(ctx)
	end()
	done()
	if err != nil {
		return trainError(err, o, result)
	}
	if o.json {
		return cli.PrintJSON(struct {
			train.Result
			Data []job.Set `json:"data"`
		}{result, start.Sets})
	}
	printResult(o, result)
	var data []string
	for _, set := range start.Sets {
		data = append(data, set.Dir)
	}
	next("eval", "--run", o.Dir, "--data", strings.Join(data, ","))
	return nil
}

// initRun makes a run of a network with random weights.
func initRun(o *trainOptions) error {
	t := o.Train
	t.Warn = cli.Warn
	start, result, err := t.Init()
	if err != nil {
		return trainError(err, o, result)
	}
	if o.json {
		return cli.PrintJSON(result)
	}
	c := start.Config
	weights := fmt.Sprintf("random weights of seed %d", c.Seed)
	if o.From != "" {
		weights = "the weights of " + o.From
	}
	if start.Grown != "" {
		weights += ", grown: " + start.Grown
	}
	cli.Summarise("%s: %s, %s, %s with %s\n", o.Dir, c.Recipe, start.Network,
		humanize.Count(int64(start.Parameters), "parameter"), weights)
	next("selfplay", "--run", o.Dir, "--games", "1000", "--out", "games")
	return nil
}

// tellLines prints notes, one a line.
func tellLines(text string) {
	for line := range strings.Lines(text) {
		cli.Note("%s\n", strings.TrimSuffix(line, "\n"))
	}
}
