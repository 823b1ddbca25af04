package output

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"talbot/dataset"
	"talbot/internal/durable"
)

const lockName = "progress.lock"

// InUse reports whether a folder holds an interrupted or finished dataset.
func InUse(dir string) bool {
	f := Folder{dir: dir}
	for _, name := range []string{ProgressName, dataset.ManifestName} {
		if _, err := os.Stat(f.Path(name)); err == nil {
			return true
		}
	}
	return false
}

// IsOwnFile reports whether a name is one of the files that talbot makes and reads back in a dataset's folder, finished
// or not.
func IsOwnFile(name string) bool {
	name = durable.WithoutTemp(name)
	for _, suffix := range []string{".talbot.zst", ".journal", ".part"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return name == dataset.ManifestName || name == ProgressName || name == lockName || name == partsName
}

// sideFile calls SideFile; without one, no file is the verb's own.
func (f *Folder) sideFile(name string) (own, wanted bool) {
	if f.SideFile == nil {
		return false, false
	}
	return f.SideFile(name, len(f.progress.Manifest.Shards))
}

// removeRemains removes the files left beside a finished dataset whose command was killed after the last step or could
// not remove them.
func (f *Folder) removeRemains() error {
	left, err := f.list(f.leftover)
	if err != nil || len(left) == 0 {
		return err
	}
	lock, err := durable.Lock(f.Path(lockName))
	if err != nil {
		return nil // it is just being finished
	}
	defer lock.Close()
	return f.removeLeftovers(lock)
}

// list returns the names in the folder for which a function holds.
func (f *Folder) list(is func(name string) bool) (names []string, err error) {
	entries, err := os.ReadDir(f.dir)
	for _, e := range entries {
		if is(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// leftover reports whether a file is of no use once the dataset is finished, as its lock.
func (f *Folder) leftover(name string) bool {
	own, _ := f.sideFile(name)
	return own || name == lockName || name == ProgressName || strings.HasSuffix(name, durable.TempSuffix)
}

// removeLeftovers removes them, the lock that is held last.
func (f *Folder) removeLeftovers(lock *durable.HeldLock) error {
	names, err := f.list(f.leftover)
	for _, name := range names {
		if err == nil && name != lockName {
			err = durable.Remove(f.Path(name))
		}
	}
	if err == nil {
		err = lock.Remove()
	}
	if err != nil {
		return fmt.Errorf("the dataset is complete, but: %w", err)
	}
	return nil
}

// checkFolder refuses a folder that holds files that are not of an interrupted run.
func (f *Folder) checkFolder() error {
	foreign, err := f.list(func(name string) bool {
		return !f.leftover(name) && name != partsName && !strings.HasPrefix(name, "shard-") &&
			!strings.HasPrefix(name, "draft-")
	})
	if err != nil {
		return fmt.Errorf("reading the output folder: %w", err)
	}
	if len(foreign) > 0 {
		return fmt.Errorf("%q contains %q: %w", f.dir, foreign[0], ErrOccupied)
	}
	return nil
}

// sweep removes files that progress.json does not know, and checks those that it does.
func (f *Folder) sweep() error {
	known := map[string]bool{ProgressName: true, lockName: true}
	for _, s := range f.shards() {
		known[s.File] = true
		info, err := os.Stat(f.Path(s.File))
		if err != nil {
			return fmt.Errorf("%w: %w", dataset.ErrDamaged, err)
		}
		if info.Size() != s.Bytes {
			return fmt.Errorf("%q has %d bytes, not %d: %w", s.File, info.Size(), s.Bytes, dataset.ErrDamaged)
		}
	}
	unknown, err := f.list(func(name string) bool {
		_, wanted := f.sideFile(name)
		return !known[name] && !wanted
	})
	for _, name := range unknown {
		if err == nil {
			err = durable.Remove(f.Path(name))
		}
	}
	if err != nil {
		return fmt.Errorf("removing the leftovers of an interrupted command: %w", err)
	}
	return nil
}

// CheckApart refuses an output folder that is the input too ([ErrOccupied]).
func CheckApart(in, out string) error {
	a, err := os.Stat(in)
	if err != nil {
		return err
	}
	b, err := os.Stat(out)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the output folder: %w", err)
	}
	if os.SameFile(a, b) {
		return fmt.Errorf("%q is also the input: %w", out, ErrOccupied)
	}
	return nil
}
