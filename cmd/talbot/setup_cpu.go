package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// pluginSource is where a library comes from on a machine.
type pluginSource struct {
	part  string // of setup
	name  string // for the plan
	fetch func(ctx context.Context, dir string) error
	// The plugin is the one file that matches in the folder or, if member is set, that member of this zip file.
	pattern, member string
	sum             string // SHA-256 of the plugin, "" if it is not known
}

// wheel is the Python package with the plugin for Linux on amd64.
func wheel() pluginSource {
	return pluginSource{
		part:    partCPU,
		name:    "from the Python package xla-cpu-pjrt 0.0.1, with pip (60 MB to download, 260 MB on disk)",
		fetch:   pip("xla-cpu-pjrt==0.0.1"),
		pattern: "*.whl", member: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		sum: "88c3f28c5900f48ad4a82cab9e79bba9537809743395e341485f8794268820dc",
	}
}

// pip fetches a Python package into a folder; pip does not look at what the package is for.
func pip(name string, platform ...string) func(context.Context, string) error {
	return func(ctx context.Context, dir string) error {
		return runProgram(ctx, append([]string{"python3", "-m", "pip", "download", "--quiet",
			"--disable-pip-version-check", "--no-deps", "--only-binary", ":all:", "--dest", dir, name}, platform...))
	}
}

// planCPU says where XLA's plugin for the processor comes from: the Python package where pip can bring it, since its
// checksum is known, else go-xla's release. Both go to the same place.
func planCPU(m machine) (step, error) {
	to, err := m.pluginPath(partCPU)
	if err != nil {
		return step{}, err
	}
	source := release()
	if m.os == "linux" && m.arch == "amd64" && m.pip() {
		source = wheel()
	}
	return step{
		part: partCPU,
		plan: []string{fmt.Sprintf("XLA's plugin for %s/%s,", m.os, m.arch), source.name, "into " + to},
		do:   func(ctx context.Context) error { return source.install(ctx, to) },
	}, nil
}

// install fetches into a folder beside the plugin, so that an interrupted download leaves no plugin behind.
func (p pluginSource) install(ctx context.Context, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tell("setup: downloading %s\n", p.part)
	if err := p.fetch(ctx, dir); err != nil {
		return hint(err, "check the internet connection, or use a file on this machine: `talbot setup "+p.part+
			" --from FILE`")
	}
	files, err := filepath.Glob(filepath.Join(dir, p.pattern))
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("the download contains %d files named %s instead of one", len(files), p.pattern)
	}
	if p.member != "" {
		return p.unpack(files[0], to)
	}
	if err := checkPlugin(p.part, files[0]); err != nil {
		return err
	}
	in, err := os.Open(files[0])
	if err != nil {
		return err
	}
	defer in.Close()
	return putPlugin(in, to, p.sum)
}

func (p pluginSource) unpack(path, to string) (err error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("%q: %w", filepath.Base(path), err)
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	in, err := archive.Open(p.member)
	if err != nil {
		return fmt.Errorf("%q: %w", filepath.Base(path), err)
	}
	defer in.Close()
	return putPlugin(in, to, p.sum)
}

// hasPip reports whether python3 is there with pip.
func hasPip() bool { return exec.Command("python3", "-m", "pip", "--version").Run() == nil }
