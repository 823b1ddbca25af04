package backend

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Memory returns the bytes that a backend may fill and says where the number is from; 0 if it is not known. It is asked
// for only when memory ran out: for a GPU it starts nvidia-smi.
func (o *Opened) Memory() (bytes int64, source string) {
	if o.Kind == "xla:cuda" {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits").Output()
		if err != nil {
			return 0, ""
		}
		return cudaMemory(string(out))
	}
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var kib int64
		if n, _ := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kib); n == 1 {
			return kib << 10, "the machine's memory"
		}
	}
	return 0, ""
}

// cudaMemory reads the megabytes that nvidia-smi prints for each GPU; the first one computes.
func cudaMemory(text string) (bytes int64, source string) {
	var mib int64
	if n, _ := fmt.Sscanf(strings.TrimSpace(text), "%d", &mib); n != 1 || mib <= 0 {
		return 0, ""
	}
	return mib << 20 / 4 * 3, "three quarters of the GPU's memory, which is what XLA takes"
}
