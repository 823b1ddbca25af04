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
	"talbot/network/checkpoint"
	"talbot/network/run"
	"talbot/train/internal/madeup"
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

// TestDamagedConfig: no bit of run.json can change (see [madeup.Damage]), nor its end be lost, without an error.
func TestDamagedConfig(t *testing.T) {
	dir := t.TempDir()
	c, _ := run.New("talbotbot", "")
	c.From = run.Origin{Path: "/else/where", Step: 3, Sum: "0123"}
	if err := c.Write(dir); err != nil {
		t.Fatal(err)
	}
	warned := 0
	if got, err := run.ReadConfig(dir, func(error) { warned++ }); err != nil || got != c || warned != 0 {
		t.Fatalf("%+v, %v, %d warnings", got, err, warned)
	}
	path := filepath.Join(dir, run.ConfigName)
	madeup.Damage(read(t, path), 1, func(what string, bad []byte) {
		write(t, path, bad)
		if _, err := run.ReadConfig(dir, nil); !errors.Is(err, run.ErrDamaged) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", what, err)
		}
	})
	later, err := durable.Seal(map[string]any{"version": 3, "recipe": "talbotbot", "more": 1})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, later)
	if _, err := run.ReadConfig(dir, nil); !errors.Is(err, durable.ErrVersion) || errors.Is(err, run.ErrDamaged) {
		t.Errorf("a later version: %v", err)
	}
}

// TestOlderConfigIsNotBelieved: a run.json without checksum, as earlier talbots wrote it, cannot make another network
// or other figures of a checkpoint, whatever of it changed: what is read from the folder is what the checkpoint says.
func TestOlderConfigIsNotBelieved(t *testing.T) {
	c, o := trained(t)
	path := filepath.Join(o.Dir, run.ConfigName)
	older := madeup.Unsealed(t, read(t, path))
	write(t, path, older)
	var warned []error
	if got, err := run.ReadConfig(o.Dir, func(err error) { warned = append(warned, err) }); err != nil || got != c ||
		len(warned) != 1 || !strings.Contains(warned[0].Error(), path) {
		t.Fatalf("%+v, %v, warned %v", got, err, warned)
	}
	once, state, err := run.Load(o.Dir, run.BestCheckpoint)
	if err != nil {
		t.Fatal(err)
	}
	load := func() error { // run.Load without reading the checkpoint again
		c, _, err := run.Read(o.Dir)
		if err == nil {
			err = run.SameSettings(o.Dir, c, once, state)
		}
		return err
	}
	believed := 0
	madeup.Damage(older, 1, func(what string, bad []byte) {
		write(t, path, bad)
		if err := load(); err != nil {
			if !errors.Is(err, run.ErrDamaged) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", what, err)
			}
			return
		}
		believed++
		got, err := run.ReadConfig(o.Dir, nil)
		got.Devices, got.Deterministic, got.LogEvery = c.Devices, c.Deterministic, c.LogEvery
		got.EvalEvery, got.CheckpointEvery, got.Keep = c.EvalEvery, c.CheckpointEvery, c.Keep
		if err != nil || got != c {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
	})
	if believed == 0 {
		t.Error("no change was harmless, not even of an operational field")
	}
	for _, change := range [][2]string{{`"legal_mask"`, `"legal_masc"`}, {`"policy_target"`, `"policy_targeu"`},
		{`"legal_mask": false`, `"legal_mask": true`}, {`"filters": 8`, `"filters": 9`}, {`"ema": 0`, `"ema": 0.5`}} {
		bad := strings.Replace(string(older), change[0], change[1], 1)
		if bad == string(older) {
			t.Fatalf("no %s in %s", change[0], older)
		}
		write(t, path, []byte(bad))
		if _, _, err := run.Load(o.Dir, run.BestCheckpoint); !errors.Is(err, run.ErrDamaged) {
			t.Errorf("predicting with %s: %v", change[1], err)
		}
		if _, err := run.ReadWeights(o.Dir); !errors.Is(err, run.ErrDamaged) {
			t.Errorf("beginning from %s: %v", change[1], err)
		}
		again := o
		again.Accepted = func() error { t.Errorf("resuming with %s: accepted", change[1]); return nil }
		c, err := run.ReadConfig(o.Dir, nil)
		if err == nil {
			again.Val, again.Calibration = nil, valBatches(c, 1)
			_, err = Run(t.Context(), c, again)
		}
		if !errors.Is(err, run.ErrDamaged) {
			t.Errorf("resuming with %s: %v", change[1], err)
		}
	}
}

// TestOlderRunIsSealed: a run of a talbot without checksums goes on, with a warning for each file, and has them then.
func TestOlderRunIsSealed(t *testing.T) {
	c, o := trained(t)
	config, lines := filepath.Join(o.Dir, run.ConfigName), filepath.Join(o.Dir, run.MetricsName)
	want, sealed := readMetrics(t, o.Dir), read(t, lines)
	write(t, config, madeup.Unsealed(t, read(t, config)))
	var older []byte
	for line := range bytes.Lines(sealed) {
		older = append(older, line[:bytes.Index(line, []byte(crcStart))]...)
		older = append(older, "}\n"...)
	}
	write(t, lines, older)
	var warned []error
	o.Warn = func(err error) { warned = append(warned, err) }
	if list, err := ReadMetrics(o.Dir, o.Warn); err != nil || len(list) != len(want) || len(warned) != 1 {
		t.Errorf("%d lines, %v, warned %v", len(list), err, warned)
	}
	warned = nil
	mustRun(t, c, o)
	if len(warned) != 2 || !strings.Contains(warned[0].Error(), config) || !strings.Contains(warned[1].Error(), lines) {
		t.Errorf("warned %v", warned)
	}
	if !durable.Intact(read(t, config)) || !bytes.Equal(read(t, lines), sealed) {
		t.Errorf("not sealed:\n%s\n%s", read(t, config), read(t, lines))
	}
	warned, o.Source = nil, &synthetic{batch: c.Batch}
	if mustRun(t, c, o); len(warned) != 0 {
		t.Errorf("warned again: %v", warned)
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
	madeup.Damage(read(t, path), 1, func(what string, bad []byte) {
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
