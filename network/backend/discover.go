package backend

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"talbot/network/ort"
)

// Plugin is a PJRT plugin found on this machine.
type Plugin struct {
	Kind string // "cpu", "cuda", "rocm", "oneapi", "metal", or the name in the file's name
	Path string // absolute
}

// GPU is an NVIDIA GPU the system shows.
type GPU struct {
	Name string // model, or the device file when the driver does not tell
	Path string
}

// Discovery is what Discover saw, for talbot doctor.
type Discovery struct {
	Compiled bool     // XLA is compiled in
	SIMD     bool     // the Go backend uses vector instructions
	Plugins  []Plugin // in order of preference
	GPUs     []GPU
	Loads    bool     // ONNX Runtime can be loaded
	Runtime  string   // path of its library; "" if it is missing or cannot be loaded
	Searched []string // the folders looked through for plugins
	Remedies []string // what to do about what is missing; empty if nothing is
}

// Plugin returns the preferred plugin of a kind.
func (f Discovery) Plugin(kind string) (Plugin, bool) {
	for _, p := range f.Plugins {
		if p.Kind == kind {
			return p, true
		}
	}
	return Plugin{}, false
}

// Discover looks for plugins and GPUs. It opens no plugin, starts no program and changes nothing.
//
// Plugins are looked for in PJRT_PLUGIN_LIBRARY_PATH, in the Python environment that talbot is installed in, in
// PluginDir, where go-xla installs them, and in the Python packages of the processor (lammps-jax-pjrt-cpu,
// xla-cpu-pjrt), of CUDA (jax-cuda13-pjrt, jax-cuda12-pjrt), of AMD (jax-rocm7-pjrt), of Intel's GPUs (jax-oneapi-pjrt)
// and of Apple's (metal-pjrt-core), of PackagesDir, CUDADir, the active virtual environment, the Python in PATH, pyenv,
// the user and the system. A CUDA plugin must stay in its Python package, since it finds NVIDIA's libraries relative to
// itself.
func Discover() Discovery {
	home, _ := os.UserHomeDir()
	return discover("/", home, environment(), os.Getenv)
}

// environment returns the Python environment that this program is a command of, if it is one: the folder above its own.
// It is "" if the system does not tell.
func environment() string {
	path, err := os.Executable()
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(path))
}

// GPUs lists the GPUs alone, as [Discover] does.
func GPUs() []GPU { return gpus("/") }

// PluginDir is talbot's own folder for plugins, to which `talbot setup --from` copies them: $XDG_DATA_HOME/talbot/xla,
// by default ~/.local/share/talbot/xla; "" without a home folder.
func PluginDir() string { return userDir("xla") }

// PackagesDir is the folder beside PluginDir for the Python packages that `talbot setup` installs.
func PackagesDir() string { return userDir("packages") }

// CUDADir is the virtual environment of Python that `talbot setup xla-cuda` makes, beside PluginDir.
func CUDADir() string { return userDir("cuda") }

func userDir(name string) string {
	home, _ := os.UserHomeDir()
	return ownDir(home, os.Getenv, name)
}

// ownDir returns one of talbot's own folders, "" without a home folder.
func ownDir(home string, env func(string) string, name string) string {
	data := env("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		if home == "" {
			return ""
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "talbot", name)
}

func discover(root, home, own string, env func(string) string) Discovery {
	f := Discovery{Compiled: XLA, Loads: ort.Compiled, SIMD: SIMD, Searched: pluginDirs(root, home, own, env)}
	seen := map[string]bool{}
	for _, dir := range f.Searched {
		for _, name := range []string{"pjrt_c_api_*_plugin.*", "pjrt?plugin?*.*", "xla_*_plugin.so",
			"xla_cpu_pjrt.so"} {
			paths, _ := filepath.Glob(filepath.Join(dir, name))
			for _, path := range paths {
				kind := kindOf(path)
				info, err := os.Stat(path)
				if kind == "" || err != nil || !info.Mode().IsRegular() {
					continue
				}
				if real, err := filepath.EvalSymlinks(path); err == nil && !seen[real] {
					seen[real] = true
					f.Plugins = append(f.Plugins, Plugin{Kind: kind, Path: path})
				}
			}
		}
	}
	f.GPUs = gpus(root)
	if f.Loads {
		f.Runtime = runtimeLibrary(root, home, own, env)
	}
	for _, kind := range []string{"cpu", "cuda"} {
		if _, ok := f.Plugin(kind); (!ok || !XLA) && (kind == "cpu" || len(f.GPUs) > 0) {
			if r := f.remedy(kind); !slices.Contains(f.Remedies, r) {
				f.Remedies = append(f.Remedies, r)
			}
		}
	}
	return f
}

