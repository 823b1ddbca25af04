package main

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/internal/fault"
	"talbot/internal/testkit"
	"talbot/network/backend"
	"talbot/stockfish"
)

// bare is a machine that has nothing but these programs.
func bare(root bool, programs ...string) machine {
	return machine{
		os: "linux", arch: "amd64", root: root, plugins: "/plugins", packages: "/packages", cuda: "/cuda",
		program: func(name string) bool { return strings.Contains(" "+strings.Join(programs, " ")+" ", " "+name+" ") },
		engine:  func() (string, error) { return "", stockfish.ErrNotFound },
		pip:     func() bool { return strings.Contains(" "+strings.Join(programs, " ")+" ", " pip ") },
		driver:  func() int { return 0 },
	}
}

func TestPlanStockfish(t *testing.T) {
	for _, c := range []struct {
		m    machine
		want string // first line of the plan, or of the error
	}{
		{bare(true, "apt-get"),
			"with: env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends stockfish"},
		{bare(false, "apt-get", "sudo"),
			"with: sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends stockfish"},
		{bare(false, "apt-get"), "error: stockfish: apt-get needs root"},
		{bare(true, "dnf"), "with: dnf install -y stockfish"},
		{bare(false, "pacman", "sudo"), "with: sudo pacman -S --needed --noconfirm stockfish"},
		{bare(false, "brew"), "with: brew install stockfish"},
		{bare(true), "error: stockfish: no package manager found"},
	} {
		got := ""
		if s, err := planStockfish(c.m); err != nil {
			got = "error: " + err.Error()
			if _, text := fault.Of(err); text == "" {
				t.Errorf("no hint for %v", err)
			}
		} else {
			got = s.plan[0]
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestPlanSetup knows what is planned for which machine.
func TestPlanSetup(t *testing.T) {
	cpu := backend.Plugin{Kind: "cpu", Path: "/x/cpu.so"}
	gpu := []backend.GPU{{Name: "a GPU"}}
	for name, c := range map[string]struct {
		parts []string
		found backend.Discovery
		want  string
	}{
		"nothing here":    {nil, backend.Discovery{Compiled: true, Loads: true}, "stockfish xla-cpu onnx"},
		"with a GPU":      {nil, backend.Discovery{Compiled: true, GPUs: gpu}, "stockfish xla-cpu xla-cuda"},
		"plugin in place": {nil, backend.Discovery{Compiled: true, Plugins: []backend.Plugin{cpu}}, "stockfish"},
		"without XLA":     {nil, backend.Discovery{}, "stockfish"},
		"named twice":     {[]string{"xla-cpu", "xla-cpu"}, backend.Discovery{Compiled: true}, "xla-cpu"},
		"named, in place": {[]string{"xla-cpu"}, backend.Discovery{Compiled: true, Plugins: []backend.Plugin{cpu}},
			""},
		"named, no XLA":    {[]string{"xla-cpu"}, backend.Discovery{}, "error"},
		"named, no cgo":    {[]string{"onnx"}, backend.Discovery{}, "error"},
		"ONNX in place":    {[]string{"onnx"}, backend.Discovery{Loads: true, Runtime: "/x/libonnxruntime.so"}, ""},
		"CUDA without GPU": {[]string{"xla-cuda"}, backend.Discovery{Compiled: true}, "error"},
		"CUDA, CPU is here": {[]string{"xla-cuda"}, backend.Discovery{Compiled: true, GPUs: gpu,
			Plugins: []backend.Plugin{cpu}}, "xla-cuda"},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := planSetup(&setupOptions{parts: c.parts}, c.found, bare(true, "apt-get", "pip"))
			var got []string
			for _, s := range steps {
				got = append(got, s.part)
			}
			if err != nil {
				got = []string{"error"}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("planned %q, want %q (%v)", got, c.want, err)
			}
		})
	}
}

// There is a package where pip is and the system is one of those that it is made for.
func TestPlanWheel(t *testing.T) {
	for name, c := range map[string]struct {
		part, os, arch, programs string
		ok                       bool
	}{
		"plugin":            {partCPU, "linux", "amd64", "pip", true},
		"plugin, no pip":    {partCPU, "linux", "amd64", "", false},
		"plugin, arm":       {partCPU, "linux", "arm64", "pip", false},
		"ONNX":              {partONNX, "linux", "arm64", "pip", true},
		"ONNX, macOS":       {partONNX, "darwin", "arm64", "pip", true},
		"ONNX, no package":  {partONNX, "linux", "riscv64", "pip", false},
		"ONNX without home": {partONNX, "linux", "amd64", "pip home-less", false},
	} {
		m := bare(false, strings.Fields(c.programs)...)
		m.os, m.arch = c.os, c.arch
		if strings.Contains(c.programs, "home-less") {
			m.packages = ""
		}
		s, err := planWheel(c.part, m)
		if (err == nil) != c.ok || err == nil && s.plan[1] != "into /packages" {
			t.Errorf("%s: %v, plan\n%s", name, err, s.plan)
		}
	}
}

// fakePython puts a python3 in front of all others.
func fakePython(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\n"+script), 0o777))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// What pip installs is found afterwards, and its failure is one of setup.
func TestInstallWheel(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", dir)
	m := bare(false, "pip")
	m.packages = backend.PackagesDir()
	s, err := planWheel(partCPU, m)
	testkit.OK(t, err)
	fakePython(t, `while [ "$1" != --target ]; do shift; done
p=$2/lammps_jax_pjrt_cpu; mkdir -p $p && echo >$p/pjrt_c_api_cpu_plugin.so
`)
	testkit.OK(t, s.do(t.Context()))
	if !slices.ContainsFunc(backend.Discover().Plugins, func(p backend.Plugin) bool {
		return p.Kind == "cpu" && strings.HasPrefix(p.Path, m.packages)
	}) {
		t.Errorf("found %+v", backend.Discover().Plugins)
	}
	fakePython(t, "exit 1\n")
	if err := s.do(t.Context()); err == nil {
		t.Error("no error where pip fails")
	}
}

// The plugin for GPUs goes into a virtual environment, where it is found.
func TestInstallCUDA(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	gpu := backend.Discovery{GPUs: []backend.GPU{{Name: "a GPU"}}}
	m := bare(false, "pip")
	m.cuda = backend.CUDADir()
	fakePython(t, `case $2 in
venv) mkdir -p "$3/bin" && cp "$0" "$3/bin/python3";;
pip) p=${0%/bin/python3}/lib/python3.11/site-packages/jax_plugins/xla_cuda13; mkdir -p $p && echo >$p/xla_cuda_plugin.so;;
esac
`)
	for driver, want := range map[int]string{0: "CUDA 12", 470: "", 525: "CUDA 12", 579: "CUDA 12", 580: "CUDA 13"} {
		m.driver = func() int { return driver }
		s, err := planCUDA(gpu, m, "")
		if (err == nil) != (want != "") || err == nil && !strings.Contains(s.plan[0], want) {
			t.Errorf("driver %d: %q, %v", driver, s.plan, err)
		}
	}
	m.driver = func() int { return driverOf13 }
	s, err := planCUDA(gpu, m, "wheels")
	if err != nil || !strings.HasSuffix(s.plan[1], "requirements.txt --no-index --find-links wheels") {
		t.Fatalf("%q, %v", s.plan, err)
	}
	testkit.OK(t, s.do(t.Context()))
	if p, ok := backend.Discover().Plugin("cuda"); !ok || !strings.HasPrefix(p.Path, m.cuda) {
		t.Errorf("found %+v", p)
	}
	if _, err := planCUDA(gpu, bare(false), ""); err == nil {
		t.Error("no error without pip")
	}
	m.driver = func() int { return 0 }
	of13 := t.TempDir()
	testkit.WriteFile(t, filepath.Join(of13, "jax_cuda13_pjrt-0.12.0.1-py3-none-manylinux_2_27_x86_64.whl"), "")
	for from, want := range map[string]string{"": "", dir: "CUDA 12", of13: "CUDA 13"} {
		s, err := planCUDA(backend.Discovery{}, m, from)
		if (err == nil) != (want != "") || err == nil && !strings.Contains(s.plan[0], want+" and NVIDIA's libraries,") {
			t.Errorf("no GPU, %q: %q, %v", from, s.plan, err)
		}
	}
}

// TestAsks: nothing is done unasked.
func TestAsks(t *testing.T) {
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		asker  asker
		result error
		done   bool
		status int
	}{
		"yes":           {asker{terminal: true, in: strings.NewReader("y\n")}, nil, true, fault.ExitDone},
		"Yes, no end":   {asker{terminal: true, in: strings.NewReader(" Yes")}, nil, true, fault.ExitDone},
		"no":            {asker{terminal: true, in: strings.NewReader("n\n")}, nil, false, fault.ExitFailed},
		"just return":   {asker{terminal: true, in: strings.NewReader("\n")}, nil, false, fault.ExitFailed},
		"end of input":  {asker{terminal: true, in: strings.NewReader("")}, nil, false, fault.ExitFailed},
		"no terminal":   {asker{in: strings.NewReader("y\n")}, nil, false, fault.ExitUsage},
		"--yes":         {asker{yes: true, in: strings.NewReader("")}, nil, true, fault.ExitDone},
		"--yes, failed": {asker{yes: true}, failed, true, fault.ExitFailed},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			done := false
			c.asker.out = &out
			err := c.asker.carryOut(context.Background(), []step{{
				part: "thing", plan: []string{"from there"},
				do: func(context.Context) error {
					if !strings.Contains(out.String(), "thing: from there\n") {
						t.Error("done before the plan was shown")
					}
					done = true
					return c.result
				},
			}})
			status := fault.ExitDone
			if err != nil {
				status, _ = fault.Of(err)
			}
			if done != c.done || status != c.status || c.result != nil && !errors.Is(err, c.result) {
				t.Errorf("done %v, %v; want done %v, status %d", done, err, c.done, c.status)
			}
			if !strings.Contains(out.String(), "thing: from there\n") {
				t.Error("the plan was not shown")
			}
		})
	}
}

