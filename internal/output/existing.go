package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"talbot/internal/durable"
	"talbot/internal/fault"
)

// Names beside an output while it is replaced: the new one until it is whole, the old one until it is removed, and the
// lock of the process that decides or swaps.
const (
	newSuffix  = ".talbot-new"
	oldSuffix  = ".talbot-old"
	lockSuffix = ".talbot-lock"
)

// Existing says what a command does with an output that exists.
type Existing uint8

// The policies.
const (
	// Refuse leaves it to the command, which refuses the output or resumes it in its own way.
	Refuse Existing = iota
	// Skip takes an output that is done for the command's, and resumes an interrupted one.
	Skip
	// Replace does the same, but makes an output with other facts again, beside the old one, and puts it in its place
	// when it is whole.
	Replace
)

// State is how far an output is.
type State uint8

// The states.
const (
	Absent      State = iota // nothing exists, or nothing of the command's kind
	Interrupted              // it was started and can be resumed
	Done                     // it is whole
)

// Found is what stands in the place of an output.
type Found struct {
	State State
	// Differences to what is asked for; none: it is that.
	Differences []Difference
	// Busy: a command is making it now.
	Busy bool
	// Foreign are files in it that talbot did not make: it is never replaced then.
	Foreign []string
	// Result is what the command reported of a finished one; nil: nothing is kept.
	Result any
}

// same reports whether it is what is asked for.
func (f *Found) same() bool { return len(f.Differences) == 0 }

// removable returns the error of an output at path that must not be removed.
func (f *Found) removable(path string) error {
	switch {
	case f.Busy:
		return fmt.Errorf("%q: %w", path, durable.ErrLocked)
	case len(f.Foreign) > 0:
		return fmt.Errorf("%q: %w: %q", path, ErrForeign, f.Foreign[0])
	}
	return nil
}

// ErrDone: the output exists, made from the same with the same settings. The command ends well.
var ErrDone = errors.New("already done")

// DoneError is [ErrDone] of an output.
type DoneError struct {
	Path   string
	Result any // see [Found]
}

func (e *DoneError) Error() string { return fmt.Sprintf("%q: %v", e.Path, ErrDone) }

// MarshalJSON returns that it is done, where it is, and what the command reported.
func (e *DoneError) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(struct {
		Done bool   `json:"done"`
		Out  string `json:"out"`
	}{true, e.Path})
	if err != nil || e.Result == nil {
		return text, err
	}
	result, err := json.Marshal(e.Result)
	return slices.Concat(text[:len(text)-1], []byte(","), bytes.TrimPrefix(result, []byte("{"))), err
}

// Unwrap returns [ErrDone].
func (e *DoneError) Unwrap() error { return ErrDone }

// ErrDifferent: the output exists, made from something else or with other settings.
var ErrDifferent = fault.New(fault.ExitUsage, "the output is there, made from or with something else", "")

// DifferentError is [ErrDifferent] of an output, and says in what.
type DifferentError struct {
	Path        string
	State       State
	Differences []Difference
}

// mostDifferences is how many differences an error lists.
const mostDifferences = 8

func (e *DifferentError) Error() string {
	what := "was made differently"
	if e.State == Interrupted {
		what = "was begun differently and interrupted"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q %s:", e.Path, what)
	for i, d := range e.Differences {
		if i == mostDifferences {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Differences)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s", d)
	}
	return b.String()
}

// Unwrap returns [ErrDifferent].
func (e *DifferentError) Unwrap() error { return ErrDifferent }

// Remedy returns what to do with the output.
func (e *DifferentError) Remedy() string {
	if e.State == Interrupted {
		return "finish it with the command that began it, make it again with --replace, or choose another place"
	}
	return "make it again with --replace, or choose another place"
}

// ErrForeign: an output that is to be replaced is or holds what talbot did not make.
var ErrForeign = fault.New(fault.ExitUsage, "talbot did not make all of it, so it is not replaced",
	"move it elsewhere, choose another place, or for a single file use --force")

// Resolve returns the folder in which a command that makes the output at path works: path itself, where nothing exists
// or an interruption is resumed, or one beside it, which [Swap] puts in its place. inspect reports what exists at a
// path and changes nothing. A link stands for the folder that it leads to. Errors: [DoneError] where there is nothing
// to do, [DifferentError] without Replace, [ErrForeign], [durable.ErrLocked] and those of inspect.
func (e Existing) Resolve(path string, inspect func(path string) (Found, error)) (at string, err error) {
	path = filepath.Clean(path)
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 && e != Refuse {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", err
		}
	}
	unfinished := exists(path + oldSuffix)
	if _, err := os.Stat(filepath.Dir(path)); err == nil && (e == Replace || unfinished) {
		lock, err := durable.Lock(path + lockSuffix)
		if err != nil {
			return "", fmt.Errorf("%q: %w", path, err)
		}
		defer release(lock)
		if err := recoverSwap(path); err != nil {
			return "", err
		}
	} else if durable.Locked(path + lockSuffix) {
		return "", fmt.Errorf("%q: %w", path, durable.ErrLocked)
	}
	if e == Refuse {
		return path, nil
	}
	is, err := inspect(path)
	if err != nil {
		return "", err
	}
	switch {
	case is.State == Absent, is.State == Interrupted && is.same():
		return path, nil
	case is.same():
		return "", errors.Join(&DoneError{path, is.Result}, dropBeside(path, inspect))
	case e == Skip:
		return "", &DifferentError{path, is.State, is.Differences}
	}
	if err := is.removable(path); err != nil {
		return "", err
	}
	return resolveBeside(path, inspect)
}

