package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDoctorGPU(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	small := []string{"doctor", "--gpu", "--backend", "go", "--blocks", "1", "--filters", "4", "--batch", "8",
		"--seconds", "1"}
	out, said, status := talbotIn(t, dir, small...)
	for _, want := range []string{"ok       backend", "ok       losses", "ok       speed", " positions/s, ",
		"--data DATASET --run RUN --backend go --blocks 1 --filters 4 --batch 8 --precision float32"} {
		if status != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, no %q in\n%s\n%s", status, want, out, said)
		}
	}
	out, said, status = talbotIn(t, dir, append(small, "--json")...)
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); err != nil || status != 0 || d.GPU == nil ||
		!(d.GPU.Speed.PositionsPerSecond > 0) {
		t.Errorf("%d, %v\n%s\n%s", status, err, out, said)
	}
}

// A machine without what the check needs is told what to do.
func TestDoctorGPUNeeds(t *testing.T) {
	o := &gpuOptions{backend: "xla:cuda"}
	for name, c := range map[string]struct {
		checks  []check
		missing string
	}{
		"nothing": {[]check{{Name: "xla", Status: statusOK}, {Name: "xla:cpu", Status: statusAbsent}}, ""},
		"GPU":     {[]check{{Name: "gpu", Status: statusAbsent}}, "gpu"},
		"plugin":  {[]check{{Name: "gpu", Status: statusOK}, {Name: "xla:cuda", Status: statusAbsent}}, "xla:cuda"},
		"XLA":     {[]check{{Name: "xla", Status: statusAbsent}}, "xla"},
	} {
		d := &diagnosis{Checks: c.checks}
		if ready := d.requireGPU(o); ready != (c.missing == "") ||
			c.missing != "" && d.find(c.missing).Status != statusMissing {
			t.Errorf("%s: ready %v, %+v", name, ready, d.Checks)
		}
	}
}

func TestDoctorGPURefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--gpu", "--backend", "auto"}, {"--gpu", "--backend", "cuda"},
		{"--gpu", "--blocks", "0"}, {"--gpu", "--batch", "1"}, {"--gpu", "--seconds", "61"},
		{"--gpu", "--engine", "x"}, {"--batch", "64"}} {
		if _, said, status := talbotIn(t, t.TempDir(), append([]string{"doctor"}, args...)...); status != 2 {
			t.Errorf("%q: %d\n%s", args, status, said)
		}
	}
}