// TestInstallsStockfish runs the plan with an apt-get whose lists must be fetched first.
func TestInstallsStockfish(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >>" + dir + "/log\n[ $1 = update ] && touch " + dir + "/updated\n[ -e " + dir +
		"/updated ]\n"
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "apt-get"), []byte(script), 0o777))
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	s, err := planStockfish(bare(true, "apt-get"))
	testkit.OK(t, err)
	testkit.OK(t, s.do(context.Background()))
	const install = "install -y --no-install-recommends stockfish\n"
	if log, _ := os.ReadFile(filepath.Join(dir, "log")); string(log) != install+"update\n"+install {
		t.Errorf("apt-get was run with\n%s", log)
	}
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "apt-get"), []byte("#!/bin/sh\nexit 100\n"), 0o777))
	if err := s.do(context.Background()); err == nil || !strings.Contains(err.Error(), "exit status 100") {
		t.Errorf("apt-get fails: %v", err)
	}
}

// library is a shared library of Linux without code, in which the name of a function stands.
func library(function string) []byte {
	header := elf.Header64{Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
		byte(elf.EV_CURRENT)}, Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64),
		Version: uint32(elf.EV_CURRENT)}
	data, err := binary.Append(nil, binary.LittleEndian, header)
	if err != nil {
		panic(err)
	}
	return append(data, function+"\x00code"...)
}

