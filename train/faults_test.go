//go:build unix

package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"talbot/network/backend"
	"talbot/network/checkpoint"
	"talbot/network/model"
	"talbot/network/run"
)

// TestFailingDevice: the run ends with an error that says what happened and where to continue, and its checkpoints are
// those of the steps before. Resumed on a whole device it equals the uninterrupted run.
func TestFailingDevice(t *testing.T) {
	for text, want := range map[string]string{
		"INTERNAL: the device is lost (CUDA_ERROR_ECC_UNCORRECTABLE)": `step 7: .*device is lost.*; the last checkpoint is from step 4`,
		"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4000000000000 bytes.": `step 7: out of memory: .*` +
			`\(250000\.00 MB a sample, because the backend requested 4000000000000 bytes for 16 samples.*; no batch would fit.*step 4`,
		"RESOURCE_EXHAUSTED: Out of memory allocating 16 bytes": `step 7: out of memory: .*` +
			`\(about 0\.\d\d MB a sample by the size of the network.*; 8 samples would fit: use --batch 8, or --accumulate 2 with the same batch; .*step 4`,
	} {
		c := tiny()
		whole, cut := t.TempDir(), t.TempDir()
		b := openTest(t, "go")
		o := func(dir string) Options {
			return Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2)}
		}
		mustRun(t, c, o(whole))
		err := dying(c, o(cut), 8, errors.New(text)) // after six steps and two batches of validation
		if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) ||
			errors.Is(err, ErrMemory) != strings.Contains(text, "memory") {
			t.Fatalf("%q gives\n%v", text, err)
		}
		if steps := checkpointSteps(t, cut); steps != "best step-000000000004" {
			t.Errorf("checkpoints %s", steps)
		}
		again := o(cut)
		again.Resume = true
		mustRun(t, c, again)
		sameRuns(t, whole, cut)
	}
}

// TestOutOfMemoryForReal asks XLA for two terabytes.
func TestOutOfMemoryForReal(t *testing.T) {
	b := openTest(t, "xla:cpu")
	c := tiny()
	c.Batch = 1 << 18
	set(&c, "filters", 1024)
	set(&c, "blocks", 6)
	if os.Getenv("TALBOT_FULL") == "" {
		t.Skip("set TALBOT_FULL=1 to make a network of half a gigabyte")
	}
	e := trainingEngine(t, b, c)
	var batch Batch
	(&synthetic{batch: c.Batch}).fill(&batch, 1)
	_, _, err := e.step(&batch, 0, 1e-3)
	if err == nil {
		t.Fatal("no error")
	}
	if err := explainMemory(err, c, memoryOf(c, e.network, e.conv), 0, ""); !errors.Is(err, ErrMemory) ||
		!strings.Contains(err.Error(), "samples would fit") {
		t.Errorf("%v", err)
	}
}

// TestMemoryIsCheckedFirst: a run that cannot fit into any machine is refused before it takes any memory.
func TestMemoryIsCheckedFirst(t *testing.T) {
	c := tiny()
	c.Batch = 1 << 20
	set(&c, "blocks", 100)
	set(&c, "filters", 4096)
	eachBackend(t, func(t *testing.T, b *backend.Backend) {
		if b.Free() == 0 {
			t.Skip("NOT TESTED: this system does not tell what memory is free")
		}
		dir := filepath.Join(t.TempDir(), "run")
		_, err := Run(t.Context(), c, Options{Dir: dir, Backend: b, Source: &synthetic{batch: c.Batch}})
		if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "MB are free; no batch would fit") {
			t.Error(err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder was made: %v", err)
		}
	})
}

// needed is the estimate for a configuration.
func needed(t *testing.T, c run.Config, conv model.ConvAlgorithm) memory {
	t.Helper()
	built, err := c.Build()
	if err != nil {
		t.Fatal(err)
	}
	return memoryOf(c, built.Network, conv)
}

