package backend

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Memory returns the bytes that a backend may fill and says where the number is from; 0 if it is not known. It is asked
// for only when memory ran out: for a GPU it starts nvidia-smi.
func (o *Backend) Memory() (bytes int64, source string) {
	if o.Kind == "xla:cuda" {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		out, err := exec.CommandContext(ctx, "nvidia-smi", "--id="+VisibleGPU(), "--query-gpu=memory.total",
			"--format=csv,noheader,nounits").Output()
		if err != nil {
			return 0, ""
		}
		return cudaMemory(string(out))
	}
	return hostMemory("/").total, "the machine's memory"
}

// Free returns the bytes that this process may still take from the machine, swap included, if the backend computes
// there; 0 for other backends and where the system does not tell (it is Linux that does).
func (o *Backend) Free() int64 {
	if !OnProcessor(o.Kind) {
		return 0
	}
	return hostMemory("/").free
}

// share is the part of a GPU's memory that XLA may use; 0: see [gpuShare].
var share float64

// SetGPUMemory sets the part of a GPU's memory that XLA may use, above 0 and below 1. It is to be called before [Open].
func SetGPUMemory(part float64) { share = part }

// desktop is what is left of a GPU's memory for the screen and the driver, in MiB.
const desktop = 1024

// gpuShare returns the part of a GPU's memory that XLA may use: what was set, or else all that nothing else uses now
// but a GiB, at most 0.95; 0.75 where nvidia-smi does not tell.
var gpuShare = sync.OnceValue(func() float64 {
	if share > 0 {
		return share
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "nvidia-smi", "--id="+VisibleGPU(), "--query-gpu=memory.total,memory.used",
		"--format=csv,noheader,nounits").Output()
	return shareOf(string(out))
})

// shareOf computes the share from nvidia-smi's answer.
func shareOf(text string) float64 {
	var total, used float64
	if n, _ := fmt.Sscanf(strings.TrimSpace(text), "%f, %f", &total, &used); n != 2 || total <= 0 {
		return 0.75
	}
	return min(0.95, max(0.25, (total-used-desktop)/total))
}

// Driver returns the major version of NVIDIA's driver, as nvidia-smi tells; 0: it is not known.
func Driver() int {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, _ := exec.CommandContext(ctx, "nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").Output()
	version, _, _ := strings.Cut(string(out), ".")
	major, _ := strconv.Atoi(version)
	return major
}

// VisibleGPU is the GPU that computes, as nvidia-smi's --id: the first that CUDA_VISIBLE_DEVICES names, or the first of
// the machine.
func VisibleGPU() string {
	first, _, _ := strings.Cut(os.Getenv("CUDA_VISIBLE_DEVICES"), ",")
	if first = strings.TrimSpace(first); first == "" {
		return "0"
	}
	return first
}

// cudaMemory reads the megabytes that nvidia-smi prints for a GPU, or for each, of which it takes the first.
func cudaMemory(text string) (bytes int64, source string) {
	var mib int64
	if n, _ := fmt.Sscanf(strings.TrimSpace(text), "%d", &mib); n != 1 || mib <= 0 {
		return 0, ""
	}
	return int64(float64(mib<<20) * gpuShare()),
		fmt.Sprintf("%.0f %% of the GPU's memory, the part that XLA uses", 100*gpuShare())
}

// host is the machine's memory for this process; 0 is not known.
type host struct{ total, free int64 }

// hostMemory reads what Linux tells of the machine and of the control groups of this process, whose limits may be
// lower.
func hostMemory(root string) host {
	info := fields(filepath.Join(root, "proc/meminfo"))
	swap := info["SwapFree:"] << 10
	h := host{total: info["MemTotal:"] << 10}
	if available := info["MemAvailable:"] << 10; available > 0 {
		h.free = available + swap
	}
	for _, group := range memoryGroups(root) {
		limit := group.limit
		if limit <= 0 || limit >= info["MemTotal:"]<<10 {
			continue
		}
		h.total = min(h.total, limit)
		h.free = min(h.free, max(1, limit-group.used+swap))
	}
	return h
}

// memoryGroup is a control group; what it has used does not count files that are cached and can be dropped.
type memoryGroup struct{ limit, used int64 }

// memoryGroups are the groups of this process and those above them, in version 2 and in version 1. Inside a container
// the path may name what is not visible: the top of what is mounted is the container's own then.
func memoryGroups(root string) []memoryGroup {
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	var groups []memoryGroup
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		base, limit, used, inactive := "sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"
		if part[1] == "memory" {
			base, limit, used, inactive = "sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
				"total_inactive_file"
		} else if part[1] != "" {
			continue
		}
		// A group's path has slashes on every system: Wine shows those of Linux to programs of Windows.
		for group := path.Clean("/" + part[2]); ; group = path.Dir(group) {
			dir := filepath.Join(root, base, group)
			groups = append(groups, memoryGroup{number(filepath.Join(dir, limit)),
				number(filepath.Join(dir, used)) - fields(filepath.Join(dir, "memory.stat"))[inactive]})
			if group == "/" {
				break
			}
		}
	}
	return groups
}

// number reads a file with one number; 0 without one, as in "max".
func number(path string) int64 {
	text, _ := os.ReadFile(path)
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// fields reads a file with a name and a number on each line.
func fields(path string) map[string]int64 {
	text, _ := os.ReadFile(path)
	all := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 {
			all[f[0]], _ = strconv.ParseInt(f[1], 10, 64)
		}
	}
	return all
}
