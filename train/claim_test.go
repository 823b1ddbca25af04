package train

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"talbot/dataset"
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
	if _, err := NewClaim(dir, false); !errors.Is(err, dataset.ErrLocked) {
		t.Errorf("claimed: %v", err)
	}
	claim.Close()
	if _, err := os.Stat(dir); err == nil {
		t.Error("a claim without a run left its folder")
	}
	if claim, err = NewClaim(dir, false); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, configName), []byte("{}"), 0o666); err != nil {
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
	if _, err := NewClaim(filepath.Join(dir, configName, "below a file"), false); err == nil {
		t.Error("no error below a file")
	}
}
