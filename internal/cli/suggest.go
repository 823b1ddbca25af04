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

// Nearest returns the candidate that a mistyped word was probably meant to be, "" if there is none.
func Nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+1
	for _, c := range candidates {
		d := distance(strings.ToLower(word), strings.ToLower(c))
		if len(word) >= 3 && strings.HasPrefix(strings.ToLower(c), strings.ToLower(word)) {
			d = min(d, 2)
		}
		if c != word && d <= min(least, 3) && (best == "" || d < least) {
			best, least = c, d
		}
	}
	return best
}

// distance returns the optimal string alignment distance of a and b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		now := make([]int, len(y)+1)
		now[0] = i
		for j := 1; j <= len(y); j++ {
			change := row[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			now[j] = min(change, row[j]+1, now[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
		before, row = row, now
	}
	return row[len(y)]
}

// suggest adds to an error of the command line the command or flag that was probably meant.
func suggest(cmd *cobra.Command, err error) error {
	var name string
	if _, e := fmt.Sscanf(err.Error(), "unknown command %q", &name); e == nil {
		return fault.Usage(fmt.Errorf("unknown command %q", name),
			DidYouMean("see `talbot --help`", commandFor(cmd.Root(), name), "talbot "))
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
		return fault.Usage(err, DidYouMean(text, Nearest(unknown.GetSpecifiedName(), names), cmd.CommandPath()+" --"))
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
	name := Nearest(filepath.Base(path), names)
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
	return Nearest(name, names)
}

// DidYouMean puts a suggestion before a remedy, if there is a word to suggest.
func DidYouMean(remedy, word, before string) string {
	if word == "" {
		return remedy
	}
	text := "did you mean `" + before + word + "`?"
	if remedy != "" {
		text += " " + remedy
	}
	return text
}
