package ingest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/formats/rows"
	"talbot/internal/fault"
)

// ErrNoInputs: a folder or a pattern has no file with a suffix of the [Kinds].
var ErrNoInputs = fault.New(fault.ExitFailed, "no files that talbot reads",
	"`talbot ingest --help` lists the names of the files that it reads in a folder")

// ExpandInputs replaces folders by the files in and below them, sorted by path, and patterns (*, ?, […]) by the files
// they match, sorted. In a folder only files with the suffix of a kind count, also packed ([rows.Packers]); hidden ones
// and all others are given to skipped, which may be nil. An existing path is never a pattern; a file that is named
// itself is always taken, and each file only once.
func ExpandInputs(paths []string, skipped func(path string)) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	take := func(path string) {
		if key := filepath.Clean(path); path == "-" || !seen[key] {
			seen[key] = true
			all = append(all, path)
		}
	}
	for _, path := range paths {
		matches := []string{path}
		if _, err := os.Stat(path); path != "-" && err != nil {
			if !strings.ContainsAny(path, "*?[") {
				return nil, err
			}
			if matches, err = filepath.Glob(path); err == nil && len(matches) == 0 {
				err = ErrNoInputs
			}
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %w", path, err)
			}
			slices.Sort(matches)
		}
		for _, match := range matches {
			if info, err := os.Stat(match); match != "-" && err == nil && info.IsDir() {
				if err := expandFolder(match, take, skipped); err != nil {
					return nil, err
				}
			} else {
				take(match)
			}
		}
	}
	return all, nil
}

func expandFolder(dir string, take, skipped func(string)) error {
	found := false
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != filepath.Clean(dir) {
		dir = strings.TrimRight(dir, string(filepath.Separator)) + string(filepath.Separator) // a link is not walked
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
		case isInputName(d.Name()):
			found = true
			take(path)
		case skipped != nil:
			skipped(path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the folder %q: %w", dir, err)
	}
	if !found {
		return fmt.Errorf("folder %q: %w", dir, ErrNoInputs)
	}
	return nil
}

func isInputName(name string) bool {
	if strings.HasPrefix(name, ".") {
		return false
	}
	name = strings.ToLower(name)
	_, packed := rows.Packers()
	for _, suffix := range packed {
		name = strings.TrimSuffix(name, suffix)
	}
	_, suffixes := Kinds()
	return slices.Contains(suffixes, filepath.Ext(name))
}
