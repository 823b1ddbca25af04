package main

import (
	"fmt"
	"strings"
	"time"

	"talbot/pipeline"
	"talbot/train"
	"talbot/train/run"
)

// liveTrain returns a callback that keeps one line about a run up to date on a
// terminal and prints one every ten seconds elsewhere, and a function that ends
// the display.
func liveTrain() (func(train.Progress), func()) {
	if voice.quiet {
		return func(train.Progress) {}, func() {}
	}
	every := sayEvery
	if stderr.columns != nil {
		every = drawEvery
	}
	var line trainLine
	last := time.Now()
	return func(p train.Progress) {
		line.add(p)
		if time.Since(last) < every {
			return
		}
		last = time.Now()
		if status := line.status(); stderr.columns != nil {
			stderr.setLine(status.text)
		} else {
			say("train: %d %%, %s\n", int(100*status.share), strings.Join(status.details, ", "))
		}
	}, func() { stderr.setLine(nil) }
}

// trainLine is the line about a run.
type trainLine struct {
	now   train.Progress
	steps int64      // of this process
	terms []run.Mean // running means
	val   *train.MetricsLine
}

// smooth is the weight of a step in the running means of the line: they are over about fifty steps.
const smooth = 0.02

// add takes over what a step or a validation tells.
func (l *trainLine) add(p train.Progress) {
	l.now = p
	if p.Val != nil {
		l.val = p.Val
		return
	}
	l.steps++
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

// status is the line.
func (l *trainLine) status() statusLine {
	p := l.now
	left := time.Duration(float64(p.Steps-p.Step) * p.Seconds / float64(max(1, l.steps)) * float64(time.Second))
	line := statusLine{verb: "train", share: float64(p.Step) / float64(max(1, p.Steps)), details: []string{
		pipeline.Duration(left) + " left",
		fmt.Sprintf("step %s/%s", pipeline.Thousands(p.Step), pipeline.Thousands(p.Steps)),
	}}
	for _, term := range l.terms {
		line.details = append(line.details, run.Text(term.Name).Short+" "+termCell(term))
	}
	line.details = append(line.details, "positions "+pipeline.Rate(p.PositionsPerSecond),
		fmt.Sprintf("loader wait %.0f %%", 100*p.LoaderWait))
	if v := l.val; v != nil {
		var cells []string
		for _, term := range v.Terms {
			cells = append(cells, termCell(term))
		}
		line.details = append(line.details, "val "+strings.Join(cells, " / "))
	}
	return line
}
