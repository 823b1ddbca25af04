package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"talbot/internal/testkit"
)

// repository is the root of the module.
var repository = os.DirFS("../..")

// documents are the Markdown files of a repository.
func documents(t *testing.T, repository fs.FS) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "*/*.md"} {
		found, err := fs.Glob(repository, pattern)
		testkit.OK(t, err)
		files = append(files, found...)
	}
	return files
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)|(?m:^\[[^]]+\]: (\S+)$)|src="([^"]+)"`)
	heading    = regexp.MustCompile(`(?m)^#+ (.*)$`)
	mention    = regexp.MustCompile(`(?:^|[^\w./-]|\.\./)(docs/[\w./-]*\w)`)
)

// anchors are the fragments under which GitHub shows the headings of a Markdown text.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case strings.ContainsRune("`*()[],.:;!?'\"/+×–→", r):
				return -1
			}
			return r
		}, strings.ToLower(match[1]))
		found[slug] = true
	}
	return found
}

// deadLinks returns the relative links and the mentions of docs/… in a file that lead nowhere.
func deadLinks(repository fs.FS, file string) ([]string, error) {
	content, err := fs.ReadFile(repository, file)
	if err != nil {
		return nil, err
	}
	var dead []string
	for _, match := range mention.FindAllStringSubmatch(string(content), -1) {
		if _, err := fs.Stat(repository, match[1]); err != nil {
			dead = append(dead, match[1])
		}
	}
	if !strings.HasSuffix(file, ".md") {
		return dead, nil
	}
	for _, match := range linkTarget.FindAllStringSubmatch(string(content), -1) {
		link := match[1] + match[2] + match[3]
		if strings.Contains(link, "://") {
			continue
		}
		target, fragment, _ := strings.Cut(link, "#")
		text := content
		if target != "" {
			target = path.Join(path.Dir(file), target)
			if text, err = fs.ReadFile(repository, target); err != nil {
				dead = append(dead, link)
				continue
			}
		}
		if fragment != "" && !anchors(string(text))[fragment] {
			dead = append(dead, link)
		}
	}
	return dead, nil
}

// Every relative link in the documents, and every mention of docs/… in documents, help texts, comments and scripts,
// leads somewhere.
func TestLinks(t *testing.T) {
	read := 0
	err := fs.WalkDir(repository, ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if name := entry.Name(); name != "." && strings.HasPrefix(name, ".") || name == "bin" || name == "demo-out" {
				return fs.SkipDir
			}
			return nil
		}
		switch filepath.Ext(file) {
		case ".md", ".go", ".sh", ".py", ".yml", ".txtar":
		default:
			return nil
		}
		if path.Base(file) == "docs_test.go" { // has dead links on purpose
			return nil
		}
		read++
		dead, err := deadLinks(repository, file)
		for _, link := range dead {
			t.Errorf("%s: %q leads nowhere", file, link)
		}
		return err
	})
	testkit.OK(t, err)
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}

// Dead links of every form are found, and living ones are not.
func TestDeadLinks(t *testing.T) {
	repository := fstest.MapFS{
		"docs/1-a.md": {Data: []byte("# A\n## 2. A `b`: c\n[dead](2-b.md) [fragment](#2-a-b) [other](#2-a-b-c)\n" +
			"[up](../README.md) [web](https://example.org/docs/none)\n<img src=\"none.png\">\n[r]: none.md#x\n")},
		"README.md": {Data: []byte("see docs/1-a.md, docs/2-b.md.\n")},
		"a.go":      {Data: []byte("// docs/1-a.md and ../docs/3-c.md, not mydocs/none\n")},
	}
	for file, want := range map[string]string{
		"docs/1-a.md": "2-b.md #2-a-b none.png none.md#x",
		"README.md":   "docs/2-b.md",
		"a.go":        "docs/3-c.md",
	} {
		dead, err := deadLinks(repository, file)
		if got := strings.Join(dead, " "); err != nil || got != want {
			t.Errorf("%s: got %q (%v), want %q", file, got, err, want)
		}
	}
}

