package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"talbot/internal/plain"
	"talbot/network/backend"
	"talbot/trial"
)

// gpuOptions are the flags of doctor --gpu.
type gpuOptions struct {
	on, yes                        bool
	out, backend, networks, python string
	batches                        []int
	seconds, matrix, games         int
	part                           string // what a process of the trial does, as JSON; for itself alone
}

func (o *gpuOptions) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&o.on, "gpu", false, "test and measure training on this machine's GPU, and write a report")
	f.StringVar(&o.out, "out", "gpu-report", "folder for the report of --gpu")
	f.BoolVar(&o.yes, "yes", false, "do not ask before installing")
	f.StringVar(&o.backend, "backend", "xla:cuda", "backend to test")
	f.StringVar(&o.networks, "networks", "20x128,20x256", "networks to measure, as BLOCKSxFILTERS, separated by commas")
	f.IntSliceVar(&o.batches, "batches", []int{1024, 2048, 4096}, "batch sizes to measure, separated by commas")
	f.Lookup("batches").DefValue = "1024,2048,4096" // without the brackets, which would be refused
	f.IntVar(&o.seconds, "seconds", 10, "seconds per measurement")
	f.IntVar(&o.matrix, "matrix", 8192, "rows of the matrices in the measured products")
	f.IntVar(&o.games, "games", 800, "number of random games to train on")
	f.StringVar(&o.python, "python", "python3", "interpreter of a Python with PyTorch: a path, or a name to look up")
	f.StringVar(&o.part, "gpu-part", "", "one part of --gpu")
	if err := f.MarkHidden("gpu-part"); err != nil {
		panic(err) // the flag was just made
	}
	section(f, "Check", "engine", "json")
	section(f, "GPU", append([]string{"gpu"}, gpuFlags...)...)
	values(cmd, "backend", "xla:cuda", "xla:cpu", "go", "xla:/")
}

// gpuFlags need --gpu.
var gpuFlags = []string{"out", "yes", "backend", "networks", "batches", "seconds", "matrix", "games", "python"}

// checkFlags refuses flags that would not be looked at.
func (o *gpuOptions) checkFlags(f *pflag.FlagSet) error {
	if o.on && f.Changed("engine") {
		return usage(errors.New("--engine and --gpu cannot be used together"), "leave one of them out")
	}
	for _, name := range gpuFlags {
		if !o.on && f.Changed(name) {
			return usage(fmt.Errorf("--%s needs --gpu", name), "for example `talbot doctor --gpu --out gpu-report`")
		}
	}
	return nil
}

// runPart is a process of a trial.
func runPart(ctx context.Context, spec string) error {
	var p trial.Part
	if err := json.Unmarshal([]byte(spec), &p); err != nil {
		return usage(fmt.Errorf("--gpu-part: %w", err), "it is for doctor --gpu itself")
	}
	result, err := p.Result(ctx)
	if err != nil {
		return err
	}
	return printJSON(result)
}

func runTrial(ctx context.Context, o *doctorOptions) error {
	t, err := o.gpu.trial()
	if err != nil {
		return err
	}
	if err := o.gpu.bring(ctx); err != nil {
		return err
	}
	ctx, stop := stops(ctx)
	defer stop()
	begun := time.Now()
	t.Began = func(step string) { tell("doctor: %s …\n", step); begun = time.Now() }
	t.Ended = func(step string, err error) {
		if err != nil {
			tell("doctor: %s failed after %.1f s: %v\n", step, time.Since(begun).Seconds(), err)
			return
		}
		detail("%s: %.1f s", step, time.Since(begun).Seconds())
	}
	found, err := t.Run(ctx)
	report := filepath.Join(o.gpu.out, trial.ReportName)
	if found != nil && o.json {
		if e := printJSON(found); e != nil {
			return e
		}
	} else if found != nil {
		plain.Fprintf(stdout, "%s\n", report)
	}
	switch {
	case errors.Is(err, trial.ErrFailed):
		return hint(err, report+" says why; repeat the command to try these steps again")
	case errors.Is(err, context.Canceled):
		return hintError{errInterrupted, "repeat the command to continue; what was found so far is in " + report,
			exitInterrupted}
	}
	return err
}

// trial turns the flags into a trial.
func (o *gpuOptions) trial() (*trial.Trial, error) {
	t := &trial.Trial{Dir: o.out, Backend: o.backend, Batches: o.batches, Seconds: o.seconds, Matrix: o.matrix,
		Games: o.games, Version: version}
	if err := checkBackend(o.backend, backends); err != nil {
		return nil, err
	}
	if o.backend == "auto" || o.backend == "" {
		return nil, usage(errors.New("--backend must name a backend"), "leave it out for xla:cuda")
	}
	for text := range strings.SplitSeq(o.networks, ",") {
		blocks, filters, ok := strings.Cut(text, "x")
		b, err1 := strconv.Atoi(blocks)
		f, err2 := strconv.Atoi(filters)
		if !ok || err1 != nil || err2 != nil || b < 1 || f < 2 {
			return nil, usage(fmt.Errorf("--networks must be BLOCKSxFILTERS,…: %q", o.networks), "for example 20x128")
		}
		t.Networks = append(t.Networks, trial.Size{Blocks: b, Filters: f})
	}
	for _, n := range o.batches {
		if n < 2 || n%2 != 0 {
			return nil, usage(fmt.Errorf("--batches must be even and above 0: %d", n), "for example 1024,2048")
		}
	}
	for name, n := range map[string]int{"seconds": o.seconds, "matrix": o.matrix, "games": o.games} {
		if n < 1 {
			return nil, usage(fmt.Errorf("--%s must be above 0: %d", name, n), "leave it out for the default")
		}
	}
	if len(t.Batches) == 0 {
		return nil, usage(errors.New("--batches is empty"), "leave it out for the default")
	}
	var err error
	if t.Talbot, err = os.Executable(); err != nil {
		return nil, err
	}
	if t.Dir, err = filepath.Abs(o.out); err != nil {
		return nil, err
	}
	if t.Python, err = exec.LookPath(o.python); err != nil {
		t.Python = ""
	} else if t.Python, err = filepath.Abs(t.Python); err != nil {
		return nil, err
	}
	return t, nil
}

// bring installs the plugin and libraries that are missing, as talbot setup does, and says what to bring where that
// cannot be.
func (o *gpuOptions) bring(ctx context.Context) error {
	if o.backend != "xla:cuda" && o.backend != "xla:cpu" {
		return nil
	}
	kind := strings.TrimPrefix(o.backend, "xla:")
	found := backend.Discover()
	if _, ok := found.Plugin(kind); ok && found.Compiled {
		return nil
	}
	steps, err := planSetup(&setupOptions{parts: []string{"xla-" + kind}}, found, thisMachine())
	if err == nil {
		a := asker{in: os.Stdin, out: os.Stderr, yes: o.yes, terminal: term.IsTerminal(int(os.Stdin.Fd()))}
		err = a.carryOut(ctx, steps)
	}
	if err == nil || kind != "cuda" || len(found.GPUs) == 0 {
		return err
	}
	return hint(err, "without an internet connection, bring the Python packages of jax[cuda13]: elsewhere "+
		"`python3 -m pip download "+
		"-d wheels 'jax[cuda13]'`, here `python3 -m pip install --no-index --find-links wheels 'jax[cuda13]'` in a "+
		"virtual environment whose python3 is in PATH")
}
