package main

import (
	"strings"
	"testing"
	"time"

	"talbot/internal/progress"
	"talbot/network/run"
	"talbot/train"
)

// The line has means of the steps, not the last batch's figures nor those of a validation.
func TestTrainLine(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	means := func(policy, value, top1 *float64) run.Means {
		return run.Means{Terms: []run.Mean{{Name: "policy_ce", Mean: policy}, {Name: "value_mse", Mean: value},
			{Name: "top1", Mean: top1}}}
	}
	l := trainLine{pace: progress.Pace{Even: true}}
	for i := range int64(10) {
		l.add(train.Progress{Step: 100 + i, Steps: 119, Means: means(x(float64(i)), nil, x(0.25)),
			Seconds: float64(i + 1), PositionsPerSecond: 1234.5, LoaderWait: 0.02})
	}
	line := train.MetricsLine{Means: means(x(3), x(0.1), nil)}
	l.add(train.Progress{Step: 109, Steps: 119, Means: line.Means, Seconds: 10, PositionsPerSecond: 1234.5,
		LoaderWait: 0.02, Val: &line})
	want := "10s left, step 109/119, policy 4.5000, value -, top-1 25.00 %, positions 1,234/s, loader wait 2 %, val " +
		"3.0000 / 0.1000 / -"
	if got := l.status(); strings.Join(got.Details, ", ") != want || got.Share != 109.0/119 {
		t.Errorf("got  %+v\nwant %s", got, want)
	}
}

// The time left has the validations that come: as long as the last one, or a third of a step for each batch before it.
func TestTrainTimeLeft(t *testing.T) {
	var l trainLine
	l.pace.Even = true
	l.validations = validations{every: 50, takes: 12}
	at := 60.0 // the compiler
	for step := int64(1); step <= 49; step++ {
		l.add(train.Progress{Step: step, Steps: 200, Seconds: at})
		at++
	}
	// 151 steps and the validations at 50, 100, 150 and 200
	if got := l.status().Details[0]; got != "3m19s left" {
		t.Errorf("before a validation: %s", got)
	}
	if step, left, ok := l.prospect(); !ok || step.Round(time.Millisecond) != time.Second || left != 199*time.Second {
		t.Errorf("a prospect of %v, %v a step: %v", left, step, ok)
	}
	if _, _, ok := l.prospect(); ok {
		t.Error("a second prospect")
	}
	l.add(train.Progress{Step: 50, Steps: 200, Seconds: at})
	at += 300
	l.add(train.Progress{Step: 50, Steps: 200, Seconds: at, Val: &train.MetricsLine{}})
	for step := int64(51); step <= 99; step++ {
		at++
		l.add(train.Progress{Step: step, Steps: 200, Seconds: at})
	}
	// 101 steps, and three validations of 300 s
	if got := l.status().Details[0]; got != "16m41s left" {
		t.Errorf("after a validation: %s", got)
	}
}
