package train

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"talbot/internal/durable"
	"talbot/internal/testkit/damage"
	"talbot/network/checkpoint"
	"talbot/network/run"
)

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestDamagedConfig: no bit of run.json can change (see [damage.Each]), nor its end be lost, without an error.
func TestDamagedConfig(t *testing.T) {
	dir := t.TempDir()
	c, _ := run.New("talbotbot", "")
	c.From = run.Origin{Path: "/else/where", Step: 3, Sum: "0123"}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	if got, err := run.ReadConfig(dir); err != nil || got != c {
		t.Fatalf("%+v, %v", got, err)
	}
	path := filepath.Join(dir, run.ConfigName)
	damage.Each(read(t, path), 1, func(what string, bad []byte) {
		write(t, path, bad)
		if _, err := run.ReadConfig(dir); !errors.Is(err, run.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	})
	if err := durable.WriteSealed(path, map[string]any{"version": 2, "recipe": "talbotbot", "more": 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := run.ReadConfig(dir); !errors.Is(err, durable.ErrVersion) || errors.Is(err, run.ErrDamaged) {
		t.Errorf("a later version: %v", err)
	}
}

// TestConfigAgainstCheckpoint: a run.json that was written again with other settings than those of the checkpoint is
// damage to whatever reads the run.
func TestConfigAgainstCheckpoint(t *testing.T) {
	c, o := trained(t)
	for name, change := range map[string]func(*run.Config){
		"legal_mask": func(c *run.Config) { set(c, "legal_mask", true) },
		"filters":    func(c *run.Config) { set(c, "filters", 9) },
		"ema":        func(c *run.Config) { c.EMA = 0.5 },
	} {
		bad := c
		change(&bad)
		if err := bad.Write(o.Dir); err != nil {
			t.Fatal(err)
		}
		if _, _, err := run.Load(o.Dir, run.BestCheckpoint); !errors.Is(err, run.ErrDamaged) {
			t.Errorf("predicting with another %s: %v", name, err)
		}
		if _, err := run.ReadWeights(o.Dir); !errors.Is(err, run.ErrDamaged) {
			t.Errorf("starting from another %s: %v", name, err)
		}
		again := o
		again.Accepted = func() error { t.Errorf("resuming with another %s: accepted", name); return nil }
		again.Val, again.Calibration = nil, valBatches(bad, 1)
		if _, err := Run(t.Context(), bad, again); !errors.Is(err, run.ErrDamaged) {
			t.Errorf("resuming with another %s: %v", name, err)
		}
	}
}

// TestDamagedMetrics: what is read of a changed metrics.jsonl are lines that were written, and a warning tells of the
// rest.
func TestDamagedMetrics(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, run.MetricsName)
	m, err := openMetrics(dir, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	loss := 0.25
	for step := range int64(3) {
		if err := m.add(MetricsLine{Kind: "val", Step: step + 1, Means: run.Means{Loss: 1.5,
			Terms: []run.Mean{{Name: "value_mse", Mean: &loss}}}, MetricsRest: MetricsRest{Best: true}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.close(); err != nil {
		t.Fatal(err)
	}
	want, err := ReadMetrics(dir, nil)
	if err != nil || len(want) != 3 {
		t.Fatalf("%+v, %v", want, err)
	}
	damage.Each(read(t, path), 1, func(what string, bad []byte) {
		write(t, path, bad)
		warned := 0
		got, err := ReadMetrics(dir, func(error) { warned++ })
		if err != nil {
			t.Fatal(err)
		}
		rest := want
		for _, line := range got {
			for len(rest) > 0 && !reflect.DeepEqual(rest[0], line) {
				rest = rest[1:]
			}
			if len(rest) == 0 {
				t.Fatalf("%s: %+v was not written", what, line)
			}
			rest = rest[1:]
		}
		if cut := strings.HasPrefix(what, "cut"); warned > 1 || len(got) < 3 && warned == 0 && !cut {
			t.Errorf("%s: %d lines of 3, %d warnings", what, len(got), warned)
		}
	})
}

// TestNotFiniteIsRefused: weights that are NaN under a right checksum are damage to whatever reads them.
func TestNotFiniteIsRefused(t *testing.T) {
	c, o := trained(t)
	paths, err := filepath.Glob(filepath.Join(o.Dir, "checkpoints", "*.safetensors"))
	if err != nil || len(paths) < 3 {
		t.Fatal(paths, err)
	}
	for i, path := range paths {
		f, err := checkpoint.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[i%3]
		last := f.Tensors[len(f.Tensors)-1-i].Data
		last[len(last)-1] = float32(bad)
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		write(t, path, b.Bytes())
	}
	for name, do := range map[string]func() error{
		"resuming":          func() error { _, err := Run(t.Context(), c, o); return err },
		"from a run":        func() error { _, err := run.ReadWeights(o.Dir); return err },
		"from a checkpoint": func() error { _, err := run.ReadWeights(paths[0]); return err },
		"predicting":        func() error { _, _, err := run.Load(o.Dir, run.BestCheckpoint); return err },
		"with the newest":   func() error { _, _, err := run.Load(o.Dir, run.NewestCheckpoint); return err },
	} {
		if err := do(); !errors.Is(err, checkpoint.ErrDamaged) || !errors.Is(err, checkpoint.ErrNotFinite) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestValStaysAsItIs: the batches of validation are the caller's.
func TestValStaysAsItIs(t *testing.T) {
	c := tiny()
	c.Steps = 2
	set(&c, "legal_mask", true)
	val, same := valBatches(c, 2), valBatches(c, 2)
	mustRun(t, c, Options{Dir: t.TempDir(), Backend: openTest(t, "go"), Source: play(c),
		Val: val})
	if !reflect.DeepEqual(val, same) {
		t.Error("the batches were changed")
	}
}
