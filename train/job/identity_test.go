package job

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/durable"
	"talbot/internal/output"
	"talbot/internal/testkit/damage"
	"talbot/internal/testkit/traindata"
	"talbot/network/run"
	"talbot/train/loader"
)

// folder is a finished run, and what is read of it.
type folder struct {
	*testing.T
	dir, config, data string
	spec              loader.Spec
}

func newFolder(t *testing.T) folder {
	spec := write(t, traindata.Dataset{Seed: 1, Games: 60})
	job := tiny(t, spec)
	job.Steps, job.Until = 3, 2
	mustTrain(t, job)
	return folder{t, job.Dir, filepath.Join(job.Dir, "run.json"), filepath.Join(job.Dir, "data.json"), spec}
}

func (f folder) read(path string) []byte {
	f.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return text
}

func (f folder) put(path string, text []byte) {
	f.Helper()
	if err := os.WriteFile(path, text, 0o666); err != nil {
		f.Fatal(err)
	}
}

// eval returns all that an evaluation says but for its speed, and how often it warns.
func (f folder) eval() (text string, warned int, err error) {
	e := Eval{Dir: f.dir, Measure: on("all", f.spec)}
	e.Samples, e.Warn = 100, func(error) { warned++ }
	figures, err := e.Run(f.Context())
	if err != nil {
		return "", warned, err
	}
	figures.Seconds, figures.PerSecond = 0, 0
	out, err := json.Marshal(figures)
	return string(out), warned, err
}

// export returns the exported file.
func (f folder) export() (file string, err error) {
	out := filepath.Join(f.TempDir(), "net")
	if _, err := (Export{Dir: f.dir, Out: output.File{Path: out}, Format: "safetensors"}).Run(); err != nil {
		return "", err
	}
	return string(f.read(out)), nil
}

func (f folder) resume() error {
	_, err := Train{Dir: f.dir, Resume: true}.Run(f.Context())
	return err
}

// TestChangedConfig: a changed run.json ends evaluation, export and resumption as damage.
func TestChangedConfig(t *testing.T) {
	f := newFolder(t)
	if _, warned, err := f.eval(); err != nil || warned != 0 {
		t.Fatalf("%v, %d warnings", err, warned)
	}
	if _, err := f.export(); err != nil {
		t.Fatal(err)
	}
	damage.Each(f.read(f.config), 7, func(what string, bad []byte) {
		f.put(f.config, bad)
		_, _, evaluated := f.eval()
		_, exported := f.export()
		for verb, err := range map[string]error{"eval": evaluated, "export": exported, "resume": f.resume()} {
			if !errors.Is(err, run.ErrDamaged) || !strings.Contains(err.Error(), f.config) {
				t.Errorf("%s: %s: %v", what, verb, err)
			}
		}
	})
}

// TestChangedIdentity: a changed data.json is not used: a run does not continue with it but as another one, and an
// evaluation knows no unseen positions and warns.
func TestChangedIdentity(t *testing.T) {
	f := newFolder(t)
	whole := f.read(f.data)
	if !durable.Intact(whole) {
		t.Fatalf("%s", whole)
	}
	damage.Each(whole, 3, func(what string, bad []byte) {
		f.put(f.data, bad)
		if _, err := loader.ReadIdentity(f.dir); !errors.Is(err, loader.ErrNoIdentity) {
			t.Errorf("%s: %v", what, err)
		}
		if err := f.resume(); !errors.Is(err, loader.ErrNoIdentity) {
			t.Errorf("%s: resumed: %v", what, err)
		}
	})
	if text, warned, err := f.eval(); warned != 1 || err != nil || !strings.Contains(text, `"unseen":null`) {
		t.Errorf("%d warnings, %v, %s", warned, err, text)
	}
	if err := os.Remove(f.data); err != nil {
		t.Fatal(err)
	}
	if err := f.resume(); !errors.Is(err, loader.ErrNoIdentity) || !strings.Contains(err.Error(), f.data) {
		t.Errorf("without it: %v", err)
	}
	after := Train{Dir: filepath.Join(t.TempDir(), "run"), After: f.dir, Data: []loader.Spec{f.spec}}
	if result := mustTrain(t, after); result.Steps != 3 {
		t.Errorf("another run: %+v", result)
	}
}
