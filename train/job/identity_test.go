package job

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"talbot/internal/durable"
	"talbot/network/run"
	"talbot/train/internal/madeup"
	"talbot/train/loader"
)

// folder is a finished run, and what is read of it.
type folder struct {
	*testing.T
	dir, config, data string
	spec              loader.Spec
}

func newFolder(t *testing.T) folder {
	spec := write(t, madeup.Dataset{Seed: 1, Games: 60})
	job := tiny(t, spec)
	job.Steps = 2
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
	e := Eval{Dir: f.dir, Data: []loader.Spec{f.spec}, Split: "all", Batch: 64, Backend: "go", Samples: 100,
		Warn: func(error) { warned++ }}
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
	if _, err := (Export{Dir: f.dir, Out: out, Format: "safetensors"}).Run(); err != nil {
		return "", err
	}
	return string(f.read(out)), nil
}

func (f folder) resume() error {
	_, err := Train{Dir: f.dir, Resume: true}.Run(f.Context())
	return err
}

// TestChangedConfig: a changed run.json, with its checksum or without one as of an earlier talbot, ends evaluation,
// export and resumption as damage, or changes nothing of what they give.
func TestChangedConfig(t *testing.T) {
	f := newFolder(t)
	figures, warned, err := f.eval()
	if err != nil || warned != 0 {
		t.Fatalf("%v, %d warnings", err, warned)
	}
	network, err := f.export()
	if err != nil {
		t.Fatal(err)
	}
	whole := f.read(f.config)
	madeup.Damage(whole, 7, func(what string, bad []byte) {
		f.put(f.config, bad)
		_, _, evaluated := f.eval()
		_, exported := f.export()
		for verb, err := range map[string]error{"eval": evaluated, "export": exported, "resume": f.resume()} {
			if !errors.Is(err, run.ErrDamaged) || !strings.Contains(err.Error(), f.config) {
				t.Errorf("%s: %s: %v", what, verb, err)
			}
		}
	})
	before := madeup.Unsealed(t, whole)
	f.put(f.config, before)
	if got, warned, err := f.eval(); got != figures || warned != 1 || err != nil {
		t.Errorf("an older run: %d warnings, %v\n%s", warned, err, got)
	}
	silent, same := 0, 0
	madeup.Damage(before, 7, func(what string, bad []byte) {
		f.put(f.config, bad)
		got, warned, err := f.eval()
		if err == nil && (got != figures || warned == 0) {
			silent++
			t.Errorf("older, %s: other figures or no warning\n%s\n%s", what, got, figures)
		}
		if err != nil && !errors.Is(err, run.ErrDamaged) {
			t.Errorf("older, %s: eval: %v", what, err)
		}
		if err == nil {
			same++
		}
		if file, err := f.export(); err == nil && file != network || err != nil && !errors.Is(err, run.ErrDamaged) {
			t.Errorf("older, %s: export: another network or no damage: %v", what, err)
		}
	})
	if same == 0 || silent != 0 {
		t.Errorf("%d changes were harmless, %d silent", same, silent)
	}
}

// TestChangedIdentity: a changed data.json is not believed: a run does not go on with it, and an evaluation knows no
// unseen positions and says so. One of an earlier talbot is, with a warning, and gets its checksum.
func TestChangedIdentity(t *testing.T) {
	f := newFolder(t)
	whole := f.read(f.data)
	if !durable.Intact(whole) {
		t.Fatalf("%s", whole)
	}
	madeup.Damage(whole, 3, func(what string, bad []byte) {
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
	f.put(f.data, madeup.Unsealed(t, whole))
	if text, warned, err := f.eval(); warned != 1 || err != nil || strings.Contains(text, `"unseen":null`) {
		t.Errorf("an older run: %d warnings, %v, %s", warned, err, text)
	}
	warned := 0
	mustTrain(t, Train{Dir: f.dir, Resume: true, Warn: func(err error) {
		if strings.Contains(err.Error(), f.data) {
			warned++
		}
	}})
	if !bytes.Equal(f.read(f.data), whole) || warned != 1 {
		t.Errorf("%d warnings, and the file is\n%s", warned, f.read(f.data))
	}
}
