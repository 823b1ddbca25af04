package release

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wheel returns the files of a wheel, whose list of them and of their checksums must be right.
func wheel(t *testing.T, path string) map[string]string {
	t.Helper()
	r, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files, want, list := map[string]string{}, "", ""
	for _, f := range r.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(data)
		if strings.HasSuffix(f.Name, "/RECORD") {
			want, list = string(data), list+f.Name+",,\n"
			continue
		}
		sum := sha256.Sum256(data)
		list += fmt.Sprintf("%s,sha256=%s,%d\n", f.Name, base64.RawURLEncoding.EncodeToString(sum[:]), len(data))
	}
	sorted := func(lines string) string { return fmt.Sprint(slices.Sorted(strings.Lines(lines))) }
	if sorted(list) != sorted(want) {
		t.Errorf("the wheel's list has\n%swant\n%s", want, list)
	}
	return files
}

// linked checks that the program of a wheel for Linux runs where its name says: with glibc 2.28 and its libraries.
func linked(t *testing.T, program string) {
	t.Helper()
	f, err := elf.NewFile(strings.NewReader(program))
	if err != nil {
		t.Fatal(err)
	}
	symbols, err1 := f.ImportedSymbols()
	libraries, err2 := f.ImportedLibraries()
	if err1 != nil || err2 != nil || len(symbols) == 0 {
		t.Fatal(len(symbols), err1, err2)
	}
	for _, s := range symbols {
		minor, ok := strings.CutPrefix(s.Version, "GLIBC_2.")
		minor, _, _ = strings.Cut(minor, ".")
		if n, err := strconv.Atoi(minor); s.Version != "" && (!ok || err != nil || n > 28) {
			t.Errorf("%s is of %s", s.Name, s.Version)
		}
	}
	for _, l := range libraries {
		if !slices.Contains([]string{"libc.so.6", "libdl.so.2", "libpthread.so.0", "libresolv.so.2"}, l) {
			t.Errorf("it needs %s", l)
		}
	}
}

// TestWheel: the same files give the same wheel; its extras are what talbot installs; pip installs it, and the package
// finds the program that was installed with it.
func TestWheel(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("SKIPPED: python3 is not installed")
	}
	dir := t.TempDir()
	write(t, dir+"/in/talbot", "#!/bin/sh\necho it is installed\n")
	write(t, dir+"/in/licences/LIST", "nothing")
	var first []byte
	for range 2 {
		cmd := exec.Command("python3", "scripts/release/wheel.py", "0.1.0", "linux_amd64", dir+"/in", dir)
		cmd.Dir = root
		output(t, cmd)
		data, err := os.ReadFile(dir + "/talbot-0.1.0-py3-none-manylinux_2_28_x86_64.whl")
		if err != nil || first != nil && !bytes.Equal(first, data) {
			t.Fatalf("%v, or another wheel", err)
		}
		first = data
	}
	path := dir + "/talbot-0.1.0-py3-none-manylinux_2_28_x86_64.whl"
	files := wheel(t, path)
	for _, name := range []string{"talbot/__init__.py", "talbot/py.typed", "talbot-0.1.0.data/scripts/talbot",
		"talbot-0.1.0.dist-info/licenses/licences/LIST"} {
		if _, ok := files[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	metadata := files["talbot-0.1.0.dist-info/METADATA"]
	for _, extra := range []string{"cuda12", "cuda13"} {
		list, err := os.ReadFile(root + "/cmd/talbot/" + extra + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(list)) {
			name, _, _ := strings.Cut(line, " ")
			want := fmt.Sprintf("Requires-Dist: %s; extra == %q and sys_platform == \"linux\"\n", name, extra)
			if !strings.Contains(metadata, want) {
				t.Errorf("no %s", want)
			}
		}
	}
	for _, extra := range []string{"cpu", "onnx"} {
		if want := regexp.MustCompile(`\nRequires-Dist: [a-z-]+==[0-9.]+; extra == "` + extra + `" and `); !want.MatchString(
			metadata) {
			t.Errorf("no %s in\n%s", want, metadata)
		}
	}

	env := dir + "/env"
	install := []string{"-m", "pip", "--python", env + "/bin/python3", "install", "--no-index", "--no-deps", path}
	if out, err := exec.Command("python3", "-m", "venv", "--without-pip", "--system-site-packages",
		env).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 makes no virtual environment: %v\n%s", err, out)
	}
	if out, err := exec.Command("python3", "-m", "pip", "--version").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: python3 has no pip: %v\n%s", err, out)
	}
	output(t, exec.Command("python3", install...))
	if out := output(t, exec.Command(env+"/bin/talbot")); out != "it is installed\n" {
		t.Errorf("it says %q", out)
	}
	if exec.Command(env+"/bin/python3", "-c", "import numpy").Run() != nil {
		t.Skip("SKIPPED: python3 has no numpy for the package")
	}
	other := filepath.Join(dir, "other", "talbot")
	write(t, other, "#!/bin/sh\n")
	if err := os.Chmod(other, 0o755); err != nil {
		t.Fatal(err)
	}
	for variable, want := range map[string]string{"": env + "/bin/talbot", other: other} {
		cmd := exec.Command(env+"/bin/python3", "-c", "import talbot; print(talbot._program())")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TALBOT="+variable, "PATH="+filepath.Dir(other))
		if out := strings.TrimSpace(output(t, cmd)); out != want {
			t.Errorf("with TALBOT=%s the package runs %s, want %s", variable, out, want)
		}
	}
}