// TestCheckMemory: quiet with room to spare, a warning in the grey zone, an error far above, and its advice passes.
func TestCheckMemory(t *testing.T) {
	c, _ := run.New("talbotbot", "")
	c.Batch = 512
	set(&c, "blocks", 6)
	set(&c, "filters", 64)
	for _, c.Devices = range []int{1, 4} {
		m := needed(t, c, model.Winograd)
		fixed, sample := m.fixed, m.sample
		if sample != 4*(64*(34*64+9*68+768*144/64)+4*4672) {
			t.Errorf("%d bytes a sample", sample)
		}
		need := int64(c.Devices)*fixed + 512*sample
		for share, want := range map[float64]string{2: "quiet", 1.3: "quiet", 1.2: "warning", 0.85: "warning",
			0.75: "error", 0.3: "error"} {
			warning, err := checkMemory(c, m, int64(share*float64(need)))
			got := "quiet"
			if warning != nil {
				got = "warning"
			}
			if err != nil {
				got = "error"
			}
			if got != want || err != nil && !errors.Is(err, ErrMemory) {
				t.Errorf("%g of the memory needed: %s, want %s (%v, %v)", share, got, want, warning, err)
			}
		}
		free := int64(c.Devices)*fixed + 300*sample
		_, err := checkMemory(c, m, free)
		advice := regexp.MustCompile(`use --batch (\d+), or --accumulate (\d+) with`).FindStringSubmatch(fmt.Sprint(err))
		if advice == nil {
			t.Fatal(err)
		}
		smaller, parts := c, c
		smaller.Batch, _ = strconv.Atoi(advice[1])
		parts.Accumulate, _ = strconv.Atoi(advice[2])
		for _, c := range []run.Config{smaller, parts} {
			if _, err := checkMemory(c, m, free); err != nil || c.Validate() != nil {
				t.Errorf("advice %q: %v, %v", advice[0], err, c.Validate())
			}
		}
	}
	if warning, err := checkMemory(c, needed(t, c, model.Winograd), 0); warning != nil || err != nil {
		t.Errorf("memory that is not known: %v, %v", warning, err)
	}
}

// TestMemoryAdvice: the advice fits into what is there, by the same count, and parts divide the batch.
func TestMemoryAdvice(t *testing.T) {
	c, _ := run.New("talbotbot", "")
	c.Batch = 3000
	m := needed(t, c, model.Native)
	fixed, sample := m.fixed, m.sample
	if fixed != 7*4*6594375 || sample != 4*(104*64*128+4*4672) {
		t.Errorf("%d and %d", fixed, sample)
	}
	err := explainMemory(errors.New("CUDA: out of memory"), c, m, (fixed+1203*sample)*10/9+20,
		"so much")
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "1200 samples would fit") ||
		!strings.Contains(err.Error(), "--batch 1200, or --accumulate 3 ") {
		t.Error(err)
	}
	err = explainMemory(errors.New("CUDA: out of memory"), c, m, 0, "")
	if !strings.Contains(err.Error(), "1496 samples") || !strings.Contains(err.Error(), "size is unknown") {
		t.Error(err)
	}
	other := errors.New("device lost")
	if err := explainMemory(other, c, m, 1, ""); err != other {
		t.Error(err)
	}
}

// TestFullDisk lets the operating system refuse to write more than a megabyte into a file, in the middle of the second
// checkpoint. The first one is whole, and the run continues from it.
func TestFullDisk(t *testing.T) {
	b := openTest(t, "go")
	c := tiny()
	whole, cut := t.TempDir(), t.TempDir()
	o := Options{Dir: whole, Backend: b, Source: &synthetic{batch: c.Batch}, Val: valBatches(c, 2)}
	mustRun(t, c, o)
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	limit := func(l syscall.Rlimit) {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
			t.Fatal(err)
		}
	}
	defer limit(before)
	o.Dir, o.Source = cut, &synthetic{batch: c.Batch}
	o.Progress = func(p Progress) {
		if p.Step == 5 {
			limit(syscall.Rlimit{Cur: 1 << 20, Max: before.Max})
		}
	}
	_, err := Run(context.Background(), c, o)
	limit(before)
	if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), checkpoint.Name(8)) {
		t.Fatalf("%v", err)
	}
	if steps := checkpointSteps(t, cut); !strings.HasPrefix(steps, "best step-000000000004") ||
		strings.Contains(steps, "step-000000000008 ") {
		t.Errorf("checkpoints %s", steps)
	}
	o.Resume, o.Source, o.Progress = true, &synthetic{batch: c.Batch}, nil
	mustRun(t, c, o)
	sameRuns(t, whole, cut)
	if steps := checkpointSteps(t, cut); strings.Contains(steps, "tmp") {
		t.Errorf("what was half written is still there: %s", steps)
	}
}

// TestInfiniteGradient ends a run whose loss is still finite: the norm of the gradient is looked at too.
func TestInfiniteGradient(t *testing.T) {
	b := openTest(t, "go")
	c := tiny()
	c.Clip, c.CheckpointEvery = 0, 1
	set(&c, "value_weight", math.MaxFloat32/4)
	o := Options{Dir: t.TempDir(), Backend: b, Source: &synthetic{batch: c.Batch}}
	if _, err := Run(t.Context(), c, o); !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), "at step 1:") {
		t.Errorf("%v", err)
	}
}
