package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

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

// gpuFlags need --gpu.
var gpuFlags = []string{"backend", "blocks", "filters", "batch", "seconds"}

func (o *gpuOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.on, "gpu", false, "check and measure training on this machine's GPU")
	f.StringVar(&o.backend, "backend", "xla:cuda", "backend to check")
	f.IntVar(&o.blocks, "blocks", 20, "residual blocks of the network")
	f.IntVar(&o.filters, "filters", 128, "filters of the network")
	f.IntVar(&o.batch, "batch", 2048, "batch size of the measured training")
	f.IntVar(&o.seconds, "seconds", 30, "seconds of the measured training, up to 60")
	section(f, "GPU", append([]string{"gpu"}, gpuFlags...)...)
	values(cmd, "backend", "xla:cuda", "xla:cpu", "go", "xla:/")
}

// check refuses flags without a use, and values out of bounds.
func (o *gpuOptions) check(cmd *cobra.Command) error {
	f := cmd.Flags()
	if !o.on {
		for _, name := range gpuFlags {
			if f.Changed(name) {
				return usage(fmt.Errorf("--%s needs --gpu", name), "for example `talbot doctor --gpu`")
			}
		}
		return nil
	}
	switch {
	case f.Changed("engine"):
		return usage(errors.New("--engine and --gpu cannot be used together"), "leave one of them out")
	case o.backend == "auto" || o.backend == "":
		return usage(errors.New("--backend must name a backend"), "leave it out for xla:cuda")
	case o.blocks < 1 || o.filters < 2 || o.batch < 2 || o.seconds < 1 || o.seconds > 60:
		return usage(errors.New("--blocks, --filters, --batch or --seconds is out of bounds"),
			"leave it out for the default")
	}
	return checkBackend(o.backend, backends)
}

// diagnoseGPU checks the machine and tries the backend. Its error is that of Ctrl-C.
func diagnoseGPU(ctx context.Context, o *gpuOptions, found backend.Discovery) (*diagnosis, error) {
	d := newDiagnosis(found)
	d.checkMachine()
	d.checkXLA(found)
	if !d.requireGPU(o) {
		return d, nil
	}
	ctx, stop := stops(ctx)
	defer stop()
	return d, d.checkTraining(ctx, o)
}

// checkTraining tries the backend in a temporary folder.
func (d *diagnosis) checkTraining(ctx context.Context, o *gpuOptions) error {
	dir, err := os.MkdirTemp("", "talbot-gpu-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	report, err := gpucheck.Check{Dir: dir, Backend: o.backend, Blocks: o.blocks, Filters: o.filters, Batch: o.batch,
		Time:   time.Duration(o.seconds) * time.Second,
		Begins: func(what string) { tell("doctor: %s …\n", what) }}.Run(ctx)
	d.GPU = &report
	if ctx.Err() != nil {
		return hintError{errInterrupted, "repeat the command", exitInterrupted}
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
	text := fmt.Sprintf("%s in %s, batch %d: %s positions/s, first step after %.0f s, waiting for data %.0f %%",
		network, s.Precision, o.batch, humanize.Thousands(int64(s.PerSecond)), s.FirstStep, 100*s.LoaderWait)
	if s.Busy > 0 {
		text += fmt.Sprintf(", GPU busy %.0f %%, %.0f W", 100*s.Busy, s.Watts)
	}
	return text
}

// advice is what to do next: what holds training up, or the command line to train with.
func (o *gpuOptions) advice(s *gpucheck.Speed) string {
	switch {
	case s.LoaderWait > 0.1:
		return "the processor cannot read data fast enough: give it more cores, or train a larger network"
	case s.Busy > 0 && s.Busy < 0.7:
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
