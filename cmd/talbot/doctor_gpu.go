package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/train/gpucheck"
)

// gpuOptions are the flags of doctor --gpu.
type gpuOptions struct {
	on                              bool
	backend                         string
	blocks, filters, batch, seconds int
}

func (o *gpuOptions) flags(f *flags.Set) {
	*o = gpuOptions{backend: "xla:cuda", blocks: 20, filters: 128, batch: 2048, seconds: 30}
	f.Section("GPU")
	f.Bool(&o.on, "gpu", "check and measure training on this machine's GPU")
	addBackendFlag(f, &o.backend, backends[1:], "backend to check")
	flags.AtLeast(f, &o.blocks, "blocks", 1, "residual blocks of the network")
	flags.AtLeast(f, &o.filters, "filters", 2, "filters of the network")
	flags.AtLeast(f, &o.batch, "batch", 2, "batch size of the measured training")
	flags.Within(f, &o.seconds, "seconds", 1, 60, "seconds of the measured training, up to 60")
	f.Needs([]string{"backend", "blocks", "filters", "batch", "seconds"}, "gpu")
	f.Excludes("gpu", "engine")
}

// diagnoseGPU checks the machine and tries the backend. Its error is that of Ctrl-C.
func diagnoseGPU(ctx context.Context, o *gpuOptions, found backend.Discovery) (*diagnosis, error) {
	d := newDiagnosis(found)
	d.checkMachine()
	d.checkXLA(found)
	if !d.requireGPU(o) {
		return d, nil
	}
	ctx, stop := cli.Stops(ctx)
	defer stop()
	return d, d.checkTraining(ctx, o)
}

// checkTraining tries the backend.
func (d *diagnosis) checkTraining(ctx context.Context, o *gpuOptions) error {
	report, err := gpucheck.Check{Backend: o.backend, Blocks: o.blocks, Filters: o.filters, Batch: o.batch,
		Time: time.Duration(o.seconds) * time.Second, Limit: 2 * time.Minute,
		Begins: func(what string) { cli.Note("doctor: %s …\n", what) }}.Run(ctx)
	d.GPU = &report
	if ctx.Err() != nil {
		return fault.Hint(cli.ErrInterrupted, "repeat the command")
	}
	const wrong = "do not train on this device: update its driver and the plugin"
	for _, part := range []struct {
		name, remedy string
		found        func() (what, next string)
	}{
		{"backend", "see docs/5-training.md, section 10", func() (string, string) {
			return fmt.Sprintf("%s; devices: %d", report.Backend.Why, report.Backend.Devices), ""
		}},
		{"operations", wrong, func() (string, string) { return operationsText(report.Operations), "" }},
		{"gradients", wrong, func() (string, string) { return gradientsText(report.Gradients), "" }},
		{"losses", wrong, func() (string, string) { return lossesText(report.Losses), "" }},
		{"speed", "try a smaller --batch",
			func() (string, string) { return o.speed(report.Speed), o.advice(report.Speed) }},
	} {
		if part.name == report.Failed {
			d.add(part.name, statusMissing, part.remedy, "%v", err)
			break
		}
		what, next := part.found()
		d.add(part.name, statusOK, next, "%s", what)
	}
	return nil
}

func operationsText(list []gpucheck.Operation) string {
	var found []string
	for _, x := range list {
		found = append(found, fmt.Sprintf("%s in %s by %.2g", x.Name, x.Precision, x.Apart))
	}
	return "off " + strings.Join(found, ", ")
}

func gradientsText(list []gpucheck.Gradients) string {
	var found []string
	for _, x := range list {
		found = append(found, fmt.Sprintf("in %s by %.2g, and %.4f times as large", x.Precision, x.Apart, x.Scale))
	}
	return "off " + strings.Join(found, "; ")
}

func lossesText(l *gpucheck.Losses) string {
	return fmt.Sprintf("%d steps in float32: %.4f at the first, %.4f with the backend go; relative difference %.2g, "+
		"on average %.2g", len(l.Here), l.Here[0], l.Go[0], l.First, l.Mean)
}

// speed describes a measurement.
func (o *gpuOptions) speed(s *gpucheck.Speed) string {
	text := fmt.Sprintf("%d×%d in %s, batch %d: %s positions/s, first step after %.0f s, %.0f %% of the time waiting "+
		"for samples, about %s of memory needed", o.blocks, o.filters, s.Precision, o.batch,
		humanize.Thousands(int64(s.PositionsPerSecond)), s.FirstStep, 100*s.LoaderWait, humanize.Size(float64(s.Bytes)))
	if s.Memory > 0 {
		text += " of " + humanize.Size(float64(s.Memory))
	}
	if s.Busy > 0 {
		text += fmt.Sprintf(", GPU busy %.0f %%, %.0f W", 100*s.Busy, s.Watts)
	}
	return text
}

// advice is what to do next: what holds training up, or the command line to train with.
func (o *gpuOptions) advice(s *gpucheck.Speed) string {
	if s.LoaderWait > 0.2 {
		return "the processor does not encode samples as fast as the device trains on them: try a larger network"
	}
	if s.Busy > 0 && s.Busy < 0.7 {
		return fmt.Sprintf("the GPU has time left: try --batch %d, or a larger network", 2*o.batch)
	}
	return fmt.Sprintf("talbot train --data DATASET --run RUN --backend %s --blocks %d --filters %d --batch %d "+
		"--precision %s", o.backend, o.blocks, o.filters, o.batch, s.Precision)
}

// requireGPU makes what the check needs a requirement, and reports whether it is all there.
func (d *diagnosis) requireGPU(o *gpuOptions) bool {
	for i := range d.Checks {
		c := &d.Checks[i]
		if c.Status != statusAbsent {
			continue
		}
		switch {
		case c.Name == "gpu" && o.backend == "xla:cuda":
			c.Remedy = "install NVIDIA's driver, or try another --backend"
		case c.Name == "xla" && o.backend != "go", c.Name == o.backend:
		default:
			continue
		}
		c.Status, d.OK = statusMissing, false
		return false
	}
	return true
}
