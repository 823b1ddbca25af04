package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"talbot/network/backend"
	"talbot/trial"
)

// trialOn runs doctor --gpu and returns what it found and its report.
func trialOn(t *testing.T, dir string, args ...string) (s trial.State, report, said string, status int) {
	t.Helper()
	out, said, status := talbotIn(t, dir, append([]string{"doctor", "--gpu", "--json", "--out", "out"}, args...)...)
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, said)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out", trial.ReportName))
	if err != nil {
		t.Fatal(err)
	}
	return s, string(text), said, status
}

// TestDoctorGPU goes the whole way of doctor --gpu on a backend that every machine has, or with TALBOT_FULL=1 on
// xla:cpu and with PyTorch.
func TestDoctorGPU(t *testing.T) {
	args := []string{"--backend", "go", "--networks", "1x2", "--batches", "4", "--seconds", "1", "--matrix", "64",
		"--games", "4", "--python", "none"}
	skips := 3 // PyTorch's steps and several devices, of which go has none
	if os.Getenv("TALBOT_FULL") != "" {
		if _, ok := backend.Discover().Plugin("cpu"); !ok || !backend.XLA {
			t.Skip("NOT TESTED: there is no plugin xla:cpu")
		}
		args = []string{"--backend", "xla:cpu", "--networks", "2x16", "--batches", "32", "--seconds", "1", "--matrix",
			"256", "--games", "20"}
	}
	dir := t.TempDir()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, ".local", "share")) // the plugin's, although the home is another one
	s, report, said, status := trialOn(t, dir, args...)
	if status != 0 || strings.Contains(report, "failed") {
		t.Fatalf("status %d\n%s\n%s", status, said, report)
	}
	left := 0
	for _, o := range s.Done {
		if o.Skipped != "" {
			left++
		}
	}
	if os.Getenv("TALBOT_FULL") == "" && left != skips+1 {
		t.Errorf("%d steps are left out:\n%s", left, report)
	}
	for _, want := range []string{"steps are done.**",
		"killed with SIGKILL at checkpoint", "are equal to the last digit",
		"samples would fit",
		"Relative difference of the losses", "TFLOP/s in float32", "| network | precision |", "| yes |"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report lacks %q:\n%s", want, report)
		}
	}
	for _, x := range s.Speeds {
		if !(x.PerSecond > 0 && x.Operations > 0 && x.FirstStep > 0 && x.Busy > 0 && x.Wait >= 0 && x.Wait < 1) {
			t.Errorf("%+v", x)
		}
	}
	if len(s.Speeds) < 2 || s.Matrix["float32"] <= 0 {
		t.Errorf("%d speeds, %v", len(s.Speeds), s.Matrix)
	}
	if runs, _ := filepath.Glob(filepath.Join(dir, "out", "*", "checkpoints")); len(runs) != 0 {
		t.Errorf("left behind: %q", runs)
	}
	again, _, said, status := trialOn(t, dir, args...)
	if status != 0 || strings.Contains(said, "doctor:") ||
		!slices.EqualFunc(again.Done, s.Done, func(a, b trial.Outcome) bool { return a == b }) {
		t.Errorf("again: %d\n%s", status, said)
	}
}

// A command line that cannot be is refused before anything is made.
func TestDoctorGPURefuses(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{{"--backend", "auto"}, {"--backend", "cuda"}, {"--networks", "20"},
		{"--networks", "0x8"}, {"--batches", "3"}, {"--batches", "0"}, {"--seconds", "0"}, {"--games", "-1"},
		{"--gpu-part", "{"}} {
		if _, said, status := talbotIn(t, dir, append([]string{"doctor", "--gpu"}, args...)...); status != 2 {
			t.Errorf("%q: %d\n%s", args, status, said)
		}
	}
	for _, args := range [][]string{{"--out", "x"}, {"--yes"}, {"--gpu", "--engine", "x"}} {
		if _, said, status := talbotIn(t, dir, append([]string{"doctor"}, args...)...); status != 2 {
			t.Errorf("%q: %d\n%s", args, status, said)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Error(files, err)
	}
}
