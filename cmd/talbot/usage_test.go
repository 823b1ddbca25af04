package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"
)

// In help a flag is followed by one word in capitals, or by two with = between them, that stands for its value, not by
// a type of Go or a part of its description that happens to be quoted.
func TestPlaceholders(t *testing.T) {
	word := regexp.MustCompile(`^[A-Z]+(=[A-Z]+)?$`)
	types := map[string]string{} // of the flags with a word of the table
	for _, cmd := range commandsOf(newRoot()) {
		for _, s := range sectionsOf(cmd) {
			s.flags.VisitAll(func(f *pflag.Flag) {
				name, text := pflag.UnquoteUsage(f)
				if name != "" && !word.MatchString(name) || strings.Contains(text, "`") {
					t.Errorf("%s --%s has the placeholder %q: %s", cmd.CommandPath(), f.Name, name, f.Usage)
				}
				shared := placeholders[f.Name] != "" && !strings.ContainsRune(f.Usage, '\x60')
				if before := types[f.Name]; shared && before != "" && before != f.Value.Type() {
					t.Errorf("%s --%s is a %s called %s, elsewhere a %s", cmd.CommandPath(), f.Name, f.Value.Type(),
						placeholder(f), before)
				} else if shared {
					types[f.Name] = f.Value.Type()
				}
				if (name == "") != (f.NoOptDefVal != "") {
					t.Errorf("%s --%s has the placeholder %q and takes a value: %t", cmd.CommandPath(), f.Name, name,
						f.NoOptDefVal == "")
				}
				if strings.Contains(s.flags.FlagUsages(), "(default [])") || strings.Contains(s.flags.FlagUsages(), "(default 0s)") {
					t.Errorf("%s --%s shows a default that is none", cmd.CommandPath(), f.Name)
				}
			})
		}
	}
}

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
		{errors.Join(fmt.Errorf("a: %w", missing), number), "a: \"none\": no such file or directory\n\"x\" is not a number"},
		{os.Mkdir("/proc/1/x", 0o700), `creating "/proc/1/x": no such file or directory`},
		{os.Rename("none", "other"), `renaming "none" to "other": no such file or directory`},
		{os.NewSyscallError("getrandom", syscall.EIO), "input/output error"},
		{errors.New("stat x: said by nobody"), "stat x: said by nobody"},
	} {
		if got := messageOf(c.err); got != c.want {
			t.Errorf("%v:\ngot  %s\nwant %s", c.err, got, c.want)
		}
	}
}
