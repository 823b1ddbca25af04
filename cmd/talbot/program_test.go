package main

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"
)

// Words are quoted for the shells of the system.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ goos, word, want string }{
		{"linux", "a/b-1:0.5", "a/b-1:0.5"}, {"linux", "my lines", "'my lines'"}, {"linux", "it's", `'it'\''s'`},
		{"linux", "", "''"}, {"linux", `a\b`, `'a\b'`}, {"linux", "a\nb", `$'a\nb'`},
		{"windows", `C:\chess\talbot.exe`, `C:\chess\talbot.exe`}, {"windows", `C:\my games`, `"C:\my games"`},
		{"windows", "50%", `"50%"`}, {"windows", "", `""`},
	} {
		if got := quoteFor(c.goos, c.word); got != c.want {
			t.Errorf("%s: %q becomes %s, want %s", c.goos, c.word, got, c.want)
		}
	}
}

// Hints name the program as it was called, so that they can be copied.
func TestProgramInHints(t *testing.T) {
	for path, want := range map[string]string{"talbot": "talbot", "bin/talbot": "bin/talbot",
		"/opt/my tools/talbot": "'/opt/my tools/talbot'", "./talbot.exe": "./talbot.exe",
		"/tmp/talbot.test": "talbot"} {
		if got := calledAs(path); got != want {
			t.Errorf("called as %q: %q, want %q", path, got, want)
		}
	}
	defer func(was string) { program = was }(program)
	program = "bin/talbot"
	if _, text := classify(hint(errors.New("x"), "run `talbot setup`, then `talbot doctor`")); text !=
		"run `bin/talbot setup`, then `bin/talbot doctor`" {
		t.Error(text)
	}
}

// With GOEXPERIMENT=simd goroutines are interrupted only where they call functions: scripts/go.sh says why.
func TestBuildOfVectors(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("no build information")
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if !strings.Contains(settings["GOEXPERIMENT"], "simd") {
		t.Skip("SKIPPED: built without GOEXPERIMENT=simd")
	}
	if flags := settings["-ldflags"]; !strings.Contains(flags, "runtime.godebugDefault=asyncpreemptoff=1") {
		t.Errorf("linked with %q", flags)
	}
}
