package stockfish

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strings"
)

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