// TestPluginFromFile copies a plugin to where it is found, and nothing else.
func TestPluginFromFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		testkit.OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
		testkit.OK(t, os.WriteFile(path, data, 0o666))
		return path
	}
	plugin := library("GetPjrtApi")
	found := backend.Discovery{Compiled: true}
	m := bare(true)
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	m.plugins = backend.PluginDir()

	from := write("p.so", plugin)
	s, err := planFromFile(partCPU, from, found, m)
	testkit.OK(t, err)
	if p, ok := backend.Discover().Plugin("cpu"); ok && strings.HasPrefix(p.Path, dir) {
		t.Error("copied while planning")
	}
	for range 2 { // the second time over the first
		testkit.OK(t, s.do(context.Background()))
	}
	to := filepath.Join(dir, "data", "talbot", "xla", "pjrt_c_api_cpu_plugin.so")
	if data, err := os.ReadFile(to); err != nil || !bytes.Equal(data, plugin) {
		t.Errorf("the copy differs, or %v", err)
	}
	seen := false
	for _, p := range backend.Discover().Plugins {
		seen = seen || p.Kind == "cpu" && p.Path == to
	}
	if !seen {
		t.Errorf("%s is not found", to)
	}

	for name, path := range map[string]string{
		"text":          write("text", []byte("no library")),
		"empty":         write("empty", nil),
		"cut":           write("cut", plugin[:12]),
		"other library": write("other", library("main")),
		"not there":     filepath.Join(dir, "nosuch"),
		"folder":        dir,
	} {
		if _, err := planFromFile(partCPU, path, found, m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := planFromFile(partCPU, from, backend.Discovery{}, m); err == nil {
		t.Error("without XLA: no error")
	}
}
