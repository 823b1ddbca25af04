package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"talbot/internal/cli"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write manual pages to a folder",
		Long: `Man writes manual pages for talbot and each of its commands to the folder DIR,
which it creates if necessary. It replaces the pages of an earlier version.`,
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
	root.DisableAutoGenTag = true
	for _, cmd := range append(root.Commands(), root) {
		cmd.Long = asMarkdown(cmd.Long) + "\n\n" + cli.ExitStatuses
	}
	header := &doc.GenManHeader{Section: "1", Source: "talbot " + thisBuild().Version}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return err
	}
	cli.Summarise("%s: manual pages written\n", dir)
	return nil
}

// asMarkdown indents the lists of a help text, which are laid out by spaces, so that they keep their lines.
func asMarkdown(text string) string {
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		if strings.HasPrefix(p, "  ") || strings.Contains(p, "\n  ") {
			paragraphs[i] = "    " + strings.ReplaceAll(p, "\n", "\n    ")
		}
	}
	return strings.Join(paragraphs, "\n\n")
}
