package main

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/cli"
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
		cli.PrintHelp(&b, cmd)
		for line := range strings.Lines(b.String()) {
			if n := uniseg.StringWidth(strings.TrimRight(line, "\n")); n > cli.HelpColumns {
				t.Errorf("help of %s has a line of %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		if cmd.HasParent() && (cmd.GroupID == "" || !strings.Contains(b.String(), "\nExamples:\n  ") ||
			!strings.Contains(b.String(), "\nExit status: 0 success")) {
			t.Errorf("%s is in no group, or its help lacks examples or the exit status", cmd.CommandPath())
		}
		if n := strings.Count(cli.WrapText(cmd.Long, cli.HelpColumns), "\n") + 1; n > 25 {
			t.Errorf("help of %s has %d lines: move something to docs/", cmd.CommandPath(), n)
		}
		sections := cli.Sections(cmd)
		for _, s := range sections {
			if s.Title == "Flags" && len(sections) > 2 {
				t.Errorf("%s has flags without a heading: %s", cmd.CommandPath(), s.Flags.FlagUsages())
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
			if err := checkUsage(line); err != nil || !strings.Contains(line, "talbot ") {
				t.Errorf("%s: %v", cmd.CommandPath(), err)
			}
			examples++
		}
	}
	if examples < 40 {
		t.Errorf("only %d examples", examples)
	}
}

// translated are turns of phrase of other languages, and words that this help has others for.
var translated = regexp.MustCompile(`(?i)\bfor nothing\b|\bgo(es)? on\b|\bbesides? each\b|\bbeside\b|\balone\b|\bapart\b|` +
	`\blearnt\b|\bverbs?\b|\bbehind\b|\bat most so\b|\bso (many|much)\b|\b(are|is) there\b|\bcomes to\b|\bin the mean\b|` +
	`\bpassing over\b|[,(] as [\d"\x60-]|\bbelieved\b|\bis no [a-z]|\bwhose (labels|encoding|result|view)\b`)

// Help is in plain English. What a command does is an imperative that fits beside its name; what a flag is stands on
// its own, without a capital or a full stop; and one flag of several commands is said in one way.
func TestHelpWording(t *testing.T) {
	usages := map[string]string{}
	for _, cmd := range commandsOf(newRoot()) {
		path := cmd.CommandPath()
		if !regexp.MustCompile(`^[A-Z][a-z]+ [^.]*[^.]$`).MatchString(cmd.Short) || len(cmd.Short) > 60 {
			t.Errorf("%s: %q", path, cmd.Short)
		}
		texts := []string{cmd.Short, cmd.Long}
		for _, s := range cli.Sections(cmd) {
			texts = append(texts, s.Title)
			s.Flags.VisitAll(func(f *pflag.Flag) {
				texts = append(texts, f.Usage)
				if !regexp.MustCompile(`^[a-z][^.].*[^.]$`).MatchString(f.Usage) ||
					regexp.MustCompile(`^(of|with|whose|that|how) `).MatchString(f.Usage) {
					t.Errorf("%s --%s: %q", path, f.Name, f.Usage)
				}
				if f.Name == "json" && path != "talbot inspect" && path != "talbot recipes" || f.Name == "temp" ||
					f.Name == "force" {
					if said := usages[f.Name]; said != "" && said != f.Usage {
						t.Errorf("%s --%s: %q, of another command %q", path, f.Name, f.Usage, said)
					}
					usages[f.Name] = f.Usage
				}
			})
		}
		for _, text := range texts {
			if found := translated.FindString(strings.Join(strings.Fields(text), " ")); found != "" {
				t.Errorf("%s has %q in %q", path, found, text)
			}
		}
	}
}
