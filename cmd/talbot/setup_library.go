package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"talbot/internal/cli"
	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/network/backend"
	"talbot/network/ort"
)

// wheel is a Python package that holds a library.
type wheel struct {
	name    string   // and version
	size    string   // for the plan
	options []string // pip's flags that choose a platform
	member  string   // the library
	sum     string   // SHA-256 of the library
}

// onnxVersion is that of ONNX Runtime's Python package.
const onnxVersion = "1.31.1"

// wheels are the packages of a part by system. What they hold does not depend on Python.
var wheels = map[string]map[string]wheel{
	partCPU: {"linux/amd64": {"xla-cpu-pjrt==0.0.1", "60 MB to download, 260 MB on disk", nil,
		"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		"88c3f28c5900f48ad4a82cab9e79bba9537809743395e341485f8794268820dc"}},
	partONNX: {
		"linux/amd64": onnxWheel("manylinux_2_28_x86_64", "libonnxruntime.so."+onnxVersion,
			"fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3"),
		"linux/arm64": onnxWheel("manylinux_2_28_aarch64", "libonnxruntime.so."+onnxVersion,
			"8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467"),
		"darwin/arm64": onnxWheel("macosx_14_0_arm64", "libonnxruntime."+onnxVersion+".dylib",
			"07fde7652b628c2c744155cf49020f368ddf5e1e13fc17817d1350514446bef8"),
	},
}

func onnxWheel(platform, library, sum string) wheel {
	return wheel{"onnxruntime==" + onnxVersion, "24 MB to download, 30 MB on disk", []string{"--python-version", "3.13",
		"--implementation", "cp", "--abi", "cp313", "--platform", platform}, "onnxruntime/capi/" + library, sum}
}

// planWheel plans the library of a part, taken from a Python package.
func planWheel(part string, m machine) (step, error) {
	from, ok := wheels[part][m.os+"/"+m.arch]
	otherwise := "use a library that you have: `talbot setup " + part + " --from FILE`"
	switch {
	case !ok:
		return step{}, fault.Hint(fmt.Errorf("%s: there is no package for %s/%s", part, m.os, m.arch), otherwise)
	case !m.pip():
		return step{}, fault.Hint(fmt.Errorf("%s: python3 with pip is missing", part), "install pip, or "+otherwise)
	}
	to, err := m.library(part)
	if err != nil {
		return step{}, err
	}
	return step{part: part,
		plan: []string{"from the Python package " + from.name + ", with pip (" + from.size + ")", "into " + to},
		do: func(ctx context.Context) error {
			if err := from.install(ctx, to, runProgram); err != nil {
				return fault.Hint(err, "check the internet connection, or "+otherwise)
			}
			return nil
		}}, nil
}

// install downloads into a folder beside the library, so that an interrupted download leaves no library.
func (w wheel) install(ctx context.Context, to string, run func(context.Context, []string) error) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(filepath.Dir(to), ".fetch-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := run(ctx, append([]string{"python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
		"--no-deps", "--only-binary", ":all:", "--dest", dir, w.name}, w.options...)); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return fmt.Errorf("pip brought %d packages instead of one", len(files))
	}
	archive, err := zip.OpenReader(files[0])
	if err != nil {
		return fmt.Errorf("%q: %w", filepath.Base(files[0]), err)
	}
	defer archive.Close()
	in, err := archive.Open(w.member)
	if err != nil {
		return fmt.Errorf("%q: %w", filepath.Base(files[0]), err)
	}
	defer in.Close()
	return putLibrary(in, to, w.sum)
}

// putLibrary writes a library whole or not at all, and only if it has that SHA-256, where one is given.
func putLibrary(in io.Reader, to, sum string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(to)
	if err != nil {
		return err
	}
	defer out.Abort()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(out, hash), in); err != nil {
		return fmt.Errorf("writing %q: %w", to, err)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); sum != "" && got != sum {
		return fault.Hint(fmt.Errorf("the library's SHA-256 is %s, not %s", got, sum),
			"try again; if this happens again, the package has changed: do not use it")
	}
	if err := out.Commit(); err != nil {
		return err
	}
	cli.Note("setup: installed %s\n", to)
	return nil
}

// library is where a library goes: into the folder in which backend.Discover looks.
func (m machine) library(part string) (string, error) {
	if m.plugins == "" {
		return "", fault.Hint(errors.New("there is no home folder to install the library in"), "set XDG_DATA_HOME")
	}
	extension := ".so"
	if m.os == "darwin" {
		extension = ".dylib"
	}
	if part == partONNX {
		return filepath.Join(m.plugins, "libonnxruntime"+extension), nil
	}
	return filepath.Join(m.plugins, "pjrt_c_api_"+pluginKind(part)+"_plugin"+extension), nil
}

// planFromFile plans the copy of a library.
func planFromFile(part, from string, found backend.Discovery, m machine) (step, error) {
	if err := compiledIn(part, found); err != nil {
		return step{}, err
	}
	if err := checkLibrary(part, from); err != nil {
		return step{}, fault.Hint(err,
			"--from takes a PJRT plugin such as xla_cpu_pjrt.so, or ONNX Runtime's library such as "+
				"libonnxruntime.so")
	}
	to, err := m.library(part)
	if err != nil {
		return step{}, err
	}
	return step{part: part, plan: []string{"a copy of " + from, "into " + to}, do: func(context.Context) error {
		in, err := os.Open(from)
		if err != nil {
			return err
		}
		defer in.Close()
		return putLibrary(in, to, "")
	}}, nil
}

// checkLibrary returns an error unless a file is a library that has the name of the entry point of a part.
func checkLibrary(part, path string) error {
	symbol := "GetPjrtApi"
	if part == partONNX {
		symbol = "OrtGetApiBase"
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := ort.CheckLibrary(path); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	elf, machO := []byte("\x7fELF"), []byte("\xcf\xfa\xed\xfe")
	if !bytes.HasPrefix(data, elf) && !bytes.HasPrefix(data, machO) {
		return fmt.Errorf("%q is not a shared library", path)
	}
	if !bytes.Contains(data, []byte(symbol+"\x00")) {
		return fmt.Errorf("%q lacks the function %s", path, symbol)
	}
	return nil
}
