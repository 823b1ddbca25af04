package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"talbot/dataset"
	"talbot/formats/binpack"
	"talbot/formats/parquet"
	"talbot/formats/rows"
	"talbot/internal/fault"
)

// ErrNoGames: an input is of none of the [Kinds], or holds nothing.
var ErrNoGames = fault.New(fault.ExitFailed, "no content that talbot reads",
	"`talbot ingest --help` lists the kinds of files that it reads")

// InputInfo is what identifies an input before it is read.
type InputInfo struct {
	Name string
	Size int64
}

// Survey opens every input that is a file, so that all faults that opening shows are said before any work. Pipes and
// standard input can be opened only once. With skip, only what is not about one input is a fault: a wrong path.
func Survey(paths []string, stated rows.Stated, skip bool) ([]InputInfo, error) {
	var all []InputInfo
	var faults []error
	for _, path := range paths {
		if path == "-" {
			all = append(all, InputInfo{"-", -1})
			continue
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.Mode().IsRegular():
			all = append(all, InputInfo{filepath.Base(path), info.Size()})
			err = checkInput(path, stated)
		case info.IsDir():
			err = checkInput(path, stated)
		default:
			all = append(all, InputInfo{filepath.Base(path), -1})
		}
		if name, _ := inputFault(err); err != nil && (!skip || name == "") {
			faults = append(faults, err)
		}
	}
	switch len(faults) {
	case 0:
		return all, nil
	case 1:
		return nil, faults[0]
	}
	return nil, fmt.Errorf("%d inputs cannot be read:\n%w", len(faults), errors.Join(faults...))
}

// checkInput returns what opening a file and looking at its beginning shows.
func checkInput(path string, stated rows.Stated) error {
	in, err := open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	kind, err := kindOf(in)
	if err != nil {
		return err
	}
	if file, size, ok := in.Direct(); ok && kind.OpenAt != nil {
		if _, err := kind.OpenAt(file, size, stated); err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		return nil
	}
	if kind.Check == nil {
		return nil
	}
	head, _ := in.Head() // damage after it is found by reading
	if err := kind.Check(head, stated); err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	return nil
}

// inputFaults are the errors that are about one input, with their names for counting. Those of units and views do not
// name the input.
var inputFaults = []struct {
	err     error
	name    string
	unnamed bool
}{
	{ErrNoGames, "no_games", false},
	{ErrSpool, "unsupported", false},
	{binpack.ErrUnit, "score_unit", true},
	{parquet.ErrDamaged, "damaged", false},
	{parquet.ErrColumns, "columns", false},
	{parquet.ErrUnsupported, "unsupported", false},
	{rows.ErrArchive, "archive", false},
	{rows.ErrUTF16, "utf16", false},
	{rows.ErrFolder, "folder", false},
	{rows.ErrPacked, "damaged", false},
	{rows.ErrRead, "unreadable", false},
	{os.ErrPermission, "unreadable", false},
	{rows.ErrUnit, "eval_unit", true},
	{rows.ErrMixedUnits, "mixed_units", true},
	{dataset.ErrView, "eval_view", true},
}

// inputFault returns the fault of an input in one word, "" if err is not about one input, and whether err does not name
// the input.
func inputFault(err error) (name string, unnamed bool) {
	for _, f := range inputFaults {
		if errors.Is(err, f.err) {
			return f.name, f.unnamed
		}
	}
	return "", false
}
