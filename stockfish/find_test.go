package stockfish

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// What lies beside the program is found where $PATH has none, before what distributions have.
func TestBesideProgram(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	name := "stockfish"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	beside := filepath.Join(filepath.Dir(self), name)
	if all := places(); !slices.Contains(all, beside) || all[0] != beside {
		t.Fatalf("looked for in %q", all)
	}
	if err := os.WriteFile(beside, nil, 0o700); err != nil {
		t.Skipf("SKIPPED: the folder of the test cannot be written: %v", err)
	}
	defer os.Remove(beside)
	t.Setenv("PATH", t.TempDir())
	if found, err := Find(""); err != nil || found != beside {
		t.Errorf("found %q (%v), want %q", found, err, beside)
	}
}
