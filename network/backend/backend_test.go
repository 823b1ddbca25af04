package backend

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"talbot/network/ort"
)

// machine makes a file tree and returns discover for it.
func machine(t *testing.T, env map[string]string, files ...string) (string, Discovery) {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		path := filepath.Join(root, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("Model: \t NVIDIA Test 9000\nIRQ: 1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(root, name) }
	return root, discover(root, in("home"), in("own"), func(name string) string {
		if v := env[name]; v != "" {
			return in(v)
		}
		return ""
	})
}

func TestDiscover(t *testing.T) {
	root, f := machine(t, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "mine", "VIRTUAL_ENV": "venv"},
		"mine/pjrt_c_api_cpu_plugin.so",
		"own/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		"venv/lib/python3.12/site-packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
		"own/lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		"home/.local/share/talbot/xla/pjrt_c_api_cpu_plugin.so",
		"home/.local/lib/go-xla/pjrt-plugin-tpu.so",
		"usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda13_plugin.so",
		"venv/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		"venv/lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		"usr/lib/python3/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		"proc/driver/nvidia/gpus/0000:01:00.0/information", "dev/nvidia0", "mine/libfoo.so")
	want := []string{
		"cpu mine/pjrt_c_api_cpu_plugin.so",
		"cpu own/lib/python3.12/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		"cuda own/lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		"cpu home/.local/share/talbot/xla/pjrt_c_api_cpu_plugin.so",
		"tpu home/.local/lib/go-xla/pjrt-plugin-tpu.so",
		"cuda usr/local/lib/go-xla/nvidia/pjrt_c_api_cuda13_plugin.so",
		"cpu venv/lib/python3.12/site-packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
		"cuda venv/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		"cuda venv/lib/python3.12/site-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		"cuda usr/lib/python3/dist-packages/jax_plugins/xla_cuda12/xla_cuda_plugin.so",
	}
	var got []string
	for _, p := range f.Plugins {
		rel, _ := filepath.Rel(root, p.Path)
		got = append(got, p.Kind+" "+rel)
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("plugins\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(f.GPUs) != 1 || f.GPUs[0].Name != "NVIDIA Test 9000" {
		t.Errorf("GPUs %+v", f.GPUs)
	}
	if XLA && len(f.Remedies) != 0 {
		t.Errorf("remedies %q", f.Remedies)
	}
}

// TestDiscoverPython: the packages of the Python that PATH leads to are found, through links, as in a virtual
// environment that is not active.
func TestDiscoverPython(t *testing.T) {
	const plugin = "lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	root, _ := machine(t, nil, "opt/torch/env/"+plugin, "base/bin/python3.12", "opt/torch/env/bin/pip", "bin/sh")
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("../../../../base/bin/python3.12", "opt/torch/env/bin/python3")
	link(filepath.Join(root, "opt/torch/env/bin/python3"), "bin/python3")
	path := func(name string) string {
		if name == "PATH" {
			return "none:" + filepath.Join(root, "nosuch") + ":" + filepath.Join(root, "bin")
		}
		return ""
	}
	p, ok := discover(root, filepath.Join(root, "home"), "", path).Plugin("cuda")
	if !ok || p.Path != filepath.Join(root, "opt/torch/env", plugin) {
		t.Errorf("%+v, %v", p, ok)
	}
	os.Remove(filepath.Join(root, "bin/python3"))
	link("python3", "bin/python3") // to itself
	if f := discover(root, filepath.Join(root, "home"), "", path); len(f.Plugins) != 0 {
		t.Errorf("%+v", f.Plugins)
	}
}

// TestDiscoverRuntime: ONNX Runtime is found where it is named, in talbot's own environment, in its folder, in Python's
// packages and where systems keep libraries, in this order.
func TestDiscoverRuntime(t *testing.T) {
	if _, f := machine(t, nil, "usr/lib/libfoo.so"); f.Runtime != "" {
		t.Errorf("found %q", f.Runtime)
	}
	places := []string{"named/ort.so", "own/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.31.1",
		"home/.local/share/talbot/xla/libonnxruntime.so",
		"venv/lib/python3.12/site-packages/onnxruntime/capi/libonnxruntime.so.1.31.1",
		"usr/lib/x86_64-linux-gnu/libonnxruntime.so.1.31"}
	for i, want := range places {
		env := map[string]string{"VIRTUAL_ENV": "venv"}
		if i == 0 {
			env[runtimeVariable] = want
		}
		root, f := machine(t, env, append(places[i:], "venv/lib/python3.12/site-packages/onnxruntime/capi/other.so",
			"usr/lib/libonnxruntime_providers_shared.so")...)
		if ort.Compiled && f.Runtime != filepath.Join(root, want) || !ort.Compiled && f.Runtime != "" {
			t.Errorf("found %q, want %q", f.Runtime, want)
		}
	}
}

// TestRuntimeFallsBack: a library that does not load is an error where it is asked for, and named where it is not.
func TestRuntimeFallsBack(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "libonnxruntime.so")
	if err := os.WriteFile(broken, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(runtimeVariable, broken)
	if b, err := OpenForInference("onnx"); err == nil || ort.Compiled && !strings.Contains(err.Error(), broken) {
		t.Errorf("%v, %v", b, err)
	}
	b, err := OpenForInference("auto")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	if b.OnRuntime() || ort.Compiled && !strings.Contains(b.Why, broken) {
		t.Errorf("%s: %s", b.Kind, b.Why)
	}
	for _, spec := range []string{"onnx", "onnxruntime"} {
		if _, err := Open(spec); err == nil {
			t.Errorf("%s trains", spec)
		}
	}
}

func TestDiscoverNamesTheRemedy(t *testing.T) {
	_, bare := machine(t, nil)
	if len(bare.Plugins) != 0 || len(bare.GPUs) != 0 || len(bare.Remedies) != 1 {
		t.Errorf("bare machine: %+v", bare)
	}
	_, gpu := machine(t, nil, "dev/nvidia0", "dev/nvidiactl")
	if len(gpu.GPUs) != 1 || XLA && len(gpu.Remedies) != 2 {
		t.Errorf("machine with a GPU: %+v", gpu)
	}
	if XLA && !strings.Contains(strings.Join(bare.Remedies, ""), "talbot setup xla-cpu") {
		t.Errorf("remedies %q", bare.Remedies)
	}
}

func TestAutoFallsBackToGo(t *testing.T) {
	root, found := machine(t, map[string]string{"PJRT_PLUGIN_LIBRARY_PATH": "mine"},
		"mine/pjrt_c_api_cpu_plugin.so", "mine/pjrt_c_api_cuda_plugin.so", "dev/nvidia0")
	b, err := openAuto(found)
	if err != nil {
		t.Fatal(err)
	}
	if b.Kind != "go" || XLA && !strings.Contains(b.Why, filepath.Join(root, "mine/pjrt_c_api_cpu_plugin.so")) {
		t.Errorf("opened %s: %s", b.Kind, b.Why)
	}
	b, err = openAuto(Discovery{})
	if err != nil || b.Kind != "go" || !strings.Contains(b.Why, "no XLA plugin") {
		t.Errorf("bare machine: %+v, %v", b, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	notPlugin := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
	if err := os.WriteFile(notPlugin, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"cuda", "xla", "xla:", "xla:relative.so", "xla:/nosuch/plugin.so",
		"xla:" + notPlugin} {
		if b, err := Open(spec); err == nil {
			t.Errorf("%q opened %s", spec, b.Kind)
		}
	}
}

func TestOpenedBackendsCompute(t *testing.T) {
	for _, spec := range []string{"auto", "go", "xla:cpu"} {
		t.Run(spec, func(t *testing.T) {
			b, err := Open(spec)
			if err != nil {
				if spec == "xla:cpu" {
					t.Skipf("NOT TESTED on %s: %v", spec, err)
				}
				t.Fatal(err)
			}
			t.Log(b.Why)
			out := graph.MustNewExec(b.Backend, func(x *graph.Node) *graph.Node {
				return graph.Add(x,
					x)
			}).MustCall(float32(21))[0]
			if got := tensors.ToScalar[float32](out); got != 42 {
				t.Errorf("21 + 21 = %g", got)
			}
		})
	}
}

func TestMemory(t *testing.T) {
	if bytes, source := cudaMemory("143771\n80000\n"); bytes != 143771<<20/4*3 || !strings.Contains(source, "GPU") {
		t.Errorf("%d, %q", bytes, source)
	}
	for _, text := range []string{"", "[N/A]", "-5"} {
		if bytes, _ := cudaMemory(text); bytes != 0 {
			t.Errorf("%q: %d", text, bytes)
		}
	}
	if free := (&Backend{Kind: "go"}).Free(); runtime.GOOS == "linux" && free < 1<<26 {
		t.Errorf("%d bytes are free", free)
	}
	if free := (&Backend{Kind: "xla:cuda"}).Free(); free != 0 {
		t.Errorf("a GPU has %d bytes free in the machine", free)
	}
	if bytes, source := (&Backend{Kind: "xla:cpu"}).Memory(); runtime.GOOS == "linux" &&
		(bytes < 1<<28 || source == "") {
		t.Errorf("this machine has %d bytes, %q", bytes, source)
	}
}

// TestHostMemory reads what Linux tells of a machine of 16,000 kB with 9,000 free and 500 of swap, with and without
// groups.
func TestHostMemory(t *testing.T) {
	const meminfo = "MemTotal: 16000 kB\nMemFree: 100 kB\nMemAvailable: 9000 kB\nSwapFree: 500 kB\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  host
	}{
		"machine": {map[string]string{"proc/meminfo": meminfo}, host{16000 << 10, 9500 << 10}},
		"old kernel": {map[string]string{"proc/meminfo": "MemTotal: 16000 kB\nSwapFree: 500 kB\n"},
			host{16000 << 10, 0}},
		"another system": {nil, host{}},
		"no limit": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max":     "max\n",
			"sys/fs/cgroup/memory.current": "1000\n"}, host{16000 << 10, 9500 << 10}},
		"container": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max":     "4096000\n",
			"sys/fs/cgroup/memory.current": "3072000\n", "sys/fs/cgroup/memory.stat": "anon 1\ninactive_file " +
				"1024000\n"}, host{4000 << 10, 2500 << 10}},
		"a group above": {map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/memory.max":     "4096000\n",
			"sys/fs/cgroup/a/memory.current": "2048000\n", "sys/fs/cgroup/a/b/memory.max": "8192000\n"},
			host{4000 << 10, 2500 << 10}},
		"version 1": {map[string]string{"proc/meminfo": meminfo,
			"proc/self/cgroup":                             "9:name=systemd:/x\n4:memory:/a\n0::/\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
			"sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096000\n",
			"sys/fs/cgroup/memory/a/memory.usage_in_bytes": "4096000\n",
			"sys/fs/cgroup/memory/a/memory.stat":           "total_inactive_file 512000\n"},
			host{4000 << 10, 1000 << 10}},
	} {
		root := t.TempDir()
		for path, text := range test.files {
			path = filepath.Join(root, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got := hostMemory(root); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestDeterministicFlags(t *testing.T) {
	const added = "--xla_gpu_deterministic_ops=true"
	for flags, want := range map[string]string{
		"": added, " ": added,
		"--xla_dump_to=/tmp/x  --xla_gpu_autotune_level=0": "--xla_dump_to=/tmp/x  --xla_gpu_autotune_level=0 " +
			added,
		"--xla_gpu_deterministic_ops":             "--xla_gpu_deterministic_ops",
		"--a=1 --xla_gpu_deterministic_ops=1 --b": "--a=1 --xla_gpu_deterministic_ops=1 --b",
		"--xla_gpu_deterministic_ops_of_another_name=false": "--xla_gpu_deterministic_ops_of_another_name=false " +
			added,
	} {
		if got, err := deterministicFlags(flags); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", flags, got, err, want)
		}
	}
	for flags, want := range map[string]string{"--xla_gpu_deterministic_ops=false": "cannot be used",
		"/etc/xla.flags": "is a file of options"} {
		if got, err := deterministicFlags(flags); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", flags, got, err)
		}
	}
	t.Setenv(xlaFlags, "--xla_cpu_enable_fast_math=false")
	if err := MakeDeterministic(); err != nil || os.Getenv(xlaFlags) != "--xla_cpu_enable_fast_math=false "+added {
		t.Errorf("%v, %q", err, os.Getenv(xlaFlags))
	}
}