var pluginName = regexp.MustCompile(`^(?:pjrt_c_api_(.+)_plugin|pjrt[-_]plugin[-_](.+)|xla_(.+)_plugin)\.(?:so|dylib)$`)

// kindOf reads the kind off a plugin's file name, "" if it has none.
func kindOf(path string) string {
	base := filepath.Base(path)
	if base == "xla_cpu_pjrt.so" {
		return "cpu"
	}
	m := pluginName.FindStringSubmatch(base)
	if m == nil {
		return ""
	}
	name := m[1] + m[2] + m[3]
	if name == "mtl" { // of the package metal-pjrt-core
		return "metal"
	}
	for _, kind := range []string{"cpu", "cuda", "rocm", "metal"} {
		if strings.HasPrefix(name, kind) {
			return kind
		}
	}
	return name
}

// pluginPackages are the folders of plugins in Python's packages.
var pluginPackages = []string{"lammps_jax_pjrt_cpu", "xla_plugins/xla_cpu_pjrt", "jax_plugins/xla_cuda13",
	"jax_plugins/xla_cuda12", "jax_plugins/xla_rocm*", "jax_plugins/xla_oneapi", "metal_pjrt_core"}

func pluginDirs(root, home, own string, env func(string) string) []string {
	var dirs []string
	add := func(elem ...string) {
		if elem[0] == "" {
			return
		}
		if dir := filepath.Join(elem...); filepath.IsAbs(dir) && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range filepath.SplitList(env("PJRT_PLUGIN_LIBRARY_PATH")) {
		add(dir)
	}
	for _, name := range pluginPackages {
		for _, dir := range packagesBelow(own, name) {
			add(dir)
		}
	}
	add(ownDir(home, env, "xla"))
	add(home, ".local/share/talbot/xla")
	add(home, ".local/lib/go-xla")
	add(home, ".local/lib/go-xla/nvidia")
	add(home, ".local/lib/gomlx/pjrt")
	add(root, "usr/local/lib/go-xla")
	add(root, "usr/local/lib/go-xla/nvidia")
	add(root, "usr/local/lib/gomlx/pjrt")
	for _, name := range pluginPackages {
		for _, dir := range packages(root, home, env, name) {
			add(dir)
		}
	}
	return dirs
}

// packages are the folders of that name in Python's packages.
func packages(root, home string, env func(string) string, name string) (dirs []string) {
	if dir := ownDir(home, env, "packages"); dir != "" {
		dirs, _ = filepath.Glob(filepath.Join(dir, filepath.FromSlash(name)))
	}
	prefixes := append([]string{env("VIRTUAL_ENV"), env("CONDA_PREFIX")}, pythons(env("PATH"))...)
	prefixes = append(prefixes, ownDir(home, env, "cuda"))
	for _, prefix := range append(prefixes, filepath.Join(home, ".local"),
		filepath.Join(home, ".pyenv/versions/*"), filepath.Join(root, "opt/*"), filepath.Join(root, "opt/*/.venv"),
		filepath.Join(root, "usr/local"), filepath.Join(root, "usr")) {
		dirs = append(dirs, packagesBelow(prefix, name)...)
	}
	return dirs
}

// packagesBelow are the folders of that name in the packages of a Python environment; none if prefix is "".
func packagesBelow(prefix, name string) (dirs []string) {
	if prefix == "" {
		return nil
	}
	for _, packages := range []string{"site-packages", "dist-packages"} {
		found, _ := filepath.Glob(filepath.Join(prefix, "lib/python3*", packages, filepath.FromSlash(name)))
		dirs = append(dirs, found...)
	}
	return dirs
}

// runtimeVariable names ONNX Runtime's library, before all other places.
const runtimeVariable = "ONNXRUNTIME_LIBRARY"

// runtimeLibrary looks for ONNX Runtime: in the variable, in the Python environment that talbot is installed in, in
// talbot's own folder, in Python's package onnxruntime and where systems keep their libraries.
func runtimeLibrary(root, home, own string, env func(string) string) string {
	if path := env(runtimeVariable); path != "" {
		return path
	}
	dirs := append(packagesBelow(own, "onnxruntime/capi"), ownDir(home, env, "xla"))
	dirs = append(dirs, packages(root, home, env, "onnxruntime/capi")...)
	dirs = append(dirs, filepath.Join(root, "usr/local/lib"), filepath.Join(root, "usr/lib"),
		filepath.Join(root, "usr/lib64"), filepath.Join(root, "usr/lib/*-linux-gnu"),
		filepath.Join(root, "opt/homebrew/lib"))
	for _, dir := range dirs {
		for _, name := range []string{"libonnxruntime.so", "libonnxruntime.so.*", "libonnxruntime.dylib",
			"libonnxruntime.*.dylib"} {
			if dir == "" {
				continue
			}
			found, _ := filepath.Glob(filepath.Join(dir, name))
			for _, path := range found {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					return path
				}
			}
		}
	}
	return ""
}

