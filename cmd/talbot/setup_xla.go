package main

import (
	"context"
	"debug/elf"
	"debug/macho"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"golang.org/x/term"

	"talbot/internal/durable"
	"talbot/train/backend"
)

// pluginDir is where plugins from files go; backend.Discover looks there.
func pluginDir() string {
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "talbot", "xla")
}

// planInstaller says what go-xla's installer will fetch.
func planInstaller(part string, found backend.Found, m machine) (step, error) {
	if !found.Compiled {
		return step{}, hint(fmt.Errorf("%s: this talbot was built without XLA", part),
			"build it with a C compiler, CGO_ENABLED=1 and without the tag noxla")
	}
	lib, err := installer.DefaultHomeLibPath()
	if err != nil {
		return step{}, fmt.Errorf("%s: %w", part, err)
	}
	folder := filepath.Join(lib, "go-xla")
	s := step{part: part}
	switch {
	case part == partCPU:
		s.plan = []string{
			fmt.Sprintf("the PJRT plugin for %s/%s that this version of go-xla names,", m.os, m.arch),
			"from https://github.com/" + installer.BinaryCPUReleasesRepo + "/releases (some 100 MB)",
			"into " + folder,
		}
	case m.os != "linux" || m.arch != "amd64":
		return step{}, fmt.Errorf("%s: there is no installer for %s/%s", part, m.os, m.arch)
	case len(found.GPUs) == 0:
		return step{}, hint(fmt.Errorf("%s: no NVIDIA GPU found", part),
			"looked in /proc/driver/nvidia/gpus and /dev/nvidia*; install NVIDIA's driver first")
	default:
		s.plan = []string{
			"the Python package jax-cuda13-pjrt and NVIDIA's libraries for it,",
			"from https://pypi.org (some 3 GB)",
			"into " + filepath.Join(folder, "nvidia"),
		}
	}
	s.do = func(context.Context) error { return install(part, lib) }
	return s, nil
}

// install runs go-xla's installer and checks that the plugin can be found.
func install(part, lib string) error {
	kind := pluginKind(part)
	say("setup: fetching %s\n", part)
	if err := installPlugin(kind, lib); err != nil {
		remedy := "check the network; or take a plugin from a file with `talbot setup " + part + " --from FILE`"
		if part == partCPU {
			remedy = "check the network; `task setup:xla-cpu` takes a plugin from the Python package index instead"
		}
		return hint(err, remedy)
	}
	p, ok := backend.Discover().Plugin(kind)
	if !ok {
		return fmt.Errorf("the installer ended without an error, but no plugin is in %q", lib)
	}
	say("setup: installed %s\n", p.Path)
	return nil
}

// installPlugin keeps the installer, which draws a spinner on standard output, to standard error, and off it where
// that is no terminal.
func installPlugin(kind, lib string) error {
	was := os.Stdout
	defer func() { os.Stdout = was }()
	os.Stdout = os.Stderr
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer null.Close()
		os.Stdout = null
	}
	return installer.AutoInstallPlugin(kind, lib, true, installer.Quiet)
}

// planFromFile says how a plugin is copied from a file.
func planFromFile(part, from string, found backend.Found, m machine) (step, error) {
	if !found.Compiled {
		return step{}, hint(fmt.Errorf("%s: this talbot was built without XLA", part),
			"build it with a C compiler, CGO_ENABLED=1 and without the tag noxla")
	}
	if err := checkPlugin(from); err != nil {
		return step{}, hint(err, "--from takes a PJRT plugin, such as xla_cpu_pjrt.so or xla_cuda_plugin.so")
	}
	if lib, ok := nvidiaBeside(from); ok && part == partCUDA {
		path, err := filepath.Abs(from)
		if err != nil {
			path = from
		}
		return step{}, usage(fmt.Errorf("%s: %q finds NVIDIA's libraries in %q relative to itself and would not in "+
			"another place", part, from, lib),
			"leave it there and name it: --backend xla:"+path)
	}
	if m.plugins == "" {
		return step{}, hint(errors.New("there is no home folder to put a plugin into"), "set XDG_DATA_HOME")
	}
	extension := ".so"
	if m.os == "darwin" {
		extension = ".dylib"
	}
	to := filepath.Join(m.plugins, "pjrt_c_api_"+pluginKind(part)+"_plugin"+extension)
	s := step{part: part, plan: []string{fmt.Sprintf("a copy of %s", from), "into " + to}}
	if _, err := os.Stat(to); err == nil {
		s.plan = append(s.plan, "in place of the one that is there")
	}
	s.do = func(context.Context) error { return copyPlugin(from, to) }
	return s, nil
}

// checkPlugin returns an error unless the file is a shared library with the entry point of PJRT.
func checkPlugin(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := exported(f)
	if err != nil {
		return fmt.Errorf("%q is no shared library: %w", path, err)
	}
	for _, name := range names {
		if strings.TrimPrefix(name, "_") == "GetPjrtApi" {
			return nil
		}
	}
	return fmt.Errorf("%q is no PJRT plugin: it has no GetPjrtApi", path)
}

// exported lists the dynamic symbols that a library defines (on macOS all symbols).
func exported(f io.ReaderAt) ([]string, error) {
	var names []string
	if lib, err := macho.NewFile(f); err == nil {
		if lib.Symtab != nil {
			for _, s := range lib.Symtab.Syms {
				names = append(names, s.Name)
			}
		}
		return names, nil
	}
	lib, err := elf.NewFile(f)
	if err != nil {
		return nil, err
	}
	symbols, err := lib.DynamicSymbols()
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			names = append(names, s.Name)
		}
	}
	return names, err
}

// nvidiaBeside finds the libraries that a plugin in a Python package, or in go-xla's folder, looks for beside itself.
func nvidiaBeside(plugin string) (string, bool) {
	real, err := filepath.EvalSymlinks(plugin)
	if err != nil {
		return "", false
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", false
	}
	dir := filepath.Dir(real)
	for _, lib := range []string{filepath.Join(dir, "..", "..", "nvidia"), filepath.Join(dir, "cu13"),
		filepath.Join(dir, "cuda_nvcc")} {
		if info, err := os.Stat(lib); err == nil && info.IsDir() {
			return lib, true
		}
	}
	return "", false
}

// copyPlugin copies a file whole or not at all.
func copyPlugin(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(to)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("copying %q: %w", from, err)
	}
	if err := out.Commit(); err != nil {
		return err
	}
	say("setup: installed %s\n", to)
	return nil
}
