package main

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gomlx/go-xla/installer"
	"golang.org/x/term"

	"talbot/internal/durable"
	"talbot/network/backend"
)

// planInstaller says what will be fetched.
func planInstaller(part string, found backend.Discovery, m machine) (step, error) {
	if err := compiledIn(part, found); err != nil {
		return step{}, err
	}
	if part == partONNX {
		return planONNX(m)
	}
	if part == partCPU {
		return planCPU(m)
	}
	lib, err := installer.DefaultHomeLibPath()
	if err != nil {
		return step{}, fmt.Errorf("%s: %w", part, err)
	}
	switch {
	case m.os != "linux" || m.arch != "amd64":
		return step{}, fmt.Errorf("%s: there is no installer for %s/%s", part, m.os, m.arch)
	case len(found.GPUs) == 0:
		return step{}, hint(fmt.Errorf("%s: no NVIDIA GPU found", part),
			"looked in /proc/driver/nvidia/gpus and /dev/nvidia*; install NVIDIA's driver first")
	}
	return step{
		part: part,
		plan: []string{
			"the Python package jax-cuda13-pjrt and NVIDIA's libraries for it,",
			"from https://pypi.org (about 3 GB)",
			"into " + filepath.Join(lib, "go-xla", "nvidia"),
		},
		do: func(context.Context) error { return installCUDA(lib) },
	}, nil
}

// release is the plugin that go-xla publishes for more platforms, without a checksum.
func release() pluginSource {
	return pluginSource{
		part: partCPU,
		name: "from https://github.com/" + installer.BinaryCPUReleasesRepo + "/releases (about 100 MB)",
		fetch: func(_ context.Context, dir string) error {
			return offStdout(func() error { return installer.CPUAutoInstall(dir, false, installer.Quiet) })
		},
		pattern: "*pjrt*plugin*",
	}
}

// installCUDA runs go-xla's installer and checks that the plugin can be found.
func installCUDA(lib string) error {
	tell("setup: downloading %s\n", partCUDA)
	err := offStdout(func() error { return installer.AutoInstallPlugin("cuda", lib, true, installer.Quiet) })
	if err != nil {
		return hint(err, "check the internet connection, or use a plugin file: `talbot setup xla-cuda --from FILE`")
	}
	p, ok := backend.Discover().Plugin("cuda")
	if !ok {
		return fmt.Errorf("the installer reported no error, but there is no plugin in %q", lib)
	}
	tell("setup: installed %s\n", p.Path)
	return nil
}

// offStdout keeps go-xla's installer, which draws a spinner on standard output, to standard error, and off it where
// that is no terminal.
func offStdout(install func() error) error {
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
	return install()
}

// planFromFile says how a plugin is copied from a file.
func planFromFile(part, from string, found backend.Discovery, m machine) (step, error) {
	if err := compiledIn(part, found); err != nil {
		return step{}, err
	}
	if err := checkPlugin(part, from); err != nil {
		if part == partONNX {
			return step{}, hint(err, "--from takes ONNX Runtime's library, such as libonnxruntime.so")
		}
		return step{}, hint(err, "--from takes a PJRT plugin, such as xla_cpu_pjrt.so or xla_cuda_plugin.so")
	}
	if lib, ok := nvidiaBeside(from); ok && part == partCUDA {
		path, err := filepath.Abs(from)
		if err != nil {
			path = from
		}
		return step{}, usage(fmt.Errorf("%s: %q looks for NVIDIA's libraries in %q, relative to itself, so it cannot "+
			"be moved", part, from, lib),
			"leave it there and use --backend xla:"+path)
	}
	to, err := m.pluginPath(part)
	if err != nil {
		return step{}, err
	}
	s := step{part: part, plan: []string{fmt.Sprintf("a copy of %s", from), "into " + to}}
	if _, err := os.Stat(to); err == nil {
		s.plan = append(s.plan, "replacing the existing one")
	}
	s.do = func(context.Context) error {
		in, err := os.Open(from)
		if err != nil {
			return err
		}
		defer in.Close()
		return putPlugin(in, to, "")
	}
	return s, nil
}

// pluginPath is where a plugin goes: talbot's own folder, in which backend.Discover looks.
func (m machine) pluginPath(part string) (string, error) {
	if m.plugins == "" {
		return "", hint(errors.New("there is no home folder to install the plugin in"), "set XDG_DATA_HOME")
	}
	extension := ".so"
	if m.os == "darwin" {
		extension = ".dylib"
	}
	if part == partONNX {
		return filepath.Join(m.plugins, "libonnxruntime"+extension), nil
	}
	return filepath.Join(m.plugins, "pjrt_c_api_"+pluginKind(part)+"_plugin"+extension), nil
}

// compiledIn returns an error if talbot cannot load a part.
func compiledIn(part string, found backend.Discovery) error {
	switch {
	case part == partONNX && !found.Loads:
		return hint(fmt.Errorf("%s: this talbot cannot load ONNX Runtime", part),
			needsCompiler)
	case part != partONNX && !found.Compiled:
		return hint(fmt.Errorf("%s: this talbot was built without XLA", part),
			needsCompiler)
	}
	return nil
}

// checkPlugin returns an error unless the file is a shared library with the entry point of a part: of PJRT or of ONNX
// Runtime.
func checkPlugin(part, path string) error {
	name, symbol := "a PJRT plugin", "GetPjrtApi"
	if part == partONNX {
		name, symbol = "ONNX Runtime", "OrtGetApiBase"
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	names, err := exported(f)
	if err != nil {
		return fmt.Errorf("%q is not a shared library: %w", path, err)
	}
	for _, n := range names {
		if strings.TrimPrefix(n, "_") == symbol {
			return nil
		}
	}
	return fmt.Errorf("%q is not %s (%s is missing)", path, name, symbol)
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

// putPlugin writes a plugin whole or not at all, and only if it has that SHA-256, where one is given.
func putPlugin(in io.Reader, to, sum string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(to)
	if err != nil {
		return err
	}
	defer out.Abort()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, hash), in); err != nil {
		return fmt.Errorf("writing %q: %w", to, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); sum != "" && got != sum {
		return hint(fmt.Errorf("the plugin's SHA-256 is %s, not %s", got, sum),
			"try again; if this happens again, the package has changed: do not use it")
	}
	if err := out.Commit(); err != nil {
		return err
	}
	tell("setup: installed %s\n", to)
	return nil
}
