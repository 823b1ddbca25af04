package trial

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fake returns a trial whose talbot is a shell script.
func fake(t *testing.T, script string) *Trial {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir) // where no plugin is
	t.Setenv("XDG_DATA_HOME", dir)
	path := filepath.Join(dir, "talbot")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o777); err != nil {
		t.Fatal(err)
	}
	return &Trial{Dir: filepath.Join(dir, "out"), Backend: "xla:cpu", Networks: []Size{{2, 16}}, Batches: []int{32},
		Seconds: 1, Matrix: 64, Games: 2, Talbot: path, Version: "0"}
}

func report(t *testing.T, x *Trial) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(x.Dir, ReportName))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Steps whose programs fail, die, print nonsense or are not there are told of, with what the program said, and the
// others are done; the next call tries them again.
func TestFailures(t *testing.T) {
	for name, script := range map[string]string{
		"exit status 1":          `echo "talbot: error: no such thing" >&2; exit 1`,
		"signal: killed":         `echo "talbot: error: no such thing" >&2; kill -9 $$`,
		"invalid character":      `echo "talbot: error: no such thing" >&2; echo nonsense`,
		"unexpected end of JSON": ``,
	} {
		x := fake(t, script+"\n")
		tries := map[string]int{}
		x.Began = func(step string) { tries[step]++ }
		for range 2 {
			s, err := x.Run(t.Context())
			if !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "backend, data") {
				t.Fatalf("%s: %v", name, err)
			}
			if len(s.Done) != len(x.steps(s)) {
				t.Errorf("%s: %d steps are done of %d", name, len(s.Done), len(x.steps(s)))
			}
		}
		text := report(t, x)
		for _, want := range []string{name, "steps failed.**", "| backend | **failed** |", "| machine | done |",
			"| 100 steps compared with PyTorch | left out: there is no Python with PyTorch and NumPy |",
			"batch 32, 8 devices | left out: the backend did not open, so its devices are not known |"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the report lacks %q:\n%s", name, want, text)
			}
		}
		if tries["backend"] != 2 || tries["machine"] != 1 {
			t.Errorf("%s: %v", name, tries)
		}
	}
	x := fake(t, "")
	x.Talbot = filepath.Join(x.Dir, "none")
	if _, err := x.Run(t.Context()); !errors.Is(err, ErrFailed) {
		t.Error(err)
	}
}

// A trial that is interrupted has its report so far, leaves no program behind, and continues where it was.
func TestInterrupted(t *testing.T) {
	x := fake(t, `case "$3" in *'"open"'*) echo '{"kind":"xla:cpu","why":"so","devices":4}' ;;
*) echo $$ >"pid"; sleep 100 ;; esac
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := filepath.Join(x.Dir, "pid")
	x.Began = func(step string) {
		if step == "data" {
			go func() {
				for {
					if text, _ := os.ReadFile(pid); len(text) > 0 {
						cancel()
						return
					}
					time.Sleep(time.Millisecond)
				}
			}()
		}
	}
	if _, err := x.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	text := report(t, x)
	for _, want := range []string{"**Not finished: ", "| backend | done |", "| data | not done |", "so; 4 devices"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	number, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/" + strings.TrimSpace(string(number))); err == nil {
		t.Error("a program is left")
	}
	var again []string
	x.Began = func(step string) { again = append(again, step) }
	if err := os.WriteFile(x.Talbot, []byte("#!/bin/sh\nexit 3\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Run(t.Context()); !errors.Is(err, ErrFailed) || again[0] != "data" {
		t.Errorf("%v, %q", err, again)
	}
	x.Backend = "xla:cuda"
	if _, err := x.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "choose another folder") {
		t.Errorf("another backend: %v", err)
	}
}

// The tables compare like with like.
func TestReport(t *testing.T) {
	x := &Trial{Backend: "xla:cuda", Seconds: 10, Matrix: 8192}
	base := Speed{Size: Size{20, 128}, Precision: "bf16", Batch: 2048, Devices: 1, PerSecond: 50000, Wait: 0.012,
		Busy: 0.97, Operations: 2e9, FirstStep: 31, Torch: 40000, TorchMode: "PyTorch 2.11, channels-last"}
	slow, two, other := base, base, base
	slow.Deterministic, slow.PerSecond = true, 40000
	two.Devices, two.PerSecond = 2, 90000
	other.Precision, other.PerSecond, other.Torch, other.TorchMode = "float32", 20000, 0, "PyTorch failed: a | b"
	s := &State{Matrix: map[string]float64{"bf16": 8e14}, Speeds: []Speed{base, slow, two, other},
		Machine: []Fact{{"GPU", "a | b"}}, Done: []Outcome{{Step: "machine"}}}
	text := x.report(s, []step{{name: "machine"}})
	for _, want := range []string{
		"**All 1 steps are done.**", `| GPU | a \| b |`,
		"| 20×128 | bf16 | 2048 | 50000 | 40000 | 1.25 | 12.5 % | 97.0 % | 1.2 % | 31.0 s |",
		"| 20×128 | float32 | 2048 | 20000 |  |  |  | 97.0 % | 1.2 % | 31.0 s |",
		"| 20×128 | bf16 | 2048 | 1 | yes | 40000 | 0.80 |", "| 20×128 | bf16 | 2048 | 2 | no | 90000 | 1.80 |",
		"PyTorch 2.11, channels-last.", `PyTorch failed: a \| b.`, "| device busy |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestMeter(t *testing.T) {
	for line, want := range map[string][2]float64{"97, 641.20": {0.97, 641.2}, "0, [N/A]": {0, 0}, "5": {0.05, 0}} {
		if busy, watt, ok := parseMeter(line); !ok || busy != want[0] || watt != want[1] {
			t.Errorf("%q: %g, %g, %v", line, busy, watt, ok)
		}
	}
	if _, _, ok := parseMeter("[N/A], 3"); ok {
		t.Error("an unknown share was read")
	}
}
