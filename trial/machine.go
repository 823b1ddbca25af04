package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"talbot/network/backend"
)

// machine notes what this machine is.
func (t *Trial) machine(ctx context.Context, s *State) (string, error) {
	s.Machine = nil
	add := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			s.Machine = append(s.Machine, Fact{name, text})
		}
	}
	add("date", time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	add("talbot", t.Version+", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH)
	add("processor", strings.Join([]string{field("/proc/cpuinfo", "model name"),
		count(runtime.NumCPU(), "thread", "threads")}, ", "))
	add("memory", gibibytes(field("/proc/meminfo", "MemTotal")))
	add("system", strings.Trim(field("/etc/os-release", "PRETTY_NAME"), `"`))
	add("kernel", ask(ctx, "uname", "-r"))
	gpus := ask(ctx, "nvidia-smi", "--query-gpu=name,driver_version,memory.total,power.limit,clocks.max.sm,uuid",
		"--format=csv,noheader")
	for i, gpu := range strings.Split(gpus, "\n") {
		if i < 8 {
			add("GPU", gpu)
		}
	}
	kind := strings.TrimPrefix(t.Backend, "xla:")
	path := kind
	if p, ok := backend.Discover().Plugin(kind); ok {
		path = p.Path
	}
	if filepath.IsAbs(path) {
		add("plugin", path)
		add("plugin's SHA-256", sum(path))
		packages, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "..", "..", "jax_cuda*_pjrt-*.dist-info"))
		for _, p := range packages {
			add("plugin's package", strings.TrimSuffix(filepath.Base(p), ".dist-info"))
		}
	}
	add("XLA_FLAGS", os.Getenv("XLA_FLAGS"))
	if t.Python != "" {
		add("Python", ask(ctx, t.Python, "-c", "import sys; print(sys.version.split()[0], sys.executable)"))
		add("PyTorch", ask(ctx, t.Python, "-c", "import torch; print(torch.__version__)"))
	}
	add("load", strings.Join(strings.Fields(read("/proc/loadavg")), " "))
	return "", nil
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// field is the value of a line "name: value" or "name=value" of a file; or "".
func field(path, name string) string {
	for line := range strings.Lines(read(path)) {
		if i := strings.IndexAny(line, ":="); i > 0 && strings.TrimSpace(line[:i]) == name {
			return strings.TrimSpace(line[i+1:])
		}
	}
	return ""
}

// sum is the SHA-256 of a file in hex; "" if it cannot be read.
func sum(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// gibibytes is a text of Linux's "N kB", as GiB.
func gibibytes(text string) string {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, " kB"), 64)
	if err != nil {
		return text
	}
	return fmt.Sprintf("%.1f GiB", n/(1<<20))
}
