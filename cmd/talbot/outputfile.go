package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"talbot/internal/fault"
	"talbot/internal/output"
	"talbot/network/run"
)

// outputFile is a file that a flag has a command write. [outputFile.check] is called for each before any work.
type outputFile struct {
	flag  string // that names it
	path  string
	force bool // --force is given
	// inputs are the files that the command reads, and folders those that it makes. Neither is written to.
	inputs, folders []string
	// own says of a file that the command may replace it without --force: an earlier one of the same folder's, or what
	// an unfinished run of the command made.
	own bool
}

// check returns where the file is to be written: path, or what it leads to if it is a link. It refuses, as an error of
// usage, a file that is there and is not to be replaced, what is no file, an input, what belongs to a dataset or a
// run, there or not, and a file in a folder that is not there.
func (o outputFile) check() (string, error) {
	path, info, err := target(o.path)
	if err != nil {
		return "", err
	}
	refuse := func(what string, hint string) (string, error) {
		return "", fault.Usage(fmt.Errorf("%s %q: %s", o.flag, o.path, what), hint)
	}
	const another = "choose another file"
	if o.path == "-" {
		return refuse("standard output is not written to", another+", or ./- for one of this name")
	}
	if info != nil && !info.Mode().IsRegular() {
		return refuse("not a file", another)
	}
	for _, in := range o.inputs {
		if same(info, in) {
			return refuse("it is an input of this command", another)
		}
	}
	dir := filepath.Dir(path)
	for _, folder := range o.folders {
		made, _, err := target(folder)
		if err == nil && (made == dir || strings.HasPrefix(dir, made+string(filepath.Separator))) {
			return refuse(fmt.Sprintf("%q is the folder of the new dataset", folder), another)
		}
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return refuse(fmt.Sprintf("there is no folder %q", dir), "make the folder, or "+another)
	}
	if owner := ownerOf(path, info); owner != "" {
		return refuse("it belongs to "+owner, another+"; --force does not replace this one")
	}
	if info != nil && !o.own && !o.force {
		return refuse("the file exists", "choose another file, or replace this one with --force")
	}
	if link, err := os.Readlink(o.path); err != nil || link == "" {
		return o.path, nil
	}
	return path, nil
}

// target returns what a path leads to, through links and "..", and what is there, nil for nothing.
func target(path string) (string, fs.FileInfo, error) {
	for range 40 { // a link to nothing leads to where it would be made
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Dir(path) + string(filepath.Separator) + to
		}
		path = to
	}
	dir, base := filepath.Split(path)
	if real, err := filepath.EvalSymlinks(cmp.Or(dir, ".")); err == nil {
		dir = real
	}
	path, err := filepath.Abs(filepath.Join(dir, base))
	if err != nil {
		return "", nil, err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	return path, info, err
}

func same(info fs.FileInfo, path string) bool {
	other, err := os.Stat(path)
	return info != nil && err == nil && os.SameFile(info, other)
}

// ownerOf says which dataset or run a file belongs to, by its name or as another name of one of its files; "" for none.
// info is nil if it is not there.
func ownerOf(path string, info fs.FileInfo) string {
	dir := filepath.Dir(path)
	for _, kind := range []struct {
		what string
		is   func(dir string) bool
		owns func(name string) bool
		dir  string
		name string // relative to dir
	}{
		{"the dataset", output.InUse, output.IsOwnFile, dir, filepath.Base(path)},
		{"the run", run.IsRun, run.Owns, dir, filepath.Base(path)},
		{"the run", run.IsRun, run.Owns, filepath.Dir(dir), filepath.Base(dir)},
	} {
		if !kind.is(kind.dir) {
			continue
		}
		owned := kind.owns(kind.name)
		entries, err := os.ReadDir(kind.dir)
		for _, e := range entries {
			// Another name of a file, where letters' case does not count or by a hard link.
			owned = owned || err == nil && kind.owns(e.Name()) && same(info, filepath.Join(kind.dir, e.Name()))
		}
		if owned {
			return fmt.Sprintf("%s %q", kind.what, kind.dir)
		}
	}
	return ""
}
