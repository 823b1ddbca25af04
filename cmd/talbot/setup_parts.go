package main

import (
	"context"
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

// planCUDA plans a virtual environment of Python with the plugin and NVIDIA's libraries, which must stay together.
func planCUDA(found backend.Discovery, m machine) (step, error) {
	switch {
	case len(found.GPUs) == 0:
		return step{}, fault.Hint(errors.New("xla-cuda: no NVIDIA GPU found"),
			"looked in /proc/driver/nvidia/gpus and /dev/nvidia*; install NVIDIA's driver first")
	case m.cuda == "":
		return step{}, errNoHome
	case !m.pip():
		return step{}, fault.Hint(errors.New("xla-cuda: python3 with pip is missing"),
			"install python3-pip and python3-venv")
	}
	venv := []string{"python3", "-m", "venv", m.cuda}
	install := []string{filepath.Join(m.cuda, "bin", "python3"), "-m", "pip", "install", "jax[cuda13]"}
	return step{
		part: partCUDA,
		plan: []string{"XLA's plugin and NVIDIA's libraries (about 3 GB), with: " + strings.Join(venv, " "),
			"and: " + strings.Join(install, " ")},
		do: func(ctx context.Context) error {
			if err := runProgram(ctx, venv); err != nil {
				return fault.Hint(err, "on Debian, install python3-venv")
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
