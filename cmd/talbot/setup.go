package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/plain"
	"talbot/network/backend"
	"talbot/stockfish"
)

// What setup brings.
const (
	partStockfish = "stockfish"
	partCPU       = "xla-cpu"
	partCUDA      = "xla-cuda"
	partONNX      = "onnx"
)

var parts = []string{partStockfish, partCPU, partCUDA, partONNX}

// checkParts refuses what setup cannot install.
func checkParts(_ *cobra.Command, args []string) error {
	for _, a := range args {
		if !slices.Contains(parts, a) {
			return fault.Usage(fmt.Errorf("setup cannot install %q", a),
				fault.DidYouMean("it installs "+strings.Join(parts, ", "), fault.Nearest(a, parts), "talbot setup "))
		}
	}
	return nil
}

type setupOptions struct {
	parts []string
	yes   bool
	from  string
}

func newSetup() *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:   "setup [stockfish] [xla-cpu] [xla-cuda] [onnx]",
		Short: "Install missing components (asks first)",
		Long: `Setup installs what talbot can use and this machine lacks, or only the parts you name:

  stockfish   with the system's package manager (apt-get, dnf, pacman or brew)
  xla-cpu     XLA's plugin for the processor, a Python package (Linux, amd64)
  xla-cuda    XLA's plugin for NVIDIA GPUs and NVIDIA's libraries, with pip in a
              virtual environment of talbot, for CUDA 12 or 13 by the driver
  onnx        ONNX Runtime, with which networks play and are evaluated faster on
              the processor, a Python package

Setup first prints the commands it will run and where files go, then asks. In scripts, use
--yes; without it, setup prints its plan there and exits with status 2. --from installs
xla-cpu or onnx from a file, and xla-cuda from a folder of wheels. No other command of
talbot installs or downloads anything. ` + "`talbot doctor`" + ` shows what is installed.`,
		Example: `  talbot setup
  talbot setup stockfish --yes
  talbot setup xla-cpu --from ./xla_cpu_pjrt.so`,
		SuggestFor: []string{"install"},
		ValidArgs:  parts,
		Args:       checkParts,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.parts = args
			return runSetup(cmd, &o)
		},
	}
	f := flags.Of(cmd)
	f.Bool(&o.yes, "yes", "do not ask")
	f.String(&o.from, "from", "install the plugin or library from this `PATH`")
	return cmd
}

func runSetup(cmd *cobra.Command, o *setupOptions) error {
	if o.from != "" && (len(o.parts) != 1 || o.parts[0] == partStockfish) {
		return fault.Usage(errors.New("--from needs a name: xla-cpu, onnx or xla-cuda"),
			"for example `talbot setup xla-cpu --from FILE`")
	}
	steps, err := planSetup(o, backend.Discover(), thisMachine())
	if err != nil {
		return err
	}
	a := asker{in: os.Stdin, out: cli.Stdout, yes: o.yes, terminal: term.IsTerminal(int(os.Stdin.Fd()))}
	return a.carryOut(cmd.Context(), steps)
}

// step is one thing that setup will do.
type step struct {
	part string
	plan []string // what, from where, to where; one line each
	do   func(context.Context) error
}

// machine is what a plan depends on besides what backend.Discover finds.
type machine struct {
	os, arch string
	root     bool
	program  func(name string) bool // whether it is in $PATH
	engine   func() (string, error) // the engine's path
	plugins  string                 // folder for copies of libraries; "" without a home folder
	packages string                 // folder for Python packages; "" without a home folder
	cuda     string                 // virtual environment with the plugin for GPUs; "" without a home folder
	pip      func() bool            // whether Python's installer is there
	driver   func() int             // version of NVIDIA's driver; 0: not known
}

func thisMachine() machine {
	return machine{
		os: runtime.GOOS, arch: runtime.GOARCH, root: os.Geteuid() == 0, program: inPath,
		engine: func() (string, error) { return stockfish.Find("") }, plugins: backend.PluginDir(),
		packages: backend.PackagesDir(), cuda: backend.CUDADir(), pip: hasPip, driver: backend.Driver,
	}
}

