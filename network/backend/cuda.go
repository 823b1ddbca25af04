package backend

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"talbot/internal/cache"
	"talbot/internal/fault"
)

// What XLA's compiler for CUDA needs of NVIDIA's toolkit, in a folder of it.
const (
	ptxasPath     = "bin/ptxas"
	libdevicePath = "nvvm/libdevice/libdevice.10.bc"
)

// cudaDataDir is the option of XLA that names the toolkit's folder.
const cudaDataDir = "xla_gpu_cuda_data_dir"

// errToolkit: a CUDA plugin would fail at the first compilation, or crash.
var errToolkit = errors.New("a part of NVIDIA's toolkit that XLA's compiler needs is missing")

// prepareCUDA makes sure that XLA's compiler finds ptxas and libdevice, before a CUDA plugin is loaded: it fails
// without a useful message, or crashes, where it does not. Where they lie in other places than XLA looks into, or
// apart, it names their folder in XLA_FLAGS, if need be one of links in the user's cache. What XLA_FLAGS says already
// is left.
func prepareCUDA(plugin string) error {
	if strings.Contains(os.Getenv(xlaFlags), cudaDataDir) {
		return nil
	}
	home, _ := os.UserHomeDir()
	t := findToolkit("/", home, plugin, os.Getenv)
	if t.known {
		return nil
	}
	dir, err := t.folder(cache.UserDir)
	if err != nil {
		return err
	}
	return os.Setenv(xlaFlags, strings.TrimSpace(os.Getenv(xlaFlags)+" --"+cudaDataDir+"="+dir))
}

// toolkit are the files that were found; "" stands for one that is missing.
type toolkit struct {
	ptxas, libdevice string
	known            bool   // XLA finds them by itself
	install          string // the packages that have them
}

// findToolkit looks for both files in the places where XLA looks, and then in CUDA_HOME, CUDA_PATH, other versions of
// the toolkit in /usr/local, and the Python packages nvidia-cuda-nvcc, nvidia-nvvm, PyTorch and Triton, those beside
// the plugin first.
func findToolkit(root, home, plugin string, env func(string) string) (t toolkit) {
	// site-packages, of jax_plugins/xla_cuda13/xla_cuda_plugin.so
	beside := filepath.Join(filepath.Dir(plugin), "../..")
	t.install = "nvidia-cuda-nvcc nvidia-nvvm"
	if strings.Contains(plugin, "cuda12") {
		t.install = "nvidia-cuda-nvcc-cu12"
	}
	own := []string{filepath.Join(beside, "nvidia/cu13"), filepath.Join(beside, "nvidia/cuda_nvcc"),
		filepath.Join(root, "usr/local/cuda"), filepath.Join(root, "opt/cuda")}
	for _, dir := range own {
		if exists(filepath.Join(dir, ptxasPath)) && exists(filepath.Join(dir, libdevicePath)) {
			return toolkit{known: true}
		}
	}
	dirs := append(own, env("CUDA_HOME"), env("CUDA_PATH"))
	versions, _ := filepath.Glob(filepath.Join(root, "usr/local/cuda-*")) // the pattern is well-formed
	dirs = append(dirs, versions...)
	for _, name := range []string{"nvidia/cu13", "nvidia/cuda_nvcc", "torch", "triton/backends/nvidia"} {
		dirs = append(append(dirs, filepath.Join(beside, name)), packages(root, home, env, name)...)
	}
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		if at := filepath.Join(dir, ptxasPath); t.ptxas == "" && exists(at) {
			t.ptxas = at
		}
		for _, path := range []string{libdevicePath, "lib/libdevice.10.bc"} { // Triton's is in the second
			if at := filepath.Join(dir, path); t.libdevice == "" && exists(at) {
				t.libdevice = at
			}
		}
	}
	for _, dir := range filepath.SplitList(env("PATH")) {
		if at := filepath.Join(dir, "ptxas"); t.ptxas == "" && exists(at) {
			t.ptxas = at
		}
	}
	return t
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// folder returns a folder that has both files where XLA expects them: the one that they are in, or one of links below
// the cache.
func (t toolkit) folder(cache func() (string, error)) (string, error) {
	var missing []string
	for _, part := range []struct{ name, path string }{{"ptxas", t.ptxas}, {"libdevice.10.bc", t.libdevice}} {
		if part.path == "" {
			missing = append(missing, part.name)
		}
	}
	if missing != nil {
		return "", fault.Hint(fmt.Errorf("%w: %s", errToolkit, strings.Join(missing, " and ")),
			"in the plugin's Python environment: python3 -m pip install "+t.install+"; or install NVIDIA's toolkit")
	}
	if dir := strings.TrimSuffix(t.ptxas, ptxasPath); dir+libdevicePath == t.libdevice {
		return filepath.Clean(dir), nil
	}
	base, err := cache()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(t.ptxas + "\x00" + t.libdevice))
	dir := filepath.Join(base, fmt.Sprintf("cuda-%x", sum[:8]))
	for _, link := range []struct{ from, to string }{{t.ptxas, ptxasPath}, {t.libdevice, libdevicePath}} {
		at := filepath.Join(dir, link.to)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			return "", err
		}
		if err := os.Symlink(link.from, at); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	return dir, nil
}

