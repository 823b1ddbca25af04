package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/flags"
)

// HelpColumns is the width of help, but on narrower terminals.
const HelpColumns = 80

// ExitStatuses ends the help of each command.
const ExitStatuses = `Exit status: 0 success, 1 failure, 2 wrong usage or existing output, 3 some
input was skipped (only with --strict), 10 no dataset found, 11 folder locked,
12 data damaged, 130 interrupted.`

// Placeholders are the words that stand for the values of flags in help, by the flag's name, where neither name nor
// type will do. A flag of one command has its own in its usage, in backquotes.
var Placeholders map[string]string

// placeholder returns the word that stands for a flag's value in help; "" if it takes none.
func placeholder(f *pflag.Flag) string {
	name, _ := pflag.UnquoteUsage(f)
	if strings.Contains(f.Usage, "`") || name == "" {
		return name
	}
	if word := Placeholders[f.Name]; word != "" {
		return word
	}
	switch f.Value.Type() {
	case "string", "stringSlice":
		return strings.ToUpper(f.Name[strings.LastIndexByte(f.Name, '-')+1:])
	case "duration":
		return "DURATION"
	case "float64":
		return "X"
	}
	return "N"
}

// shownValue is the value of a flag as help shows it: its type is the placeholder.
type shownValue struct {
	pflag.Value
	name string
}

func (v shownValue) Type() string { return v.name }

// shownFlag returns a flag as help shows it.
func shownFlag(f *pflag.Flag) *pflag.Flag {
	name := placeholder(f)
	if name == "" {
		return f
	}
	shown := *f
	shown.Value = shownValue{f.Value, name}
	if shown.DefValue == "0s" || shown.DefValue == "[]" { // pflag knows these as no default by the type alone
		shown.DefValue = ""
	}
	return &shown
}

// Section is the flags under one heading of a command's help.
type Section struct {
	Title string
	Flags *pflag.FlagSet
}

// Sections returns the flags of a command under their headings, in the order of declaration. Flags without a heading
// are under "Flags", and those of all commands come last.
func Sections(cmd *cobra.Command) []Section {
	var all []Section
	add := func(title string, f *pflag.Flag) {
		i := slices.IndexFunc(all, func(s Section) bool { return s.Title == title })
		if i < 0 {
			set := pflag.NewFlagSet(title, pflag.ContinueOnError)
			set.SortFlags = false
			i, all = len(all), append(all, Section{title, set})
		}
		all[i].Flags.AddFlag(shownFlag(f))
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
	slices.SortStableFunc(own, func(a, b *pflag.Flag) int { return strings.Compare(heading(a)[1], heading(b)[1]) })
	for _, f := range own {
		add(heading(f)[0], f)
	}
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) { common = append(common, f) })
	for _, f := range common {
		add("Global flags", f)
	}
	return all
}

// heading returns the heading of a flag and its place.
func heading(f *pflag.Flag) []string {
	if h := f.Annotations[flags.SectionKey]; len(h) > 0 {
		return h
	}
	return []string{"Flags", ""}
}

// PrintHelp writes the help of a command.
func PrintHelp(w io.Writer, cmd *cobra.Command) {
	var b strings.Builder
	columns := HelpColumns
	if t, ok := w.(*Terminal); ok && t.IsTerminal() {
		columns = min(columns, t.Columns())
	}
	fmt.Fprintf(&b, "%s\n\nUsage:\n  %s\n", WrapText(about(cmd), columns), useLine(cmd))
	if cmd.Example != "" {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands"}) {
		title := "\n" + g.Title + ":\n"
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() {
				fmt.Fprintf(&b, "%s  %-*s  %s\n", title, max(c.NamePadding(), 14), c.Name(), c.Short)
				title = ""
			}
		}
	}
	for _, s := range Sections(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", s.Title, s.Flags.FlagUsagesWrapped(columns))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nRun `%s COMMAND --help` for more about a command.\n", cmd.CommandPath())
	}
	fmt.Fprintf(&b, "\n%s\n", ExitStatuses)
	io.WriteString(w, b.String()) // a Terminal remembers its error
}

func about(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return strings.TrimSpace(cmd.Long)
	}
	return cmd.Short
}

// WrapText breaks the paragraphs of a text for a width in columns. A list, laid out by spaces, keeps its lines.
func WrapText(text string, columns int) string {
	all := strings.Split(text, "\n\n")
	for i, p := range all {
		if strings.HasPrefix(p, "  ") || strings.Contains(p, "\n  ") {
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

// useLine returns the form of a command's line.
func useLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND"
	}
	return strings.TrimSuffix(cmd.UseLine(), " [flags]") + " [flags]"
}

// AddHelpCommand adds cobra's command "help COMMAND" to a group, and has it fail for a command that does not exist. The
// others have been added.
func AddHelpCommand(root *cobra.Command, group string) {
	root.SetHelpCommandGroupID(group)
	root.SetCompletionCommandGroupID(group)
	root.InitDefaultHelpCmd()
	help, _, _ := root.Find([]string{"help"}) // there is one now
	help.Use, help.Short, help.Long, help.Example = "help [COMMAND]", "Show the help of a command", "",
		"  talbot help label"
	help.Run = nil
	help.RunE = printHelpOf
}

// printHelpOf prints the help of a command.
func printHelpOf(cmd *cobra.Command, words []string) error {
	found, rest, err := cmd.Root().Find(words)
	if err == nil && len(rest) > 0 {
		err = fault.Usage(fmt.Errorf("%s has no command %q", found.CommandPath(), rest[0]),
			"see `"+found.CommandPath()+" --help`")
	}
	if err == nil {
		PrintHelp(Stdout, found)
	}
	return err
}

// refuseOtherShells has cobra's command "completion SHELL" fail for a shell that it does not know.
func refuseOtherShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"}) // there is one now
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, shells []string) error {
		return printHelpOf(cmd, append([]string{cmd.Name()}, shells...))
	}
}
