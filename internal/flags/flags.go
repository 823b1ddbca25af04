// Package flags declares the flags of commands: each with its heading in help, its bounds and words, and what it needs
// and excludes. A value is checked when it is read; [Check] checks the flags together.
package flags

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
)

// The annotations of a flag.
const (
	SectionKey = "talbot section" // its heading in help and its place there
	wordsKey   = "talbot words"   // the words that its value can be, or begin with
	needsKey   = "talbot needs"   // each a list of flags, separated by spaces, of which one must be given, too
	excludeKey = "talbot excludes"
	requireKey = "talbot requires" // it must be given
	unlessKey  = "talbot unless"   // but with one of these flags
)

// Set declares the flags of a command. The default of a flag is what its variable holds when it is declared. A name
// such as "out,o" has a short form.
type Set struct {
	cmd     *cobra.Command
	section string
}

// Of returns a set that adds to the flags of a command.
func Of(cmd *cobra.Command) *Set {
	cmd.Flags().SortFlags = false
	return &Set{cmd: cmd}
}

// Section puts the flags that are declared next under a heading.
func (s *Set) Section(title string) { s.section = title }

// Bool declares a flag without a value.
func (s *Set) Bool(to *bool, name, usage string) {
	s.add(name, func(name, short string) { s.cmd.Flags().BoolVarP(to, name, short, *to, usage) })
}

// String declares a flag that takes any text.
func (s *Set) String(to *string, name, usage string) {
	s.add(name, func(name, short string) { s.cmd.Flags().StringVarP(to, name, short, *to, usage) })
}

// Strings declares a flag that takes texts separated by commas.
func (s *Set) Strings(to *[]string, name, usage string) {
	s.add(name, func(name, short string) { s.cmd.Flags().StringSliceVarP(to, name, short, *to, usage) })
}

// Each declares a flag that may be repeated.
func (s *Set) Each(to *[]string, name, usage string) {
	s.add(name, func(name, short string) { s.cmd.Flags().StringArrayVarP(to, name, short, *to, usage) })
}

// add declares a flag and puts it under the present heading.
func (s *Set) add(name string, declare func(name, short string)) {
	name, short, _ := strings.Cut(name, ",")
	declare(name, short)
	if s.section != "" {
		n := 0
		s.cmd.Flags().VisitAll(func(*pflag.Flag) { n++ })
		s.annotate(name, SectionKey, s.section, fmt.Sprintf("%03d", n))
	}
}

// annotate adds to what is noted of a flag.
func (s *Set) annotate(name, key string, words ...string) {
	f := s.cmd.Flags().Lookup(name)
	if f == nil {
		panic(fmt.Sprintf("%s has no flag %q", s.cmd.Name(), name))
	}
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[key] = append(f.Annotations[key], words...)
}

// Words states the words that a flag's value can be, or begin with, for completion and to find what a mistyped one was
// meant to be.
func (s *Set) Words(name string, words ...string) {
	s.annotate(name, wordsKey, words...)
	f := s.cmd.Flags().Lookup(name)
	_ = s.cmd.RegisterFlagCompletionFunc(name, func(_ *cobra.Command, _ []string, typed string) ([]string,
		cobra.ShellCompDirective) {
		before, last := "", typed
		if i := strings.LastIndexByte(typed, ','); i >= 0 && strings.HasSuffix(f.Value.Type(), "Slice") {
			before, last = typed[:i+1], typed[i+1:]
		}
		directive := cobra.ShellCompDirectiveNoFileComp
		var all []string
		for _, w := range words {
			if strings.HasPrefix(w, last) {
				all = append(all, before+w)
				if strings.HasSuffix(w, ":") || strings.HasSuffix(w, "/") {
					directive |= cobra.ShellCompDirectiveNoSpace
				}
			}
		}
		return all, directive
	}) // its only error is a second function
}

// Required declares that flags must be given.
func (s *Set) Required(names ...string) {
	for _, name := range names {
		s.annotate(name, requireKey, "")
	}
}

// Unless declares that a flag which is required need not be given with one of others.
func (s *Set) Unless(name string, others ...string) { s.annotate(name, unlessKey, others...) }

// Needs declares that flags mean nothing without one of others.
func (s *Set) Needs(names []string, others ...string) {
	for _, name := range names {
		s.annotate(name, needsKey, strings.Join(others, " "))
	}
}

// Excludes declares that a flag cannot be used together with any of others.
func (s *Set) Excludes(name string, others ...string) { s.annotate(name, excludeKey, others...) }

// AtMostOne declares that flags cannot be used together.
func (s *Set) AtMostOne(names ...string) {
	for i, name := range names {
		s.Excludes(name, names[i+1:]...)
	}
}

// isGiven reports whether a flag was given: not as "" or, if it takes no value, as false.
func isGiven(f *pflag.Flag) bool {
	text := f.Value.String()
	return f.Changed && text != "" && !(f.Value.Type() == "bool" && text == "false")
}

// Check reports the first flag that is missing, or that contradicts another.
func Check(cmd *cobra.Command) error {
	var first error
	f := cmd.Flags()
	given := func(name string) bool { return isGiven(f.Lookup(name)) }
	report := func(remedy, text string, values ...any) {
		if first == nil {
			first = fault.Usage(fmt.Errorf(text, values...), remedy)
		}
	}
	f.VisitAll(func(flag *pflag.Flag) {
		if i := slices.IndexFunc(flag.Annotations[excludeKey], given); i >= 0 && given(flag.Name) {
			report("leave one of them out", "--%s and --%s cannot be used together", flag.Name,
				flag.Annotations[excludeKey][i])
		}
		for _, list := range flag.Annotations[needsKey] {
			if others := strings.Fields(list); flag.Changed && !slices.ContainsFunc(others, given) {
				report("add --"+others[0]+", or leave out --"+flag.Name, "--%s needs %s", flag.Name, either(others))
			}
		}
		if flag.Annotations[requireKey] != nil && !given(flag.Name) &&
			!slices.ContainsFunc(flag.Annotations[unlessKey], given) {
			report(example(cmd, flag.Name), "--%s is missing", flag.Name)
		}
	})
	return first
}

// either writes names of flags in a sentence: "--a, --b or --c".
func either(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = "--" + name
	}
	return Listed(all, "or")
}

// Listed writes names in a sentence: "a, b or c".
func Listed(names []string, word string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// example returns the first of a command's examples that has a flag, in a hint.
func example(cmd *cobra.Command, name string) string {
	f := cmd.Flags().Lookup(name)
	for line := range strings.Lines(cmd.Example) {
		words := strings.Fields(line)
		if slices.Contains(words, "--"+name) || f.Shorthand != "" && slices.Contains(words, "-"+f.Shorthand) {
			return "for example `" + strings.TrimSpace(line) + "`"
		}
	}
	return "see `" + cmd.CommandPath() + " --help`"
}

// Command returns the command whose flags are declared.
func (s *Set) Command() *cobra.Command { return s.cmd }
