package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/testkit"
	"talbot/network/backend"
)

// find returns the check of that name, empty if there is none.
func (d *diagnosis) find(name string) check {
	for _, c := range d.Checks {
		if c.Name == name {
			return c
		}
	}
	return check{}
}

// fakeEngine is a program that greets as a UCI engine, or does not.
func fakeEngine(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	testkit.OK(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o777))
	return path
}

const greets = `while read line; do case $line in
uci) echo "id name Fake 7"; echo "option name Threads type spin default 1 min 1 max 8"; echo "option name Hash type spin default 16 min 1 max 64"; echo uciok;;
isready) echo readyok;;
compiler) echo "Compilation settings include:  64bit AVX2 SSE2";;
"go nodes 500000") echo "info depth 9 score cp 12 nodes 499999 pv d4c5"; echo "bestmove d4c5";;
quit) exit;;
esac; done
`

func TestSlowBuild(t *testing.T) {
	for _, c := range []struct {
		compiler string
		avx2     bool
		slow     bool
	}{
		{"Compiled by g++\nCompilation settings include:  64bit SSE2", true, true},
		{"Compilation settings include:  64bit SSE41 SSSE3 SSE2 POPCNT", true, true},
		{"Compilation settings include:  64bit SSE2", false, false},
		{"Compilation settings include:  64bit BMI2 AVX2 SSE41", true, false},
		{"Compilation settings       : 64bit VNNI AVX512 BMI2", true, false},
		{"", true, false},
		{"I am Lc0", true, false},
	} {
		if got := slowBuild(c.compiler, c.avx2) != ""; got != c.slow {
			t.Errorf("%q with AVX2 %v: slow %v", c.compiler, c.avx2, got)
		}
	}
}

func TestDiagnose(t *testing.T) {
	ctx := context.Background()
	gpu := []backend.GPU{{Name: "NVIDIA Test 9000", Path: "/proc/gpu"}}
	plugins := []backend.Plugin{{Kind: "cpu", Path: "/x/cpu.so"}, {Kind: "cuda", Path: "/x/cuda.so"}}

	d := diagnose(ctx, fakeEngine(t, greets), backend.Discovery{Compiled: true, SIMD: true, GPUs: gpu,
		Plugins: plugins})
	if !d.OK || d.Stockfish.Name != "Fake 7" || len(d.Stockfish.Build) != 16 || d.Threads < 1 || d.Cores < 1 {
		t.Errorf("all there: %+v", d)
	}
	for _, c := range d.Checks {
		if c.Name != "disk" && c.Name != "onnx" && (c.Status != statusOK || c.Remedy != "") {
			t.Errorf("all there, but %+v", c)
		}
	}

	if s := d.Stockfish; s.NodesPerSecond <= 0 || !strings.Contains(s.Compiler, "AVX2") {
		t.Errorf("engine %+v", s)
	}
	d.AVX2 = true
	d.checkStockfish(ctx, fakeEngine(t, strings.ReplaceAll(greets, "AVX2 SSE2", "SSE2")))
	if c := d.find("build"); c.Status != statusAbsent ||
		!strings.Contains(c.Remedy, "scripts/setup-stockfish-native.sh") || !strings.Contains(c.Detail, "64bit SSE2") {
		t.Errorf("an SSE2 build: %+v", c)
	}

	d = diagnose(ctx, filepath.Join(t.TempDir(), "nosuch"), backend.Discovery{Compiled: true, GPUs: gpu})
	if d.OK {
		t.Error("well without an engine")
	}
	for name, remedy := range map[string]string{
		"stockfish": "talbot setup stockfish", "xla:cpu": "talbot setup xla-cpu", "xla:cuda": "talbot setup xla-cuda",
	} {
		if c := d.find(name); c.Status == statusOK || !strings.Contains(c.Remedy, remedy) {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if text := d.Text(); !strings.Contains(text, "missing  stockfish") {
		t.Error(text)
	}

	d = diagnose(ctx, fakeEngine(t, "exit 3\n"), backend.Discovery{})
	if c := d.find("stockfish"); d.OK || c.Status != statusMissing || !strings.Contains(c.Detail, "does not work") {
		t.Errorf("an engine that dies: %+v", c)
	}
	silly := diagnose(ctx, fakeEngine(t, strings.ReplaceAll(greets, "bestmove d4c5", "bestmove a1a1")),
		backend.Discovery{})
	if c := silly.find("stockfish"); silly.OK || c.Status != statusMissing ||
		!strings.Contains(c.Detail, "does not search") {
		t.Errorf("an engine that does not search: %+v", c)
	}
	if c := d.find("xla"); c.Status != statusAbsent || c.Remedy == "" {
		t.Errorf("without XLA: %+v", c)
	}
}