// pythons are the prefixes of the Python that PATH leads to first: of its name there, and of each file that leads on to
// in turn, since a virtual environment is known by the name it is called by.
func pythons(path string) (prefixes []string) {
	for _, dir := range filepath.SplitList(path) {
		at := filepath.Join(dir, "python3")
		if info, err := os.Stat(at); err != nil || info.IsDir() || !filepath.IsAbs(at) {
			continue
		}
		for range 8 { // more are a loop
			prefixes = append(prefixes, filepath.Dir(filepath.Dir(at)))
			to, err := os.Readlink(at)
			if err != nil {
				break
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			at = filepath.Clean(to)
		}
		break
	}
	return prefixes
}

// gpus lists what the NVIDIA driver shows, or the device files where it shows nothing (as in some containers).
func gpus(root string) []GPU {
	var found []GPU
	infos, _ := filepath.Glob(filepath.Join(root, "proc/driver/nvidia/gpus/*/information"))
	for _, path := range infos {
		name := "an NVIDIA GPU"
		if text, err := os.ReadFile(path); err == nil {
			for line := range strings.Lines(string(text)) {
				if model, ok := strings.CutPrefix(line, "Model:"); ok {
					name = strings.TrimSpace(model)
				}
			}
		}
		found = append(found, GPU{Name: name, Path: path})
	}
	if len(found) > 0 {
		return found
	}
	devices, _ := filepath.Glob(filepath.Join(root, "dev/nvidia[0-9]*"))
	for _, path := range devices {
		found = append(found, GPU{Name: "an NVIDIA GPU", Path: path})
	}
	// Under WSL2 there are Windows's driver and a device of its own.
	if dxg := filepath.Join(root, "dev/dxg"); len(found) == 0 && present(dxg) &&
		present(filepath.Join(root, "usr/lib/wsl/lib/libcuda.so.1")) {
		found = append(found, GPU{Name: "an NVIDIA GPU, by WSL2", Path: dxg})
	}
	return found
}

func present(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// remedy says what to do when no plugin of the kind can be used.
func (f Discovery) remedy(kind string) string {
	if !XLA {
		return "XLA is not compiled in: build talbot with a C compiler, CGO_ENABLED=1 and without the tag noxla"
	}
	switch kind {
	case "cpu":
		return "no CPU plugin found: run `talbot setup xla-cpu`, or use --backend go"
	case "cuda":
		if len(f.GPUs) == 0 {
			return "no NVIDIA GPU found (looked in /proc/driver/nvidia/gpus, /dev/nvidia* and /dev/dxg)"
		}
		return "no CUDA plugin found: run `talbot setup xla-cuda`, or name the plugin with --backend " +
			"xla:/path/xla_cuda_plugin.so"
	}
	return fmt.Sprintf("no plugin of the kind %q found; `talbot doctor` lists the plugins", kind)
}
