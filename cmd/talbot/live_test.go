package main

import (
	"strings"
	"testing"

	"talbot/train"
)

// The line has means of the steps, not the last batch's figures nor those of a validation.
func TestTrainLine(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	var l trainLine
	for i := range int64(10) {
		l.add(train.Progress{Step: 100 + i, Steps: 119, PolicyCE: x(float64(i)), Top1: x(0.25), Seconds: float64(i + 1),
			PositionsPerSecond: 1234.5, LoaderWait: 0.02})
	}
	line := train.MetricsLine{}
	line.PolicyCE, line.ValueMSE = x(3), x(0.1)
	l.add(train.Progress{Step: 109, Steps: 119, PolicyCE: x(3), ValueMSE: x(0.1), Seconds: 10,
		PositionsPerSecond: 1234.5, LoaderWait: 0.02, Val: &line})
	want := "10s left, step 109/119, policy 4.5000, value -, top-1 25.00 %, positions 1,234/s, loader wait 2 %, val " +
		"3.0000 / 0.1000 / -"
	if got := l.status(); strings.Join(got.details, ", ") != want || got.share != 109.0/119 {
		t.Errorf("got  %+v\nwant %s", got, want)
	}
}
