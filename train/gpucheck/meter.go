package gpucheck

import (
	"bufio"
	"context"
	"os/exec"
	"strconv"
	"strings"

	"talbot/network/backend"
)

// meter reads from nvidia-smi how busy the GPU that computes is.
type meter struct {
	end  context.CancelFunc
	done chan struct{} // closed when the sums are complete

	lines, busy, watts float64 // sums
}

// startMeter starts nvidia-smi; nil without it.
func startMeter(ctx context.Context) *meter {
	ctx, end := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "nvidia-smi", "--id="+backend.VisibleGPU(),
		"--query-gpu=utilization.gpu,power.draw", "--format=csv,noheader,nounits", "--loop-ms=200")
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		end()
		return nil
	}
	m := &meter{end: end, done: make(chan struct{})}
	go func() {
		defer close(m.done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			m.add(lines.Text())
		}
		_ = cmd.Wait() // it was killed
	}()
	return m
}

// add reads a line such as "97, 641.20". The power may be unknown: "[N/A]".
func (m *meter) add(line string) {
	busy, watts, _ := strings.Cut(line, ",")
	share, err := strconv.ParseFloat(strings.TrimSpace(busy), 64)
	if err != nil {
		return
	}
	power, _ := strconv.ParseFloat(strings.TrimSpace(watts), 64)
	m.lines, m.busy, m.watts = m.lines+1, m.busy+share/100, m.watts+power
}

// stop ends nvidia-smi and returns the means; 0 where they are unknown.
func (m *meter) stop() (busy, watts float64) {
	m.end()
	<-m.done
	n := max(1, m.lines)
	return m.busy / n, m.watts / n
}