// planSetup says what to do for the parts asked for, or for all that are missing and of use here. Parts that are in
// place are named on standard error and left alone, unless they are replaced from a file.
func planSetup(o *setupOptions, found backend.Discovery, m machine) ([]step, error) {
	if o.from != "" && o.parts[0] == partCUDA {
		s, err := planCUDA(found, m, o.from)
		return []step{s}, err
	}
	if o.from != "" {
		s, err := planFromFile(o.parts[0], o.from, found, m)
		return []step{s}, err
	}
	parts := slices.Compact(slices.Sorted(slices.Values(o.parts)))
	if len(parts) == 0 {
		parts = usefulParts(found, m)
	}
	var steps []step
	for _, part := range parts {
		if path := inPlace(part, found, m); path != "" {
			cli.Note("setup: %s is already installed: %s\n", part, path)
			continue
		}
		s, err := planPart(part, found, m)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func planPart(part string, found backend.Discovery, m machine) (step, error) {
	if part == partStockfish {
		return planStockfish(m)
	}
	if err := compiledIn(part, found); err != nil {
		return step{}, err
	}
	if part == partCUDA {
		return planCUDA(found, m, "")
	}
	return planWheel(part, m)
}

// compiledIn returns an error if this talbot cannot load a part.
func compiledIn(part string, found backend.Discovery) error {
	switch {
	case part == partONNX && !found.Loads:
		return fault.Hint(fmt.Errorf("%s: this talbot cannot load ONNX Runtime", part), needsCompiler)
	case part != partONNX && !found.Compiled:
		return fault.Hint(fmt.Errorf("%s: this talbot was built without XLA", part), needsCompiler)
	}
	return nil
}

// usefulParts lists what can be of use on this machine, there or not.
func usefulParts(found backend.Discovery, m machine) []string {
	parts := []string{partStockfish}
	packaged := func(part string) bool { _, ok := wheels[part][m.os+"/"+m.arch]; return ok && m.pip() }
	if _, ok := found.Plugin("cpu"); found.Compiled && (ok || packaged(partCPU)) {
		parts = append(parts, partCPU)
	}
	if found.Compiled && len(found.GPUs) > 0 {
		parts = append(parts, partCUDA)
	}
	if found.Loads && (found.Runtime != "" || packaged(partONNX)) {
		parts = append(parts, partONNX)
	}
	return parts
}

// inPlace returns where a part is, "" if it is missing.
func inPlace(part string, found backend.Discovery, m machine) string {
	if part == partStockfish {
		path, err := m.engine()
		if err != nil {
			return ""
		}
		return path
	}
	if part == partONNX {
		return found.Runtime
	}
	p, _ := found.Plugin(pluginKind(part))
	return p.Path
}

// pluginKind is "cpu" for xla-cpu and "cuda" for xla-cuda.
func pluginKind(part string) string { return strings.TrimPrefix(part, "xla-") }

// asker shows a plan, asks, and has it carried out.
type asker struct {
	in       io.Reader
	out      io.Writer
	yes      bool
	terminal bool // somebody can answer
}

func (a asker) carryOut(ctx context.Context, steps []step) error {
	if len(steps) == 0 {
		fmt.Fprintln(a.out, "nothing to do")
		return nil
	}
	for _, s := range steps {
		for _, line := range s.plan {
			plain.Fprintf(a.out, "%s: %s\n", s.part, line)
		}
	}
	if err := a.ask(); err != nil {
		return err
	}
	for _, s := range steps {
		if err := s.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", s.part, err)
		}
	}
	fmt.Fprintln(a.out, "done; run `talbot doctor` to check")
	return nil
}

func (a asker) ask() error {
	if a.yes {
		return nil
	}
	if !a.terminal {
		return fault.Usage(errors.New("cannot ask: standard input is not a terminal"),
			"use --yes to install what is listed above")
	}
	fmt.Fprint(a.out, "Continue? [y/N] ")
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("reading the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return errors.New("cancelled; nothing was changed")
}
