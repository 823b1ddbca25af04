package plan

import (
	"fmt"
	"strings"
	"time"

	"talbot/internal/humanize"
	"talbot/internal/plain"
)

// Text returns the estimate; shorter are lines on trainings that would take less.
func (e *Estimate) Text(shorter []string) string {
	var b strings.Builder
	say := func(format string, values ...any) { plain.Fprintf(&b, format, values...) }
	const mib = 1 << 20
	n := humanize.Thousands
	hours := func(h float64) string { return humanize.About(time.Duration(h * float64(time.Hour))) }
	for _, in := range e.Inputs {
		say("%s: %.1f %% read: about %s, %s, %s left out\n", in.Name, 100*in.Read, humanize.Count(in.Games, "game"),
			humanize.Count(in.Positions, "position"), n(in.Rejected))
	}
	say("\ngames      %14s\npositions  %14s\nsamples    %14s\n", n(e.Games), n(e.Positions), n(e.Samples))
	if e.Labelled > 0 {
		say("labelled   %14s of them by the inputs\n", n(e.Labelled))
	}
	say("shards     %14s, %.2f bytes a position; %s with labels\n", humanize.Size(float64(e.ShardBytes)),
		e.BytesPerPosition, humanize.Size(float64(e.LabelBytes)))
	say("disk       %14s, with both datasets and %s of checkpoints\n", humanize.Size(float64(e.DiskBytes)),
		humanize.Size(float64(e.CheckpointBytes)))
	if e.TempBytes > 0 {
		say("temporary  %14s, while verify or stats reads it\n", humanize.Size(float64(e.TempBytes)))
	}
	say("ingest     %14s, %d MiB of memory\n", hours(e.IngestSeconds/3600), e.IngestMemory/mib)
	for _, r := range e.Readings {
		what := ""
		if r.What == Start {
			what = " of reading before the first step of training"
		}
		say("%-9s  %14s%s\n", r.What, hours(r.Seconds/3600), what)
	}
	say("label      %14s\n", hours(e.LabelHours))
	if e.LabelHours > 24 {
		say("%s\n", Shorter(time.Duration(e.LabelHours/10*float64(time.Hour)),
			"a tenth of --movetime or of the nodes, label --fraction 0.1, or ten such machines"))
	}
	say("train      %14s for %s, %d MiB of memory for the loader\n", hours(e.TrainHours),
		humanize.Count(e.TrainSteps, "step"), e.TrainMemory/mib)
	for _, line := range shorter {
		say("%s\n", line)
	}
	say("in all     %14s\n", hours(e.TotalHours))
	say("\nassumed:\n")
	for _, a := range e.Assumptions {
		say("  %s\n", a)
	}
	return b.String()
}

// TrainTime returns how long training takes.
func (e *Estimate) TrainTime() time.Duration { return time.Duration(e.TrainHours * float64(time.Hour)) }

// Shorter writes a line for a training that would take less time.
func Shorter(takes time.Duration, flags string) string {
	return fmt.Sprintf("%27s with %s", "about "+humanize.About(takes), flags)
}