// dropBeside removes a replacement that was made whole and is not wanted any more; an unfinished one may be.
func dropBeside(path string, inspect func(string) (Found, error)) error {
	beside := path + newSuffix
	if is, err := inspect(beside); err != nil || is.State != Done || is.removable(beside) != nil {
		return nil
	}
	return removeAll(beside)
}

// resolveBeside returns the folder in which the replacement of the output at path is made. One that is whole is put in
// its place.
func resolveBeside(path string, inspect func(string) (Found, error)) (string, error) {
	beside := path + newSuffix
	is, err := inspect(beside)
	switch {
	case err != nil:
		return "", err
	case is.State == Done && is.same():
		if err := swap(beside, path); err != nil {
			return "", err
		}
		return "", &DoneError{path, is.Result}
	case is.State == Absent && len(is.Foreign) == 0, is.State == Interrupted && is.same():
		return beside, nil
	}
	if err := is.removable(beside); err != nil {
		return "", err
	}
	return beside, removeAll(beside)
}

// Target returns the path of the output that is made at a folder which [Existing.Resolve] returned.
func Target(at string) string { return strings.TrimSuffix(at, newSuffix) }

// Swap puts the output at a path that [Existing.Resolve] returned in the place of its [Target], and removes the old
// one. It does nothing where that is the output itself. Killed at any moment, it leaves both outputs, the new one
// whole, and the next command that resolves the path ends it.
func Swap(at string) error {
	path := Target(at)
	if at == path {
		return nil
	}
	lock, err := durable.Lock(path + lockSuffix)
	if err != nil {
		return fmt.Errorf("%q: %w", path, err)
	}
	defer release(lock)
	return swap(at, path)
}

// swap is [Swap] under the lock. Between its renamings nothing has the output's name.
func swap(at, path string) error {
	if err := durable.Rename(path, path+oldSuffix); err != nil {
		return fmt.Errorf("putting %q in the place of %q: %w", at, path, err)
	}
	if err := durable.Rename(at, path); err != nil {
		return errors.Join(fmt.Errorf("putting %q in the place of %q: %w", at, path, err),
			durable.Rename(path+oldSuffix, path))
	}
	if err := durable.SyncFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := removeAll(path + oldSuffix); err != nil {
		return fmt.Errorf("removing what %q replaced: %w", path, err)
	}
	return nil
}

// recoverSwap ends a swap that was killed: the output's name goes to the new one, which was whole, and the old one is
// removed.
func recoverSwap(path string) error {
	switch old, beside := path+oldSuffix, path+newSuffix; {
	case !exists(old):
		return nil
	case exists(path):
		return removeAll(old)
	case exists(beside):
		return errors.Join(durable.Rename(beside, path), removeAll(old))
	default:
		return durable.Rename(old, path)
	}
}

// release frees a lock whose file is of no use any more; a file that cannot be removed does no harm.
func release(lock *durable.HeldLock) {
	_ = lock.Remove()
	_ = lock.Close()
}

// ForeignFiles lists the entries of a folder of which own says that talbot did not make them, nor left them unfinished;
// none where there is no folder.
func ForeignFiles(dir string, own func(name string) bool) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if name := durable.WithoutTemp(e.Name()); !own(name) {
			names = append(names, name)
		}
	}
	return names, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// removeAll removes a folder.
func removeAll(dir string) error {
	if err := durable.FaultOf("remove", dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
