package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"talbot/stockfish"
)

// packageManager is a program that installs Stockfish.
type packageManager struct {
	program string
	install []string // arguments
	refresh []string // arguments that fetch its lists, for when the package is not in them; nil if install does so
	user    bool     // it is run as a user, not as root
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

// planStockfish says how this machine's package manager brings Stockfish.
func planStockfish(m machine) (step, error) {
	i := slices.IndexFunc(packageManagers, func(p packageManager) bool { return m.program(p.program) })
	if i < 0 {
		return step{}, hint(errors.New("stockfish: no package manager found (apt-get, dnf, pacman or brew)"),
			"download it from https://stockfishchess.org/download and put it beside talbot, named stockfish or "+
				"stockfish.exe, or use --engine")
	}
	p := packageManagers[i]
	var prefix []string
	if !p.user && !m.root {
		if !m.program("sudo") {
			return step{}, hint(fmt.Errorf("stockfish: %s needs root, and sudo is missing", p.program),
				"run `talbot setup stockfish` as root")
		}
		prefix = []string{"sudo"}
	}
	if p.program == "apt-get" {
		prefix = append(prefix, "env", "DEBIAN_FRONTEND=noninteractive")
	}
	command := func(args []string) []string { return slices.Concat(prefix, []string{p.program}, args) }
	install, refresh := command(p.install), command(p.refresh)
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
			return hint(err, "on Ubuntu, enable the component \"universe\"; or download it from "+
				"https://stockfishchess.org/download")
		}
		return greetStockfish(ctx)
	}
	return s, nil
}

// runProgram runs a command for the person to watch, on standard error.
func runProgram(ctx context.Context, command []string) error {
	tell("setup: %s\n", strings.Join(command, " "))
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%q: %w", strings.Join(command, " "), err)
	}
	return nil
}

// greetStockfish starts what was installed.
func greetStockfish(ctx context.Context) error {
	e, err := stockfish.Start(ctx, stockfish.Config{Limit: stockfish.MoveTime(20 * time.Millisecond),
		StartTimeout: handshakeTime})
	if err != nil {
		return fmt.Errorf("installed, but: %w", err)
	}
	defer e.Close()
	tell("setup: %s, %s\n", e.Name(), e.Path())
	return nil
}
