package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/fault"
	"talbot/internal/plain"
)

// suggest adds to an error of the command line the command or flag that was probably meant.
func suggest(cmd *cobra.Command, err error) error {
	var name string
	if _, e := fmt.Sscanf(err.Error(), "unknown command %q", &name); e == nil {
		return fault.Usage(fmt.Errorf("unknown command %q", name),
			fault.DidYouMean("see `talbot --help`", commandFor(cmd.Root(), name), "talbot "))
	}
	exit, text := fault.Of(err)
	if exit != fault.ExitUsage {
		return err
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		meant := fault.Nearest(unknown.GetSpecifiedName(), names)
		return fault.Usage(err, fault.DidYouMean(text, meant, cmd.CommandPath()+" --"))
	}
	return fault.Usage(err, text)
}

// NearestPath returns a remedy that names the file or folder that a mistyped path was probably meant to be, "" if there
// is none.
func NearestPath(path string) string {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) && dir != path {
		return NearestPath(dir)
	}
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	name := fault.Nearest(filepath.Base(path), names)
	if name == "" {
		return ""
	}
	return plain.Sprintf("did you mean %q?", filepath.Join(dir, name))
}

// commandFor returns the command that a mistyped name, or another word for what it does, stands for.
func commandFor(root *cobra.Command, name string) string {
	var names []string
	for _, c := range root.Commands() {
		for _, other := range c.SuggestFor {
			if strings.EqualFold(name, other) {
				return c.Name()
			}
		}
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return fault.Nearest(name, names)
}
