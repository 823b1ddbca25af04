package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"talbot/internal/cli"
)

// In help a flag is followed by one word in capitals, or by two with = between them, that stands for its value, not by
// a type of Go or a part of its description that happens to be quoted.
func TestPlaceholders(t *testing.T) {
	word := regexp.MustCompile(`^[A-Z]+(=[A-Z]+)?$`)
	types := map[string]string{} // of the flags with a word of the table
	for _, cmd := range commandsOf(newRoot()) {
		for _, s := range cli.Sections(cmd) {
			s.Flags.VisitAll(func(f *pflag.Flag) {
				name, text := pflag.UnquoteUsage(f)
				if name != "" && !word.MatchString(name) || strings.Contains(text, "`") {
					t.Errorf("%s --%s has the placeholder %q: %s", cmd.CommandPath(), f.Name, name, f.Usage)
				}
				shared := cli.Placeholders[f.Name] != "" && !strings.Contains(f.Usage, "`")
				if before := types[f.Name]; shared && before != "" && before != f.Value.Type() {
					t.Errorf("%s --%s is a %s called %s, elsewhere a %s", cmd.CommandPath(), f.Name, f.Value.Type(),
						name, before)
				} else if shared {
					types[f.Name] = f.Value.Type()
				}
				if (name == "") != (f.NoOptDefVal != "") {
					t.Errorf("%s --%s has the placeholder %q and takes a value: %t", cmd.CommandPath(), f.Name, name,
						f.NoOptDefVal == "")
				}
				if usages := s.Flags.FlagUsages(); strings.Contains(usages, "(default [])") ||
					strings.Contains(usages, "(default 0s)") {
					t.Errorf("%s --%s shows a default that is none", cmd.CommandPath(), f.Name)
				}
			})
		}
	}
}
