package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/durable"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages to a folder",
		Long: `Man writes a manual page for talbot and for each of its commands to DIR, and creates the
folder if necessary. It replaces the pages of an earlier version.`,
		Example: `  talbot man ~/.local/share/man/man1
  talbot man pages && man ./pages/talbot-label.1`,
		Args: operands(1, 1, "one folder"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error { return writeManual(cmd.Root(), args[0]) },
	}
}

// writeManual writes a page for a command and for each below it.
func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	pages := []*cobra.Command{root}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			pages = append(pages, c)
		}
	}
	for _, c := range pages {
		if err := durable.WriteFile(filepath.Join(dir, manName(c)+".1"), []byte(manPage(c))); err != nil {
			return err
		}
	}
	summarise("%s: %d manual pages\n", dir, len(pages))
	return nil
}

// manName is the name of a command's page.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manPage returns the page of a command in the macros of man(7).
func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"talbot %s\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(roff(manName(cmd))), version,
		roff(manName(cmd)), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n%s\n.SH DESCRIPTION\n", roff(useLine(cmd)))
	about := cmd.Long
	if about == "" {
		about = cmd.Short
	}
	for i, paragraph := range paragraphs(about) {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		writeParagraph(&b, paragraph)
	}
	for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Commands"}) {
		writeManCommands(&b, cmd, g)
	}
	for _, s := range sectionsOf(cmd) {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(roff(s.title)))
		s.flags.VisitAll(func(f *pflag.Flag) { writeManFlag(&b, f) })
	}
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		writeParagraph(&b, cmd.Example)
	}
	b.WriteString(".SH EXIT STATUS\n")
	writeParagraph(&b, exitStatuses)
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s(1)\n", roff(manName(cmd.Parent())))
	}
	return b.String()
}

// writeParagraph writes a paragraph; one that is laid out by spaces keeps its lines.
func writeParagraph(b *strings.Builder, text string) {
	if laidOut(text) {
		fmt.Fprintf(b, ".nf\n%s\n.fi\n", roff(text))
		return
	}
	fmt.Fprintf(b, "%s\n", roff(text))
}

func writeManCommands(b *strings.Builder, cmd *cobra.Command, g *cobra.Group) {
	title := fmt.Sprintf(".SH %s\n", strings.ToUpper(roff(g.Title)))
	for _, c := range cmd.Commands() {
		if c.GroupID == g.ID && c.IsAvailableCommand() {
			fmt.Fprintf(b, "%s.TP\n.BR %s (1)\n%s\n", title, roff(manName(c)), roff(c.Short))
			title = ""
		}
	}
}

func writeManFlag(b *strings.Builder, f *pflag.Flag) {
	name, text := pflag.UnquoteUsage(f)
	head := `\fB` + roff("--"+f.Name) + `\fR`
	if f.Shorthand != "" {
		head = `\fB` + roff("-"+f.Shorthand) + `\fR, ` + head
	}
	if name != "" {
		head += ` \fI` + roff(name) + `\fR`
	}
	if d := f.DefValue; d != "" && d != "0" && d != "false" && d != "[]" && !strings.Contains(text, "(default") {
		text += " (default " + d + ")"
	}
	fmt.Fprintf(b, ".TP\n%s\n%s\n", head, roff(text))
}

// roff writes text so that troff takes it as it is.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") { // else a request
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
