package main

import (
	"context"
	"errors"
	"fmt"
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
		Time:   time.Duration(o.seconds) * time.Second,
		Begins: func(what string) { cli.Note("doctor: %s …\n", what) }}.Run(ctx)
	d.GPU = &report
	if ctx.Err() != nil {
		return fault.Hint(cli.ErrInterrupted, "repeat the command")
	}
	network := fmt.Sprintf("%d×%d", o.blocks, o.filters)
	if b := report.Backend; b != nil {
		d.add("backend", statusOK, "", "%s; devices: %d", b.Why, b.Devices)
	} else {
		d.add("backend", statusMissing, "see docs/5-training.md, section 10", "%v", err)
		return nil
	}
	if l := report.Losses; l != nil && !errors.Is(err, gpucheck.ErrLosses) {
		d.add("losses", statusOK, "", "%d steps of %s in float32: loss %.4f at the first, %.4f with the backend go; "+
			"relative difference %.2g, on average %.2g", len(l.Here), network, l.Here[0], l.Go[0], l.First, l.Mean)
	} else {
		d.add("losses", statusMissing, "do not train on this device: update its driver and the plugin", "%v", err)
		return nil
	}
	if s := report.Speed; s != nil {
		d.add("speed", statusOK, o.advice(s), "%s", o.speed(s, network))
	} else {
		d.add("speed", statusMissing, "try a smaller --batch", "%v", err)
	}
	return nil
}

// speed describes a measurement.
func (o *gpuOptions) speed(s *gpucheck.Speed, network string) string {
	text := fmt.Sprintf("%s in %s, batch %d: %s positions/s, first step after %.0f s", network, s.Precision,
		o.batch, humanize.Thousands(int64(s.PositionsPerSecond)), s.FirstStep)
	if s.Busy > 0 {
		text += fmt.Sprintf(", GPU busy %.0f %%, %.0f W", 100*s.Busy, s.Watts)
	}
	return text
}

// advice is what to do next: what holds training up, or the command line to train with.
func (o *gpuOptions) advice(s *gpucheck.Speed) string {
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
