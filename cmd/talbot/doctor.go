package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/internal/flags"
	"talbot/internal/humanize"
	"talbot/network/backend"
	"talbot/stockfish"
	"talbot/train/gpucheck"
)

type doctorOptions struct {
	engine string
	json   bool
	gpu    gpuOptions
}

func newDoctor() *cobra.Command {
	var o doctorOptions
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check this machine and show how to install what is missing",
		Long: `Doctor checks this machine for everything talbot can use (processor, memory,
Stockfish and its speed, XLA's plugins, GPUs, and free disk space in the current folder)
and tells you how to get what is missing. The exit status is 1 if a required component is
missing. Doctor installs and downloads nothing.

--gpu checks in about two minutes that talbot can train on this machine's NVIDIA GPU: that
its results and gradients are right, how fast it trains, how busy the GPU was, and what to
do next. --backend xla:cpu with a small network does the same without a GPU. See
docs/5-training.md, section 10.`,
		Example: `  talbot doctor
  talbot doctor --json
  talbot doctor --engine /usr/games/stockfish
  talbot doctor --gpu
  talbot doctor --gpu --backend xla:cpu --blocks 2 --filters 16 --seconds 2`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runDoctor(cmd, &o)
		},
	}
	f := flags.Of(cmd)
	f.Section("Check")
	addEngine(f, &o.engine, "engine to check")
	addJSON(f, &o.json)
	o.gpu.flags(f)
	return cmd
}

func runDoctor(cmd *cobra.Command, o *doctorOptions) error {
	found := backend.Discover()
	var d *diagnosis
	if o.gpu.on {
		var err error
		if d, err = diagnoseGPU(cmd.Context(), &o.gpu, found); err != nil {
			return err
		}
	} else {
		d = diagnose(cmd.Context(), o.engine, found)
	}
	if err := report(o.json, d); err != nil {
		return err
	}
	for _, c := range d.Checks {
		if c.Status == statusMissing {
			return fault.Hint(errors.New(c.Name+": "+c.Detail), c.Remedy)
		}
	}
	return nil
}

