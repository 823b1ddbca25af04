package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/flags"
)

// helpColumns is the width of help, but on narrower terminals.
const helpColumns = 80

// helpWidth is the width of help that is written to w.
func helpWidth(w io.Writer) int {
	if o, ok := w.(*outlet); ok {
		if columns := (*folded)(o).width(); columns > 0 {
			return min(columns, helpColumns)
		}
	}
	return helpColumns
}

// groups are the headings of the commands in help, in order.
var groups = []*cobra.Group{
	{ID: "make", Title: "Make datasets"}, {ID: "train", Title: "Train and measure networks"},
	{ID: "play", Title: "Play"}, {ID: "look", Title: "Inspect datasets"},
	{ID: "machine", Title: "Plan and set up"}, {ID: "more", Title: "More"},
}

// flagSection are the flags under one heading.
type flagSection struct {
	title string
	flags *pflag.FlagSet
}

// sectionsOf returns the flags of a command under their headings, in the order of [flags.Set.Section]. Those without a heading of
// their own are under "Flags", and those of all commands come last.
func sectionsOf(cmd *cobra.Command) []flagSection {
	var all []flagSection
	add := func(title string, f *pflag.Flag) {
		for _, s := range all {
			if s.title == title {
				s.flags.AddFlag(withPlaceholder(f))
				return
			}
		}
		set := pflag.NewFlagSet(title, pflag.ContinueOnError)
		set.SortFlags = false
		set.AddFlag(withPlaceholder(f))
		all = append(all, flagSection{title, set})
	}
	var own, common []*pflag.Flag
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "help" || f.Name == "version" || cmd.PersistentFlags().Lookup(f.Name) != nil:
			common = append(common, f)
		case !f.Hidden:
			own = append(own, f)
		}
	})
	slices.SortStableFunc(own, func(a, b *pflag.Flag) int {
		return slices.Compare(headingOf(a)[1:], headingOf(b)[1:])
	})
	for _, f := range own {
		add(headingOf(f)[0], f)
	}
	for _, f := range common {
		add("Global flags", f)
	}
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { add("Global flags", f) })
	return all
}

// headingOf returns the heading of a flag and its place.
func headingOf(f *pflag.Flag) []string {
	if h := f.Annotations[flags.SectionKey]; len(h) > 0 {
		return h
	}
	return []string{"Flags", ""}
}

// printHelp writes the help of a command.
func printHelp(w io.Writer, cmd *cobra.Command) {
	var b strings.Builder
	columns := helpWidth(w)
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", wrapText(about, columns), useLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	printCommands(&b, cmd)
	for _, s := range sectionsOf(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", s.title, s.flags.FlagUsagesWrapped(columns))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nRun `%s COMMAND --help` for more about a command.\n", cmd.CommandPath())
	}
	fmt.Fprintf(&b, "\n%s\n", exitStatuses)
	io.WriteString(w, b.String()) // the outlet remembers its error
}

// paragraphs splits a text at its empty lines; laidOut reports whether a paragraph is laid out by spaces, as a list is,
// and keeps its lines.
func paragraphs(text string) []string { return strings.Split(strings.TrimSpace(text), "\n\n") }

func laidOut(paragraph string) bool {
	return strings.HasPrefix(paragraph, "  ") || strings.Contains(paragraph, "\n  ")
}

// wrapText breaks the paragraphs of a text anew for a width in columns.
func wrapText(text string, columns int) string {
	all := paragraphs(text)
	for i, p := range all {
		if laidOut(p) {
			continue
		}
		line, lines := "", []string(nil)
		for word := range strings.FieldsSeq(p) {
			if line != "" && uniseg.StringWidth(line+" "+word) > columns {
				lines, line = append(lines, line), ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
		all[i] = strings.Join(append(lines, line), "\n")
	}
	return strings.Join(all, "\n\n")
}

// newHelp is "talbot help COMMAND".
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show the help of a command",
		Example: "  talbot help label",
		GroupID: groups[len(groups)-1].ID,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			var all []string
			for _, c := range cmd.Root().Commands() {
				if len(args) == 0 && c.IsAvailableCommand() && strings.HasPrefix(c.Name(), typed) {
					all = append(all, c.Name())
				}
			}
			return completed(all)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = usage(fmt.Errorf("%s has no command %q", found.CommandPath(), rest[0]), "")
			}
			if err != nil {
				return err
			}
			printHelp(stdout, found)
			return nil
		},
	}
}

// useLine is the command line that a command takes.
func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return strings.TrimSuffix(cmd.UseLine(), " [flags]") + " [flags]"
}

// printCommands lists the commands below a command, by group.
func printCommands(b *strings.Builder, cmd *cobra.Command) {
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands"}) {
		title := "\n" + g.Title + ":\n"
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() {
				fmt.Fprintf(b, "%s  %-*s  %s\n", title, max(c.NamePadding(), 14), c.Name(), c.Short)
				title = ""
			}
		}
	}
}
