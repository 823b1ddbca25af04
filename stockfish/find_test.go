package stockfish

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"talbot/internal/testkit"
)

// What lies beside the program is found where $PATH has none, before what distributions have.
func TestBesideProgram(t *testing.T) {
	self, err := os.Executable()
	testkit.OK(t, err)
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

func TestCountCores(t *testing.T) {
	const four = "processor : 0\nphysical id : 0\ncore id : 0\n\nprocessor : 1\nphysical id : 0\ncore id : 1\n\n" +
		"processor : 2\nphysical id : 0\ncore id : 0\n\nprocessor : 3\nphysical id : 1\ncore id : 0\n"
	if n := countCores(strings.NewReader(four)); n != 3 {
		t.Errorf("%d cores, want 3", n)
	}
	if n := countCores(strings.NewReader("processor : 0\nBogoMIPS : 50\n")); n != 0 {
		t.Errorf("%d cores where none is named", n)
	}
	if n := DefaultWorkers(); n < 1 {
		t.Errorf("%d workers", n)
	}
}
