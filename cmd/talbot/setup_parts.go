package main

import (
	"context"
	_ "embed" // the lists of packages
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/cli"
	"talbot/internal/fault"
	"talbot/network/backend"
)

// packageManager is a program that installs Stockfish.
type packageManager struct {
	program string
	install []string // arguments
	refresh []string // arguments that fetch its lists, for when they lack the package; nil if install does so
	user    bool     // it runs as a user, not as root
}

var packageManagers = []packageManager{
	{program: "apt-get", install: []string{"install", "-y", "--no-install-recommends", "stockfish"},
		refresh: []string{"update"}},
	{program: "dnf", install: []string{"install", "-y", "stockfish"}},
	{program: "pacman", install: []string{"-S", "--needed", "--noconfirm", "stockfish"}},
	{program: "brew", install: []string{"install", "stockfish"}, user: true},
}

func inPath(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// planStockfish plans this machine's package manager.
func planStockfish(m machine) (step, error) {
	i := slices.IndexFunc(packageManagers, func(p packageManager) bool { return m.program(p.program) })
	if i < 0 {
		return step{}, fault.Hint(errors.New("stockfish: no package manager found (apt-get, dnf, pacman or brew)"),
			"download it from https://stockfishchess.org/download and put it beside talbot, named stockfish or "+
				"stockfish.exe, or use --engine")
	}
	p := packageManagers[i]
	var prefix []string
	if !p.user && !m.root {
		if !m.program("sudo") {
			return step{}, fault.Hint(fmt.Errorf("stockfish: %s needs root, and sudo is missing", p.program),
				"run `talbot setup stockfish` as root")
		}
		prefix = []string{"sudo"}
	}
	if p.program == "apt-get" {
		prefix = append(prefix, "env", "DEBIAN_FRONTEND=noninteractive")
	}
	install, refresh := slices.Concat(prefix, []string{p.program}, p.install), slices.Concat(prefix,
		[]string{p.program}, p.refresh)
	s := step{part: partStockfish, plan: []string{"from this system's packages, with: " + strings.Join(install, " ")}}
	if p.refresh != nil {
		s.plan = append(s.plan, "and if that fails, first: "+strings.Join(refresh, " "))
	}
	s.do = func(ctx context.Context) error {
		err := runProgram(ctx, install)
		if err != nil && p.refresh != nil {
			if err = runProgram(ctx, refresh); err == nil {
				err = runProgram(ctx, install)
			}
		}
		if err != nil {
			return fault.Hint(err, "on Ubuntu, enable the component \"universe\"; or download it from "+
				"https://stockfishchess.org/download")
		}
		return nil
	}
	return s, nil
}

// The Python packages of XLA's plugin for CUDA 12 and 13, with NVIDIA's libraries, by version and checksum; they need
// no other package, nor a certain Python.
var (
	//go:embed cuda12.txt
	cuda12 []byte
	//go:embed cuda13.txt
	cuda13 []byte
)

// The least versions of NVIDIA's driver.
const (
	driverOf12 = 525
	driverOf13 = 580
)

// planCUDA plans a virtual environment of Python with the plugin and NVIDIA's libraries, which must stay together. With
// from, a folder of wheels, nothing is downloaded.
func planCUDA(found backend.Discovery, m machine, from string) (step, error) {
	driver := m.driver()
	version, list, size := "13", cuda13, " (2.5 GB to download)"
	of13, _ := filepath.Glob(filepath.Join(from, "jax_cuda13_pjrt-*.whl"))
	switch {
	case len(found.GPUs) == 0 && from == "":
		return step{}, fault.Hint(errors.New("xla-cuda: no NVIDIA GPU found"),
			"looked in /proc/driver/nvidia/gpus, /dev/nvidia* and /dev/dxg; install NVIDIA's driver first")
	case driver > 0 && driver < driverOf12:
		return step{}, fault.Hint(fmt.Errorf("xla-cuda: NVIDIA's driver is version %d", driver),
			fmt.Sprintf("install version %d or newer; CUDA 13 needs %d", driverOf12, driverOf13))
	case m.cuda == "":
		return step{}, errNoHome
	case !m.pip():
		return step{}, fault.Hint(errors.New("xla-cuda: python3 with pip is missing"),
			"install python3-pip and python3-venv")
	case driver < driverOf13 && (driver > 0 || from == "" || len(of13) == 0): // not known: as the wheels are
		version, list, size = "12", cuda12, " (3.2 GB to download)"
	}
	venv := []string{"python3", "-m", "venv", m.cuda}
	listed := filepath.Join(m.cuda, "requirements.txt")
	install := []string{filepath.Join(m.cuda, "bin", "python3"), "-m", "pip", "install", "--no-deps",
		"--require-hashes", "--only-binary", ":all:", "--requirement", listed}
	if from != "" {
		install, size = append(install, "--no-index", "--find-links", from), ""
	}
	return step{
		part: partCUDA,
		plan: []string{"XLA's plugin for CUDA " + version + " and NVIDIA's libraries" + size + ", with: " +
			strings.Join(venv, " "), "and: " + strings.Join(install, " ")},
		do: func(ctx context.Context) error {
			if err := runProgram(ctx, venv); err != nil {
				return fault.Hint(err, "on Debian, install python3-venv")
			}
			if err := os.WriteFile(listed, list, 0o666); err != nil {
				return err
			}
			if err := runProgram(ctx, install); err != nil {
				return fault.Hint(err, "without an internet connection see docs/5-training.md, section 10")
			}
			if _, ok := backend.Discover().Plugin("cuda"); !ok {
				return fmt.Errorf("pip reported no error, but there is no plugin in %q", m.cuda)
			}
			return nil
		},
	}, nil
}

// runProgram runs a command that a person watches, on standard error.
func runProgram(ctx context.Context, command []string) error {
	cli.Note("setup: %s\n", strings.Join(command, " "))
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%q: %w", strings.Join(command, " "), err)
	}
	return nil
}

// hasPip reports whether python3 is there with pip.
func hasPip() bool { return exec.Command("python3", "-m", "pip", "--version").Run() == nil }
