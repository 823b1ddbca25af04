package stockfish

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"talbot/internal/fault"
)

// ErrNotFound is wrapped by the error of [Find] and [Start] when there is no
// engine to run. The caller may offer to install one.
var ErrNotFound = fault.New(fault.ExitFailed, "no engine found", "run `talbot doctor` to see what was found")

// Remedy is what to do about [ErrNotFound].
const Remedy = "install it with `talbot setup stockfish`, put it beside talbot, or name one with --engine"

// places are looked at when $PATH has no stockfish: the folder of this program, for archives that were unpacked there,
// and those of distributions, as Debian keeps games off root's $PATH.
func places() []string {
	name, others := "stockfish", []string{
		"/usr/games/stockfish",
		"/usr/local/bin/stockfish",
		"/usr/local/games/stockfish",
		"/usr/bin/stockfish",
		"/opt/homebrew/bin/stockfish",
	}
	if runtime.GOOS == "windows" {
		name, others = "stockfish.exe", nil
	}
	if self, err := os.Executable(); err == nil {
		return append([]string{filepath.Join(filepath.Dir(self), name)}, others...)
	}
	return others
}

// Find returns the absolute path of the engine's executable. A path with a
// separator is taken as it is; any other name is looked up in $PATH; an empty
// one means "stockfish". The name "stockfish" is also looked for where
// distributions put it, and beside this program.
func Find(path string) (string, error) {
	if path == "" {
		path = "stockfish"
	}
	found, err := exec.LookPath(path)
	if err == nil {
		return filepath.Abs(found)
	}
	tried := "$PATH"
	switch {
	case strings.ContainsRune(path, filepath.Separator):
		return "", fmt.Errorf("stockfish: %q: %w: %w; %s", path, ErrNotFound, cause(err), Remedy)
	case path == "stockfish":
		places := places()
		for _, place := range places {
			if executable(place) {
				return place, nil
			}
		}
		tried += ", " + strings.Join(places, ", ")
	}
	return "", fmt.Errorf("stockfish: %q not found in %s: %w; %s", path, tried, ErrNotFound, Remedy)
}

// cause strips exec's own words off err.
func cause(err error) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return e.Err
	}
	return err
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
}

// DefaultWorkers is the number of engines that keep this machine busy without two of them sharing a core: its physical
// cores, as far as this process may use them. Two engines on one core halve each other's nodes at a time limit.
func DefaultWorkers() int {
	n := min(runtime.NumCPU(), runtime.GOMAXPROCS(0))
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return n
	}
	defer f.Close()
	if cores := countCores(f); cores > 0 {
		n = min(n, cores)
	}
	return max(n, 1)
}

// countCores counts the distinct pairs of physical id and core id in the text
// of /proc/cpuinfo; 0 if it names none, as on ARM.
func countCores(r io.Reader) int {
	type core struct{ physical, id string }
	cores := map[core]bool{}
	var now core
	for s := bufio.NewScanner(r); s.Scan(); {
		key, value, _ := strings.Cut(s.Text(), ":")
		switch strings.TrimSpace(key) {
		case "processor":
			now = core{}
		case "physical id":
			now.physical = strings.TrimSpace(value)
		case "core id":
			now.id = strings.TrimSpace(value)
			cores[now] = true
		}
	}
	return len(cores)
}
