package main

import (
	"errors"
	"testing"
)

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
