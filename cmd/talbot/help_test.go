package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// commandsOf returns a command and all below it that help lists.
func commandsOf(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, commandsOf(c)...)
		}
	}
	return all
}

// No line of help is wider than a terminal of 80 columns, every command is in a group, and where a command's flags have
// headings all of them have one.
func TestHelp(t *testing.T) {
	root := newRoot()
	for _, cmd := range commandsOf(root) {
		var b bytes.Buffer
		printHelp(&b, cmd)
		for line := range strings.Lines(b.String()) {
			if n := uniseg.StringWidth(strings.TrimRight(line, "\n")); n > helpColumns {
				t.Errorf("help of %s has a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		if cmd.HasParent() && (cmd.GroupID == "" || !strings.Contains(b.String(), "\nExamples:\n  ")) {
			t.Errorf("%s is in no group, or has no example", cmd.CommandPath())
		}
		sections := sectionsOf(cmd)
		for _, s := range sections {
			if s.title == "Flags" && len(sections) > 2 {
				t.Errorf("%s has flags without a heading: %s", cmd.CommandPath(), s.flags.FlagUsages())
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if n := strings.Count(b.String(), " --"+f.Name+" "); n == 0 && !f.Hidden {
				t.Errorf("help of %s lacks --%s", cmd.CommandPath(), f.Name)
			}
		})
	}
}

// What help has as an example is a command line that the command takes: its flags, values and number of operands.
func TestExamples(t *testing.T) {
	examples := 0
	for _, cmd := range commandsOf(newRoot()) {
		for line := range strings.Lines(cmd.Example) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " > ")
			line, _, _ = strings.Cut(line, " && ")
			if i := strings.LastIndex(line, "| "); i >= 0 {
				line = line[i+2:]
			}
			words := strings.Fields(line)
			root := newRoot()
			c, args, err := root.Find(words[1:])
			if err == nil {
				err = c.ParseFlags(args)
			}
			if err == nil && c.Args != nil {
				err = c.Args(c, c.Flags().Args())
			}
			if words[0] != "talbot" || err != nil {
				t.Errorf("%s: example %q: %v", cmd.CommandPath(), line, err)
			}
			examples++
		}
	}
	if examples < 40 {
		t.Errorf("only %d examples", examples)
	}
}

// Wrapping changes nothing but where lines end, and leaves lists as they are.
func TestWrapText(t *testing.T) {
	text := "One two\nthree four five.\n\nList:\n\n  a  b\n  c\n\nÄÖÜ äöü x"
	want := "One two\nthree\nfour\nfive.\n\nList:\n\n  a  b\n  c\n\nÄÖÜ äöü\nx"
	if got := wrapText(text, 7); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
