package remake

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"talbot/internal/durable"
)

// What stands beside an output while it is replaced: the new one until it is whole, the old one while it is removed.
const (
	newSuffix = ".talbot-new"
	oldSuffix = ".talbot-old"
)

// Wish is what a command is to do with an output that is there. The zero value leaves that to the command, which
// refuses it or resumes it in its own way.
type Wish struct {
	// Skip takes an output that is done for the command's, and resumes one that was interrupted.
	Skip bool
	// Replace makes an output with other facts again, beside the old one, and puts it in its place when it is whole.
	Replace bool
}

// Asked reports whether anything is asked of the output.
func (w Wish) Asked() bool { return w.Skip || w.Replace }

// State is how far an output is.
type State uint8

// The states.
const (
	Absent      State = iota // nothing is there, or nothing of the command's kind
	Interrupted              // it was begun and can be resumed
	Done                     // it is whole
)

// Found is what stands in the place of an output.
type Found struct {
	State State
	// Differences to what is asked for; none: it is that.
	Differences []Difference
	// Busy: a command is making it now.
	Busy bool
	// Strangers are files in it that are not the command's: it is never replaced then.
	Strangers []string
	// Result is what the command reported of a finished one, for people and programs; nil: nothing is kept.
	Result any
}

// same reports whether it is what is asked for.
func (f *Found) same() bool { return len(f.Differences) == 0 }

// ErrDone: the output is there, made of the same with the same. The command ends well.
var ErrDone = errors.New("already done")

// DoneError is [ErrDone] of an output.
type DoneError struct {
	Path   string
	Result any // see [Found]
}

func (e *DoneError) Error() string { return fmt.Sprintf("%q: %v", e.Path, ErrDone) }

// Unwrap returns [ErrDone].
func (e *DoneError) Unwrap() error { return ErrDone }

// ErrDifferent: the output is there, made of something else or with other settings.
var ErrDifferent = errors.New("the output is there, made from or with something else")

// DifferentError is [ErrDifferent] of an output, and says in what.
type DifferentError struct {
	Path        string
	State       State
	Differences []Difference
}

// mostDifferences are said.
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

// ErrStrangers: an output that is to be replaced holds files that the command did not make.
var ErrStrangers = errors.New("it holds files that are not part of it, and is not replaced")

// Place returns the folder in which a command that makes the output at path works: path itself, where nothing is there
// or an interruption is resumed, or one beside it, which [Swap] puts in its place. look says what stands at a path; it
// must not change it. Where path is a link, the folder is meant that it leads to. Without a wish, it is path. Errors:
// [DoneError] where there is nothing to do, [DifferentError] without Replace, [ErrStrangers], [durable.ErrLocked] and
// those of look.
func (w Wish) Place(path string, look func(path string) (Found, error)) (at string, err error) {
	path = filepath.Clean(path)
	if !w.Asked() {
		return path, nil
	}
	// The folder is replaced, not the link.
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return "", err
		}
	}
	if err := settle(path); err != nil {
		return "", err
	}
	is, err := look(path)
	if err != nil {
		return "", err
	}
	beside := path + newSuffix
	switch {
	case is.State == Absent, is.State == Interrupted && is.same():
		return path, nil
	case is.same():
		// What a kill between the swap and the removal left, or a replacement that is not wanted any more; one that is
		// unfinished may be.
		if was, err := look(beside); err == nil && was.State == Done && len(was.Strangers) == 0 {
			if err := removeAll(beside); err != nil {
				return "", err
			}
		}
		return "", &DoneError{path, is.Result}
	case !w.Replace:
		return "", &DifferentError{path, is.State, is.Differences}
	case is.Busy:
		return "", fmt.Errorf("%q: %w", path, durable.ErrLocked)
	case len(is.Strangers) > 0:
		return "", fmt.Errorf("%q: %w: %q", path, ErrStrangers, is.Strangers[0])
	}
	next, err := look(beside)
	if err != nil {
		return "", err
	}
	switch {
	case next.State == Done && next.same():
		if err := Swap(beside); err != nil {
			return "", err
		}
		return "", &DoneError{path, next.Result}
	case next.State == Absent && len(next.Strangers) == 0, next.State == Interrupted && next.same():
		return beside, nil
	case next.Busy:
		return "", fmt.Errorf("%q: %w", beside, durable.ErrLocked)
	case len(next.Strangers) > 0:
		return "", fmt.Errorf("%q: %w: %q", beside, ErrStrangers, next.Strangers[0])
	}
	return beside, removeAll(beside)
}

// Target returns the path of the output that [Wish.Place] had made at a folder.
func Target(at string) string { return strings.TrimSuffix(at, newSuffix) }

// Swap puts what is at a path that [Wish.Place] returned in the place of its [Target], and removes what was there. It
// does nothing where that is the output itself. Killed at any moment, it leaves the old output or the new one under
// the output's name, or, on systems that cannot exchange two names, both beside it until the command is repeated.
func Swap(at string) error {
	path := Target(at)
	if at == path {
		return nil
	}
	old := path + oldSuffix
	dir := filepath.Dir(path)
	if err := exchange(at, path, old); err != nil {
		return fmt.Errorf("putting %q in the place of %q: %w", at, path, err)
	}
	if err := durable.SyncFolder(dir); err != nil {
		return err
	}
	if _, err := os.Lstat(at); err == nil { // the old one, by an exchange
		if err := durable.Rename(at, old); err != nil {
			return fmt.Errorf("removing what %q replaced: %w", path, err)
		}
	}
	if err := removeAll(old); err != nil {
		return fmt.Errorf("removing what %q replaced: %w", path, err)
	}
	return nil
}

// moveTwice is an exchange by two renamings, between which nothing has the output's name.
func moveTwice(at, path, old string) error {
	if err := durable.Rename(path, old); err != nil {
		return err
	}
	if err := durable.Rename(at, path); err != nil {
		return errors.Join(err, durable.Rename(old, path))
	}
	return nil
}

// asideSuffix is behind the name of an output that is set aside.
const asideSuffix = ".talbot-before"

// SetAside makes room for an output that must be made in its own place, because its files name each other by their
// paths. What was there is kept beside it, for [DropAside]; of a second such try the unfinished first one is removed.
func SetAside(path string) error {
	path = filepath.Clean(path)
	if _, err := os.Lstat(path + asideSuffix); err == nil {
		return removeAll(path)
	}
	if err := durable.Rename(path, path+asideSuffix); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// DropAside removes what was set aside, when the output is whole.
func DropAside(path string) error { return removeAll(filepath.Clean(path) + asideSuffix) }

// settle ends a swap that was killed: an output that has no name gets its new content, which was whole, and what was
// replaced is removed.
func settle(path string) error {
	old, beside := path+oldSuffix, path+newSuffix
	if _, err := os.Lstat(old); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		from := beside
		if _, err := os.Lstat(beside); err != nil {
			from = old
		}
		if err := durable.Rename(from, path); err != nil {
			return err
		}
		if from == old {
			return nil
		}
	}
	return removeAll(old)
}

// removeAll removes a folder.
func removeAll(dir string) error {
	if err := durable.FaultOf("remove", dir); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