// TestReadme checks that the README links every page.
func TestReadme(t *testing.T) {
	readme, err := fs.ReadFile(repository, "README.md")
	testkit.OK(t, err)
	for _, file := range documents(t, repository) {
		if file != "README.md" && !strings.Contains(string(readme), "("+file+")") {
			t.Errorf("README.md does not link %s", file)
		}
	}
}

// document is the text of a file of the repository.
func document(t *testing.T, file string) string {
	t.Helper()
	content, err := fs.ReadFile(repository, file)
	testkit.OK(t, err)
	return string(content)
}

// docs/9-development.md lists the tasks that there are.
func TestTasks(t *testing.T) {
	names := func(file, pattern string) []string {
		content, err := fs.ReadFile(repository, file)
		testkit.OK(t, err)
		var found []string
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(content), -1) {
			if match[1] != "default" {
				found = append(found, match[1])
			}
		}
		slices.Sort(found)
		return found
	}
	documented := names("docs/9-development.md", "(?m)^\\| `([a-z:-]+)` \\|")
	if tasks := names("Taskfile.yml", `(?m)^  ([a-z][a-z:-]*):$`); !slices.Equal(documented, tasks) {
		t.Errorf("docs/9-development.md has the tasks %q, Taskfile.yml %q", documented, tasks)
	}
}

var (
	command  = regexp.MustCompile("(?m)(?:^bin/|`(?:bin/)?)talbot ([a-z-]+)([^`\n]*)")
	flagName = regexp.MustCompile(`(?:^|[\s/|(])--([a-z][a-z-]*)`)
	span     = regexp.MustCompile("`(--[a-z][a-z-]*)[^`]*`")
)

// foreign are flags in the documents that belong to other programs.
var foreign = map[string]bool{"logdir": true}

// unknownCommands returns what a document says of talbot's commands and flags that the program does not have.
func unknownCommands(root *cobra.Command, text string) []string {
	commands := map[string]*pflag.FlagSet{}
	all := map[string]bool{"help": true, "version": true}
	for _, c := range root.Commands() {
		commands[c.Name()] = c.Flags()
		c.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
	var unknown []string
	text = strings.ReplaceAll(text, "\\\n", " ")
	for _, match := range command.FindAllStringSubmatch(text, -1) {
		flags := commands[match[1]]
		if flags == nil {
			unknown = append(unknown, match[1])
			continue
		}
		given, _, _ := strings.Cut(match[2], "#")
		for _, flag := range flagName.FindAllStringSubmatch(given, -1) {
			if flags.Lookup(flag[1]) == nil && root.PersistentFlags().Lookup(flag[1]) == nil && flag[1] != "help" {
				unknown = append(unknown, match[1]+" --"+flag[1])
			}
		}
	}
	for _, match := range span.FindAllStringSubmatch(text, -1) {
		if name := match[1][2:]; !all[name] && !foreign[name] {
			unknown = append(unknown, match[1])
		}
	}
	return unknown
}

// The README and the numbered documents name only commands and flags that there are.
func TestDocumentedCommands(t *testing.T) {
	root := newRoot()
	for _, file := range documents(t, repository) {
		if file == "CHANGELOG.md" { // it may speak of the past
			continue
		}
		content, err := fs.ReadFile(repository, file)
		testkit.OK(t, err)
		for _, unknown := range unknownCommands(root, string(content)) {
			t.Errorf("%s: talbot has no %q", file, unknown)
		}
	}
}

// The overview names every command.
func TestOverview(t *testing.T) {
	overview, err := fs.ReadFile(repository, "docs/1-pipeline.md")
	testkit.OK(t, err)
	for _, cmd := range newRoot().Commands() {
		if !regexp.MustCompile(`talbot `+cmd.Name()+`\b`).Match(overview) && cmd.Name() != "help" {
			t.Errorf("docs/1-pipeline.md: no word about %s", cmd.Name())
		}
	}
}

// Unknown commands and flags are found in code blocks, tables and sentences.
func TestUnknownCommands(t *testing.T) {
	text := "```sh\nbin/talbot ingest a --out b --nothing\n```\n| `talbot sing` | `--out` `--none 3` |\n" +
		"Run `talbot label x --out y --nodes 3`.\n"
	if got := strings.Join(unknownCommands(newRoot(), text), ", "); got != "ingest --nothing, sing, --none" {
		t.Errorf("got %q", got)
	}
}
