package main

import (
	"fmt"
	"strings"
	"time"

	"talbot/internal/cli"
	"talbot/internal/humanize"
	"talbot/internal/progress"
	"talbot/network/run"
	"talbot/train"
	"talbot/train/job"
)

// liveTrain returns a callback that shows how far a run has come, and a function that ends the display.
func liveTrain(line *trainLine) (show func(train.Progress), end func()) {
	d := cli.NewDisplay()
	return func(train.Progress) { d.Show(line.status) }, d.End
}

// trainLine keeps what the line of progress of a run shows.
type trainLine struct {
	now   train.Progress
	steps int64      // of this process
	terms []run.Mean // running means
	val   *train.MetricsLine

	validations
	pace  progress.Pace // of the steps, without validations
	began float64       // seconds at the last step, when a validation may start
	spent float64       // seconds in validations
	told  bool          // prospect has returned how long the run takes
}

// validations are when a run validates and what that costs.
type validations struct {
	every int64   // steps; 0: only at the end
	takes float64 // the time of each in steps, an estimate until one was measured
}

// validationCost is the cost of validating one batch, in training steps: validation has only the forward pass.
const validationCost = 1.0 / 3

// validationsOf returns those of a run that starts.
func validationsOf(s job.Start) validations {
	batches := float64(s.Val) / float64(max(1, s.Config.Batch))
	return validations{every: s.Config.EvalEvery, takes: validationCost * batches}
}

// left returns the number of validations after a step.
func (v validations) left(step, steps int64) int64 {
	if v.every <= 0 || step >= steps {
		return min(1, steps-step)
	}
	return (steps-1)/v.every - step/v.every + 1
}

// smooth is the weight of a step in the running means, which are over about fifty steps.
const smooth = 0.02

// add takes over the figures of a step or a validation.
func (l *trainLine) add(p train.Progress) {
	l.now = p
	if p.Val != nil {
		l.val = p.Val
		l.spent += p.Seconds - l.began
		if step, ok := l.pace.Left(1); ok {
			l.takes = (p.Seconds - l.began) / step.Seconds()
		}
		l.began = p.Seconds
		return
	}
	l.steps++
	l.began = p.Seconds
	if !p.More { // how long a step takes is known at the end of its execution
		l.pace.Add(time.Duration((p.Seconds-l.spent)*float64(time.Second)), p.Step, 0)
	}
	weight := max(smooth, 1/float64(l.steps))
	for i, term := range p.Terms {
		if i == len(l.terms) {
			l.terms = append(l.terms, run.Mean{Name: term.Name})
		}
		old := &l.terms[i]
		switch {
		case term.Mean == nil:
		case old.Mean == nil:
			old.Mean = term.Mean
		default:
			next := *old.Mean + weight*(*term.Mean-*old.Mean)
			old.Mean = &next
		}
	}
}

// more returns the rest of the run in steps, validations included.
func (l *trainLine) more() int64 {
	p := l.now
	return int64(float64(p.Steps-p.Step) + l.takes*float64(l.left(p.Step, p.Steps)) + 0.5)
}

// prospect returns the time of a step and of the rest of the run; ok is true once, as soon as that is known.
func (l *trainLine) prospect() (step, left time.Duration, ok bool) {
	if l.told || l.now.Step == l.now.Steps {
		return 0, 0, false
	}
	left, l.told = l.pace.Left(l.more())
	step, _ = l.pace.Left(1)
	return step, left, l.told
}

// status returns the line of progress.
func (l *trainLine) status() cli.Line {
	p := l.now
	line := cli.Line{Verb: "train", Share: float64(p.Step) / float64(max(1, p.Steps))}
	if left, ok := l.pace.Left(l.more()); ok {
		line.Details = append(line.Details, humanize.Duration(left)+" left")
	}
	line.Details = append(line.Details,
		fmt.Sprintf("step %s/%s", humanize.Thousands(p.Step), humanize.Thousands(p.Steps)))
	for _, term := range l.terms {
		line.Details = append(line.Details, run.Text(term.Name).Short+" "+termCell(term))
	}
	line.Details = append(line.Details, "positions "+humanize.Rate(p.PositionsPerSecond),
		fmt.Sprintf("loader wait %.0f %%", 100*p.LoaderWait))
	if v := l.val; v != nil {
		var cells []string
		for _, term := range v.Terms {
			cells = append(cells, termCell(term))
		}
		line.Details = append(line.Details, "val "+strings.Join(cells, " / "))
	}
	return line
}
