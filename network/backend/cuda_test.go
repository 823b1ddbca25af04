package backend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/fault"
)

// TestToolkit: ptxas and libdevice are found where Python's packages and systems have them, together or apart.
func TestToolkit(t *testing.T) {
	const (
		site   = "venv/lib/python3.12/site-packages/"
		plugin = site + "jax_plugins/xla_cuda13/xla_cuda_plugin.so"
		other  = "home/.local/lib/python3.11/site-packages/"
	)
	for name, c := range map[string]struct {
		files                    []string
		env                      map[string]string
		known                    bool
		ptxas, libdevice, folder string
		missing                  string
	}{
		"jax's packages": {files: []string{site + "nvidia/cu13/bin/ptxas",
			site + "nvidia/cu13/nvvm/libdevice/libdevice.10.bc"}, known: true},
		"packages of CUDA 12": {files: []string{site + "nvidia/cuda_nvcc/bin/ptxas",
			site + "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"}, known: true},
		"the toolkit": {files: []string{"usr/local/cuda/bin/ptxas", "usr/local/cuda/nvvm/libdevice/libdevice.10.bc"},
			known: true},
		"PyTorch and Triton": {files: []string{site + "torch/bin/ptxas", site + "triton/backends/nvidia/bin/ptxas",
			site + "triton/backends/nvidia/lib/libdevice.10.bc"},
			ptxas: site + "torch/bin/ptxas", libdevice: site + "triton/backends/nvidia/lib/libdevice.10.bc"},
		"a toolkit elsewhere": {files: []string{"cuda-12.9/bin/ptxas", "cuda-12.9/nvvm/libdevice/libdevice.10.bc"},
			env: map[string]string{"CUDA_HOME": "cuda-12.9"}, ptxas: "cuda-12.9/bin/ptxas",
			libdevice: "cuda-12.9/nvvm/libdevice/libdevice.10.bc", folder: "cuda-12.9"},
		"a version of the toolkit": {files: []string{"usr/local/cuda-13.0/bin/ptxas",
			"usr/local/cuda-13.0/nvvm/libdevice/libdevice.10.bc"}, ptxas: "usr/local/cuda-13.0/bin/ptxas",
			libdevice: "usr/local/cuda-13.0/nvvm/libdevice/libdevice.10.bc", folder: "usr/local/cuda-13.0"},
		"in two environments": {files: []string{"bin/ptxas", other + "nvidia/cu13/nvvm/libdevice/libdevice.10.bc"},
			env: map[string]string{"PATH": "bin"}, ptxas: "bin/ptxas",
			libdevice: other + "nvidia/cu13/nvvm/libdevice/libdevice.10.bc"},
		"no libdevice": {files: []string{site + "torch/bin/ptxas"}, ptxas: site + "torch/bin/ptxas",
			missing: "libdevice.10.bc"},
		"neither": {missing: "ptxas and libdevice.10.bc"},
	} {
		t.Run(name, func(t *testing.T) {
			root, _ := machine(t, nil, append(c.files, plugin)...)
			in := func(path string) string {
				if path == "" {
					return ""
				}
				return filepath.Join(root, path)
			}
			found := findToolkit(root, in("home"), in(plugin), func(name string) string { return in(c.env[name]) })
			if found.known != c.known || found.ptxas != in(c.ptxas) || found.libdevice != in(c.libdevice) {
				t.Fatalf("%+v", found)
			}
			if c.known {
				return
			}
			dir, err := found.folder(func() (string, error) { return in("cache"), nil })
			if c.missing != "" {
				_, hint := fault.Of(err)
				if err == nil || !strings.HasSuffix(err.Error(), ": "+c.missing) ||
					!strings.Contains(hint, "nvidia-cuda-nvcc nvidia-nvvm") {
					t.Fatalf("%v; %s", err, hint)
				}
				return
			}
			if err != nil || c.folder != "" && dir != in(c.folder) {
				t.Fatalf("%q, %v", dir, err)
			}
			again, err := found.folder(func() (string, error) { return in("cache"), nil })
			if err != nil || again != dir {
				t.Errorf("%q, then %q, %v", dir, again, err)
			}
			for _, path := range []string{ptxasPath, libdevicePath} {
				if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestKeepAutotuning: XLA is told of a folder for what it measures only where that is safe.
func TestKeepAutotuning(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const ours = "--xla_gpu_cuda_data_dir=/cuda"
	for name, c := range map[string]struct {
		flags, plugin string
		kept          bool
	}{
		"nothing said":        {"", "a\x00" + autotuneDir + "\x00b", true},
		"other options":       {ours, "a\x00" + autotuneDir + "\x00b", true},
		"a plugin without it": {ours, "a\x00" + autotuneDir + "s\x00b xla." + autotuneDir + "\x00", false},
		"said already":        {"--" + autotuneDir + "=/mine", "\x00" + autotuneDir + "\x00", false},
		"deterministic":       {"--" + deterministicOps + "=true", "\x00" + autotuneDir + "\x00", false},
		"so in another way":   {"--xla_gpu_exclude_nondeterministic_ops", "\x00" + autotuneDir + "\x00", false},
		"a file of options":   {"/etc/xla", "\x00" + autotuneDir + "\x00", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			plugin, cached := filepath.Join(dir, "plugin.so"), filepath.Join(dir, "cache")
			if err := os.WriteFile(plugin, []byte(c.plugin), 0o666); err != nil {
				t.Fatal(err)
			}
			got := keepAutotuning(c.flags, plugin, cached)
			before, folder, kept := strings.Cut(got, "--"+autotuneDir+"="+cached)
			again := keepAutotuning(c.flags, plugin, cached)
			if kept != c.kept || strings.TrimSpace(before) != c.flags || again != got {
				t.Fatalf("%q", got)
			}
			if !kept {
				return
			}
			if left, err := os.ReadDir(cached + folder); err != nil || len(left) != 0 {
				t.Errorf("%v, %v", left, err)
			}
			if err := os.WriteFile(plugin, []byte(c.plugin+"newer"), 0o666); err != nil {
				t.Fatal(err)
			}
			if newer := keepAutotuning(c.flags, plugin, cached); newer == got || !strings.Contains(newer, cached) {
				t.Errorf("of another plugin %q, too", newer)
			}
			if got := keepAutotuning(c.flags, plugin, filepath.Join(dir, "a b")); got != c.flags {
				t.Errorf("a folder with a space: %q", got)
			}
			if got := keepAutotuning(c.flags, plugin, filepath.Join(plugin, "below")); got != c.flags {
				t.Errorf("a folder that cannot be made: %q", got)
			}
		})
	}
}

// TestNeutralPath: go-xla goes by words anywhere in a path.
func TestNeutralPath(t *testing.T) {
	for path, neutral := range map[string]bool{
		"plain/pjrt_c_api_cpu_plugin.so": false, "cuda-13/pjrt_c_api_cpu_plugin.so": true,
		"lib/amd64/pjrt_c_api_cpu_plugin.so": true, "nvidia/xla_cuda_plugin.so": false,
	} {
		root, _ := machine(t, nil, path)
		at := filepath.Join(root, path)
		got, end, err := neutralPath(Plugin{Kind: kindOf(at), Path: at})
		if err != nil {
			t.Fatal(err)
		}
		if (got != at) != neutral {
			t.Errorf("%s: %s", path, got)
		}
		if text, err := os.ReadFile(got); err != nil || len(text) == 0 {
			t.Errorf("%s: %v", path, err)
		}
		end()
	}
}

// TestReasons drops what stands before the words of a log, and what is no error.
func TestReasons(t *testing.T) {
	const log = `I0000 00:00:1790000000.000001   12 cuda_executor.cc:1] loading
E1127 22:52:06.849356   13100 cuda_platform.cc:51] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device
E1127 22:52:06.849400   13100 cuda_platform.cc:51] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device
E0000 00:00:1790000000.000001   13100 x.cc:9] and more
`
	if got := reasons(log); got != "failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device; and more" {
		t.Error(got)
	}
}

// TestGPUShare leaves other programs and the screen their memory.
func TestGPUShare(t *testing.T) {
	for text, want := range map[string]float64{
		"": 0.75, "no devices were found": 0.75, "8192, 600\n": (8192 - 600 - 1024.0) / 8192, "81920, 4\n": 0.95,
		"8192, 7900": 0.25,
	} {
		if got := shareOf(text); got != want {
			t.Errorf("%q: %g, want %g", text, got, want)
		}
	}
}

// TestKinds of plugins by their files' names.
func TestKinds(t *testing.T) {
	for name, want := range map[string]string{
		"xla_cuda_plugin.so": "cuda", "xla_rocm_plugin.so": "rocm", "xla_oneapi_plugin.so": "oneapi",
		"pjrt_c_api_mtl_plugin.dylib": "metal", "pjrt_plugin_metal_14.dylib": "metal", "xla_cpu_pjrt.so": "cpu",
		"pjrt_c_api_cuda13_plugin.so": "cuda", "pjrt-plugin-tpu.so": "tpu", "libfoo.so": "",
	} {
		if got := kindOf(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
