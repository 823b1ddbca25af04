package run

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/internal/durable"
)

func TestClaim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := NewClaim(dir, true); !errors.Is(err, ErrNoRun) {
		t.Errorf("resuming nothing: %v", err)
	}
	claim, err := NewClaim(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewClaim(dir, false); !errors.Is(err, durable.ErrLocked) {
		t.Errorf("claimed: %v", err)
	}
	claim.Close()
	if _, err := os.Stat(dir); err == nil {
		t.Error("a claim without a run left its folder")
	}
	if claim, err = NewClaim(dir, false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ConfigName), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	claim.Close()
	if _, err := NewClaim(dir, false); !errors.Is(err, ErrExists) {
		t.Errorf("begun: %v", err)
	}
	if claim, err = NewClaim(dir, true); err != nil {
		t.Fatal(err)
	}
	claim.Close()
	if _, err := NewClaim(filepath.Join(dir, ConfigName, "below a file"), false); err == nil {
		t.Error("no error below a file")
	}
}

// TestOccupied: a run is not begun where it would mix with a dataset or with what another run left, and what is there
// stays.
func TestOccupied(t *testing.T) {
	for _, name := range []string{"manifest.json", "checkpoints/step-000000000060.safetensors", "metrics.jsonl",
		"tensorboard/train/x", "report.html"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		if claim, err := NewClaim(dir, false); !errors.Is(err, ErrOccupied) {
			t.Errorf("%s: %v, %v", name, claim, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
			t.Errorf("%s was changed: %q, %v", name, text, err)
		}
	}
	// a log of standard error is no run, nor is what a run leaves that was killed before its first step
	dir := t.TempDir()
	for _, name := range []string{"train.log", "data.json", "run.lock"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	claim, err := NewClaim(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	claim.Close()
}
