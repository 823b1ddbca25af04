package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// No message says what Go calls a function or a system call.
func TestMessageOf(t *testing.T) {
	_, number := strconv.ParseInt("x", 10, 64)
	_, decimal := strconv.ParseFloat("1e999", 64)
	_, missing := os.Stat("none")
	_, opened := os.Open("none")
	for _, c := range []struct {
		err  error
		want string
	}{
		{number, `"x" is not a number`},
		{decimal, `"1e999" is too large or too small`},
		{missing, `"none": no such file or directory`},
		{fmt.Errorf("inputs: %w", opened), `inputs: "none": no such file or directory`},
		{&fs.PathError{Op: "read", Path: "|0", Err: os.ErrDeadlineExceeded},
			"reading a pipe to another process: timed out"},
		{errors.Join(fmt.Errorf("a: %w", missing), number),
			"a: \"none\": no such file or directory\n\"x\" is not a number"},
		{os.Mkdir("/proc/1/x", 0o700), `creating "/proc/1/x": no such file or directory`},
		{os.Rename("none", "other"), `renaming "none" to "other": no such file or directory`},
		{os.NewSyscallError("getrandom", syscall.EIO), "input/output error"},
		{errors.New("stat x: said by nobody"), "stat x: said by nobody"},
	} {
		if got := MessageOf(c.err); got != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.err, got, c.want)
		}
	}
}

// Hints name the program as it was called, so that they can be copied.
func TestProgramInHints(t *testing.T) {
	defer func(was string) { Program = was }(Program)
	for path, want := range map[string]string{"talbot": "talbot", "bin/talbot": "bin/talbot",
		"/opt/my tools/talbot": "'/opt/my tools/talbot'", "./talbot.exe": "./talbot.exe",
		"/tmp/talbot.test": "talbot"} {
		Program = "talbot"
		SetProgram(path)
		if got := WithProgram("run `talbot setup`, then `talbot doctor`"); got !=
			"run `"+want+" setup`, then `"+want+" doctor`" {
			t.Errorf("called as %q: %q", path, got)
		}
	}
}

// What is worse is in colour on a terminal, unless colours are not wanted, and nowhere else.
func TestPrintResult(t *testing.T) {
	for _, c := range []struct {
		terminal           bool
		noColour, cliColor string
		want               string
	}{
		{true, "", "", "3.1 \x1b[31mworse\x1b[m than 2\n"}, {true, "1", "", "3.1 worse than 2\n"},
		{true, "", "0", "3.1 worse than 2\n"}, {false, "", "", "3.1 worse than 2\n"},
	} {
		t.Setenv("NO_COLOR", c.noColour)
		t.Setenv("CLICOLOR", c.cliColor)
		var b strings.Builder
		var columns func() int
		if c.terminal {
			columns = func() int { return 80 }
		}
		before := Stdout
		Stdout = NewTerminal(&b, columns)
		err := PrintResult("3.1 worse than 2\n")
		Stdout = before
		if err != nil || !strings.HasSuffix(b.String(), c.want) {
			t.Errorf("%+v: %q, %v", c, b.String(), err)
		}
	}
}
