package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"talbot/internal/durable"
	"talbot/internal/fault"
	"talbot/network/backend"
	"talbot/network/ort"
)

// wheel is a Python package that holds a library. It is installed as it is: what it holds does not depend on Python.
type wheel struct {
	name    string   // and version
	sum     string   // its SHA-256
	size    string   // for the plan
	options []string // pip's flags that choose a platform
}

// wheels are the packages of a part by system.
var wheels = map[string]map[string]wheel{
	// XLA of jaxlib 0.11.2, built for LAMMPS: with AVX-512 it trains 1.17 times as fast as xla-cpu-pjrt 0.0.1.
	partCPU: {"linux/amd64": {"lammps-jax-pjrt-cpu==0.11.2",
		"1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
		"60 MB to download, 200 MB on disk", nil}},
	partONNX: {
		"linux/amd64": onnxWheel("manylinux_2_28_x86_64",
			"74a6a52994616c4d18b33db1e13c226333a70a6ba07480a5cab9c2a50dff1430"),
		"linux/arm64": onnxWheel("manylinux_2_28_aarch64",
			"dcaedc50333876f3829ab966b242147f0e548229e29c36fe44622ecf748c25ee"),
		"darwin/arm64": onnxWheel("macosx_14_0_arm64",
			"e4ad067d36e2220218e085d7223283b2ee1bc73d887e811fd14d21cf901a11ee"),
	},
}

func onnxWheel(platform, sum string) wheel {
	return wheel{"onnxruntime==1.31.1", sum, "24 MB to download, 30 MB on disk",
		[]string{"--python-version", "3.13", "--implementation", "cp", "--abi", "cp313", "--platform", platform}}
}

// planWheel plans the library of a part, in a Python package.
func planWheel(part string, m machine) (step, error) {
	from, ok := wheels[part][m.os+"/"+m.arch]
	otherwise := "use a library that you have: `talbot setup " + part + " --from FILE`"
	switch {
	case !ok:
		return step{}, fault.Hint(fmt.Errorf("%s: there is no package for %s/%s", part, m.os, m.arch), otherwise)
	case !m.pip():
		return step{}, fault.Hint(fmt.Errorf("%s: python3 with pip is missing", part), "install pip, or "+otherwise)
	case m.packages == "":
		return step{}, errNoHome
	}
	listed := filepath.Join(m.packages, part+".txt")
	install := append([]string{"python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
		"--only-binary", ":all:", "--upgrade", "--target", m.packages, "--require-hashes", "--requirement", listed},
		from.options...)
	return step{part: part,
		plan: []string{"the Python package " + from.name + ", with pip (" + from.size + ")", "into " + m.packages},
		do: func(ctx context.Context) error {
			if err := os.MkdirAll(m.packages, 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(listed, []byte(from.name+" --hash=sha256:"+from.sum+"\n"), 0o666); err != nil {
				return err
			}
			if err := runProgram(ctx, install); err != nil {
				return fault.Hint(err, "check the internet connection, or "+otherwise)
			}
			return nil
		}}, nil
}

// errNoHome says that there is no place of the user's for what is installed.
var errNoHome = fault.Hint(errors.New("there is no home folder to install it in"), "set XDG_DATA_HOME")

// library is where a library goes: into the folder in which backend.Discover looks.
func (m machine) library(part string) (string, error) {
	if m.plugins == "" {
		return "", errNoHome
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
	return step{part: part, plan: []string{"a copy of " + from, "into " + to},
		do: func(context.Context) error { return copyLibrary(from, to) }}, nil
}

// copyLibrary copies a library whole or not at all.
func copyLibrary(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	out, err := durable.CreateAtomic(to)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return fmt.Errorf("writing %q: %w", to, err)
	}
	return out.Commit()
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