// pluginHint adds a remedy to an error of a CUDA plugin.
func pluginHint(err error) error {
	if err == nil || !strings.Contains(err.Error(), "No visible GPU devices") {
		return err
	}
	return fault.Hint(err, "see what `nvidia-smi` says: a plugin for CUDA 13 needs a driver from 580 on, one for CUDA "+
		"12 from 525 on; a container needs `--gpus all`; CUDA_VISIBLE_DEVICES must not be empty")
}

// neutralPath returns a path of the plugin by which go-xla does not take it for another kind's: it goes by "cuda",
// "nvidia", "rocm" and "amd" anywhere in the path, a folder's name such as amd64 too. The function closes what the path
// needs.
func neutralPath(p Plugin) (path string, closePath func(), err error) {
	upper := strings.ToUpper(p.Path)
	for kind, words := range map[string][]string{"cuda": {"CUDA", "NVIDIA"}, "rocm": {"ROCM", "AMD"}} {
		for _, word := range words {
			if p.Kind == kind || !strings.Contains(upper, word) || runtime.GOOS != "linux" {
				continue
			}
			f, err := os.Open(p.Path)
			if err != nil {
				return "", nil, err
			}
			return fmt.Sprintf("/proc/self/fd/%d", f.Fd()), func() { _ = f.Close() }, nil
		}
	}
	return p.Path, func() {}, nil
}

// errorLine is the beginning of a line of absl's log: its level, date, time, thread, file and line.
var errorLine = regexp.MustCompile(`^[EF]\d{4} \d{2}:\d{2}:\d+\.\d+ +\d+ [^\]]+\] (.*)`)

// reasons returns what a log says went wrong, without absl's beginnings of lines.
func reasons(log string) string {
	var list []string
	for line := range strings.Lines(log) {
		if m := errorLine.FindStringSubmatch(strings.TrimSpace(line)); m != nil && !slices.Contains(list, m[1]) {
			list = append(list, m[1])
		}
	}
	return strings.Join(list, "; ")
}

// autotuneDir is the option of XLA that names the folder in which it keeps which kernels it measured to be fastest.
const autotuneDir = "xla_gpu_per_fusion_autotune_cache_dir"

// keepAutotuning returns the value of XLA_FLAGS with which a plugin's compiler keeps what it measured below the user's
// cache and finds it at the next start. An entry tells the GPU, but not the version of XLA, so each plugin has its own
// folder. The value stays as it is where it says something of that itself, or names a file; with [deterministicOps],
// for which nothing is measured; where the folder cannot be written; and where the plugin does not have the option,
// since an unknown one ends the process.
func keepAutotuning(flags, plugin, cached string) string {
	if strings.Contains(flags, autotuneDir) || strings.Contains(flags, "deterministic_ops") ||
		flags != "" && !strings.HasPrefix(flags, "-") || strings.ContainsAny(cached, " \t\n'\"") {
		return flags
	}
	_, sum, err := cache.User().FileSum(plugin)
	if err != nil {
		return flags
	}
	dir := filepath.Join(cached, "autotune-"+sum[:16])
	if _, err := os.Stat(dir); err != nil {
		data, err := os.ReadFile(plugin)
		if err != nil || !bytes.Contains(data, []byte("\x00"+autotuneDir+"\x00")) || os.MkdirAll(dir, 0o700) != nil {
			return flags
		}
	}
	f, err := os.CreateTemp(dir, "writable-*")
	if err != nil {
		return flags
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return strings.TrimSpace(flags + " --" + autotuneDir + "=" + dir)
}
