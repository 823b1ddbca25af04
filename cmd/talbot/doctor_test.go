package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/train/backend"
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
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

const greets = `while read line; do case $line in
uci) echo "id name Fake 7"; echo "option name Threads type spin default 1 min 1 max 8"; echo "option name Hash type spin default 16 min 1 max 64"; echo uciok;;
isready) echo readyok;;
quit) exit;;
esac; done
`

func TestDiagnose(t *testing.T) {
	ctx := context.Background()
	gpu := []backend.GPU{{Name: "NVIDIA Test 9000", Path: "/proc/gpu"}}
	plugins := []backend.Plugin{{Kind: "cpu", Path: "/x/cpu.so"}, {Kind: "cuda", Path: "/x/cuda.so"}}

	d := diagnose(ctx, fakeEngine(t, greets), backend.Found{Compiled: true, SIMD: true, GPUs: gpu, Plugins: plugins})
	if !d.OK || d.Stockfish.Name != "Fake 7" || len(d.Stockfish.Build) != 16 || d.Threads < 1 || d.Cores < 1 {
		t.Errorf("all there: %+v", d)
	}
	for _, c := range d.Checks {
		if c.Name != "disk" && (c.Status != statusOK || c.Remedy != "") {
			t.Errorf("all there, but %+v", c)
		}
	}

	d = diagnose(ctx, filepath.Join(t.TempDir(), "nosuch"), backend.Found{Compiled: true, GPUs: gpu})
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
	var b strings.Builder
	if err := d.writeText(&b); err != nil || !strings.Contains(b.String(), "missing  stockfish") {
		t.Errorf("%v\n%s", err, b.String())
	}

	d = diagnose(ctx, fakeEngine(t, "exit 3\n"), backend.Found{})
	if c := d.find("stockfish"); d.OK || c.Status != statusMissing || !strings.Contains(c.Detail, "does not work") {
		t.Errorf("an engine that dies: %+v", c)
	}
	if c := d.find("xla"); c.Status != statusAbsent || c.Remedy == "" {
		t.Errorf("without XLA: %+v", c)
	}
}
