package release

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"talbot/internal/testkit"
)

const root = "../.."

// TestMain has the test binary be an engine too: no Stockfish is needed for Windows.
func TestMain(m *testing.M) { testkit.Main(m, func(context.Context, struct{}) error { return nil }) }

// full skips what takes minutes, unless TALBOT_FULL is set, and what needs a program that is not here.
func full(t *testing.T, programs ...string) (first string) {
	t.Helper()
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("SKIPPED: set TALBOT_FULL=1 to build for another platform and run it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: releases are built on Linux")
	}
	for _, p := range programs {
		if found, err := exec.LookPath(p); err == nil {
			return found
		}
	}
	t.Skipf("SKIPPED: %s is not installed", strings.Join(programs, " or "))
	return ""
}

// output runs a program and returns what it writes.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

// compile builds one of our programs for another platform, as scripts/release.sh does.
func compile(t *testing.T, goos, goarch, pkg, to string) string {
	t.Helper()
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-tags", "noxla", "-ldflags", "-s -w", "-o", to,
		pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOEXPERIMENT=simd", "GOOS="+goos, "GOARCH="+goarch)
	output(t, cmd)
	return to
}

// compileTests builds the tests of a package for Windows.
func compileTests(t *testing.T, pkg, to string) {
	t.Helper()
	cmd := exec.Command("go", "test", "-c", "-o", to, "./"+pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=windows", "GOARCH=amd64")
	output(t, cmd)
}

// foreign runs talbot of another platform in a folder of its own.
type foreign struct {
	t      *testing.T
	dir    string
	prefix []string // the emulator and talbot
	env    []string
}

func (f foreign) command(args ...string) *exec.Cmd {
	all := append(append([]string(nil), f.prefix...), args...)
	cmd := exec.Command(all[0], all[1:]...)
	cmd.Dir = f.dir
	cmd.Env = append(os.Environ(), f.env...)
	return cmd
}

// wants runs a command, whose output must match.
func (f foreign) wants(pattern string, args ...string) {
	f.t.Helper()
	out := output(f.t, f.command(args...))
	if !regexp.MustCompile(pattern).MatchString(out) {
		f.t.Errorf("%q says\n%s\nwithout %s", args, out, pattern)
	}
}

// game is a PGN with line ends of Windows.
const game = "[Event \"x\"]\r\n[Site \"https://example.org/%d\"]\r\n[White \"a\"]\r\n[Black \"b\"]\r\n" +
	"[Result \"1-0\"]\r\n\r\n1. e4 e5 2. Qh5 Nc6 3. Bc4 %s 4. Qxf7# 1-0\r\n\r\n"

func (f foreign) games() {
	f.t.Helper()
	text := ""
	for i, move := range []string{"Nf6", "a6", "a5", "b6", "h6", "Nd4", "Rb8", "b5"} {
		text += fmt.Sprintf(game, i, move)
	}
	if err := os.WriteFile(filepath.Join(f.dir, "games.pgn"), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// prng is what Go's programs need of bcryptprimitives.dll, which Wine has from version 9 on.
const prng = `#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE out, SIZE_T n) { return SystemFunction036(out, n); }
`

// wine returns Wine and what to add to its environment. Its prefix is in the folder; an old Wine gets the library
// that Go needs, if there is a compiler for it.
func wine(t *testing.T, dir string) (program string, env []string, old bool) {
	t.Helper()
	program = full(t, "wine64", "wine")
	prefix := filepath.Join(dir, "wine")
	env = []string{"WINEDEBUG=-all", "WINEPREFIX=" + prefix}
	boot := exec.Command(program, "wineboot", "--init")
	boot.Env = append(os.Environ(), env...)
	output(t, boot)
	library := filepath.Join(prefix, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err == nil {
		return program, env, false
	}
	compiler, err := exec.LookPath("x86_64-w64-mingw32-gcc")
	if err != nil {
		t.Skip("SKIPPED: this Wine has no bcryptprimitives.dll (Wine 9 has it), nor is gcc-mingw-w64-x86-64 installed")
	}
	cmd := exec.Command(compiler, "-shared", "-x", "c", "-o", library, "-", "-ladvapi32")
	cmd.Stdin = strings.NewReader(prng)
	output(t, cmd)
	return program, env, true
}

// TestWindows: under Wine, from games to a network that plays, twice where that replaces files.
func TestWindows(t *testing.T) {
	dir := t.TempDir()
	emulator, env, _ := wine(t, dir)
	program := compile(t, "windows", "amd64", "./cmd/talbot", dir+"/talbot.exe")
	f := foreign{t: t, dir: dir, prefix: []string{emulator, program}, env: env}
	compileTests(t, "scripts/release", dir+"/engine.exe")
	testkit.Engine(t) // in what the test starts
	f.games()
	f.wants(`"os":"windows"`, "version", "--json")
	f.wants(`"games_kept":8,`, "ingest", "games.pgn", "--out", `data\games`, "--json")
	f.wants(`games: intact`, "verify", `data\games`)
	f.wants(`40 endgames`, "synth-endgames", "--count", "40", "--pieces", "3-5", "--seed", "3", "--out", "endgames")
	f.wants(`"labelled":40,`, "label", "endgames", "--out", "labelled", "--engine", `.\engine.exe`, "--nodes", "10",
		"--workers", "2", "--json")
	for _, folder := range []string{"data/games", "endgames", "labelled"} {
		if found, err := filepath.Glob(filepath.Join(dir, folder, "*.lock")); err != nil || len(found) > 0 {
			t.Errorf("a finished dataset keeps %q, %v", found, err)
		}
	}
	train := []string{"train", "--data", "labelled", "--run", "run", "--backend", "go", "--json"}
	f.wants(`"steps":3`, append(train, "--blocks", "1", "--filters", "4", "--batch", "8", "--seed", "1", "--steps", "3")...)
	f.wants(`"policy_ce_uniform":`, "eval", "--run", "run", "--data", "labelled", "--backend", "go", "--json")
	play := f.command("play", "run", "--nodes", "10")
	play.Stdin = strings.NewReader("e4\r\nquit\r\n")
	if out := output(t, play); !regexp.MustCompile(`(?m)^black plays [a-hKQRBNO]`).MatchString(out) {
		t.Errorf("play says\n%s", out)
	}
	uci := f.command("uci", "--run", "run", "--backend", "go")
	uci.Stdin = strings.NewReader("uci\r\nposition startpos moves e2e4\r\ngo nodes 10\r\n")
	if out := output(t, uci); !regexp.MustCompile(`(?m)^bestmove [a-h][78][a-h][56]`).MatchString(out) {
		t.Errorf("uci says\n%s", out)
	}
}

// TestWindowsPackages: what is written anew for Windows, under Wine.
func TestWindowsPackages(t *testing.T) {
	prefix := t.TempDir()
	emulator, env, old := wine(t, prefix)
	if old {
		t.Skip("SKIPPED: Wine before version 9 cannot remove folders as the tests of Go do")
	}
	for _, pkg := range []string{"internal/durable", "internal/child"} {
		dir := t.TempDir()
		compileTests(t, pkg, dir+"/x.exe")
		run := exec.Command(emulator, dir+"/x.exe", "-test.v")
		run.Dir = filepath.Join(root, pkg)
		run.Env = append(os.Environ(), env...)
		if out := output(t, run); !strings.Contains(out, "--- PASS: Test") {
			t.Errorf("%s: no test ran:\n%s", pkg, out)
		}
	}
}

// TestARM64: under QEMU, games are read and checked, and the network that comes with talbot makes a move.
func TestARM64(t *testing.T) {
	qemu := full(t, "qemu-aarch64-static", "qemu-aarch64")
	dir := t.TempDir()
	f := foreign{t: t, dir: dir, prefix: []string{qemu, compile(t, "linux", "arm64", "./cmd/talbot", dir+"/talbot")}}
	f.games()
	f.wants(`"arch":"arm64"`, "version", "--json")
	f.wants(`"games_kept":8,`, "ingest", "games.pgn", "--out", "games", "--json")
	f.wants(`games: intact`, "verify", "games")
	uci := f.command("uci", "--backend", "go")
	uci.Stdin = strings.NewReader("uci\nposition startpos moves e2e4\ngo nodes 4\n")
	if out := output(t, uci); !regexp.MustCompile(`(?m)^bestmove [a-h][78][a-h][56]`).MatchString(out) {
		t.Errorf("uci says\n%s", out)
	}
}

// TestArchives: what somebody has unpacked plays at once, with the network that comes with talbot. TALBOT_ARCHIVES is
// the folder of the archives; TestReproducible, which makes some, tries those.
func TestArchives(t *testing.T) {
	dir := os.Getenv("TALBOT_ARCHIVES")
	if dir == "" {
		t.Skip("SKIPPED: set TALBOT_ARCHIVES to the folder of a release, such as dist")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir) // not the folder of the test, which nobody means
	}
	archives(t, dir)
}

// archives tries each archive and wheel in a folder, where this machine can run it.
func archives(t *testing.T, dir string) {
	t.Helper()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(dir, "talbot*.*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	for _, archive := range found {
		t.Run(filepath.Base(archive), func(t *testing.T) { unpacked(t, archive) })
	}
}

// arm64Libraries is where Debian has them on other processors.
const arm64Libraries = "/usr/aarch64-linux-gnu"

// unpacked plays, searches and measures with an archive in a new folder, which is also the home of the user.
func unpacked(t *testing.T, archive string) {
	dir := t.TempDir()
	unpack := exec.Command("tar", "-xzf", archive)
	if !strings.HasSuffix(archive, ".tar.gz") {
		unpack = exec.Command("unzip", "-q", archive)
	}
	unpack.Dir = dir
	output(t, unpack)
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), ".zip")
	f := foreign{t: t, dir: filepath.Join(dir, name), prefix: []string{"./talbot"}, env: []string{"HOME=" + dir,
		"XDG_DATA_HOME=" + dir, "XDG_CACHE_HOME=" + dir}}
	if strings.HasSuffix(name, ".whl") {
		version := strings.Split(name, "-")[1]
		f.dir = filepath.Join(dir, "talbot-"+version+".data", "scripts")
		files := wheel(t, archive)
		if strings.Contains(name, "manylinux") {
			linked(t, files["talbot-"+version+".data/scripts/talbot"])
		}
	}
	arm64 := strings.Contains(name, "_linux_arm64") || strings.Contains(name, "aarch64")
	switch {
	case strings.Contains(name, "_windows_"), strings.Contains(name, "win_amd64"):
		emulator, env, _ := wine(t, dir)
		f.prefix, f.env = []string{emulator, "talbot.exe"}, append(f.env, env...)
	case arm64:
		f.prefix = []string{full(t, "qemu-aarch64-static", "qemu-aarch64"), "./talbot"}
		_, err := os.Stat(arm64Libraries + "/lib/libc.so.6")
		if err != nil && !strings.HasSuffix(name, "_linux_arm64") {
			t.Skip("SKIPPED: the C library of arm64 is not here (Debian's package libc6-arm64-cross)")
		}
		f.env = append(f.env, "QEMU_LD_PREFIX="+arm64Libraries)
	case strings.Contains(name, "_darwin_"), strings.Contains(name, "macosx"):
		t.Skip("SKIPPED: nothing here runs programs of macOS")
	}
	dev := ""
	if strings.Contains(name, "dev") {
		dev = "-dev"
	}
	f.wants(`(?s)^talbot [0-9.]+`+dev+`\r?\n.*network +lynx`, "version")
	began := time.Now()
	play := f.command("play", "--nodes", "8")
	play.Stdin = strings.NewReader("Nf3\nquit\n")
	if out := output(t, play); !regexp.MustCompile(`(?m)^black plays [a-hKQRBNO]`).MatchString(out) {
		t.Errorf("play says\n%s", out)
	}
	t.Logf("%s: a move of play after %.1f s", name, time.Since(began).Seconds())
	uci := f.command("uci")
	uci.Stdin = strings.NewReader("uci\nposition startpos moves e2e4\ngo nodes 8\n")
	if out := output(t, uci); !regexp.MustCompile(`(?m)^bestmove [a-h][78][a-h][56]`).MatchString(out) {
		t.Errorf("uci says\n%s", out)
	}
	if arm64 {
		return // the fixed positions of bench take QEMU hours
	}
	out := output(t, f.command("bench", "--seconds", "200ms", "--batch", "8"))
	if !regexp.MustCompile(`choices [0-9a-f]{16}: 24 positions, 2,400 nodes`).MatchString(out) {
		t.Errorf("bench says\n%s", out)
	}
	t.Log(out)
}

// TestReproducible: the same commit in two folders gives the same bytes, compiled twice, and its archives play.
func TestReproducible(t *testing.T) {
	full(t, "git")
	var sums []string
	for _, name := range []string{"one", "another folder"} {
		dir := filepath.Join(t.TempDir(), name)
		copied := exec.Command("sh", "-c", `mkdir "$1" && git ls-files -z --cached --others --exclude-standard |
			xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh |
			tar -c --null -T - | tar -x -C "$1" && cd "$1" && git init -q && git add -A &&
			git -c user.name=x -c user.email=x@example.org commit -qm x && git tag v0.1.0`, "sh", dir)
		copied.Dir = root
		copied.Env = append(os.Environ(),
			"GIT_AUTHOR_DATE=2026-11-24T00:00:00Z", "GIT_COMMITTER_DATE=2026-11-24T00:00:00Z")
		output(t, copied)
		build := exec.Command("sh", "scripts/release.sh")
		build.Dir = dir
		// Nothing that the first compiled is taken for the second.
		build.Env = append(os.Environ(), "GOCACHE="+filepath.Join(t.TempDir(), "cache"))
		t.Log(output(t, build))
		data, err := os.ReadFile(filepath.Join(dir, "dist", "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(data), "  talbot_0.1.0_") != 6 || strings.Count(string(data), "  talbot-0.1.0-") != 4 {
			t.Fatalf("not 6 archives and 4 wheels:\n%s", data)
		}
		check := exec.Command("sha256sum", "--check", "--strict", "SHA256SUMS")
		check.Dir = filepath.Join(dir, "dist")
		output(t, check)
		if sums == nil {
			archives(t, filepath.Join(dir, "dist"))
		}
		sums = append(sums, string(data))
	}
	if sums[0] != sums[1] {
		t.Errorf("built twice:\n%s\n%s", sums[0], sums[1])
	}
}
