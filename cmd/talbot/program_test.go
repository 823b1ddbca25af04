package main

import (
	"runtime/debug"
	"strings"
	"testing"
)

// With GOEXPERIMENT=simd goroutines are interrupted only where they call functions: scripts/go.sh says why.
func TestBuildOfVectors(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if !strings.Contains(settings["GOEXPERIMENT"], "simd") {
		t.Skip("SKIPPED: built without GOEXPERIMENT=simd")
	}
	if flags := settings["-ldflags"]; !strings.Contains(flags, "runtime.godebugDefault=asyncpreemptoff=1") {
		t.Errorf("linked with %q", flags)
	}
}