// diagnosis is what doctor prints.
type diagnosis struct {
	OK        bool   `json:"ok"` // nothing that is needed is missing
	Version   string `json:"version"`
	Go        string `json:"go"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
	CPU       string `json:"cpu"`     // model, if the system tells
	Threads   int    `json:"threads"` // logical cores this process may use
	Cores     int    `json:"cores"`   // physical ones among them
	AVX2      bool   `json:"avx2"`
	AVX512    bool   `json:"avx512"`
	VNNI      bool   `json:"vnni"`         // for the backend onnx:int8
	SIMD      bool   `json:"simd"`         // compiled into the Go backend
	Memory    int64  `json:"memory_bytes"` // 0 if the system does not tell
	Stockfish struct {
		Path  string `json:"path"`
		Name  string `json:"name"`  // as "id name" says it
		Build string `json:"build"` // first 16 hex digits of the executable's SHA-256
		// Compiler is what the engine tells of its compilation, NodesPerSecond what one process reaches.
		Compiler       string `json:"compiler"`
		NodesPerSecond int64  `json:"nodes_per_second"`
	} `json:"stockfish"`
	XLA      bool         `json:"xla"`  // compiled in
	ONNX     foundThing   `json:"onnx"` // ONNX Runtime; "" if there is none
	Plugins  []foundThing `json:"plugins"`
	Searched []string     `json:"searched"` // folders looked through for plugins
	GPUs     []foundThing `json:"gpus"`
	Disk     disk         `json:"disk"`
	Checks   []check      `json:"checks"`

	GPU *gpucheck.Report `json:"gpu,omitempty"` // of --gpu
}

// foundThing is a plugin or a GPU.
type foundThing struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// disk is the space of the file system that holds a folder; 0 if the system does not tell.
type disk struct {
	Path  string `json:"path"`
	Free  int64  `json:"free_bytes"` // for this user
	Total int64  `json:"total_bytes"`
}

// The statuses of checks.
const (
	statusOK      = "ok"
	statusAbsent  = "absent"  // works without it
	statusMissing = "missing" // needed
)

// check is the verdict on one thing.
type check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

// leastDisk is the free space below which doctor warns.
const leastDisk = 2 << 30

func diagnose(ctx context.Context, engine string, found backend.Discovery) *diagnosis {
	d := newDiagnosis(found)
	d.checkMachine()
	d.checkStockfish(ctx, engine)
	d.checkXLA(found)
	d.checkONNX(found)
	return d
}

func newDiagnosis(found backend.Discovery) *diagnosis {
	d := &diagnosis{OK: true,
		Version: thisBuild().Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPU: cpuModel(), Threads: min(runtime.NumCPU(), runtime.GOMAXPROCS(0)), Cores: stockfish.DefaultWorkers(),
		AVX2: cpu.X86.HasAVX2, AVX512: cpu.X86.HasAVX512F, VNNI: backend.VNNI(), SIMD: found.SIMD, Memory: memory(),
		XLA: found.Compiled, Searched: found.Searched, Plugins: []foundThing{}, GPUs: []foundThing{},
		Disk: diskSpace("."),
	}
	for _, p := range found.Plugins {
		d.Plugins = append(d.Plugins, foundThing{p.Kind, p.Path})
	}
	for _, g := range found.GPUs {
		d.GPUs = append(d.GPUs, foundThing{g.Name, g.Path})
	}
	return d
}

func (d *diagnosis) add(name, status, remedy, format string, args ...any) {
	d.OK = d.OK && status != statusMissing
	d.Checks = append(d.Checks, check{Name: name, Status: status, Detail: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (d *diagnosis) checkMachine() {
	d.add("go", statusOK, "", "%s, %s/%s", d.Go, d.OS, d.Arch)
	model := d.CPU
	if model == "" {
		model = "unknown model"
	}
	d.add("processor", statusOK, "", "%s, %d cores with %d threads, AVX2 %s, AVX-512 %s, VNNI %s", model, d.Cores,
		d.Threads, yes(d.AVX2), yes(d.AVX512), yes(d.VNNI))
	switch {
	case d.SIMD:
		d.add("vectors", statusOK, "", "vector instructions are compiled into the Go backend")
	case d.Arch == "amd64":
		d.add("vectors", statusAbsent, "build with `task build`, or with GOEXPERIMENT=simd",
			"the Go backend was built without vector instructions, which make it about twenty times faster")
	default:
		d.add("vectors", statusAbsent, "", "the Go backend does not use vector instructions on %s", d.Arch)
	}
	if d.Memory > 0 {
		d.add("memory", statusOK, "", "%s", humanize.Size(float64(d.Memory)))
	}
	switch {
	case d.Disk.Total == 0:
	case d.Disk.Free < leastDisk:
		d.add("disk", statusAbsent, "free some space, or choose folders on another disk with --out and --run",
			"%s free in %s", humanize.Size(float64(d.Disk.Free)), d.Disk.Path)
	default:
		d.add("disk", statusOK, "", "%s free of %s in %s", humanize.Size(float64(d.Disk.Free)),
			humanize.Size(float64(d.Disk.Total)), d.Disk.Path)
	}
}

// Text returns the checks.
func (d *diagnosis) Text() string {
	var t humanize.Text
	t.Line("talbot %s\n", d.Version)
	for _, c := range d.Checks {
		t.Line("  %-8s %-10s %s\n", c.Status, c.Name, c.Detail)
		if c.Remedy != "" {
			t.Line("  %-8s %-10s → %s\n", "", "", cli.WithProgram(c.Remedy))
		}
	}
	return t.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// cpuModel is the processor's name where the kernel tells it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// diskSpace is the space of the file system that holds the folder.
func diskSpace(dir string) disk {
	free, total := fileSystem(dir)
	path, err := filepath.Abs(dir)
	if err != nil {
		path = dir
	}
	return disk{path, free, total}
}
